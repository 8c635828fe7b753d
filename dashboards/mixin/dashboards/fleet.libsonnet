// SPDX-License-Identifier: BSD-3-Clause
// Fleet overview: which hosts are in trouble, of what kind, and whether their captures can be believed.
local c = import '../lib/common.libsonnet';
local g = import '../lib/grafana.libsonnet';

local job = c.job;
local per_host(metric) = '%s{%s}' % [metric, job];
local hosts_with(verdict, value) = 'sum(instance:rocetop_%s:verdict{%s} == bool %d)' % [verdict, job, value];

local verdicts = g.row('Is it the network, the receiver, or the capture?', [
  g.stat(
    'Captures not to be trusted',
    'Hosts whose exporter is down, captures nothing, is suspected of being bypassed, or misses or drops more than 1 ' +
    '%. What the other figures say about these hosts is worth little.',
    'none',
    [g.target(hosts_with('capture', 3), 'hosts')],
    c.no_rules,
    g.thresholds('green', [[1, 'red']]),
  ) + g.link('Capture honesty', c.url(c.uids.capture)),
  g.stat(
    'Hosts with network trouble',
    'Loss on a lossless class, more than 1 % resent for loss, or a class that is paused for more than a fifth of the ' +
    'time.',
    'none',
    [g.target(hosts_with('network', 3), 'hosts')],
    c.no_rules,
    g.thresholds('green', [[1, 'red']]),
  ) + g.link('Reliability', c.url(c.uids.reliability)),
  g.stat(
    'Hosts with receiver trouble',
    'Receivers that are not ready (RNR) for more than 5 % of the time of a host pair, or that refused a request.',
    'none',
    [g.target(hosts_with('receiver', 3), 'hosts')],
    c.no_rules,
    g.thresholds('green', [[1, 'red']]),
  ) + g.link('Reliability', c.url(c.uids.reliability)),
  g.stat(
    'Cannot tell',
    'Hosts of which no network trouble was seen by a capture that is not to be trusted. They are not fine: ' +
    'nobody knows.',
    'none',
    [g.target(hosts_with('network', 1), 'hosts')],
    c.no_rules,
    g.thresholds('green', [[1, 'purple']]),
  ),
  g.stat(
    'Critical findings',
    'Findings that end connections and go on now, of all hosts.',
    'none',
    [g.target('sum(rocetop_finding_active{%s, severity="critical"})' % job, 'findings')],
    c.no_exporter,
    g.thresholds('green', [[1, 'red']]),
  ),
  g.stat(
    'Exporters up',
    'Scraped with success, and all that Prometheus knows of.',
    'none',
    [g.target('sum(up{%s})' % job, 'up'), g.target('count(up{%s})' % job, 'all')],
    c.no_exporter,
    g.thresholds('blue'),
  ),
]);

local columns = [
  ['instance', 'Host', { links: [
    { title: name, url: c.url(c.uids[std.asciiLower(name)], c.instance_of_row), targetBlank: false }
    for name in ['Reliability', 'Congestion', 'Latency', 'Host', 'Capture']
  ] }],
  ['Value #A', 'Capture', g.coloured('none', c.verdict_thresholds, c.capture_mappings)],
  ['Value #B', 'Network', g.coloured('none', c.verdict_thresholds, c.trouble_mappings)],
  ['Value #C', 'Receiver', g.coloured('none', c.verdict_thresholds, c.trouble_mappings)],
  ['Value #D', 'Complete', g.coloured('percentunit', g.thresholds('red', [[0.99, 'orange'], [0.9999, 'green']]))],
  ['Value #E', 'Resent', g.coloured('percentunit', g.thresholds('green', [[0.0001, 'orange'], [0.01, 'red']]))],
  ['Value #F', 'RNR waiting', g.coloured('percentunit', g.thresholds('green', [[0.01, 'orange'], [0.05, 'red']]))],
  ['Value #G', 'Marked CE', g.coloured('percentunit', g.thresholds('green', [[0.1, 'orange']]))],
  ['Value #H', 'CNPs', g.coloured('pps', g.thresholds('green', [[1000, 'orange']]))],
  ['Value #I', 'Paused', g.coloured('percentunit', g.thresholds('green', [[0.01, 'orange'], [0.2, 'red']]))],
  ['Value #J', 'Round trip p99', { unit: 's' }],
  ['Value #K', 'Rate', { unit: 'bps' }],
];
local worst_first = g.row('Hosts, worst first', [
  g.table(
    'Hosts',
    'One line a host: the three verdicts, how complete the capture was in the last 5 minutes, and what they rest on. ' +
    'A host that captures both directions of both ends is seen by both: sums over hosts count such packets twice.',
    [
      g.row_target('sort_desc(%s)' % per_host(metric))
      for metric in ['instance:rocetop_capture:verdict', 'instance:rocetop_network:verdict']
    ] + [g.row_target(expr) for expr in [
      per_host('instance:rocetop_receiver:verdict'),
      per_host('instance:rocetop_capture_completeness:ratio_rate5m'),
      per_host('instance:rocetop_retransmitted_packets:ratio_rate5m'),
      per_host('instance:rocetop_rnr_stall_seconds:rate5m'),
      per_host('instance:rocetop_ce_packets:ratio_rate5m'),
      per_host('instance:rocetop_cnp_packets:rate5m'),
      per_host('instance:rocetop_pause_seconds:max_rate5m'),
      per_host('instance:rocetop_rtt_seconds:p99_rate5m'),
      '8 * ' + per_host('instance:rocetop_bytes:rate5m'),
    ]],
    c.no_rules,
    columns,
    sort='Network',
    height=11
  ),
]);

