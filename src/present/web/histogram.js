// SPDX-License-Identifier: BSD-3-Clause
// Histograms: the buckets of a distribution (base/histogram.h) as bars on a logarithmic axis. Drawn of elements, not on a
// canvas: they follow the theme, and paper.

const kBucketsPerOctave = 32;
const kBarsMost = 96;  // what can be told apart; of few values still fewer say more
const kBarsLeast = 12;
const kValuesLeast = 5;  // fewer are told by the percentiles

/** The smallest value of a bucket: Histogram::bucket_of read backwards. */
function bucketLow(bucket) {
  const octave = Math.floor(bucket / kBucketsPerOctave);
  const within = bucket % kBucketsPerOctave;
  return octave === 0 ? within : (kBucketsPerOctave + within) * 2 ** (octave - 1);
}

/** Buckets put together until they are few enough to be seen: [{low, high, count}], and how many to a doubling. */
function bars({buckets, columns}) {
  const [index, counts] = columns.split(' ').map((text) => unpack(text, buckets));
  let merged = 1;
  const values = counts.reduce((sum, n) => sum + n, 0);
  const most = Math.min(kBarsMost, Math.max(kBarsLeast, 3 * Math.sqrt(values)));
  while ((index[buckets - 1] - index[0]) / merged > most && merged < kBucketsPerOctave) merged *= 2;
  const list = [];
  for (let i = 0; i < buckets; ++i) {
    const first = Math.floor(index[i] / merged) * merged;
    const last = list.at(-1);
    if (last?.first === first) last.count += counts[i];
    else list.push({first, low: bucketLow(first), high: bucketLow(first + merged), count: counts[i]});
  }
  return {list, toADoubling: kBucketsPerOctave / merged};
}

/** `summary`: the distribution in the JSON. Bars with a tip each, the median and p99 as lines. */
function histogramFigure(title, packed, summary) {
  const {list, toADoubling} = bars(packed);
  const log = (v) => Math.log(Math.max(v, 0.5));
  const middle = (log(list[0].low) + log(list.at(-1).high)) / 2;
  const half = Math.max(log(list.at(-1).high) - log(list[0].low), Math.LN2) / 2;  // a doubling at least
  const [low, high] = [middle - half, middle + half];
  const place = (v) => 100 * Math.min(1, Math.max(0, (log(v) - low) / (high - low)));
  const top = Math.max(...list.map(({count}) => count));
  const all = list.reduce((sum, {count}) => sum + count, 0);
  const area = el('div', {class: 'bars'}, list.map((bar) => {
    const share = bar.count / all;
    const mark = el('span', {class: 'bar-of', title: `${durationText(bar.low)} to ${durationText(bar.high)}: ` +
                                                     `${grouped(Math.round(share * summary.count))} (${percentText(share)})`});
    mark.style.left = place(bar.low) + '%';
    mark.style.width = `max(2px, calc(${place(bar.high) - place(bar.low)}% - 1px))`;
    mark.style.height = `max(2px, ${100 * bar.count / top}%)`;
    return mark;
  }), ['p50', 'p99'].map((name) => {
    const line = el('span', {class: 'quantile', title: `${name} ${durationText(summary[name])}`});
    line.style.left = place(summary[name]) + '%';
    return line;
  }));
  const ticks = el('div', {class: 'ticks', 'aria-hidden': 'true'}, thinned(logSplits(Math.exp(low), Math.exp(high)), place).map((v) => {
    const tick = el('span', {}, durationText(v).replace(/\.0+(?=\D)/, ''));
    tick.style.left = place(v) + '%';
    return tick;
  }));
  const words = `${grouped(summary.count)}: median ${durationText(summary.p50)}, 99\u00a0% up to ${durationText(summary.p99)}, ` +
                `most ${durationText(summary.max)}`;
  return el('figure', {class: 'histogram', 'data-histogram': title},
            el('figcaption', {}, el('strong', {}, title), ' ', el('span', {class: 'quiet'}, words)),
            el('div', {role: 'img', 'aria-label': `Histogram of ${title}. ${words}`}, area, ticks),
            el('p', {class: 'quiet'}, `bars: ${toADoubling} to a doubling, the highest ${grouped(Math.round(top / all * summary.count))}; ` +
                                      'lines: median and p99'));
}

/** Ticks that do not touch each other or the ends: at least 14 % of the width apart. */
function thinned(splits, place) {
  const kept = [];
  for (const v of splits) {
    const at = place(v);
    if (at >= 3 && at <= 95 && (kept.length === 0 || at - place(kept.at(-1)) >= 14)) kept.push(v);
  }
  return kept;
}

/** All histograms of a direction; `packed`: by path in the JSON of the direction, null where the report has none. */
function histograms(direction, packed, title) {
  if (!packed) return null;
  const figures = Object.entries(packed).map(([path, columns]) => {
    const summary = path.split('.').reduce((object, key) => object?.[key], direction);
    return summary?.count >= kValuesLeast ? histogramFigure(pathText(path.split('.')), columns, summary) : null;
  }).filter((figure) => figure !== null);
  if (figures.length === 0) return null;
  return el('details', {open: true, 'data-table': 'histograms'}, el('summary', {}, `Histograms, ${title}`),
            el('div', {class: 'histograms'}, figures));
}
