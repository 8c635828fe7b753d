// SPDX-License-Identifier: BSD-3-Clause
// Congestion: a switch marks (ECN), the receiver notifies (CNP), the sender slows down (rate). Which link is missing?
local c = import '../lib/common.libsonnet';
local g = import '../lib/grafana.libsonnet';
local promql = import '../lib/promql.libsonnet';

local pair = c.pair;
local host = c.host;
local by_pair = 'src, dst';

local chain = g.row('ECN → CNP → rate', [
  g.timeseries(
    'The chain',
    'Marks, notifications, slowdowns (times that the rate fell after CNPs) and, on the right, the rate itself. Marks ' +
    'without CNPs: the receiver does not notify. CNPs without slowdowns: the sender does not react.',
    'pps',
    [
      g.target('sum(rate(rocetop_ce_packets_total{%s}[$__rate_interval]))' % pair, 'marked CE'),
      // The CNPs about data from src to dst travel the other way.
      g.target(
        'sum(rate(rocetop_cnp_packets_total{%s, src=~"$dst", dst=~"$src"}[$__rate_interval]))' % host, 'CNPs'
      ),
      g.target('sum(rate(rocetop_slowdowns_total{%s}[$__rate_interval]))' % pair, 'slowdowns'),
      g.target('8 * sum(rate(rocetop_bytes_total{%s}[$__rate_interval]))' % pair, 'rate'),
    ],
    c.no_traffic,
    width=16,
    height=10
  ) + g.on_right_axis('rate', 'bps', 'on the wire'),
  g.timeseries(
    'Loops by verdict',
    'Directions of connections by what rocetop says of their congestion loop: "notification_missing" marks and no ' +
    'CNP; "reaction_missing" CNPs and no slowdown; "not_marked" data that cannot be marked while there is congestion.',
    'none',
    [g.target('sum by (loop) (rocetop_loop_connections{%s})' % host, '{{loop}}')],
    c.no_exporter,
    stack=true,
    width=8,
    height=10
  ) + g.colours({
    closed: 'green',
    idle: '#888888',
    notification_missing: 'red',
    reaction_missing: 'orange',
    not_marked: 'yellow',
    oscillating: 'purple',
    unknown: 'blue',
  }),
]);

local marks = g.row('Marks: ECN', [
  g.timeseries(
    'Marked CE, by host pair',
    'Share of the data packets that a switch marked "congestion experienced": the ten most.',
    'percentunit',
    [g.target(
      c.top(promql.share(
        c.rate('rocetop_ce_packets_total', pair, by_pair), c.rate('rocetop_data_packets_total', pair, by_pair)
      )),
      '{{src}} → {{dst}}'
    )],
    c.no_traffic,
    g.thresholds('green', [[0.1, 'orange']])
  ),
  g.timeseries(
    'Not-ECT, by host pair',
    'Packets that offer no ECN: switches drop them where they would mark others. CNPs and acknowledgements may be so ' +
    'on purpose; data should not.',
    'pps',
    [g.target(c.top(c.rate('rocetop_not_ect_packets_total', pair, by_pair)), '{{src}} → {{dst}}')],
    c.no_traffic
  ),
]);

local notifications = g.row('Notifications: CNP', [
  g.timeseries(
    'CNPs, by who sends them to whom',
    'Congestion notifications: from the receiver of marked data to its sender.',
    'pps',
    [g.target(c.top(c.rate('rocetop_cnp_packets_total', pair, by_pair)), '{{src}} → {{dst}}')],
    c.no_traffic,
    g.thresholds('green', [[1000, 'orange']])
  ),
  g.timeseries(
    'Odd CNPs',
    'Fast CNPs are sent by switches. "Without marks": for data of which no packet was marked here. "With a NAK": ' +
    'some adapters send one with every NAK (slow restart), which is no congestion.',
    'pps',
    [
      g.target('sum(rate(rocetop_fast_cnp_packets_total{%s}[$__rate_interval]))' % pair, 'fast CNPs'),
      g.target('sum(rate(rocetop_cnps_without_ce_total{%s}[$__rate_interval]))' % pair, 'without marks'),
      g.target('sum(rate(rocetop_cnps_with_nak_total{%s}[$__rate_interval]))' % pair, 'with a NAK'),
    ],
    c.no_traffic
  ),
  g.heatmap(
    'From mark to CNP',
    'Time from the latest CE-marked packet of a connection to the CNP, at the capture point.',
    's',
    'sum by (le) (rate(rocetop_ce_to_cnp_seconds_bucket{%s}[$__rate_interval]))' % host,
    'No CNP followed a mark'
  ),
  g.timeseries(
    'From mark to CNP, percentiles',
    'From buckets: between two bounds it is interpolated.',
    's',
    [
      g.target(promql.quantile(q[0], 'rocetop_ce_to_cnp_seconds', host), q[1])
      for q in [[0.5, 'p50'], [0.99, 'p99'], [0.999, 'p99.9']]
    ],
    'No CNP followed a mark',
    height=9
  ),
]);

