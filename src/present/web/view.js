// SPDX-License-Identifier: BSD-3-Clause
// View: the span of time that the plots of one connection show together. Plot: what they have in common: uPlot with
// axes and cursor, zoom and pan by mouse and keyboard, a tip with what is nearest.

class View {
  constructor(first, last) {
    const margin = Math.max((last - first) * 0.01, 500);
    this.first = first - margin;
    this.last = last + margin;
    this.min = this.first;
    this.max = this.last;
    this.plots = [];
    this.highlight = null;  // a moment that somebody asked for
  }

  set(min, max) {
    const span = Math.min(Math.max(max - min, 100), this.last - this.first);  // 100 ns: below, stamps say nothing
    min = Math.max(this.first, Math.min((min + max - span) / 2, this.last - span));
    this.min = min;
    this.max = min + span;
    for (const plot of this.plots) plot.apply();
  }
  reset() { this.set(this.first, this.last); }
  pan(share) {
    const step = (this.max - this.min) * share;
    this.set(this.min + step, this.max + step);
  }
  zoom(factor, centre = (this.min + this.max) / 2) {
    this.set(centre - (centre - this.min) * factor, centre + (this.max - centre) * factor);
  }
  redraw() { for (const plot of this.plots) plot.redraw(); }
}

/** 1, 2 and 5 of each power of ten between min and max; only the powers where that is more than can be read. */
function logSplits(min, max) {
  const steps = max / min > 2000 ? [1] : [1, 2, 5];
  const splits = [];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10) {
    for (const step of steps) if (power * step >= min && power * step <= max) splits.push(power * step);
  }
  if (splits.length > 2) return splits;
  const power = 10 ** Math.floor(Math.log10((max - min) / 3));  // hardly more than one octave: steps of one size
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= (max - min) / 4);
  return Array.from({length: 5}, (unused, i) => (Math.ceil(min / step) + i) * step).filter((v) => v <= max);
}

const allPlots = new Set();
const kReach = 14;  // CSS pixels: how near the pointer must be

class Plot {
  /** `options`: title, height, label (of the y axis), values (of its ticks), splits (where they are), log, note. */
  constructor(view, options) {
    this.view = view;
    this.options = options;
    this.hidden = new Set();
    this.tip = el('div', {class: 'tip', role: 'status'});
    this.tip.hidden = true;
    this.box = el('div', {class: 'plot', tabindex: '0', role: 'group',
                          'aria-label': options.title + '. Arrow keys pan and zoom, n and p step through events, 0 shows all.',
                          onkeydown: (event) => this.key(event)}, this.tip);
    this.legend = el('div', {class: 'legend'});
    this.element = el('figure', {}, el('figcaption', {}, el('strong', {}, options.title), ' ',
                                       el('span', {class: 'quiet'}, options.note ?? '')), this.legend, this.box);
    view.plots.push(this);
  }

  // What a plot may define besides: series() and data() of uPlot, yRange(), draw(), nearest(), events(), keys().
  series() { return [{}, {show: true, paths: () => null, points: {show: false}}]; }
  data() { return [[this.view.first, this.view.last], [null, null]]; }
  nearest() { return null; }
  events() { return []; }
  keys() { return []; }

  /** To be called once `element` is in the document. */
  mount() {
    this.drawLegend();
    const axis = {
      stroke: () => colourOf('--quiet'),
      grid: {stroke: () => colourOf('--grid'), width: 1},
      ticks: {stroke: () => colourOf('--grid'), width: 1},
      font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif',
    };
    this.plot = new uPlot({
      width: this.width(), height: this.options.height, legend: {show: false}, padding: [8, 16, 0, 0],
      cursor: {
        points: {show: false}, y: false,
        drag: {setScale: false, x: true, y: false, dist: 3},
        bind: {dblclick: () => () => { this.view.reset(); return null; }},
      },
      scales: {x: {time: false, range: () => [this.view.min, this.view.max]},
               y: {auto: false, distr: this.options.log ? 3 : 1, range: () => this.yRange()}},
      series: this.series(),
      axes: [
        {...axis, values: (u, splits) => timeTicks(splits), space: 90, size: 34},
        {...axis, values: (u, splits) => splits.map((v) => v === null ? '' : this.options.values(v)), size: 84,
         label: this.options.label, labelSize: 18,
         ...(this.options.log ? {splits: (u, i, min, max) => logSplits(min, max), filter: (u, splits) => splits} : {}),
         ...(this.options.splits ? {splits: this.options.splits, filter: (u, splits) => splits} : {})},
      ],
      hooks: {
        draw: [(u) => this.paint(u)],
        setCursor: [() => this.hover()],
        setSelect: [(u) => {
          if (u.select.width < 3) return;
          const [from, to] = [u.select.left, u.select.left + u.select.width].map((x) => u.posToVal(x, 'x'));
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
          this.view.set(from, to);
        }],
      },
    }, this.data(), this.box);
    this.listen();
    this.apply();
    allPlots.add(this);
  }

