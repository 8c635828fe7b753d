// SPDX-License-Identifier: BSD-3-Clause
// Small things the other scripts share: building elements (text only, never markup), numbers as people read them.

/** Characters that turn the direction of what follows, spelt out: a name must not rearrange the page. */
const visible = (text) => String(text).replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
                                               (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

/** An element with properties and children. Strings become text nodes: nothing from a capture is ever parsed as HTML. */
function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') element.className = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined)
      .map((child) => child instanceof Node ? child : visible(child)));
  return element;
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

function significant(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value, units, step) {
  let unit = 0;
  while (value >= step * 0.9995 && unit < units.length - 1) {
    value /= step;
    ++unit;
  }
  return (unit === 0 ? grouped(Math.round(value)) : significant(value)) + '\u00a0' + units[unit];
}

const bytesText = (n) => scaled(n, ['B', 'kB', 'MB', 'GB', 'TB', 'PB'], 1000);
const rateText = (n) => scaled(n, ['b/s', 'kb/s', 'Mb/s', 'Gb/s', 'Tb/s'], 1000);

function percentText(ratio) {
  if (ratio === 0) return '0\u00a0%';
  if (ratio < 0.001) return '<0.1\u00a0%';
  if (ratio > 0.999 && ratio < 1) return '>99.9\u00a0%';
  return (ratio * 100).toFixed(ratio < 0.9995 ? 1 : 0) + '\u00a0%';  // as the text has it
}

function durationText(ns) {
  const size = Math.abs(ns);
  if (size < 1e3) return Math.round(ns) + '\u00a0ns';
  const [unit, name] = size < 999.5e3 ? [1e3, 'µs'] : size < 999.5e6 ? [1e6, 'ms'] : [1e9, 's'];
  return (ns < 0 ? '−' : '') + significant(size / unit) + '\u00a0' + name;
}

/**
 * A time from the start on, rounded down, or up: what happened lies between, and --from and --to, which read these,
 * keep it in.
 */
function offsetText(ns, up = false) {
  const size = Math.max(ns, 0);
  if (size < 1e3) return `+${size}ns`;
  const [unit, name] = size < 1e6 ? [1e3, 'µs'] : size < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const digits = size < 10 * unit ? 3 : size < 100 * unit ? 2 : 1;
  const step = unit / 10 ** digits;
  const steps = up ? Math.ceil(size / step) : Math.floor(size / step);
  return '+' + (steps / 10 ** digits).toFixed(digits) + name;
}

/** A field of the one table of fields (keys connection_fields and capture_fields) as text. */
function fieldText(value, unit) {
  if (value === null || value === undefined) return '–';
  if (unit === 'bytes') return bytesText(value);
  if (unit === 'bits_per_second') return rateText(value);
  if (unit === 'ratio') return percentText(value);
  if (unit === 'nanoseconds') return durationText(value);
  if (unit === 'bytes_per_second') return bytesText(value) + '/s';
  return Number.isInteger(value) ? grouped(value) : value >= 1000 ? grouped(Math.round(value)) : String(Number(value.toPrecision(4)));
}

/** What `value` says exactly, for the tip of a cell that is rounded. */
function exactText(value, unit) {
  if (value === null || value === undefined) return 'not known';
  return (Number.isInteger(value) ? grouped(value) : String(value)) + ' ' + unit.replaceAll('_', ' ');
}

/** What people read instead of a name of the JSON: inWords('cause', 'rnr') is "RNR NAK". */
const inWords = (kind, name) => data.beside.words[kind]?.[name] ?? name.replaceAll('_', ' ');

const endPointText = (end) => end.ip + ' qp ' + (end.qpn === null ? '?' : end.qpn);

/** "#12", or "#2:12" for frame 12 of the second of several files. */
const frameText = (frame, file) => '#' + (file === undefined || file === null ? '' : file + 1 + ':') + frame;

/** Times on an axis: all in the unit that the distance between ticks calls for. */
function timeTicks(splits) {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 1e9;
  const [unit, name] = step < 1e3 ? [1, 'ns'] : step < 1e6 ? [1e3, 'µs'] : step < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const isWhole = (v) => Math.abs(v - Math.round(v)) < 1e-6;
  const digits = [0, 1, 2].find((d) => isWhole(step / unit * 10 ** d)) ?? 3;
  return splits.map((t) => {
    const [whole, fraction] = (t / unit).toFixed(digits).split('.');
    return grouped(whole) + (fraction ? '.' + fraction : '') + ' ' + name;
  });
}

/** Seconds since the capture began, to the nanosecond. */
const momentText = (ns) => '+' + (ns / 1e9).toFixed(9) + '\u00a0s';

const severityMark = {critical: '✖', warning: '▲', info: '●'};
const severityRank = {critical: 3, warning: 2, info: 1};
