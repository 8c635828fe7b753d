// SPDX-License-Identifier: BSD-3-Clause
// PSNs over time: what one end asked and what the other answered, in the PSNs of the first, counted from its first one.
// tcptrace's time-sequence graph, for RDMA.

class PsnPlot extends Plot {
  /** `requester` and `replier`: {name, points} of the two directions; the replier may be unknown. */
  constructor(view, requester, replier, several) {
    const own = requester.points.filter((p) => p.space === 'requests');
    const theirs = (replier?.points ?? []).filter((p) => p.space !== 'requests' &&
                                                         !['round_trip', 'other', 'told_by_switch'].includes(p.mark));
    const told = requester.points.filter((p) => p.mark === 'told_by_switch');
    const cnpsBack = requester.points.filter((p) => p.mark === 'cnp' && theirs.some((q) => q.mark === 'ce'));
    const all = [...own, ...theirs, ...cnpsBack, ...told];
    const binned = all.filter((p) => p.binNs > 0);
    super(view, {
      title: `PSNs over time: requests of ${requester.name}`, height: 380, label: 'PSN from the first on',
      values: (v) => Number.isInteger(v) ? grouped(v) : '',
      note: binned.length === 0 ? 'every packet by itself'
                                : `packets drawn together in bins of ${binText(binned)}; zooming in shows no more than that`,
    });
    this.requester = requester;
    this.replier = replier;
    this.several = several;
    this.all = all.filter((p) => p.size > 0)
        .sort((p, q) => marks[p.mark].layer - marks[q.mark].layer);
    const firsts = this.onAxis().filter((p) => p.space === 'requests' && p.mark === 'new');
    this.base = Math.min(...(firsts.length ? firsts : this.onAxis()).map((p) => p.low[0]));
  }

  onAxis() { return this.all.filter((p) => hasPsns(p.mark)); }
  shown() { return this.all.filter((p) => !this.hidden.has(p.mark)); }

  keys() {
    const packets = new Map();
    for (const p of this.all) packets.set(p.mark, (packets.get(p.mark) ?? 0) + p.packets);
    return Object.keys(marks).filter((mark) => packets.has(mark))
        .map((mark) => ({id: mark, packets: packets.get(mark), ...marks[mark]}));
  }
  events() { return this.all.filter((p) => !['new', 'response', 'ack'].includes(p.mark)); }

  yRange() {
    let low = Infinity;
    let high = -Infinity;
    for (const p of this.shown()) {
      if (!hasPsns(p.mark)) continue;
      const [from, to] = p.range(this.view.min, this.view.max);
      for (let i = from; i < to; ++i) {
        if (p.low[i] < low) low = p.low[i];
        if (p.low[i] + p.span[i] > high) high = p.low[i] + p.span[i];
      }
    }
    if (low > high) [low, high] = this.lastRange ?? [this.base, this.base + 1];
    this.lastRange = [low, high];
    const height = Math.max(high - low, 4);
    return [low - this.base - height * 0.05, high - this.base + height * 0.14];  // lanes are along the top
  }

  draw(ctx, x, yAxis, u) {
    const low = u.scales.y.min;
    const unit = u.bbox.height / (u.scales.y.max - low);
    const y = (v) => u.bbox.top + u.bbox.height - (v - this.base - low) * unit;
    for (const points of this.shown()) {
      const {shape, colour, lane} = marks[points.mark];
      ctx.fillStyle = ctx.strokeStyle = colourOf(colour);
      if (shape === 'lane') drawLane(ctx, x, u, this.view, points, lane, colourOf(colour));
      else if (shape === 'line') this.drawLine(ctx, x, y, points);
      else this.drawCells(ctx, x, y, points, shape);
    }
  }

  /** The highest PSN acknowledged, as steps. */
  drawLine(ctx, x, y, points) {
    const ratio = uPlot.pxRatio;
    const [from, to] = points.range(this.view.min, this.view.max);
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    let last = null;
    let drawn = -Infinity;
    for (let i = Math.max(0, from - 1); i < Math.min(to + 1, points.size); ++i) {
      const px = x(points.t[i]);
      const py = y(points.low[i] + points.span[i]);
      if (last === null) ctx.moveTo(px, py);
      if (last === null || px - drawn >= 0.5) {
        if (last !== null) ctx.lineTo(px, last);
        drawn = px;
      }
      if (py !== last) ctx.lineTo(drawn, py);
      last = py;
    }
    ctx.stroke();
    if (to - from > this.plot.width / 8) return;
    for (let i = from; i < to; ++i) ctx.fillRect(x(points.t[i]) - 2 * ratio, y(points.low[i] + points.span[i]) - 2 * ratio,
                                                 4 * ratio, 4 * ratio);
  }

