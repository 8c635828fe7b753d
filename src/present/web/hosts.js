// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom: a matrix of hosts, senders down, receivers across.

const laneMetrics = [
  {key: 'bytes_on_wire', name: 'bytes', text: bytesText},
  {key: 'packets', name: 'packets', text: grouped},
  {key: 'connections', name: 'connections', text: grouped},
  {key: 'retransmitted_packets', name: 'packets resent', text: grouped},
  {key: 'missing_packets', name: 'PSNs missing', text: grouped},
  {key: 'naks', name: 'NAKs', text: grouped},
  {key: 'rnr_naks', name: 'RNR NAKs', text: grouped},
  {key: 'ce_packets', name: 'CE marks', text: grouped},
  {key: 'cnps', name: 'CNPs', text: grouped},
];

/** `choose(hosts)` filters the table of connections by two hosts. */
function matrixSection(beside, choose) {
  const {hosts, lanes} = beside;
  const others = beside.hosts_in_all - hosts.length;
  const names = others > 0 ? [...hosts, `${grouped(others)} other hosts`] : hosts;
  const byPair = new Map(lanes.map((lane) => [lane.src + ' ' + lane.dst, lane]));
  const box = el('div', {class: 'scroll'});
  const metrics = laneMetrics.filter(({key}) => lanes.some((lane) => lane[key] > 0));
  const select = el('select', {'aria-label': 'What the matrix shows', onchange: () => draw()},
                    metrics.map(({key, name}) => el('option', {value: key}, name)));
  function draw() {
    const metric = metrics.find(({key}) => key === select.value) ?? laneMetrics[0];
    const top = Math.max(1, ...lanes.map((lane) => lane[metric.key]));
    const rows = names.map((src, i) => el('tr', {}, el('th', {scope: 'row'}, src), names.map((dst, j) => {
      const lane = byPair.get(i + ' ' + j);
      if (!lane) return el('td', {class: 'empty'}, '');
      const value = lane[metric.key];
      const cell = el('td', {class: 'number', 'data-value': value});
      const tip = `${src} → ${dst}: ` + metrics.map(({key, name, text}) => `${text(lane[key])} ${name}`).join(', ');
      const named = i < hosts.length && j < hosts.length;
      cell.append(named ? el('button', {type: 'button', title: tip, onclick: () => choose([src, dst])}, metric.text(value))
                        : el('span', {title: tip}, metric.text(value)));
      cell.style.setProperty('--heat', value === 0 ? '0%' : (8 + 52 * Math.log1p(value) / Math.log1p(top)).toFixed(0) + '%');
      return cell;
    })));
    box.replaceChildren(el('table', {class: 'matrix'},
                           el('caption', {class: 'visually-hidden'}, 'Senders down, receivers across: ' + metric.name),
                           el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'from ↓  to →'),
                                              names.map((name) => el('th', {scope: 'col'}, name)))),
                           el('tbody', {}, rows)));
  }
  draw();
  return el('div', {}, el('div', {class: 'bar no-print'}, el('label', {}, 'show ', select),
                          el('span', {class: 'quiet'}, 'a cell filters the table of connections')), box);
}
