// SPDX-License-Identifier: BSD-3-Clause
// Reliability: what was sent again and why, what was missing, who refused, and who was not ready.
local c = import '../lib/common.libsonnet';
local g = import '../lib/grafana.libsonnet';
local promql = import '../lib/promql.libsonnet';

local pair = c.pair;
local host = c.host;
local by_pair = 'src, dst';

local resent = g.row('Sent again', [
  g.timeseries(
    'Resent packets by cause',
    'nak: a packet was lost and the receiver said so. timeout: silence. rnr: the receiver was not ready. spurious: ' +
    'all of it had been acknowledged. unknown: the way back was not captured.',
    'pps',
    [g.target(c.rate('rocetop_retransmitted_packets_total', pair, 'cause'), '{{cause}}')],
    c.no_traffic,
    stack=true
  ) + c.cause_colours,
  g.timeseries(
    'Resent share, by host pair',
    'Of the data packets, for any cause: the ten highest.',
    'percentunit',
    [g.target(
      c.top(promql.share(
        c.rate('rocetop_retransmitted_packets_total', pair, by_pair),
        c.rate('rocetop_data_packets_total', pair, by_pair)
      )),
      '{{src}} → {{dst}}'
    )],
    c.no_traffic,
    g.thresholds('green', [[0.0001, 'orange'], [0.01, 'red']])
  ),
  g.timeseries(
    'Times that senders went back, by cause',
    'Episodes: one may resend a packet or thousands (go-back-N).',
    'eps',
    [g.target(c.rate('rocetop_retransmit_episodes_total', pair, 'cause'), '{{cause}}')],
    c.no_traffic,
    stack=true,
    width=8
  ) + c.cause_colours,
  g.timeseries(
    'Resent payload by cause',
    'What the resends cost on the wire.',
    'bps',
    [g.target('8 * ' + c.rate('rocetop_retransmitted_bytes_total', pair, 'cause'), '{{cause}}')],
    c.no_traffic,
    stack=true,
    width=8
  ) + c.cause_colours,
  g.timeseries(
    'Timeouts, by host pair',
    'Times that a sender went back after silence: each costs a QP timeout. The ten most.',
    'eps',
    [g.target(
      c.top(c.rate('rocetop_retransmit_episodes_total', pair + ', cause="timeout"', by_pair)), '{{src}} → {{dst}}'
    )],
    c.none_seen,
    g.thresholds('green', [[0.01, 'red']]),
    width=8
  ),
]);

local missing = g.row('Missing and out of order', [
  g.timeseries(
    'Missing packets by outcome',
    'PSNs that did not pass the capture point in their turn. retransmitted: lost before it. reordered: late, not ' +
    'lost. capture_missed: lost by the capture, not by the network. unresolved: not known.',
    'pps',
    [g.target(c.rate('rocetop_missing_packets_total', pair, 'outcome'), '{{outcome}}')],
    c.no_traffic,
    stack=true,
    width=8
  ) + c.outcome_colours,
  g.timeseries(
    'Lost before the capture point, by host pair',
    'Missing packets that came only in a resend: the ten most. Where this is zero and NAKs are not, it is lost ' +
    'behind the capture point.',
    'pps',
    [g.target(
      c.top(c.rate('rocetop_missing_packets_total', pair + ', outcome="retransmitted"', by_pair)), '{{src}} → {{dst}}'
    )],
    c.none_seen,
    g.thresholds('green', [[0.01, 'red']]),
    width=8
  ),
  g.timeseries(
    'Late, twice, or damaged',
    'reordered: late without their sender having gone back. duplicates: passed twice without that. bad ICRC: ' +
    'receivers drop them silently.',
    'pps',
    [
      g.target('sum(rate(rocetop_reordered_packets_total{%s}[$__rate_interval]))' % pair, 'reordered'),
      g.target('sum(rate(rocetop_duplicate_packets_total{%s}[$__rate_interval]))' % pair, 'duplicates'),
      g.target('sum(rate(rocetop_bad_icrc_packets_total{%s}[$__rate_interval]))' % pair, 'bad ICRC'),
    ],
    c.no_traffic,
    width=8
  ),
  g.timeseries(
    'Missing, by DSCP',
    'Of a lossless class this must be zero: see the alert RocetopLossOnLosslessClass.',
    'pps',
    [g.target(
      c.rate('rocetop_class_missing_packets_total', host + ', outcome="retransmitted"', 'dscp'), 'DSCP {{dscp}}'
    )],
    c.none_seen,
    g.thresholds('green', [[0.01, 'red']])
  ),
  g.timeseries(
    'Resent, by DSCP',
    'For any cause: receivers that are not ready make resends in a lossless class too.',
    'pps',
    [g.target(c.rate('rocetop_class_retransmitted_packets_total', host, 'dscp'), 'DSCP {{dscp}}')],
    c.none_seen
  ),
]);