  drawCells(ctx, x, y, points, shape) {
    const ratio = uPlot.pxRatio;
    const [from, to] = points.range(this.view.min, this.view.max);
    const size = Math.max(1.5, Math.min(shape === 'tick' ? 3 : 4.5, this.plot.width / Math.max(1, to - from) * 3)) * ratio;
    ctx.lineWidth = (shape === 'cross' ? 2.5 : 1.5) * ratio;
    let [lastX, lastY] = [-Infinity, -Infinity];
    for (let i = from; i < to; ++i) {
      const left = x(points.t[i]);
      const bottom = y(points.low[i]);
      const top = points.span[i] === 0 ? bottom : y(points.low[i] + points.span[i]);
      const width = points.duration[i] === 0 ? 0 : x(points.t[i] + points.duration[i]) - left;
      if (Math.abs(left - lastX) < 0.7 && Math.abs(top - lastY) < 0.7 && bottom - top < 1 && width < 1) continue;
      [lastX, lastY] = [left, top];
      if (shape === 'tick') {
        ctx.fillRect(left - size / 2, top - size / 2, Math.max(size, width), bottom - top + size);
      } else if (shape === 'bar') {
        ctx.fillRect(left - ratio, top - ratio, Math.max(2 * ratio, width), bottom - top + 2 * ratio);
      } else {
        if (bottom - top > 2 || width > 2) {  // several packets
          ctx.globalAlpha = 0.45;
          ctx.fillRect(left, top - ratio, Math.max(2 * ratio, width), bottom - top + 2 * ratio);
          ctx.globalAlpha = 1;
        }
        drawShape(ctx, shape, left, bottom, size);
      }
    }
  }

  nearest(left, top) {
    const u = this.plot;
    const nsPerPixel = (this.view.max - this.view.min) / u.over.clientWidth;
    const psnPerPixel = (u.scales.y.max - u.scales.y.min) / u.over.clientHeight;
    const time = u.posToVal(left, 'x');
    const psn = u.posToVal(top, 'y') + this.base;
    let best = null;
    let bestDistance = kReach;
    for (const points of this.shown()) {
      const {shape, lane, layer} = marks[points.mark];
      const [from, to] = points.range(time - kReach * nsPerPixel, time + kReach * nsPerPixel);
      for (let i = from; i < Math.min(to, from + 20000); ++i) {
        const dx = Math.max(0, points.t[i] - time, time - points.t[i] - points.duration[i]) / nsPerPixel;
        const dy = shape === 'lane' ? Math.abs(top - (7 + 11 * lane))
                                    : Math.max(0, points.low[i] - psn, psn - points.low[i] - points.span[i]) / psnPerPixel;
        const distance = Math.hypot(dx, dy) - layer * 0.2;  // of equals, the one drawn on top
        if (distance < bestDistance) [bestDistance, best] = [distance, {t: points.t[i], points, i}];
      }
    }
    return best;
  }

  describe({points, i}) { return describeCell(points, i, this.base, this.nameOf(points)); }
  nameOf(points) { return this.requester.points.includes(points) ? this.requester.name : this.replier.name; }
}

/** "8.39 ms to 268 ms": how wide the bins of these series are. */
function binText(binned) {
  const widths = binned.map((p) => p.binNs);
  const [least, most] = [Math.min(...widths), Math.max(...widths)].map(durationText);
  return least === most ? least : `${least} to ${most}`;
}

/** What a cell is, line by line. */
function describeCell(points, i, base, sender) {
  const {name} = marks[points.mark];
  const frame = frameText(points.frame[i], points.fileOf(i));
  const several = points.count[i] > 1 && points.mark !== 'gap';
  const lines = [several ? `${grouped(points.count[i])} × ${name}` : name,
                 several ? `from frame ${frame} on` : `frame ${frame}`,
                 momentText(points.t[i]) + (points.duration[i] ? ` for ${durationText(points.duration[i])}` : '')];
  if (points.mark === 'round_trip') lines[0] = `round trip ${durationText(points.low[i])}` +
      (points.span[i] ? ` to ${durationText(points.low[i] + points.span[i])}` : '');
  else if (hasPsns(points.mark) && base !== null) lines.push(psnText(points, i, base));
  lines.push(`${points.mark === 'told_by_switch' ? 'to' : 'from'} ${sender}`);
  return lines;
}

function psnText(points, i, base) {
  const wire = (v) => ((v % 16777216) + 16777216) % 16777216;
  const [low, high] = [points.low[i], points.low[i] + points.span[i]];
  const relative = low === high ? grouped(low - base) : `${grouped(low - base)} to ${grouped(high - base)}`;
  return `PSN ${wire(low)}${low === high ? '' : `–${wire(high)}`} (${relative} after the first)`;
}
