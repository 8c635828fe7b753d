// SPDX-License-Identifier: BSD-3-Clause
// What the dashboards share: their variables, the verdicts in their first row, links, words and colours.
local g = import 'grafana.libsonnet';
local promql = import 'promql.libsonnet';

{
  // Selectors.
  job: 'job=~"$job"',
  host: 'job=~"$job", instance=~"$instance"',
  pair: self.host + ', src=~"$src", dst=~"$dst"',
  connection: self.host + ', connection=~"$connection"',

  rate(metric, selector, by): promql.rate(metric, selector, by),
  top(expr, n=10): 'topk(%d, %s)' % [n, expr],

  job_variable:
    g.variable('job', 'Job', 'rocetop_build_info', 'job', '', 'The scrape job of the exporters'),
  instance_variable:
    g.variable('instance', 'Host', 'rocetop_build_info', 'instance', self.job, 'The exporter: one for a host or tap'),
  src_variable: g.variable('src', 'From', 'rocetop_packets_total', 'src', self.host, 'Who sent it'),
  dst_variable: g.variable('dst', 'To', 'rocetop_packets_total', 'dst', self.host, 'Whom it was sent to'),
  connection_variable: g.variable(
    'connection',
    'Connection',
    'rocetop_connection_packets_total',
    'connection',
    self.host,
    'Only where the exporter runs with --per-connection'
  ),
  host_variables: [self.job_variable, self.instance_variable],
  pair_variables: self.host_variables + [self.src_variable, self.dst_variable],

  uids: {
    fleet: 'rocetop-fleet',
    congestion: 'rocetop-congestion',
    reliability: 'rocetop-reliability',
    latency: 'rocetop-latency',
    host: 'rocetop-host',
    capture: 'rocetop-capture',
  },
  // To another dashboard, of the same data source, job and time; `extra` as "&var-instance=…".
  url(uid, extra=''): '/d/%s?${datasource:queryparam}&${job:queryparam}%s&${__url_time_range}' % [uid, extra],
  instance_of_row: '&var-instance=${__data.fields.Host}',

  // No data, in words: the commonest reason first.
  no_exporter: 'No data: no exporter of this job was scraped in this time',
  no_rules: 'No data: are the recording rules (prometheus/rules.yml) loaded?',
  no_interface: 'No interface is captured: files or a pipe are read',
  none_seen: 'Nothing of the kind was seen',
  no_traffic: 'No RoCE traffic was seen',
  no_connections: 'Off: run the exporter with --per-connection top=N',
  no_adapter: 'No RDMA adapter is read here (--no-host-counters, or none has this counter)',

  colours: {
    good: 'green',
    unknown: 'purple',
    look: 'orange',
    trouble: 'red',
  },
  verdict_thresholds: g.thresholds('green', [[1, 'purple'], [2, 'orange'], [3, 'red']]),
  local mapped(texts) = [{
    type: 'value',
    options: {
      [value]: { color: texts[value][1], index: std.parseInt(value), text: texts[value][0] }
      for value in std.objectFields(texts)
    },
  }],
  trouble_mappings: mapped({
    '0': ['nothing seen', 'green'],
    '1': ['cannot tell: see capture', 'purple'],
    '2': ['look', 'orange'],
    '3': ['trouble', 'red'],
  }),
  capture_mappings: mapped({
    '0': ['fine', 'green'],
    '1': ['doubtful', 'orange'],
    '2': ['doubtful', 'orange'],
    '3': ['not to be trusted', 'red'],
  }),

  // Is it the network, the receiver, or the capture? The worst of the chosen hosts.
  verdict_row(selector): g.row('Is it the network, the receiver, or the capture?', [
    g.stat(
      'Capture',
      'Worst of the chosen hosts: did the capture see everything? "Not to be trusted": exporter down, nothing ' +
      'captured, bypass suspected, more than 1 % missed or dropped. Read the other two only if this one is fine.',
      'none',
      [g.target('max(instance:rocetop_capture:verdict{%s})' % selector, 'capture')],
      self.no_rules,
      self.verdict_thresholds,
      self.capture_mappings,
      width=6
    ) + g.link('Capture honesty', $.url($.uids.capture, '&${instance:queryparam}')),
    g.stat(
      'Network',
      'Worst of the chosen hosts: loss on a lossless class, more than 1 % resent for loss, or a class paused for ' +
      'more than a fifth of the time is trouble; fewer resends, some pauses, or marks without CNPs are worth a look.',
      'none',
      [g.target('max(instance:rocetop_network:verdict{%s})' % selector, 'network')],
      self.no_rules,
      self.verdict_thresholds,
      self.trouble_mappings,
      width=6
    ),
    g.stat(
      'Receiver',
      'Worst of the chosen hosts: RNR waits of more than 5 % of the time of a host pair, or a refused request (fatal ' +
      'NAK), is trouble; any RNR NAK is worth a look. The network is not to blame for these.',
      'none',
      [g.target('max(instance:rocetop_receiver:verdict{%s})' % selector, 'receiver')],
      self.no_rules,
      self.verdict_thresholds,
      self.trouble_mappings,
      width=6
    ),
    g.stat(
      'Critical findings',
      'Findings that end connections and go on now. docs/rules.md says what each rests on.',
      'none',
      [g.target('sum(rocetop_finding_active{%s, severity="critical"})' % selector, 'critical')],
      self.no_exporter,
      g.thresholds('green', [[1, 'red']]),
      width=6
    ),
  ]),

  annotations(selector): [{
    name: 'Alerts',
    colour: 'red',
    expr: 'ALERTS{alertstate="firing", alertname=~"Rocetop.*", severity!="info", %s}' % selector,
    tags: 'alertname,instance',
    title: '{{alertname}} {{instance}}',
  }],

  // One colour for a cause or an outcome, wherever it is drawn.
  cause_colours: g.colours({
    nak: 'orange',
    rnr: 'blue',
    timeout: 'red',
    read_restart: 'yellow',
    spurious: 'purple',
    sack: 'green',
    unknown: '#888888',
  }),
  outcome_colours: g.colours({
    retransmitted: 'red',
    reordered: 'yellow',
    capture_missed: 'purple',
    unresolved: '#888888',
  }),
  state_colours: g.colours({ moving: 'green', network: 'red', peer: 'blue', host: '#888888' }),
}
