// SPDX-License-Identifier: BSD-3-Clause
// veRoCE: the paths (UDP source ports) of one direction over time: what each carried, what happened on it, and what its
// RTT probes took. The paths that matter most have a line each, all others share one.

/** How each mark is drawn; `at`: where in the row of its path, from -0.5 to 0.5. */
const pathMarks = {
  sent: {name: 'packets', colour: '--mark-new', shape: 'tick', at: 0, layer: 0},
  ce: {name: 'CE mark', colour: '--mark-ce', shape: 'bar', at: -0.34, layer: 1},
  cnp: {name: 'CNP about the path', colour: '--mark-cnp', shape: 'bar', at: 0.34, layer: 1},
  resent: {name: 'resent over it', colour: '--mark-resent-sack', shape: 'diamond', at: 0.16, layer: 2},
  trimmed: {name: 'trimmed before the tap', colour: '--mark-resent-timeout', shape: 'square-open', at: -0.16, layer: 3},
  slow_signal: {name: 'Slow-Packet Signal about it', colour: '--mark-rnr', shape: 'up', at: 0.26, layer: 3},
  lost: {name: 'lost behind the tap', colour: '--mark-nak', shape: 'cross', at: 0, layer: 4},
};

/** The paths of a direction of the timeline, the worst first, the others last: [{id, name, colour, byMark}]. */
function pathsOf({paths = [], other_paths: others}) {
  const points = (list) => Object.fromEntries(list.map((packed) => [packed.mark, new Points(packed)]));
  const list = paths.map(({port, marks: packed}, i) => ({id: `path${port}`, name: `port ${port}`, colour: `--path-${i}`,
                                                         byMark: points(packed)}));
  if (others?.paths > 0) {
    list.push({id: 'others', name: (others.at_least ? '≥\u00a0' : '') + `${grouped(others.paths)} other` +
                                   (others.paths > 1 || others.at_least ? 's' : ''),
               colour: '--path-others', byMark: points(others.marks)});
  }
  return list.filter(({byMark}) => byMark.sent);
}

/** "each of its 4 paths", "the 8 worst or busiest of at least 257 paths; the others together". */
function pathChoiceText({paths, other_paths: others}) {
  if (!others.paths) return `each of its ${paths.length} paths`;
  const all = (others.at_least ? 'at least ' : '') + grouped(paths.length + others.paths);
  return `the ${paths.length} worst or busiest of ${all} paths; the others together`;
}

const binNote = (list) => {
  const binned = list.filter((p) => p.binNs > 0);
  return binned.length ? `; packets drawn together in bins of ${binText(binned)}` : '';
};

class PathRatePlot extends ThroughputPlot {
  /** `timeline`: the direction's; `name`: its sender. */
  constructor(view, name, timeline) {
    const paths = pathsOf(timeline);
    const sent = paths.map(({byMark}) => byMark.sent);
    const most = Math.max(...sent.slice(0, timeline.paths.length).map(({packets}) => packets));
    const dwarfed = sent.length > timeline.paths.length && sent.at(-1).packets > 3 * most;
    super(view, {title: `Throughput by path (UDP source port), of ${name}`, height: 220, label: 'on the wire',
                 values: rateText,
                 note: pathChoiceText(timeline) + (dwarfed ? ', shown by a click on their key' : '') + binNote(sent)},
          paths.map(({id, name: line, colour}, i) => ({id, name: line, colour, shape: 'line', packets: sent[i].packets,
                                                       list: [sent[i]]})), []);
    this.cellsABin = 12 * paths.length;
    if (dwarfed) this.hidden.add('others');
  }
}

/** A row for each path, with what happened on it. */
class PathEventPlot extends Plot {
  constructor(view, name, timeline) {
    const paths = pathsOf(timeline);
    super(view, {
      title: `What happened on each path (UDP source port), of ${name}`, height: 64 + 34 * paths.length,
      label: ' ',  // as wide as the other plots' labels: one time axis below the other
      values: (v) => paths[Math.round(paths.length - 0.5 - v)]?.name ?? '',
      splits: () => paths.map((unused, i) => paths.length - 0.5 - i),
      note: 'the worst first. A loss stands where the packet passed that was sent again later; what was lost before ' +
            'the capture point never passed: its path is not known' +
            binNote(paths.flatMap(({byMark}) => Object.values(byMark))),
    });
    this.paths = paths;
  }

  stepper() { return this; }
  kinds() { return Object.keys(pathMarks).filter((mark) => this.paths.some(({byMark}) => byMark[mark])); }
  keys() {
    return this.kinds().map((mark) => ({id: mark, ...pathMarks[mark], packets: this.paths.reduce(
        (sum, {byMark}) => sum + (byMark[mark]?.packets ?? 0), 0)}));
  }
  /** [{points, path, row}] of what is shown, the lowest layer first. */
  shown() {
    return this.kinds().filter((mark) => !this.hidden.has(mark)).sort((a, b) => pathMarks[a].layer - pathMarks[b].layer)
        .flatMap((mark) => this.paths.map((path, i) => ({points: path.byMark[mark], path,
                                                         row: this.paths.length - 0.5 - i})))
        .filter(({points}) => points);
  }
  events() { return this.shown().map(({points}) => points).filter((p) => p.mark !== 'sent'); }
  yRange() { return [0, this.paths.length]; }

