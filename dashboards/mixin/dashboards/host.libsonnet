// SPDX-License-Identifier: BSD-3-Clause
// Host: what the adapters count beside what passed on the wire, and pauses. Where the two differ, one of them is blind.
local c = import '../lib/common.libsonnet';
local g = import '../lib/grafana.libsonnet';

local host = c.host;
local device = host + ', device=~"$device"';
local pair = c.pair;

local sum(metric, selector) = 'sum(rate(%s{%s}[$__rate_interval]))' % [metric, selector];
local wire(metric, extra='') = g.target(sum(metric, pair + extra), 'wire');
local adapter(metrics) = g.target(std.join(' + ', [sum(metric, device) for metric in metrics]), 'adapter');
local beside = g.colours({ adapter: 'orange', wire: 'blue' });
local compared(title, description, metrics, on_wire, extra='', unit='pps') = g.timeseries(
  title, description, unit, [adapter(metrics), wire(on_wire, extra)], c.no_adapter, width=8
) + beside;

local ports = g.row('Ports', [
  g.stat(
    'Ports up',
    'RDMA ports of the chosen hosts that are active, and all.',
    'none',
    [
      g.target('sum(rocetop_adapter_port_up{%s})' % device, 'up'),
      g.target('count(rocetop_adapter_port_up{%s})' % device, 'all'),
    ],
    c.no_adapter,
    g.thresholds('blue'),
    width=5
  ),
  g.stat(
    'Bypass suspected',
    'Interfaces whose RDMA device counts packets while the capture sees no RoCE. Then the wire lines below are blind.',
    'none',
    [g.target('sum(rocetop_bypass_suspected{%s})' % host, 'interfaces')],
    c.no_interface,
    g.thresholds('green', [[1, 'red']]),
    width=5
  ),
  g.table(
    'Adapters',
    'Driver, interface and rate of each port.',
    [g.row_target('rocetop_adapter_info{%s}' % device)],
    c.no_adapter,
    [
      ['instance', 'Host'],
      ['device', 'Device'],
      ['port', 'Port'],
      ['interface', 'Interface'],
      ['driver', 'Driver'],
      ['link_layer', 'Link'],
      ['rate', 'Rate'],
    ],
    hidden=['Value', '__name__'],
    width=14,
    height=6
  ),
]);

local traffic = g.row('The adapter beside the wire', [
  g.timeseries(
    'Bytes',
    'What the adapters moved by RDMA (words of 4 bytes are corrected) and what the capture saw as RoCE, both ' +
    'directions. Adapters may count without headers.',
    'Bps',
    [
      adapter(['rocetop_adapter_received_bytes_total', 'rocetop_adapter_transmitted_bytes_total']),
      wire('rocetop_bytes_total'),
    ],
    c.no_adapter,
    width=8
  ) + beside,
  compared(
    'Packets',
    'If the adapter counts more than passes on the wire here, the capture does not see all of it.',
    ['rocetop_adapter_received_packets_total', 'rocetop_adapter_transmitted_packets_total'],
    'rocetop_packets_total'
  ),
  compared(
    'CNPs',
    'Sent and handled by the adapter; sent and received on the wire.',
    ['rocetop_adapter_cnp_sent_packets_total', 'rocetop_adapter_cnp_handled_packets_total'],
    'rocetop_cnp_packets_total'
  ),
  compared(
    'Marked CE',
    'Received by the adapter; passed on the wire.',
    ['rocetop_adapter_ecn_marked_packets_total'],
    'rocetop_ce_packets_total'
  ),
  compared(
    'Out of sequence',
    'Received out of sequence by the adapter; missing on the wire here, but for what the capture itself missed. Much ' +
    'more at the adapter: lost between the capture point and the adapter.',
    ['rocetop_adapter_out_of_sequence_packets_total'],
    'rocetop_missing_packets_total',
    ', outcome!="capture_missed"'
  ),
  compared(
    'Sequence NAKs',
    'Received by the adapter; of both directions on the wire.',
    ['rocetop_adapter_sequence_naks_received_total'],
    'rocetop_naks_total',
    ', code="psn_sequence_error"'
  ),
  compared(
    'Timeouts',
    'Timers of the adapter that ran out; times that a sender went back after silence on the wire.',
    ['rocetop_adapter_timeouts_total'],
    'rocetop_retransmit_episodes_total',
    ', cause="timeout"',
    'eps'
  ),
  compared(
    'RNR NAKs',
    'Sent and received by the adapter; of both directions on the wire.',
    ['rocetop_adapter_rnr_naks_sent_total', 'rocetop_adapter_rnr_naks_received_total'],
    'rocetop_rnr_naks_total'
  ),
  compared(
    'Resent',
    'As the adapter counts it, where it does; as seen on the wire.',
    ['rocetop_adapter_retransmitted_packets_total'],
    'rocetop_retransmitted_packets_total'
  ),
]);

