// SPDX-License-Identifier: BSD-3-Clause
// Capture honesty: what the capture missed, dropped, cut or could not read, before anything it says is believed.
local c = import '../lib/common.libsonnet';
local g = import '../lib/grafana.libsonnet';
local promql = import '../lib/promql.libsonnet';

local host = c.host;
local completeness = g.thresholds('red', [[0.99, 'orange'], [0.9999, 'green']]);

local now = g.row('What the capture is worth', [
  g.stat(
    'Complete, last 5 minutes',
    'Of the packets that were acknowledged, the share that the capture saw: the worst of the chosen hosts.',
    'percentunit',
    [g.target('min(instance:rocetop_capture_completeness:ratio_rate5m{%s})' % host, 'complete')],
    'No traffic in the last 5 minutes (or the recording rules are not loaded)',
    completeness,
  ),
  g.stat(
    'Complete, since the start',
    'The same since each exporter started: the worst of the chosen hosts.',
    'percentunit',
    [g.target('min(rocetop_capture_completeness_ratio{%s})' % host, 'complete')],
    'Not known: no acknowledgements were seen',
    completeness,
  ),
  g.stat(
    'Exporters that capture nothing',
    'The exporter answers, but no input is captured or read.',
    'none',
    [g.target('sum(rocetop_up{%s} == bool 0)' % host, 'exporters')],
    c.no_exporter,
    g.thresholds('green', [[1, 'red']]),
  ),
  g.stat(
    'Interfaces down',
    'Captured interfaces that are down or gone; rocetop waits for them.',
    'none',
    [g.target('sum(rocetop_capture_interface_up{%s} == bool 0)' % host, 'interfaces')],
    c.no_interface,
    g.thresholds('green', [[1, 'orange']]),
  ),
  g.stat(
    'Bypass suspected',
    'Interfaces whose RDMA device counts packets while the capture sees no RoCE.',
    'none',
    [g.target('sum(rocetop_bypass_suspected{%s})' % host, 'interfaces')],
    c.no_interface,
    g.thresholds('green', [[1, 'red']]),
  ),
  g.stat(
    'Oldest figures',
    'Age of the newest snapshot of the exporter that is furthest behind.',
    's',
    [g.target('max(rocetop_snapshot_age_seconds{%s})' % host, 'age')],
    c.no_exporter,
    g.thresholds('green', [[10, 'orange'], [60, 'red']]),
  ),
]);

local captured = g.row('Captured and missed', [
  g.timeseries(
    'Complete, by host',
    'In the last 5 minutes; the ten worst. Below 99 % nothing about loss is to be trusted.',
    'percentunit',
    [g.target('bottomk(10, instance:rocetop_capture_completeness:ratio_rate5m{%s})' % host, '{{instance}}')],
    c.no_rules,
    completeness,
    min=null,
    max=1,
    width=8
  ),
  g.timeseries(
    'Missed by the capture',
    'PSNs that were acknowledged and that the capture did not see.',
    'pps',
    [g.target(c.top(c.rate('rocetop_capture_missed_packets_total', host, 'instance')), '{{instance}}')],
    c.no_exporter,
    g.thresholds('green', [[1, 'orange']]),
    width=8
  ),
  g.timeseries(
    'Dropped, by source',
    'kernel: rocetop was too slow or its buffer too small. interface: the network card was. capture: what a file ' +
    'reports. Mirror ports drop without telling anybody: completeness is what shows it.',
    'pps',
    [g.target(c.rate('rocetop_capture_dropped_total', host, 'source'), '{{source}}')],
    'No source reports drops',
    g.thresholds('green', [[1, 'orange']]),
    stack=true,
    width=8
  ),
  g.timeseries(
    'Frames captured, by interface',
    'Everything that passed the filter.',
    'pps',
    [g.target(
      c.top(c.rate('rocetop_capture_packets_total', host, 'instance, interface')), '{{instance}} {{interface}}'
    )],
    c.no_exporter,
    width=8
  ),
  g.timeseries(
    'Bytes captured, by interface',
    'On the wire.',
    'Bps',
    [g.target(c.top(c.rate('rocetop_capture_bytes_total', host, 'instance, interface')), '{{instance}} {{interface}}')],
    c.no_exporter,
    width=8
  ),
  g.timeseries(
    'RoCE',
    'Frames that are RoCE, beside all.',
    'pps',
    [
      g.target('sum(rate(rocetop_capture_roce_packets_total{%s}[$__rate_interval]))' % host, 'RoCE'),
      g.target('sum(rate(rocetop_capture_packets_total{%s}[$__rate_interval]))' % host, 'all'),
    ],
    c.no_exporter,
    width=8
  ),
]);

