// SPDX-License-Identifier: BSD-3-Clause
// Recording rules: level:metric:operations. They make the fleet's dashboard cheap (a dozen series a host), and they
// hold the three verdicts that every dashboard begins with: is it the network, the receiver, or the capture?
local promql = import 'lib/promql.libsonnet';

{
  prometheusRules+:: {
    local config = $._config,
    local rocetop = 'job="%s"' % config.job,
    local lossless = 'dscp=~"%s"' % std.join('|', config.losslessDscps),
    local host = 'job, instance',
    local rate(metric, extra='', by=host) =
      promql.rate(metric, std.join(', ', [rocetop] + (if extra == '' then [] else [extra])), by, '5m'),
    local recorded(name) = '%s{%s}' % [name, rocetop],
    local complete = recorded('instance:rocetop_capture_completeness:ratio_rate5m'),
    local drops = recorded('instance:rocetop_capture_dropped_packets:ratio_rate5m'),

    // One group: its rules are evaluated in order, and the verdicts rest on the rates of the same moment.
    groups: [
      {
        name: 'rocetop',
        rules: [
          { record: 'instance:rocetop_packets:rate5m', expr: rate('rocetop_packets_total') },
          { record: 'instance:rocetop_bytes:rate5m', expr: rate('rocetop_bytes_total') },
          { record: 'instance:rocetop_data_packets:rate5m', expr: rate('rocetop_data_packets_total') },
          {
            record: 'instance_cause:rocetop_retransmitted_packets:rate5m',
            expr: rate('rocetop_retransmitted_packets_total', by=host + ', cause'),
          },
          {
            record: 'instance:rocetop_retransmitted_packets:ratio_rate5m',
            expr: promql.share(
              'sum by (%s) (%s)' % [host, recorded('instance_cause:rocetop_retransmitted_packets:rate5m')],
              recorded('instance:rocetop_data_packets:rate5m')
            ),
          },
          {
            record: 'instance_outcome:rocetop_missing_packets:rate5m',
            expr: rate('rocetop_missing_packets_total', by=host + ', outcome'),
          },
          { record: 'instance:rocetop_rnr_stall_seconds:rate5m', expr: rate('rocetop_rnr_stall_seconds_total') },
          {
            record: 'instance:rocetop_ce_packets:ratio_rate5m',
            expr: promql.share(rate('rocetop_ce_packets_total'), recorded('instance:rocetop_data_packets:rate5m')),
          },
          { record: 'instance:rocetop_cnp_packets:rate5m', expr: rate('rocetop_cnp_packets_total') },
          {
            // Seconds a second that the class paused most stood still: as captured, or as the adapter counts it.
            record: 'instance:rocetop_pause_seconds:max_rate5m',
            expr: |||
              max by (%(host)s) (
                rate(rocetop_pause_seconds_total{%(rocetop)s}[5m])
                or
                rate(rocetop_interface_pause_seconds_total{%(rocetop)s, direction="rx"}[5m])
              )
            ||| % { host: host, rocetop: rocetop },
          },
          {
            record: 'instance:rocetop_rtt_seconds:p99_rate5m',
            expr: promql.quantile(0.99, 'rocetop_rtt_seconds', rocetop, host, '5m'),
          },
          {
            record: 'job:rocetop_rtt_seconds:p99_rate5m',
            expr: promql.quantile(0.99, 'rocetop_rtt_seconds', rocetop, 'job', '5m'),
          },
          {
            // Of the packets with a PSN, how many of those that passed the capture saw.
            record: 'instance:rocetop_capture_completeness:ratio_rate5m',
            expr: |||
              1 - (
                %(missed)s
                /
                (%(missed)s + %(seen)s > 0)
              )
            ||| % {
              missed: rate('rocetop_capture_missed_packets_total'),
              seen: recorded('instance:rocetop_data_packets:rate5m'),
            },
          },
          {
            record: 'instance:rocetop_capture_dropped_packets:ratio_rate5m',
            expr: |||
              %(dropped)s
              /
              (%(dropped)s + %(captured)s > 0)
            ||| % {
              dropped: rate('rocetop_capture_dropped_total'),
              captured: rate('rocetop_capture_packets_total'),
            },
          },
          {
            // Verdicts: 0 nothing seen, 1 cannot tell (the capture is not to be trusted), 2 look, 3 trouble.
            // The capture's own: 0 fine, 2 doubtful, 3 not to be trusted.
            record: 'instance:rocetop_capture:verdict',
            expr: promql.first_of([
              [3, 'max by (%s) (up{%s}) == 0' % [host, rocetop]],
              [3, 'max by (%s) (rocetop_up{%s}) == 0' % [host, rocetop]],
              [3, 'max by (%s) (rocetop_bypass_suspected{%s}) > 0' % [host, rocetop]],
              [3, '%s < %g' % [complete, config.completenessLow]],
              [3, '%s > %g' % [drops, config.dropShareHigh]],
              [
                2,
                '%s < %g' % [complete, config.completenessDoubtful],
              ],
              [2, '%s > 0' % drops],
              [2, 'min by (%s) (rocetop_capture_interface_up{%s}) == 0' % [host, rocetop]],
              [0, 'max by (%s) (up{%s})' % [host, rocetop]],
            ]),
          },
          {
            // Loss on a class that must not lose: PSNs that did not pass in their turn, or more resends than needless
            // ones, timers and receivers that were not ready can explain (lost behind the capture point).
            // The tenth is what rate()'s extrapolation of several series may be off by.
            record: 'instance:rocetop_lossless_loss:rate5m',
            expr: |||
              (
                %(missing)s > 0
              )
              or
              (
                (
                  %(resent)s
                  - on (%(host)s)
                  %(explained)s
                )
                > on (%(host)s)
                0.1 * %(resent)s
              )
            ||| % {
              host: host,
              missing: rate('rocetop_class_missing_packets_total', lossless + ', outcome="retransmitted"'),
              resent: rate('rocetop_class_retransmitted_packets_total', lossless),
              explained: rate('rocetop_retransmitted_packets_total', 'cause!~"nak|read_restart|sack"'),
            },
          },
          {
            record: 'instance:rocetop_network_evidence:verdict',
            expr: promql.first_of([
              [3, '%s > 0' % recorded('instance:rocetop_lossless_loss:rate5m')],
              [3, '%s > %g' % [recorded('instance:rocetop_pause_seconds:max_rate5m'), config.pauseStorm]],
              [
                3,
                |||
                  sum by (%(host)s) (%(resent)s)
                  / on (%(host)s)
                  (%(data)s > 0)
                  > %(trouble)g
                ||| % {
                  host: host,
                  resent: '%s{%s, cause=~"nak|timeout|read_restart|sack"}' %
                          ['instance_cause:rocetop_retransmitted_packets:rate5m', rocetop],
                  data: recorded('instance:rocetop_data_packets:rate5m'),
                  trouble: config.resentTrouble,
                },
              ],
              [
                2,
                |||
                  sum by (%(host)s) (%(resent)s)
                  / on (%(host)s)
                  (%(data)s > 0)
                  > %(look)g
                ||| % {
                  host: host,
                  resent: '%s{%s, cause!="rnr"}' % ['instance_cause:rocetop_retransmitted_packets:rate5m', rocetop],
                  data: recorded('instance:rocetop_data_packets:rate5m'),
                  look: config.resentLook,
                },
              ],
              [2, '%s > 0.01' % recorded('instance:rocetop_pause_seconds:max_rate5m')],
              [
                2,
                'max by (%s) (rocetop_finding_active{%s, rule="ecn.marks_without_cnp", severity!="info"}) > 0' %
                [host, rocetop],
              ],
              [0, 'max by (%s) (up{%s})' % [host, rocetop]],
            ]),
          },
          {
            // Nothing seen by a capture that is not to be trusted is no news; what it did see may be its own doing.
            record: 'instance:rocetop_network:verdict',
            expr: |||
              (
                (%(evidence)s * 0 + 1 + (%(evidence)s > bool 0))
                and on (%(host)s)
                (%(capture)s == 3)
              )
              or
              %(evidence)s
            ||| % {
              host: host,
              evidence: recorded('instance:rocetop_network_evidence:verdict'),
              capture: recorded('instance:rocetop_capture:verdict'),
            },
          },
          {
            record: 'instance:rocetop_receiver_evidence:verdict',
            expr: promql.first_of([
              [3, '%s > 0' % rate('rocetop_naks_total', 'code!="psn_sequence_error"')],
              [
                3,
                'max by (%s) (%s) > %g' %
                [host, rate('rocetop_rnr_stall_seconds_total', by=host + ', src, dst'), config.rnrStall],
              ],
              [2, '%s > 0' % rate('rocetop_rnr_naks_total')],
              [0, 'max by (%s) (up{%s})' % [host, rocetop]],
            ]),
          },
          {
            // RNR NAKs that were captured were sent: a bad capture takes nothing from them.
            record: 'instance:rocetop_receiver:verdict',
            expr: |||
              (
                (%(evidence)s == 0) + 1
                and on (%(host)s)
                (%(capture)s == 3)
              )
              or
              %(evidence)s
            ||| % {
              host: host,
              evidence: recorded('instance:rocetop_receiver_evidence:verdict'),
              capture: recorded('instance:rocetop_capture:verdict'),
            },
          },
        ],
      },
    ],
  },
}
