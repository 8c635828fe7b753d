// SPDX-License-Identifier: BSD-3-Clause
// Throughput of both directions with CNPs and pause frames.

/** Bits per second of `list` in `bins` equal parts of min..max. Packets drawn together are spread over their time. */
function rates(list, min, max, bins) {
  const width = (max - min) / bins;
  const bytes = new Float64Array(bins);
  for (const points of list) {
    const [from, to] = points.range(min, max);
    for (let i = from; i < to; ++i) {
      const [begin, end] = [points.t[i], points.t[i] + points.duration[i]];
      if (begin === end) {
        if (begin >= min && begin < max) bytes[Math.min(bins - 1, Math.floor((begin - min) / width))] += points.bytes[i];
        continue;
      }
      const last = Math.min(bins - 1, Math.floor((end - min) / width));
      for (let bin = Math.max(0, Math.floor((begin - min) / width)); bin <= last; ++bin) {
        const overlap = Math.min(end, min + (bin + 1) * width) - Math.max(begin, min + bin * width);
        if (overlap > 0) bytes[bin] += points.bytes[i] * overlap / (end - begin);
      }
    }
  }
  return Array.from(bytes, (n) => n * 8e9 / width);
}

/** Lines of throughput, and lanes of ticks along the top. */
class ThroughputPlot extends Plot {
  /** `lines`: [{id, name, colour, shape, list}], `lanes`: the same with `lane`; each `list` of Points. */
  constructor(view, options, lines, lanes) {
    super(view, options);
    this.lines = lines;
    this.lanes = lanes;
    this.cellsABin = 4;  // of all lines together, about: of fewer the lines show single packets
  }

  keys() {
    return [...this.lines, ...this.lanes.map((lane) => ({...lane, packets: lane.list.reduce((n, p) => n + p.packets, 0)}))];
  }
  events() { return this.lanes.flatMap(({list}) => list); }

  series() {
    return [{}, ...this.lines.map(({colour}) => ({stroke: () => colourOf(colour), width: 1.5, points: {show: false},
                                                  paths: uPlot.paths.stepped({align: 1})}))];
  }

  data() {
    const {min, max} = this.view;
    let cells = 0;
    for (const p of this.lines.flatMap(({list}) => list)) {
      const [from, to] = p.range(min, max);
      cells += to - from;
    }
    const bins = Math.max(24, Math.min(Math.floor(this.width() / 3), Math.ceil(cells / this.cellsABin)));
    const width = (max - min) / bins;
    this.xs = Array.from({length: bins + 1}, (unused, i) => min + i * width);
    const column = (list) => {
      const values = rates(list, min, max, bins);
      return [...values, values[bins - 1]];
    };
    const columns = this.lines.map(({list}) => column(list));
    this.columns = columns.map((values, i) => this.hidden.has(this.lines[i].id) ? values.map(() => null) : values);
    return [this.xs, ...this.columns];
  }

  refresh() { this.plot.setData(this.data(), false); }
  yRange() {
    if (!this.columns) this.data();
    return [0, Math.max(1, ...this.data().slice(1).flat()) * (this.lanes.length ? 1.35 : 1.1)];
  }

  draw(ctx, x, y, u) {
    for (const {id, list, lane, colour} of this.lanes) {
      if (this.hidden.has(id)) continue;
      for (const points of list) drawLane(ctx, x, u, this.view, points, lane, colourOf(colour));
    }
  }

  nearest(left, top) {
    const time = this.plot.posToVal(left, 'x');
    const reach = kReach / 2 * (this.view.max - this.view.min) / this.plot.over.clientWidth;
    for (const {id, list, lane} of top < 52 ? this.lanes : []) {
      if (this.hidden.has(id) || Math.abs(top - (7 + 11 * lane)) > 6) continue;
      for (const points of list) {
        const [from, to] = points.range(time - reach, time + reach);
        if (from < to) return {t: points.t[from], points, i: from};
      }
    }
    const bin = Math.floor((time - this.xs[0]) / (this.xs[1] - this.xs[0]));
    return bin < 0 || bin >= this.xs.length - 1 ? null : {t: this.xs[bin], bin};
  }

  describe({bin}) {
    return [`${momentText(this.xs[bin])} for ${durationText(this.xs[1] - this.xs[0])}`,
            ...this.lines.map(({name}, k) => `${name}: ${rateText(this.columns[k][bin] ?? 0)}`)];
  }
}

class RatePlot extends ThroughputPlot {
  /** `directions`: [{name, points}]; `pauses`: [{class, xoff, xon}] as Points. */
  constructor(view, directions, pauses) {
    const resent = directions.flatMap(({points}) => points.filter((p) => isResent(p.mark)));
    const marked = (mark) => directions.flatMap(({points}) => points.filter((p) => p.mark === mark));
    const fast = marked('fast_cnp');
    const lanes = [
      {id: 'cnp', name: 'CNP', colour: '--mark-cnp', shape: 'lane', lane: 0,
       list: marked('cnp')},
      {id: 'fast_cnp', name: 'Fast CNP (from a switch)', colour: '--mark-fast-cnp', shape: 'lane', lane: 1,
       list: fast.length ? fast : marked('told_by_switch')},
      {id: 'xoff', name: 'pause (XOFF)', colour: '--mark-pause', shape: 'lane', lane: 2, list: pauses.map((p) => p.xoff)},
      {id: 'xon', name: 'resume (XON)', colour: '--mark-resume', shape: 'lane', lane: 3, list: pauses.map((p) => p.xon)},
    ].map((lane) => ({...lane, list: lane.list.filter((p) => p.size > 0)})).filter(({list}) => list.length > 0);
    const lines = directions.map(({name, points}, i) => ({id: 'rate' + i, name, colour: i === 0 ? '--rate-a' : '--rate-b',
                                                         shape: 'line', list: points.filter((p) => countsPackets(p.mark))}));
    if (resent.length)
      lines.push({id: 'resent', name: 'of both, resent', colour: '--mark-resent-nak', shape: 'line', list: resent});
    super(view, {title: 'Throughput', height: 220, label: 'on the wire', values: rateText,
                 note: 'with CNPs and pause frames along the top'}, lines, lanes);
    this.directions = directions;
    this.pauses = pauses;
  }

  describe({points, i, bin}) {
    if (points) {
      const pause = this.pauses.find((p) => p.xoff === points || p.xon === points);
      if (!pause) return describeCell(points, i, null, this.directions.find((d) => d.points.includes(points)).name);
      const quanta = pause.xoff === points ? `, ${grouped(points.low[i])} quanta` : '';
      return [(pause.xoff === points ? 'pause' : 'resume') + (pause.class === null ? ' (802.3x)' : `, class ${pause.class}`) +
                  quanta + (points.count[i] > 1 ? ` (${grouped(points.count[i])} frames)` : ''),
              'frame ' + frameText(points.frame[i], points.fileOf(i)), momentText(points.t[i])];
    }
    return super.describe({bin});
  }
}