local refused = g.row('NAK and RNR: what receivers said', [
  g.timeseries(
    'NAKs by code',
    'psn_sequence_error: something is missing. All others are fatal: the responder refused the request and the ' +
    'connection ends.',
    'pps',
    [g.target(c.rate('rocetop_naks_total', pair, 'code'), '{{code}}')],
    c.no_traffic,
    stack=true
  ),
  g.timeseries(
    'RNR NAKs, by who was not ready for whom',
    'The receiver had no receive posted. The ten most.',
    'pps',
    [g.target(c.top(c.rate('rocetop_rnr_naks_total', pair, by_pair)), '{{src}} not ready for {{dst}}')],
    c.none_seen,
    g.thresholds('green', [[0.01, 'orange']])
  ),
  g.timeseries(
    'Waiting for receivers that are not ready, by host pair',
    'Seconds a second, of all connections of the pair (above 1 where several wait at a time): the ten most.',
    'percentunit',
    [g.target(c.top(c.rate('rocetop_rnr_stall_seconds_total', pair, by_pair)), '{{src}} waits for {{dst}}')],
    c.none_seen,
    g.thresholds('green', [[0.01, 'orange'], [0.05, 'red']])
  ),
  g.timeseries(
    'Asked to wait, and waited',
    'Senders often wait far longer than the RNR NAK asks for: their timers are coarse.',
    'percentunit',
    [
      g.target('sum(rate(rocetop_rnr_advertised_seconds_total{%s}[$__rate_interval]))' % pair, 'asked for'),
      g.target('sum(rate(rocetop_rnr_stall_seconds_total{%s}[$__rate_interval]))' % pair, 'waited'),
    ],
    c.none_seen
  ),
]);

local findings = g.row('Findings', [
  g.timeseries(
    'Findings that go on, by rule',
    "rocetop's own verdicts, with what they rule out: `rocetop triage` of a capture of this time shows the packets.",
    'none',
    [g.target('sum by (rule) (rocetop_finding_active{%s}) > 0' % host, '{{rule}}')],
    'No finding goes on',
    stack=true
  ),
  g.timeseries(
    'Connections',
    'Seen in the last interval, and followed in all.',
    'none',
    [
      g.target('sum(rocetop_active_connections{%s})' % host, 'active'),
      g.target('sum(rocetop_followed_connections{%s})' % host, 'followed'),
    ],
    c.no_exporter
  ),
]);

local by_connection(metric) = c.top(c.rate(metric, c.connection, 'connection, a, a_qp, b, b_qp'));
local connection_name = '{{a}} qp {{a_qp}} ↔ {{b}} qp {{b_qp}}';
local connections = g.row('Connections (opt-in)', [
  g.timeseries(
    panel[0],
    panel[1],
    'pps',
    [g.target(by_connection(panel[2]), connection_name)],
    c.no_connections,
    width=12
  )
  for panel in [
    ['Resent, by connection', 'The ten most.', 'rocetop_connection_retransmitted_packets_total'],
    ['Missing, by connection', 'Any outcome; the ten most.', 'rocetop_connection_missing_packets_total'],
    ['NAKs, by connection', 'Without RNR; the ten most.', 'rocetop_connection_naks_total'],
    ['RNR NAKs, by connection', 'The ten most.', 'rocetop_connection_rnr_naks_total'],
    ['Packets, by connection', 'The ten busiest.', 'rocetop_connection_packets_total'],
  ]
] + [
  g.timeseries(
    'Rate, by connection',
    'The ten busiest, both directions, on the wire.',
    'bps',
    [g.target('8 * (%s)' % by_connection('rocetop_connection_bytes_total'), connection_name)],
    c.no_connections
  ),
], collapsed=true);

g.dashboard(
  c.uids.reliability,
  'rocetop / Reliability',
  'What was sent again and why, what was missing, and what receivers said.',
  c.pair_variables + [c.connection_variable],
  [c.verdict_row(host), resent, missing, refused, findings, connections],
  c.annotations(host)
)
