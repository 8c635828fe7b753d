// SPDX-License-Identifier: BSD-3-Clause
// Hosts: who sends to whom as a matrix, senders down, receivers across; what the connections of a pair of hosts share;
// how hosts space their CNPs; receivers of congested data.

/** `choose(hosts)` filters the table of connections by two hosts. */
function matrixSection(beside, choose) {
  const {hosts, lanes} = beside;
  const others = beside.hosts_in_all - hosts.length;
  const names = others > 0 ? [...hosts, `${grouped(others)} other hosts`] : hosts;
  const byPair = new Map(lanes.map((lane) => [lane.src + ' ' + lane.dst, lane]));
  const box = el('div', {class: 'scroll'});
  const metrics = beside.host_pair_fields
      .filter(({key, unit}) => key !== 'udp_source_ports' && unit !== 'index' && lanes.some((lane) => lane[key] > 0));
  const select = el('select', {'aria-label': 'What the matrix shows', onchange: () => draw()},
                    metrics.map(({key, heading}) => el('option', {value: key, selected: key === 'bytes_on_wire'}, heading)));
  function draw() {
    const metric = metrics.find(({key}) => key === select.value) ?? metrics[0];
    if (!metric) return;
    const top = Math.max(1, ...lanes.map((lane) => lane[metric.key]));
    const rows = names.map((src, i) => el('tr', {}, el('th', {scope: 'row'}, src), names.map((dst, j) => {
      const lane = byPair.get(i + ' ' + j);
      if (!lane) return el('td', {class: 'empty'}, '');
      const value = lane[metric.key];
      const cell = el('td', {class: 'number', 'data-value': value});
      const tip = `${src} → ${dst}: ` + metrics.map(({key, heading, unit}) => `${heading} ${fieldText(lane[key], unit)}`).join(', ');
      const named = i < hosts.length && j < hosts.length;
      const text = fieldText(value, metric.unit);
      cell.append(named ? el('button', {type: 'button', title: tip, onclick: () => choose([src, dst])}, text)
                        : el('span', {title: tip}, text));
      cell.style.setProperty('--heat', value === 0 ? '0%' : (8 + 52 * Math.log1p(value) / Math.log1p(top)).toFixed(0) + '%');
      return cell;
    })));
    box.replaceChildren(el('table', {class: 'matrix'},
                           el('caption', {class: 'visually-hidden'}, 'Senders down, receivers across: ' + metric.heading),
                           el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'from ↓  to →'),
                                              names.map((name) => el('th', {scope: 'col'}, name)))),
                           el('tbody', {}, rows)));
  }
  draw();
  return el('div', {}, el('div', {class: 'bar no-print'}, el('label', {}, 'show ', select),
                          el('span', {class: 'quiet'}, 'a cell filters the table of connections')), box);
}

/** What the connections from one host to another share: see HostPair in the JSON. */
function hostPairs(pairs, omitted, fields) {
  if (pairs.length === 0) return null;
  const shown = fields.filter(({key}) => ['connections', 'data_packets', 'payload_bytes', 'reordered_packets', 'jain_index']
      .includes(key) && pairs.some((pair) => pair[key] !== null && pair[key] !== 0));
  const value = (pair, {key, unit}) => pair[key] === null ? '–'
      : unit === 'index' ? pair[key].toFixed(3) : fieldText(pair[key], unit);
  const several = pairs.some((pair) => Object.keys(pair.ttl).length > 1);
  const heading = (field) => el('span', {title: field.help}, field.heading);
  const rows = pairs.map((pair) => [`${pair.src} → ${pair.dst}`, ...shown.map((field) => value(pair, field)),
                                    sourcePorts(pair), ttlText(pair, several)]);
  return el('div', {'data-table': 'host-pairs'},
            plainTable('What the connections from one host to another share, those with the most data first',
                       ['from → to', ...shown.map(heading), 'UDP source ports', 'TTL'], rows, shown.map((unused, i) => i + 1)),
            omitted ? el('p', {class: 'quiet'}, `${grouped(omitted)} more pairs are not listed`) : null);
}