  draw(ctx, x, y) {
    const ratio = uPlot.pxRatio;
    const height = y(0) - y(1);
    for (const {points, path, row} of this.shown()) {
      const {shape, colour, at} = pathMarks[points.mark];
      const sent = points.mark === 'sent';
      ctx.fillStyle = ctx.strokeStyle = colourOf(sent ? path.colour : colour);
      ctx.lineWidth = (shape === 'cross' ? 2.5 : 1.5) * ratio;
      ctx.globalAlpha = sent ? 0.55 : 1;
      const middle = y(row + at);
      const [from, to] = points.range(this.view.min, this.view.max);
      const size = Math.max(2.5, Math.min(4.5, this.plot.width / Math.max(1, to - from))) * ratio;
      let last = -Infinity;
      for (let i = from; i < to; ++i) {
        const left = x(points.t[i]);
        const width = points.duration[i] === 0 ? 0 : x(points.t[i] + points.duration[i]) - left;
        if (left + width - last < (sent ? 0.7 : 1.5)) continue;
        last = left + width;
        const box = (least, share) => {
          ctx.fillRect(left - least / 2, middle - share / 2 * height, Math.max(least, width), share * height);
        };
        if (sent) box(ratio, 0.4);
        else if (shape === 'bar') box(2 * ratio, 0.2);
        else drawShape(ctx, shape, left + width / 2, middle, size);
      }
    }
    ctx.globalAlpha = 1;
  }

  nearest(left, top) {
    const nsPerPixel = (this.view.max - this.view.min) / this.plot.over.clientWidth;
    const time = this.plot.posToVal(left, 'x');
    let best = null;
    let bestDistance = kReach;
    for (const {points, path, row} of this.shown()) {
      const {at, layer} = pathMarks[points.mark];
      const dy = Math.abs(this.plot.valToPos(row + at, 'y') - top);
      const [from, to] = points.range(time - kReach * nsPerPixel, time + kReach * nsPerPixel);
      for (let i = from; i < Math.min(to, from + 20000); ++i) {
        const dx = Math.max(0, points.t[i] - time, time - points.t[i] - points.duration[i]) / nsPerPixel;
        const distance = Math.hypot(dx, dy) - layer;  // of equals, the one drawn on top
        if (distance < bestDistance) [bestDistance, best] = [distance, {t: points.t[i], points, i, path}];
      }
    }
    return best;
  }

  describe({points, i, path = this.paths.find(({byMark}) => byMark[points.mark] === points)}) {
    return describePathCell(points, i, pathMarks[points.mark].name, path.name);
  }
}

function describePathCell(points, i, what, path) {
  const frame = frameText(points.frame[i], points.fileOf(i));
  const several = points.count[i] > 1;
  const bytes = points.bytes[i] > 0 ? `, ${bytesText(points.bytes[i])}` : '';
  return [several ? `${grouped(points.count[i])} × ${what}` : what, path + bytes,
          several ? `from frame ${frame} on` : `frame ${frame}`,
          momentText(points.t[i]) + (points.duration[i] ? ` for ${durationText(points.duration[i])}` : '')];
}

class PathProbePlot extends DelayPlot {
  constructor(view, name, timeline) {
    const paths = pathsOf(timeline).filter(({byMark}) => byMark.probe);
    super(view, {title: `RTT probes by path, of ${name}`, height: 180, label: 'tap to responder', log: true,
                 values: durationText,
                 note: 'from the capture point to the responder and back, without what its host took; logarithmic' +
                       binNote(paths.map(({byMark}) => byMark.probe))},
          paths.map(({id, name: line, colour, byMark: {probe}}) => ({id, name: line, colour, shape: 'dot',
                                                                     list: [probe]})), []);
  }

  describe({points, i}) {
    const highest = points.span[i] ? ` to ${durationText(points.low[i] + points.span[i])}` : '';
    const path = this.all.find(({list}) => list.includes(points)).name;
    return describePathCell(points, i, `RTT probe, ${durationText(points.low[i])}${highest}`, path);
  }
}

/** The plots of a direction that uses several paths; `measured`: it has RTT Responses that tell something. */
function pathPlots(view, name, timeline) {
  if (!timeline.paths) return [];
  const measured = pathsOf(timeline).some(({byMark: {probe}}) => probe?.low.some((ns, i) => ns + probe.span[i] > 0));
  return [new PathRatePlot(view, name, timeline), new PathEventPlot(view, name, timeline),
          ...(measured ? [new PathProbePlot(view, name, timeline)] : [])];
}