  unmount() {
    allPlots.delete(this);
    this.watch?.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  width() { return Math.max(320, Math.floor(this.box.clientWidth)); }

  listen() {
    this.watch = new ResizeObserver(() => {
      if (this.plot && this.plot.width !== this.width()) this.plot.setSize({width: this.width(), height: this.options.height});
    });
    this.watch.observe(this.box);
    this.box.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && document.activeElement !== this.box && event.deltaX === 0) return;  // the page scrolls
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.view.pan(event.deltaX / 1000);
      const left = event.clientX - this.plot.over.getBoundingClientRect().left;
      this.view.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.plot.posToVal(left, 'x'));
    }, {passive: false});
    this.box.addEventListener('mousedown', (event) => {  // Shift and drag, or the middle button: pan
      this.box.focus({preventScroll: true});
      if (!event.shiftKey && event.button !== 1) return;
      event.preventDefault();
      event.stopPropagation();
      let x = event.clientX;
      const move = (e) => {
        this.view.pan((x - e.clientX) / this.plot.over.clientWidth);
        x = e.clientX;
      };
      const up = () => {
        removeEventListener('mousemove', move);
        removeEventListener('mouseup', up);
      };
      addEventListener('mousemove', move);
      addEventListener('mouseup', up);
    }, {capture: true});
  }

  key(event) {
    const act = {
      ArrowLeft: () => this.view.pan(-0.2), ArrowRight: () => this.view.pan(0.2),
      ArrowUp: () => this.view.zoom(0.6), ArrowDown: () => this.view.zoom(1 / 0.6),
      '+': () => this.view.zoom(0.6), '=': () => this.view.zoom(0.6), '-': () => this.view.zoom(1 / 0.6),
      '0': () => this.view.reset(), Escape: () => this.view.reset(),
      n: () => this.step(1), p: () => this.step(-1),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  stepper() { return this.view.plots[0]; }

  /** To the next event (a NAK, a resend …) and what it is. */
  step(direction) {
    const at = this.view.highlight ?? (direction > 0 ? this.view.min - 1 : this.view.max + 1);
    let best = null;
    for (const points of this.events()) {
      const i = direction > 0 ? points.from(at + 1) : points.from(at) - 1;
      if (i < 0 || i >= points.size) continue;
      if (best === null || (points.t[i] - best.t) * direction < 0) best = {t: points.t[i], points, i};
    }
    if (best) this.stepper().show(best.t, best);
  }

  /** Brings a moment into view; `hit` is what the tip says. */
  show(time, hit) {
    this.view.highlight = time;
    if (time < this.view.min || time > this.view.max) {
      const half = (this.view.max - this.view.min) / 2;
      this.view.set(time - half, time + half);
    } else {
      this.view.redraw();
    }
    if (hit) this.describeAt(hit, this.plot.valToPos(time, 'x'), 30);
  }

  apply() {
    if (!this.plot) return;
    const [low, high] = this.yRange();
    this.plot.batch(() => {
      this.refresh?.();
      this.plot.setScale('x', {min: this.view.min, max: this.view.max});
      this.plot.setScale('y', {min: low, max: high});
    });
  }

  redraw() { this.plot?.redraw(false, false); }

  paint(u) {
    const {ctx} = u;
    const {left, top, width, height} = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    const span = this.view.max - this.view.min;
    const x = (t) => left + (t - this.view.min) / span * width;
    const y = (v) => u.valToPos(v, 'y', true);
    this.draw?.(ctx, x, y, u);
    if (this.view.highlight !== null) {
      ctx.fillStyle = colourOf('--accent');
      ctx.fillRect(x(this.view.highlight) - uPlot.pxRatio, top, 2 * uPlot.pxRatio, height);
    }
    ctx.restore();
  }

  hover() {
    const {left, top} = this.plot.cursor;
    const hit = left < 0 ? null : this.nearest(left, top);
    if (!hit) {
      this.tip.hidden = true;
      return;
    }
    this.describeAt(hit, left, top);
  }

  describeAt(hit, left, top) {
    this.tip.replaceChildren(...this.describe(hit).map((line, i) => el('div', {class: i === 0 ? 'strong' : null}, line)));
    this.tip.hidden = false;
    const room = this.box.clientWidth;
    const x = left + this.plot.over.offsetLeft;
    const width = this.tip.offsetWidth;
    this.tip.style.left = Math.max(4, Math.min(x + 14, room - width - 4)) + 'px';
    if (x + 14 + width > room) this.tip.style.left = Math.max(4, x - width - 14) + 'px';
    this.tip.style.top = Math.max(0, top + 16) + 'px';
  }

  drawLegend() {
    this.legend.replaceChildren(...this.keys().map(({id, name, colour, shape, packets}) => {
      const sample = el('canvas', {width: '28', height: '28', 'data-colour': colour, 'data-shape': shape});
      const key = el('button', {type: 'button', 'aria-pressed': String(!this.hidden.has(id)), class: 'key', 'data-mark': id,
                                'data-packets': packets ?? null,
                                onclick: () => {
                                  if (!this.hidden.delete(id)) this.hidden.add(id);
                                  key.setAttribute('aria-pressed', String(!this.hidden.has(id)));
                                  this.apply();
                                  this.redraw();
                                }}, sample, packets === undefined ? name : `${name} ${grouped(packets)}`);
      return key;
    }));
    this.drawSamples();
  }

  drawSamples() {
    for (const canvas of this.legend.querySelectorAll('canvas')) {
      const ctx = canvas.getContext('2d');
      ctx.clearRect(0, 0, 28, 28);
      ctx.fillStyle = ctx.strokeStyle = colourOf(canvas.dataset.colour);
      ctx.lineWidth = 3;
      drawSample(ctx, canvas.dataset.shape);
    }
  }
}

function drawSample(ctx, shape) {
  if (shape === 'line') return ctx.fillRect(2, 12, 24, 4);
  if (shape === 'bar') return ctx.fillRect(11, 3, 6, 22);
  if (shape === 'tick') return ctx.fillRect(6, 9, 16, 10);
  if (shape === 'lane') return [4, 12, 20].forEach((x) => ctx.fillRect(x, 6, 4, 16));
  drawShape(ctx, shape, 14, 14, 8);
}

/** A mark at a point, in the current colours. */
function drawShape(ctx, shape, x, y, r) {
  if (shape === 'dot') {
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    return ctx.fill();
  }
  if (shape === 'ring') {
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    return ctx.stroke();
  }
  if (shape === 'square') return ctx.fillRect(x - r, y - r, 2 * r, 2 * r);
  if (shape === 'square-open') return ctx.strokeRect(x - r, y - r, 2 * r, 2 * r);
  ctx.beginPath();
  if (shape.startsWith('diamond')) {
    ctx.moveTo(x, y - 1.3 * r);
    ctx.lineTo(x + 1.3 * r, y);
    ctx.lineTo(x, y + 1.3 * r);
    ctx.lineTo(x - 1.3 * r, y);
    ctx.closePath();
    return shape === 'diamond' ? ctx.fill() : ctx.stroke();
  }
  if (shape === 'cross') {
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
    return ctx.stroke();
  }
  const up = shape === 'up' ? 1 : -1;
  ctx.moveTo(x - r, y + up * r);
  ctx.lineTo(x + r, y + up * r);
  ctx.lineTo(x, y - up * r);
  ctx.closePath();
  return ctx.fill();
}

/** Ticks of packets without a place on the y axis, in lanes along the top: CNPs, CE marks, pause frames. */
function drawLane(ctx, x, u, view, points, lane, colour) {
  const ratio = uPlot.pxRatio;
  const top = u.bbox.top + (3 + 11 * lane) * ratio;
  ctx.fillStyle = colour;
  let last = -Infinity;
  const [from, to] = points.range(view.min, view.max);
  for (let i = from; i < to; ++i) {
    const left = x(points.t[i]);
    const right = x(points.t[i] + points.duration[i]);
    if (right - last < 1) continue;
    ctx.fillRect(left - ratio, top, Math.max(2 * ratio, right - left), 8 * ratio);
    last = Math.max(right, left + ratio);
  }
}