local top_hosts(title, description, unit, metric, thresholds=null, say=c.no_rules) = g.timeseries(
  title, description, unit, [g.target(c.top(per_host(metric)), '{{instance}}')], say, thresholds, width=8
);
local trends = g.row('The ten most of each', [
  top_hosts(
    'Resent',
    'Share of data packets that were sent again, for any cause. The hosts that resend most.',
    'percentunit',
    'instance:rocetop_retransmitted_packets:ratio_rate5m',
    g.thresholds('green', [[0.01, 'red']])
  ),
  top_hosts(
    'RNR waiting',
    'Seconds a second in which senders waited for receivers that were not ready, of all connections: above 1 where ' +
    'several wait at a time.',
    'percentunit',
    'instance:rocetop_rnr_stall_seconds:rate5m',
    g.thresholds('green', [[0.05, 'red']])
  ),
  top_hosts(
    'Paused',
    'Share of the time in which the class that was paused most stood still.',
    'percentunit',
    'instance:rocetop_pause_seconds:max_rate5m',
    g.thresholds('green', [[0.2, 'red']]),
    'No pauses are seen: neither in the capture nor by the adapters (or the recording rules are not loaded)'
  ),
  top_hosts(
    'Marked CE',
    'Share of data packets that switches marked "congestion experienced".',
    'percentunit',
    'instance:rocetop_ce_packets:ratio_rate5m'
  ),
  top_hosts(
    'CNPs', 'Congestion notifications a second, of both directions.', 'pps', 'instance:rocetop_cnp_packets:rate5m'
  ),
  top_hosts('Rate', 'RoCE on the wire, both directions.', 'Bps', 'instance:rocetop_bytes:rate5m'),
]);

local causes = g.row('The whole fleet', [
  g.timeseries(
    'Resent by cause',
    'Packets sent again, by what made their sender go back.',
    'pps',
    [g.target('sum by (cause) (instance_cause:rocetop_retransmitted_packets:rate5m{%s})' % job, '{{cause}}')],
    c.no_rules,
    stack=true,
    width=8
  ) + c.cause_colours,
  g.timeseries(
    'Missing by outcome',
    'PSNs that did not pass the capture points in their turn, and what became of them. "capture_missed" is lost by ' +
    'the capture, not by the network.',
    'pps',
    [g.target('sum by (outcome) (instance_outcome:rocetop_missing_packets:rate5m{%s})' % job, '{{outcome}}')],
    c.no_rules,
    stack=true,
    width=8
  ) + c.outcome_colours,
  g.timeseries(
    'Round trip, 99th percentile',
    "Of all hosts together; from the capture point to the peer and back, the peer's own time included.",
    's',
    [g.target('job:rocetop_rtt_seconds:p99_rate5m{%s}' % job, '{{job}}')],
    c.no_rules,
    width=8
  ),
  g.bars(
    'Findings that go on, by rule',
    'How many of each rule go on now, over all hosts; docs/rules.md says what each means.',
    'none',
    [g.target('sort_desc(sum by (rule) (rocetop_finding_active{%s}) > 0)' % job, '{{rule}}', instant=true)],
    'No finding goes on',
    g.thresholds('blue'),
  ),
  g.timeseries(
    'Least complete captures',
    'Share of the acknowledged packets that the capture saw, of the ten worst hosts. Below 99 % nothing that it says ' +
    'about loss is to be trusted.',
    'percentunit',
    [g.target('bottomk(10, %s)' % per_host('instance:rocetop_capture_completeness:ratio_rate5m'), '{{instance}}')],
    c.no_rules,
    g.thresholds('red', [[0.99, 'orange'], [0.9999, 'green']]),
    min=null,
    max=1
  ),
]);

g.dashboard(
  c.uids.fleet,
  'rocetop / Fleet',
  'All hosts: network, receiver or capture? Then the hosts in trouble, worst first.',
  [c.job_variable],
  [verdicts, worst_first, trends, causes],
  c.annotations(job)
)