local reaction = g.row('Reaction: rate', [
  g.timeseries(
    'Rate, by host pair',
    'On the wire, the ten highest.',
    'bps',
    [g.target(c.top('8 * ' + c.rate('rocetop_bytes_total', pair, by_pair)), '{{src}} → {{dst}}')],
    c.no_traffic
  ),
  g.timeseries(
    'CNPs and slowdowns',
    'Series of CNPs after which the rate fell, and those after which a sender with work all the time went on ' +
    'as before.',
    'eps',
    [
      g.target('sum(rate(rocetop_slowdowns_total{%s}[$__rate_interval]))' % pair, 'slowed down'),
      g.target(
        'sum(rate(rocetop_cnp_series_without_slowdown_total{%s}[$__rate_interval]))' % pair, 'went on as before'
      ),
    ],
    c.no_traffic
  ) + g.colours({ 'slowed down': 'green', 'went on as before': 'red' }),
]);

local classes = g.row('Classes and pauses', [
  g.timeseries(
    'Bytes by DSCP and carrier',
    "Who shares RoCE's classes: other traffic in a lossless class is a common reason for pauses. Of captures that " +
    'are filtered to RoCE only RoCE shows.',
    'bps',
    [g.target('8 * ' + c.rate('rocetop_class_bytes_total', host, 'dscp, carrier'), 'DSCP {{dscp}} {{carrier}}')],
    c.no_traffic,
    stack=true,
    width=8
  ),
  g.timeseries(
    'Bytes by priority and carrier',
    "By the VLAN tag's priority, where there are tags.",
    'bps',
    [g.target(
      '8 * ' + c.rate('rocetop_priority_bytes_total', host, 'priority, carrier'), 'priority {{priority}} {{carrier}}'
    )],
    'No VLAN tags were seen',
    stack=true,
    width=8
  ),
  g.timeseries(
    'Paused, by priority',
    "Share of the time, as captured and as this machine's interfaces count what they receive. Switches do not pass " +
    'pause frames on: only those of the captured link are seen.',
    'percentunit',
    [
      g.target(
        'max by (priority) (rate(rocetop_pause_seconds_total{%s}[$__rate_interval]))' % host, 'captured, {{priority}}'
      ),
      g.target(
        'max by (priority) (rate(rocetop_interface_pause_seconds_total{%s, direction="rx"}[$__rate_interval]))' % host,
        'adapter, {{priority}}'
      ),
    ],
    'No pauses were seen or counted',
    g.thresholds('green', [[0.01, 'orange'], [0.2, 'red']]),
    width=8
  ),
]);

local connections = g.row('Connections (opt-in)', [
  g.timeseries(
    'Marked CE, by connection',
    'The ten most.',
    'pps',
    [g.target(
      c.top(c.rate('rocetop_connection_ce_packets_total', c.connection, 'connection, a, a_qp, b, b_qp')),
      '{{a}} qp {{a_qp}} ↔ {{b}} qp {{b_qp}}'
    )],
    c.no_connections
  ),
  g.timeseries(
    'CNPs, by connection',
    'The ten most.',
    'pps',
    [g.target(
      c.top(c.rate('rocetop_connection_cnp_packets_total', c.connection, 'connection, a, a_qp, b, b_qp')),
      '{{a}} qp {{a_qp}} ↔ {{b}} qp {{b_qp}}'
    )],
    c.no_connections
  ),
], collapsed=true);

g.dashboard(
  c.uids.congestion,
  'rocetop / Congestion',
  'Marks, notifications and rates: which link of the congestion loop is missing?',
  c.pair_variables + [c.connection_variable],
  [c.verdict_row(host), chain, marks, notifications, reaction, classes, connections],
  c.annotations(host)
)
