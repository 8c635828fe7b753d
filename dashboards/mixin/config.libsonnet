// SPDX-License-Identifier: BSD-3-Clause
// What a site may want otherwise. Override it as in any mixin: (import 'mixin.libsonnet') { _config+:: { … } }.
{
  _config+:: {
    // The scrape job's name: what rules and alerts look at.
    job: 'rocetop',

    // Classes that never lose a packet where PFC works, by DSCP. 26 is what most RoCE guides use; a regex alternation.
    losslessDscps: ['26'],

    // Where docs/runbook.md is served; %s is the alert's anchor.
    runbookUrl: 'docs/runbook.md#%s',

    // How sure the capture must be before a verdict rests on it. Of the packets with a PSN, and of the frames captured.
    completenessDoubtful: 0.9999,
    completenessLow: 0.99,
    dropShareLow: 0.001,
    dropShareHigh: 0.01,

    // A QP timeout costs milliseconds to seconds; one or two may be a reboot at the other end.
    timeoutsIn5m: 3,
    // Seconds of waiting a second, of one host pair.
    rnrStall: 0.05,
    // CNPs a second of one host pair, and per data packet they are about. Notification points that pace send one in
    // 50 µs or so.
    cnpStormRate: 1000,
    cnpStormShare: 0.05,
    // Share of the time that a class is paused.
    pauseStorm: 0.2,
    // Share of data packets that are resent.
    resentLook: 0.0001,
    resentTrouble: 0.01,
  },
}