/** How many there are, and what each carried: what ECMP can spread by, and whose packets come late. */
function sourcePorts(pair) {
  const late = (port) => port.reordered_packets === 0 ? '0'
      : `${grouped(port.reordered_packets)} (${percentText(port.reordered_packets / Math.max(1, port.data_packets))})`;
  const rows = pair.ports.map((port) => [port.udp_src === 0 ? 'none' : port.udp_src, grouped(port.connections),
      grouped(port.data_packets), percentText(port.data_packets / Math.max(1, pair.data_packets)), late(port)]);
  if (pair.ports.length === 1 && pair.ports[0].reordered_packets === 0) {
    return pair.ports[0].udp_src === 0 ? 'none' : `one: ${pair.ports[0].udp_src}`;
  }
  const left = pair.udp_source_ports - pair.ports.length;
  return el('details', {}, el('summary', {}, `${grouped(pair.udp_source_ports)} for ${grouped(pair.connections)} ` +
                                             `connection${pair.connections === 1 ? '' : 's'}`),
            plainTable('by source port', ['port', 'connections', 'data packets', 'share', 'late'], rows, [1, 2, 3, 4]),
            left > 0 ? el('p', {class: 'quiet'}, `${grouped(left)} more ports are not listed`) : null);
}

function ttlText(pair, several) {
  const entries = Object.entries(pair.ttl);
  if (entries.length < 2) return entries.map(([ttl]) => ttl).join('') || '–';
  const all = entries.reduce((sum, [, frames]) => sum + frames, 0);
  return el('span', {title: several ? 'several: paths of different length, or several senders behind one address' : null},
            entries.map(([ttl, frames]) => `${ttl} (${percentText(frames / all)})`).join(', '));
}

/** The least time between two CNPs of a sender, by what it may pace by. */
function cnpPacing(pacing, omitted) {
  if (pacing.length === 0) return null;
  const gap = (ns) => ns === null ? '–' : durationText(ns);
  const rows = pacing.map((p) => [p.src, grouped(p.cnps), p.pacing || 'not told by the gaps', gap(p.min_gap_ns.qp),
                                  gap(p.min_gap_ns.ip_pair), gap(p.min_gap_ns.destination), gap(p.min_gap_ns.port)]
      .map((content) => typeof content === 'string' ? content.replaceAll('_', ' ') : content));
  return el('div', {'data-table': 'cnp-pacing'},
            plainTable('How hosts space their CNPs: the least time between two, and what that implies',
                       ['sender', 'CNPs', 'paced by', 'one queue pair', 'one IP pair', 'one destination', 'the sending port'],
                       rows, [1, 3, 4, 5, 6]),
            omitted ? el('p', {class: 'quiet'}, `${grouped(omitted)} more senders are not listed`) : null);
}

/** Fast CNPs: a switch tells the sender. `goTo(frame, file)` shows one. */
function fastCnps(list, omitted) {
  if (list.length === 0) return null;
  const rows = list.map((c) => [c.switch, c.sender, c.receiver ?? 'not told', c.dst_qpn, grouped(c.cnps),
                                frameText(c.first_frame, c.first_file)]);
  return el('div', {'data-table': 'fast-cnps'},
            plainTable('Fast CNPs: switches that told senders to slow down',
                       ['switch', 'told', 'about data to', 'queue pair', 'CNPs', 'first frame'], rows, [3, 4]),
            omitted ? el('p', {class: 'quiet'}, `${grouped(omitted)} more are not listed`) : null);
}

/** Receivers of marked data, by how many senders had some on the way at once. */
function receivers(list, omitted) {
  if (list.length === 0) return null;
  return el('div', {'data-table': 'receivers'},
            plainTable('Receivers of congested data, by the most senders within a millisecond',
                       ['receiver', 'senders at once'], list.map((r) => [r.host, grouped(r.congested_senders_at_once)]), [1]),
            omitted ? el('p', {class: 'quiet'}, `${grouped(omitted)} more are not listed`) : null);
}
