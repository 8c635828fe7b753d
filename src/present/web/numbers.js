// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a direction beside the plots: where the time went, messages, the congestion loop, distributions. Each is
// shown where the JSON has it.

/** "rate before a CNP 15.0 Gb/s" for every field of an object that is known and not 0. */
function plainFacts(object, fields) {
  return fields.filter(({key}) => object[key])
      .map(({key, heading, unit, help}) => el('span', {class: 'value', 'data-key': key, title: `${help} (${key})`},
                                              el('span', {class: 'quiet'}, heading + ' '), fieldText(object[key], unit)));
}

const splitColours = {moving_ns: '--mark-ack', network_ns: '--mark-resent-nak', peer_ns: '--mark-ce', host_ns: '--mark-new'};

function timeSplit(direction, title, fields) {
  const split = direction.time_split;
  if (!split || !split.wall_ns) return null;
  const bar = el('div', {class: 'split', 'aria-hidden': 'true'});
  const words = el('p', {class: 'quiet'});
  for (const [key, colour] of Object.entries(splitColours)) {
    if (!split[key]) continue;
    const {heading: name, help} = fields.find((field) => field.key === 'time_split.' + key);
    const share = split[key] / split.wall_ns;
    const part = el('span', {title: `${name}: ${durationText(split[key])}. ${help}`});
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

function messageCounts(direction, title, fields) {
  const kinds = Object.entries(direction.messages ?? {}).filter(([, m]) => m.count || m.partial || m.open);
  if (kinds.length === 0) return null;
  return el('details', {open: true}, el('summary', {}, `Messages, ${title}`),
            el('dl', {class: 'facts'}, kinds.flatMap(([kind, m]) => [el('dt', {}, kind), el('dd', {}, plainFacts(m, fields))])));
}

const delayGroups = {rtt_gradient: 'round trip, gradient', rnr_stalls: 'RNR stalls', credits: 'credits'};

/** Where the tap is, and what delays tell besides their distributions. */
function delayFacts(direction, title, fields) {
  const rows = [];
  if (direction.tap_why) {
    rows.push(['tap', `${inWords('tap', direction.tap)} (${direction.tap_confidence}): ${direction.tap_why}`]);
  }
  const target = direction.rtt_over_target;
  if (target) rows.push(['round trip, target', `${percentText(target.ratio)} longer than ${durationText(target.target_ns)}`]);
  for (const [group, name] of Object.entries(delayGroups)) {
    const own = fields.filter(({key}) => key.startsWith(group + '.'))
        .map((field) => ({...field, key: field.key.slice(group.length + 1)}));
    const facts = plainFacts(direction[group] ?? {}, own);
    if (facts.length > 0) rows.push([name, facts]);
  }
  if (rows.length === 0) return null;
  return el('details', {open: true, 'data-table': 'delays'}, el('summary', {}, `Delays, ${title}`),
            el('dl', {class: 'facts'}, rows.flatMap(([name, facts]) => [el('dt', {}, name), el('dd', {}, facts)])));
}

/** How the packets are marked: ECN, DSCP, 802.1p class, TTL; and what class the CNPs travel in. */
function classFacts(direction, title, opposite) {
  const shares = (table, kind) => {
    const entries = Object.entries(table ?? {}).filter(([, frames]) => frames > 0);
    const all = entries.reduce((sum, [, frames]) => sum + frames, 0);
    return entries.map(([value, frames]) => el('span', {class: 'value', title: `${grouped(frames)} packets`},
        el('span', {class: 'quiet'}, inWords(kind, value) + ' '), percentText(frames / all)));
  };
  const rows = [['ECN', shares(direction.ecn, 'ecn')], ['DSCP', shares(direction.dscp)], ['802.1p', shares(direction.priorities)],
                ['TTL', shares(direction.ttl)]].filter(([, facts]) => facts.length > 0);
  if (direction.dscp_changes > 0) rows.push(['DSCP changes', grouped(direction.dscp_changes)]);
  if (typeof opposite?.cnp_dscp === 'number') rows.push(['DSCP of the CNPs for it', String(opposite.cnp_dscp)]);
  if (direction.udp_src !== null) {
    rows.push(['UDP source port', String(direction.udp_src) + (direction.udp_src_varies ? ' and others' : '')]);
  }
  return el('details', {'data-table': 'classes'}, el('summary', {}, `Marks and classes, ${title}`),
            el('dl', {class: 'facts'}, rows.flatMap(([name, facts]) => [el('dt', {}, name), el('dd', {}, facts)])));
}

function congestionLoop(direction, title, fields) {
  const loop = direction.congestion;
  if (!loop || !(loop.ce_packets || loop.cnps || loop.fast_cnps || (loop.loop && !['idle', 'unknown'].includes(loop.loop)))) return null;
  return el('details', {open: true}, el('summary', {}, `Congestion loop, ${title}: ${inWords('loop', loop.loop ?? 'unknown')}`),
            el('p', {}, plainFacts(loop, fields), loop.swings ? el('span', {class: 'value'},
                el('span', {class: 'quiet'}, 'swings '), `${grouped(loop.swings.count)}, one in ${durationText(loop.swings.period_ns)}, ` +
                `down by ${percentText(loop.swings.amplitude_ratio)}`) : null));
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

/** Where a distribution stands in the JSON, in words. */
const pathText = (path) => path.join(' ').replaceAll(/_ns|_bytes/g, '').replaceAll('_', ' ').replace('rtt', 'round trip')
    .replaceAll(/\b(ce|cnp)\b/g, (word) => word.toUpperCase());

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
         el('thead', {}, el('tr', {}, el('th', {scope: 'col', title: 'what is measured'}, 'of'),
                            ['count', ...percentiles].map((p) => p.replace('p999', 'p99.9'))
                                .map((p) => el('th', {scope: 'col', class: 'number', title: headingTip(p)}, p)),
                            el('th', {scope: 'col', class: 'whiskers', title: headingTip('on one logarithmic axis')}, 'on one logarithmic axis'))),
         el('tbody', {}, found.map(([path, d]) => el('tr', {'data-distribution': path.join('.')},
             el('th', {scope: 'row'}, pathText(path)),
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