local quality = g.row('Cut, doubled, unreadable', [
  g.timeseries(
    'Cut or doubled',
    'truncated: cut by the snap length. duplicated: there twice, as mirrors do.',
    'pps',
    [
      g.target('sum(rate(rocetop_capture_truncated_packets_total{%s}[$__rate_interval]))' % host, 'truncated'),
      g.target('sum(rate(rocetop_capture_duplicated_packets_total{%s}[$__rate_interval]))' % host, 'duplicated'),
    ],
    c.no_exporter,
    width=8
  ),
  g.timeseries(
    'Undecodable, by reason',
    'RoCE by port or EtherType, but not decodable.',
    'pps',
    [g.target(c.rate('rocetop_capture_undecodable_packets_total', host, 'reason'), '{{reason}}')],
    c.no_exporter,
    stack=true,
    width=8
  ),
  g.timeseries(
    'Clock steps and interfaces that came and went',
    'A clock that steps makes times wrong; an interface that went lost what passed meanwhile.',
    'eps',
    [
      g.target('sum(rate(rocetop_capture_clock_steps_total{%s}[$__rate_interval]))' % host, 'clock steps'),
      g.target('sum(rate(rocetop_capture_interface_changes_total{%s}[$__rate_interval]))' % host, 'interface changes'),
    ],
    c.no_exporter,
    width=8
  ),
]);

local limits = g.row('Limits', [
  g.timeseries(
    'Series with labels of their own',
    'Host pairs and connections that have rows of their own; what found no place is in the row "other".',
    'none',
    [g.target('sum by (kind) (rocetop_series{%s})' % host, '{{kind}}')],
    c.no_exporter,
    width=8
  ),
  g.timeseries(
    'Found no place under the cap',
    'Raise --max-pairs where this goes on.',
    'eps',
    [g.target(c.rate('rocetop_series_limited_total', host, 'kind'), '{{kind}}')],
    c.no_exporter,
    g.thresholds('green', [[0.1, 'orange']]),
    width=8
  ),
  g.timeseries(
    'Connections',
    'Followed, new, and given up: "limit" made room for newer ones, "silent" said nothing for five minutes.',
    'none',
    [
      g.target('sum(rocetop_followed_connections{%s})' % host, 'followed'),
      g.target('sum(rate(rocetop_connections_total{%s}[$__rate_interval]))' % host, 'new a second'),
      g.target(
        c.rate('rocetop_connections_left_total', host, 'reason'), 'left a second: {{reason}}'
      ),
    ],
    c.no_exporter,
    width=8
  ) + g.on_right_axis('.*a second.*', 'eps', 'a second'),
]);

local exporter = g.row('The exporter itself', [
  g.timeseries(
    'Processor',
    'Of one core.',
    'percentunit',
    [g.target('rate(process_cpu_seconds_total{%s}[$__rate_interval])' % host, '{{instance}}')],
    c.no_exporter,
    width=6
  ),
  g.timeseries(
    'Memory',
    'Resident. Follows the number of live connections, never that of packets.',
    'bytes',
    [g.target('process_resident_memory_bytes{%s}' % host, '{{instance}}')],
    c.no_exporter,
    width=6
  ),
  g.timeseries(
    'Scrapes',
    'By status. 401 is a wrong password.',
    'reqps',
    [g.target(c.rate('rocetop_scrapes_total', host, 'code'), '{{code}}')],
    c.no_exporter,
    width=6
  ),
  g.timeseries(
    'Scrape duration, 99th percentile',
    'Time that it took to put the metrics together; the network comes on top.',
    's',
    [g.target(promql.quantile(0.99, 'rocetop_scrape_duration_seconds', host), 'p99')],
    c.no_exporter,
    g.thresholds('green', [[0.1, 'orange']]),
    width=6
  ),
  g.timeseries(
    'Refused requests',
    'By reason: too many connections, too slow, too large. None of it reaches the capture.',
    'reqps',
    [g.target(c.rate('rocetop_http_rejected_total', host, 'reason'), '{{reason}}')],
    'No request was refused',
    width=6
  ),
  g.timeseries(
    'Open connections and files',
    'HTTP connections, and file descriptors of the process.',
    'none',
    [
      g.target('sum(rocetop_http_connections{%s})' % host, 'connections'),
      g.target('max(process_open_fds{%s})' % host, 'files (most)'),
    ],
    c.no_exporter,
    width=6
  ),
  g.timeseries(
    'Configuration reloads',
    'A failed one changes nothing.',
    'eps',
    [g.target(c.rate('rocetop_config_reloads_total', host, 'result'), '{{result}}')],
    'No reload was asked for',
    width=6
  ),
  g.table(
    'Versions',
    'Of each exporter, and since when it has been running.',
    [
      g.row_target('rocetop_build_info{%s}' % host),
      g.row_target('1000 * process_start_time_seconds{%s}' % host),
    ],
    c.no_exporter,
    [['instance', 'Host'], ['version', 'Version'], ['Value #B', 'Since', { unit: 'dateTimeAsIso' }]],
    hidden=['Value #A', '__name__'],
    width=6,
    height=8
  ),
]);

g.dashboard(
  c.uids.capture,
  'rocetop / Capture honesty',
  'What the capture missed, dropped, cut or could not read.',
  c.host_variables,
  [c.verdict_row(host), now, captured, quality, limits, exporter],
  c.annotations(host)
)
