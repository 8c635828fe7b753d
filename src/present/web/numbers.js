// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a direction beside the plots: where the time went, messages, the congestion loop, distributions. Each is
// shown where the JSON has it.

/** "rate before cnp 15.0 Gb/s" for every plain number of an object; null and 0 are left out. */
function plainFacts(object) {
  return Object.entries(object).filter(([, value]) => typeof value === 'number' && value !== 0)
      .map(([name, value]) => el('span', {class: 'value', title: name}, valueText(name, value)));
}

const splitParts = [
  {key: 'moving_ns', name: 'moving data', colour: '--mark-ack'},
  {key: 'network_ns', name: 'waiting for the network', colour: '--mark-resent-nak'},
  {key: 'peer_ns', name: 'waiting for the peer', colour: '--mark-ce'},
  {key: 'host_ns', name: 'nothing asked of the wire', colour: '--mark-new'},
];

function timeSplit(direction, title) {
  const split = direction.time_split;
  if (!split || !split.wall_ns) return null;
  const bar = el('div', {class: 'split', 'aria-hidden': 'true'});
  const words = el('p', {class: 'quiet'});
  for (const {key, name, colour} of splitParts) {
    if (!split[key]) continue;
    const share = split[key] / split.wall_ns;
    const part = el('span', {title: `${name}: ${durationText(split[key])}`});
    part.style.width = 100 * share + '%';
    part.style.background = `var(${colour})`;
    bar.append(part);
    const sample = el('span', {class: 'sample'});
    sample.style.background = `var(${colour})`;
    words.append(sample, ` ${name} ${percentText(share)} (${durationText(split[key])})  `);
  }
  return el('details', {open: true, class: 'time-split'},
            el('summary', {}, `Where the time went, ${title}: ${durationText(split.wall_ns)}`), bar, words);
}

function messageCounts(direction, title) {
  const kinds = Object.entries(direction.messages ?? {}).filter(([, m]) => m.count || m.partial || m.open);
  if (kinds.length === 0) return null;
  return el('details', {open: true}, el('summary', {}, `Messages, ${title}`),
            el('dl', {class: 'facts'}, kinds.flatMap(([kind, m]) => [el('dt', {}, kind), el('dd', {}, plainFacts(m))])));
}

function congestionLoop(direction, title) {
  const loop = direction.congestion;
  if (!loop || !(loop.ce_packets || loop.cnps || (loop.loop && !['idle', 'unknown'].includes(loop.loop)))) return null;
  return el('details', {open: true}, el('summary', {}, `Congestion loop, ${title}: ${(loop.loop ?? 'unknown').replaceAll('_', ' ')}`),
            el('p', {}, plainFacts(loop)));
}

/** Every distribution in an object of the JSON, however deep: {count, min, p50, …}. */
function* findDistributions(object, path = []) {
  if (object === null || typeof object !== 'object' || Array.isArray(object)) return;
  if (typeof object.count === 'number' && 'p50' in object && 'max' in object) {
    yield [path, object];
    return;
  }
  for (const [key, value] of Object.entries(object)) yield* findDistributions(value, [...path, key]);
}

const percentiles = ['min', 'p50', 'p90', 'p99', 'p999', 'max'];

function distributions(direction, title) {
  const found = [...findDistributions(direction)].filter(([, d]) => d.count > 0);
  if (found.length === 0) return null;
  const isTime = (path) => path.at(-1).endsWith('_ns');
  const times = found.filter(([path]) => isTime(path)).map(([, d]) => d);
  const lowest = Math.min(...times.map((d) => Math.max(1, d.min)));
  const highest = Math.max(...times.map((d) => d.max));
  const place = (ns) => highest <= lowest ? 50 : 100 * Math.log(Math.max(lowest, ns) / lowest) / Math.log(highest / lowest);
  const text = (path, v) => v === null || v === undefined ? '–' : isTime(path) ? durationText(v)
                          : path.at(-1).endsWith('_bytes') ? bytesText(v) : grouped(Math.round(v));
  return el('details', {open: true}, el('summary', {}, `Distributions, ${title}`), el('div', {class: 'scroll'},
      el('table', {class: 'plain'},
         el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'of'), el('th', {scope: 'col', class: 'number'}, 'count'),
                            percentiles.map((p) => el('th', {scope: 'col', class: 'number'}, p.replace('p999', 'p99.9'))),
                            el('th', {scope: 'col', class: 'whiskers'}, 'on one logarithmic axis'))),
         el('tbody', {}, found.map(([path, d]) => el('tr', {'data-distribution': path.join('.')},
             el('th', {scope: 'row'}, path.join(' ').replaceAll(/_ns|_bytes/g, '').replaceAll('_', ' ')),
             el('td', {class: 'number'}, grouped(d.count)),
             percentiles.map((p) => el('td', {class: 'number', title: isTime(path) ? `${d[p]} ns` : null}, text(path, d[p]))),
             el('td', {class: 'whiskers'}, isTime(path) ? whiskers(d, place) : null)))))));
}

/** From the least to the most, thick from the median to p99, a tick at the median. */
function whiskers(d, place) {
  const part = (name, from, to) => {
    const bar = el('span', {class: name});
    bar.style.left = place(from) + '%';
    bar.style.width = Math.max(0.6, place(to) - place(from)) + '%';
    return bar;
  };
  return el('span', {class: 'track', 'aria-hidden': 'true'}, part('thin', d.min, d.max), part('thick', d.p50, d.p99 ?? d.max),
            part('tick', d.p50, d.p50));
}

/** Pause frames by class, as the JSON counts them. */
function pauseTable(capture) {
  const rows = (capture.pfc ?? []).map((p) => [`class ${p.class}`, p]);
  const link = capture.pause_802_3x;
  if (link && link.xoff_frames + link.xon_frames > 0) rows.push(['802.3x, all classes', link]);
  if (rows.length === 0) return null;
  return el('table', {class: 'plain pauses'}, el('thead', {}, el('tr', {}, ['pause frames', 'XOFF', 'XON', 'time paused']
      .map((name) => el('th', {scope: 'col'}, name)))), el('tbody', {}, rows.map(([name, p]) => el('tr', {},
      el('th', {scope: 'row'}, name), el('td', {class: 'number'}, grouped(p.xoff_frames)),
      el('td', {class: 'number'}, grouped(p.xon_frames)),
      el('td', {class: 'number'}, typeof p.paused_ns === 'number' ? durationText(p.paused_ns)
                                                                 : 'needs the link’s speed')))));
}
