// SPDX-License-Identifier: BSD-3-Clause
// Round trips over time: each one, and their mean in equal stretches of time, which every connection has.

/** Delays as dots, and means of them as lines. */
class DelayPlot extends Plot {
  /** `all`: [{id, name, colour, shape, list}] with the delays as what each of `list` plots; `means`: … with `steps`. */
  constructor(view, options, all, means) {
    super(view, options);
    this.all = all;
    this.means = means;
  }

  keys() {
    return [...this.all.map((one) => ({...one, packets: one.list[0].packets})), ...this.means];
  }
  shown() { return this.all.filter(({id}) => !this.hidden.has(id)); }
  shownSteps() {
    return this.means.filter(({id}) => !this.hidden.has(id)).flatMap(({steps, colour}) => steps
        .filter(({from, to}) => to > this.view.min && from < this.view.max).map((step) => ({...step, colour})));
  }

  yRange() {
    let low = Infinity;
    let high = 1;
    for (const points of this.shown().flatMap(({list}) => list)) {
      const [from, to] = points.range(this.view.min, this.view.max);
      for (let i = from; i < to; ++i) {
        if (points.low[i] > 0 && points.low[i] < low) low = points.low[i];
        if (points.low[i] + points.span[i] > high) high = points.low[i] + points.span[i];
      }
    }
    for (const {mean} of this.shownSteps()) {
      low = Math.min(low, Math.max(1, mean));
      high = Math.max(high, mean);
    }
    return low >= high ? [Math.max(1, high / 3), high * 3] : [low / 1.3, high * 1.3];
  }

  draw(ctx, x, y) {
    const size = 3.5 * uPlot.pxRatio;
    for (const {list, colour} of this.shown()) {
      ctx.fillStyle = colourOf(colour);
      for (const points of list) {
        const [from, to] = points.range(this.view.min, this.view.max);
        let last = [-9, -9];
        for (let i = from; i < to; ++i) {
          const [px, bottom] = [x(points.t[i]), y(Math.max(1, points.low[i]))];
          const top = points.span[i] ? y(points.low[i] + points.span[i]) : bottom;
          if (Math.abs(px - last[0]) < 0.7 && Math.abs(bottom - last[1]) < 0.7 && bottom - top < 1) continue;
          last = [px, bottom];
          ctx.fillRect(px - size / 2, top - size / 2, size, bottom - top + size);
        }
      }
    }
    for (const {from, to, mean, colour} of this.shownSteps()) {
      ctx.fillStyle = colourOf(colour);
      const width = Math.max(2 * uPlot.pxRatio, x(to) - x(from));
      ctx.fillRect(x(from), y(Math.max(1, mean)) - uPlot.pxRatio, width, 2 * uPlot.pxRatio);
    }
  }

  nearest(left, top) {
    const time = this.plot.posToVal(left, 'x');
    const reach = kReach * (this.view.max - this.view.min) / this.plot.over.clientWidth;
    let best = null;
    let bestDistance = kReach;
    for (const points of this.shown().flatMap(({list}) => list)) {
      const [from, to] = points.range(time - reach, time + reach);
      for (let i = from; i < Math.min(to, from + 20000); ++i) {
        const distance = Math.hypot(this.plot.valToPos(points.t[i], 'x') - left,
                                    this.plot.valToPos(Math.max(1, points.low[i]), 'y') - top);
        if (distance < bestDistance) [bestDistance, best] = [distance, {t: points.t[i], points, i}];
      }
    }
    if (best) return best;
    const step = this.shownSteps().find(({from, to, mean}) => time >= from && time < to &&
                                                              Math.abs(this.plot.valToPos(Math.max(1, mean), 'y') - top) < kReach);
    return step ? {t: step.from, step} : null;
  }
}

class RoundTripPlot extends DelayPlot {
  /** `means`: [{name, steps: [{from, to, mean, max, samples}]}], one for each requester that has any. */
  constructor(view, directions, means) {
    const binned = directions.flatMap(({points}) => points).filter((p) => p.mark === 'round_trip' && p.binNs > 0);
    const colour = (i) => i === 0 ? '--rate-a' : '--rate-b';
    super(view, {title: 'Round trips over time', height: 180, label: 'request to ACK', values: durationText, log: true,
                 note: 'at the tap, of packets sent once; logarithmic' +
                       (binned.length ? `; drawn together in bins of ${binText(binned)}` : '')},
          directions.map(({name, points}, i) => ({name: 'ACKs of ' + name, colour: colour(i), id: 'rtt' + i, shape: 'dot',
                                                  list: points.filter((p) => p.mark === 'round_trip')}))
              .filter(({list}) => list.length > 0),
          means.map(({name, steps}, i) => ({
            name: `mean of each ${durationText(steps[0].to - steps[0].from)}, requests of ${name}`, steps, id: 'mean' + i,
            colour: means.length > 1 && i === 1 ? '--mean-b' : '--mean-a', shape: 'line'})));
    this.directions = directions;
  }

  describe({points, i, step}) {
    if (step) {
      return [`mean ${durationText(step.mean)}, longest ${durationText(step.max)}`, `${grouped(step.samples)} round trips`,
              `${momentText(step.from)} for ${durationText(step.to - step.from)}`];
    }
    return describeCell(points, i, null, this.directions.find((d) => d.points.includes(points)).name);
  }
}

/** `rtt_over_time` of a direction of the JSON, in nanoseconds since the capture began (`zero`). */
function roundTripMeans(direction, zero) {
  const over = direction.rtt_over_time;
  if (!over) return [];
  const first = over.first_ns - zero;
  return over.samples.flatMap((samples, i) => samples === 0 ? [] : [{
    from: first + i * over.bin_ns, to: first + (i + 1) * over.bin_ns, samples, mean: over.mean_ns[i], max: over.max_ns[i]}]);
}
