// SPDX-License-Identifier: BSD-3-Clause
// Latency: round trips, message times, and where the time went.
local c = import '../lib/common.libsonnet';
local g = import '../lib/grafana.libsonnet';
local promql = import '../lib/promql.libsonnet';

local pair = c.pair;
local host = c.host;
local operation = host + ', operation=~"$operation"';

local percentiles(title, description, metric, selector, say) = g.timeseries(
  title,
  description,
  's',
  [
    g.target(promql.quantile(q[0], metric, selector), q[1])
    for q in [[0.5, 'p50'], [0.99, 'p99'], [0.999, 'p99.9']]
  ],
  say,
  height=9
) + g.colours({ p50: 'green', p99: 'orange', 'p99.9': 'red' });

local time = g.row('Where the time of requests went', [
  g.timeseries(
    'Where the time went',
    'moving: data was on its way. network: held up in mid-message (paused, paced, a full window) or repairing a ' +
    'loss. peer: all was sent, the answer was awaited; RNR waits too. host: nothing was asked of the wire.',
    'percentunit',
    [g.target(c.rate('rocetop_time_seconds_total', pair, 'state'), '{{state}}')],
    c.no_traffic,
    stack='percent',
    height=9
  ) + c.state_colours,
  g.timeseries(
    'Held up by the network, by host pair',
    'Share of the time in which something was asked of the wire. The ten highest.',
    'percentunit',
    [g.target(
      c.top(promql.share(
        c.rate('rocetop_time_seconds_total', pair + ', state="network"', 'src, dst'),
        c.rate('rocetop_time_seconds_total', pair + ', state!="host"', 'src, dst')
      )),
      '{{src}} → {{dst}}'
    )],
    c.no_traffic,
    g.thresholds('green', [[0.2, 'orange'], [0.5, 'red']]),
    max=1,
    height=9
  ),
]);

local round_trips = g.row('Round trips', [
  g.heatmap(
    'Round trips',
    "From the capture point to the peer and back, the peer's own time included; resent packets do not count.",
    's',
    'sum by (le) (rate(rocetop_rtt_seconds_bucket{%s}[$__rate_interval]))' % host,
    'No round trip was measured: acknowledgements of data are needed'
  ),
  percentiles(
    'Round trips, percentiles',
    'From buckets: between two bounds it is interpolated.',
    'rocetop_rtt_seconds',
    host,
    'No round trip was measured: acknowledgements of data are needed'
  ),
  g.timeseries(
    'Round trip p99, by host',
    'The ten slowest of the chosen hosts.',
    's',
    [g.target(c.top(promql.quantile(0.99, 'rocetop_rtt_seconds', host, 'instance')), '{{instance}}')],
    'No round trip was measured: acknowledgements of data are needed'
  ),
  g.timeseries(
    'Round trips measured',
    'How many samples the percentiles rest on.',
    'eps',
    [g.target('sum(rate(rocetop_rtt_seconds_count{%s}[$__rate_interval]))' % host, 'samples')],
    c.no_traffic
  ),
]);

local messages = g.row('Messages', [
  g.heatmap(
    'Message completion',
    "From a message's first packet to the acknowledgement, or the last response, that completes it. Depends on " +
    'its size.',
    's',
    'sum by (le) (rate(rocetop_message_completion_seconds_bucket{%s}[$__rate_interval]))' % operation,
    'No message was completed'
  ),
  percentiles(
    'Message completion, percentiles',
    'Of the chosen operations. From buckets: between two bounds it is interpolated.',
    'rocetop_message_completion_seconds',
    operation,
    'No message was completed'
  ),
  g.timeseries(
    'Message completion p99, by operation',
    'SEND and WRITE end with an acknowledgement, READ and atomics with their answer.',
    's',
    [g.target(promql.quantile(0.99, 'rocetop_message_completion_seconds', host, 'operation'), '{{operation}}')],
    'No message was completed',
    width=8
  ),
  g.timeseries(
    'Messages, by operation',
    'Completed, a second.',
    'ops',
    [g.target(
      c.rate('rocetop_messages_total', pair + ', operation=~"$operation"', 'operation'), '{{operation}}'
    )],
    c.no_traffic,
    stack=true,
    width=8
  ),
  g.timeseries(
    'Mean message size, by operation',
    'A change here explains a change of completion times.',
    'bytes',
    [g.target(
      promql.share(
        c.rate('rocetop_message_bytes_total', pair + ', operation=~"$operation"', 'operation'),
        c.rate('rocetop_messages_total', pair + ', operation=~"$operation"', 'operation')
      ),
      '{{operation}}'
    )],
    c.no_traffic,
    width=8
  ),
]);

g.dashboard(
  c.uids.latency,
  'rocetop / Latency',
  'Round trips, message times, and where the time went.',
  c.pair_variables + [g.variable(
    'operation', 'Operation', 'rocetop_messages_total', 'operation', host, 'write, send, read or atomic'
  )],
  [c.verdict_row(host), time, round_trips, messages],
  c.annotations(host)
)