local pauses = g.row('Pauses: PFC', [
  g.timeseries(
    'Paused, by interface and priority',
    'Share of the time. Received pauses (rx) stop this host; sent ones (tx) say that this host cannot keep up.',
    'percentunit',
    [g.target(
      c.rate('rocetop_interface_pause_seconds_total', host, 'interface, priority, direction'),
      '{{interface}} {{priority}} {{direction}}'
    )],
    'No interface counts pause time',
    g.thresholds('green', [[0.01, 'orange'], [0.2, 'red']]),
    width=8
  ),
  g.timeseries(
    'Pause frames, by interface and priority',
    'As the interface counts them, both directions.',
    'pps',
    [g.target(
      c.rate('rocetop_interface_pause_frames_total', host, 'interface, priority, direction'),
      '{{interface}} {{priority}} {{direction}}'
    )],
    'No interface counts pause frames',
    width=8
  ),
  g.timeseries(
    'Pause frames in the capture',
    'Adapters swallow pause frames: a capture on the host rarely shows them, a tap or mirror may.',
    'pps',
    [g.target(c.rate('rocetop_pause_frames_total', host, 'priority, kind'), '{{priority}} {{kind}}')],
    'No pause frame was captured',
    width=8
  ),
]);

local errors = g.row('Losses and errors inside the host', [
  g.timeseries(
    'Discarded, by interface and priority',
    'Dropped by the interface for want of buffers: loss that no switch knows of.',
    'pps',
    [g.target(
      c.rate('rocetop_interface_discarded_packets_total', host, 'interface, priority, direction'),
      '{{interface}} {{priority}} {{direction}}'
    )],
    'No interface counts discards',
    g.thresholds('green', [[0.01, 'red']]),
    width=8
  ),
  g.timeseries(
    'Errors, by counter',
    'Of the port, as the driver names them.',
    'eps',
    [g.target(
      c.rate('rocetop_adapter_errors_total', device, 'device, port, counter') + ' > 0',
      '{{device}}/{{port}} {{counter}}'
    )],
    'No errors are counted',
    g.thresholds('green', [[0.01, 'red']]),
    width=8
  ),
  g.timeseries(
    'Bad ICRC',
    'Packets that the adapter dropped for their checksum; of the wire, complete packets with a wrong one.',
    'pps',
    [adapter(['rocetop_adapter_bad_icrc_packets_total']), wire('rocetop_bad_icrc_packets_total')],
    c.no_adapter,
    g.thresholds('green', [[0.01, 'red']]),
    width=8
  ) + beside,
  g.timeseries(
    'Transmit wait',
    "Ticks in which a port had data and could not send: paused, or out of credits. A tick is the driver's.",
    'short',
    [g.target(c.rate('rocetop_adapter_transmit_wait_total', device, 'device, port'), '{{device}}/{{port}}')],
    c.no_adapter,
    width=8
  ),
  g.timeseries(
    "The driver's other counters",
    'The fifteen that move most, as the driver names them.',
    'eps',
    [g.target(
      'topk(15, %s > 0)' % c.rate('rocetop_adapter_other_total', device, 'device, port, counter'),
      '{{device}}/{{port}} {{counter}}'
    )],
    'No other counter moves',
    width=8
  ),
  g.timeseries(
    'Levels that the driver tells',
    'What goes up and down beside the counters: queue pairs in use, current rates; as the driver names them.',
    'short',
    [g.target('rocetop_adapter_level{%s}' % device, '{{device}}/{{port}} {{counter}}')],
    'No driver here tells levels',
    width=8
  ),
  g.timeseries(
    'Reading the counters',
    'Age of the newest reading, and files that could not be read. A dying adapter makes the age grow.',
    's',
    [
      g.target('max(rocetop_host_read_age_seconds{%s})' % host, 'age'),
      g.target('sum by (what) (rate(rocetop_host_read_errors_total{%s}[$__rate_interval]))' % host, 'errors: {{what}}'),
    ],
    c.no_adapter,
    g.thresholds('green', [[30, 'orange']]),
    width=8
  ) + g.on_right_axis('errors.*', 'eps', 'errors'),
]);

g.dashboard(
  c.uids.host,
  'rocetop / Host',
  'What the adapters of a host count beside what passed on the wire, and its pauses.',
  c.pair_variables + [g.variable('device', 'Device', 'rocetop_adapter_info', 'device', host, 'RDMA device')],
  [c.verdict_row(host), ports, traffic, pauses, errors],
  c.annotations(host)
)
