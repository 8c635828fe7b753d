// SPDX-License-Identifier: BSD-3-Clause
// Alerts: few, on what costs somebody time. docs/runbook.md has a section for each. What rests on packets that were not
// seen is only information while the capture is not to be trusted (`capture="doubtful"`), never silence.
local promql = import 'lib/promql.libsonnet';

{
  prometheusAlerts+:: {
    local config = $._config,
    local rocetop = 'job="%s"' % config.job,
    local host = 'job, instance',
    local pair = 'job, instance, protocol, src, dst',
    local selector(extra='') = std.join(', ', [rocetop] + (if extra == '' then [] else [extra])),
    local rate(metric, extra='', by=host) = promql.rate(metric, selector(extra), by, '5m'),
    local percent = 'humanizePercentage',

    local alert(name, severity, hold, expr, summary, description, labels={}) = {
      alert: name,
      expr: expr,
      'for': hold,
      labels: { severity: severity } + labels,
      annotations: {
        summary: summary,
        description: description,
        runbook_url: config.runbookUrl % std.asciiLower(name),
      },
    },
    local distrusted = 'instance:rocetop_capture:verdict{%s} == 3' % rocetop,
    // Twice: in full, and as information where the capture is not to be trusted.
    local alert_if_trusted(name, severity, hold, expr, summary, description) = [
      alert(name, severity, hold, '(\n%s\n)\nunless on (%s)\n%s' % [expr, host, distrusted], summary, description),
      alert(
        name,
        'info',
        hold,
        '(\n%s\n)\nand on (%s)\n%s' % [expr, host, distrusted],
        summary + ' (if the capture can be trusted)',
        description + ' The capture misses packets: look at RocetopCompletenessLow and RocetopCaptureDrops first.',
        { capture: 'doubtful' }
      ),
    ],

    groups: [
      {
        name: 'rocetop.capture',
        rules: [
          alert(
            'RocetopExporterDown',
            'warning',
            '3m',
            'up{%s} == 0' % rocetop,
            'No metrics from rocetop on {{ $labels.instance }}',
            'Prometheus has not been able to scrape {{ $labels.instance }} for 3 minutes: nothing is known of its ' +
            'RDMA traffic, and no other alert of this host can fire.'
          ),
          alert(
            'RocetopNotCapturing',
            'warning',
            '3m',
            |||
              max by (%(host)s) (rocetop_up{%(rocetop)s}) == 0
              or
              (max by (%(host)s) (rocetop_snapshot_age_seconds{%(rocetop)s}) > 60)
            ||| % { host: host, rocetop: rocetop },
            'rocetop on {{ $labels.instance }} captures nothing',
            'The exporter answers, but no input of it is captured or read, or its figures are older than a minute. ' +
            'Counters stand still; that is not the same as no trouble.'
          ),
          alert(
            'RocetopBypassSuspected',
            'warning',
            '5m',
            'max by (job, instance, interface) (rocetop_bypass_suspected{%s}) > 0' % rocetop,
            'RDMA of {{ $labels.interface }} on {{ $labels.instance }} bypasses the capture',
            'The RDMA device counts packets, and the capture on {{ $labels.interface }} sees no RoCE: the adapter ' +
            "moves it past the kernel. All of this host's wire counters are blind to it."
          ),
          alert(
            'RocetopCompletenessLow',
            'warning',
            '5m',
            'instance:rocetop_capture_completeness:ratio_rate5m{%s} < %g' % [rocetop, config.completenessLow],
            'The capture of {{ $labels.instance }} misses packets',
            'It saw {{ $value | %s }} of the packets that were acknowledged in the last 5 minutes. What it says ' %
            percent + 'about loss is not to be trusted meanwhile.'
          ),
          alert(
            'RocetopCaptureDrops',
            'warning',
            '5m',
            'instance:rocetop_capture_dropped_packets:ratio_rate5m{%s} > %g' % [rocetop, config.dropShareLow],
            'The capture of {{ $labels.instance }} drops packets',
            '{{ $value | %s }} of the frames were dropped by the kernel, the interface or the capture before rocetop ' %
            percent + 'could read them.'
          ),
          alert(
            'RocetopSeriesLimited',
            'info',
            '0m',
            'sum by (job, instance, kind) (increase(rocetop_series_limited_total{%s}[1h])) > 0' % rocetop,
            'rocetop on {{ $labels.instance }} has no series left for new {{ $labels.kind }}s',
            'In the last hour about {{ $value | humanize }} found no place under the cap. What they do is in the row ' +
            '"other": nothing is lost from sums.'
          ),
        ],
      },
      {
        name: 'rocetop.network',
        rules: alert_if_trusted(
          'RocetopLossOnLosslessClass',
          'critical',
          '1m',
          'instance:rocetop_lossless_loss:rate5m{%s} > 0' % rocetop,
          'Packets of a lossless class are lost, as seen by {{ $labels.instance }}',
          'About {{ $value | humanize }} packets/s of DSCP %s did not arrive in their turn or had to be sent again ' %
          std.join(', ', config.losslessDscps) + 'for a sequence NAK: flow control does not hold on some hop.',
        ) + alert_if_trusted(
          'RocetopTimeouts',
          'warning',
          '1m',
          // increase() extrapolates: three can come out as 2.9.
          'sum by (%s) (increase(rocetop_retransmit_episodes_total{%s}[5m])) > %g' %
          [pair, selector('cause="timeout"'), config.timeoutsIn5m - 0.5],
          '{{ $labels.src }} waits for its timer on the way to {{ $labels.dst }}',
          'About {{ $value | humanize }} times in 5 minutes it heard nothing and went back after a QP timeout: the ' +
          'last packets or their acknowledgements were lost, or {{ $labels.dst }} stopped answering.',
        ) + alert_if_trusted(
          'RocetopMarksWithoutCnps',
          'warning',
          '2m',
          'max by (%s) (rocetop_finding_active{%s}) > 0' %
          [host, selector('rule="ecn.marks_without_cnp", severity!="info"')],
          'CE marks without CNPs, as seen by {{ $labels.instance }}',
          'Switches mark data and its receivers send no CNPs, so senders do not slow down. While that lasts, queues ' +
          'fill until packets are dropped or paused.',
        ) + [
          alert(
            'RocetopCnpStorm',
            'warning',
            '5m',
            |||
              (
                %(cnps)s > %(rate)g
              )
              and on (%(pair)s)
              (
                %(cnps)s
                > on (%(pair)s)
                %(share)g * %(data)s
              )
            ||| % {
              cnps: rate('rocetop_cnp_packets_total', by=pair),
              data: 'sum by (%s) (%s)' % [pair, promql.swapped(rate('rocetop_data_packets_total', by=pair))],
              pair: pair,
              rate: config.cnpStormRate,
              share: config.cnpStormShare,
            },
            '{{ $labels.src }} floods {{ $labels.dst }} with CNPs',
            '{{ $value | humanize }} CNPs/s, more than %g %% of the data packets they are about: a receiver that is ' %
            (100 * config.cnpStormShare) + 'congested without end, or that does not pace its CNPs.'
          ),
          alert(
            'RocetopPauseStorm',
            'critical',
            '2m',
            |||
              max by (%(host)s, priority) (
                rate(rocetop_pause_seconds_total{%(rocetop)s}[5m])
                or
                rate(rocetop_interface_pause_seconds_total{%(rocetop)s, direction="rx"}[5m])
              ) > %(storm)g
            ||| % { host: host, rocetop: rocetop, storm: config.pauseStorm },
            'Priority {{ $labels.priority }} is paused for much of the time, as seen by {{ $labels.instance }}',
            'It stood still for {{ $value | %s }} of the last 5 minutes. Pauses spread from link to link: one slow ' %
            percent + 'receiver can stop senders that have nothing to do with it.'
          ),
        ],
      },
      {
        name: 'rocetop.receiver',
        rules: [
          alert(
            'RocetopRnrStall',
            'warning',
            '5m',
            '%s > %g' % [rate('rocetop_rnr_stall_seconds_total', by=pair), config.rnrStall],
            '{{ $labels.dst }} is not ready to receive from {{ $labels.src }}',
            'Its RNR NAKs cost {{ $labels.src }} {{ $value | humanizeDuration }} of waiting every second (of all ' +
            'their connections). The network did nothing wrong: receives are posted too late.'
          ),
        ],
      },
      {
        name: 'rocetop.findings',
        rules: [
          alert(
            'RocetopCriticalFinding',
            'critical',
            '0m',
            'sum by (%s, rule) (rocetop_finding_active{%s}) > 0' % [host, selector('severity="critical"')],
            '{{ $labels.rule }} on {{ $labels.instance }}',
            '{{ $value }} critical findings of rule {{ $labels.rule }} go on: connections have ended or are about ' +
            'to. docs/rules.md says what the rule rests on.'
          ),
        ],
      },
    ],
  },
}
