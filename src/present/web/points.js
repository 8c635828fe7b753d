// SPDX-License-Identifier: BSD-3-Clause
// The packed columns of the timeline (packed_column.h) as typed arrays, read when they are first needed.

/** Doubles hold what is in there exactly: times are nanoseconds since the capture began, below 2^53. */
function unpack(text, size) {
  const values = new Float64Array(size);
  if (text.startsWith('=')) return values.fill(Number(text.slice(1)));
  const bytes = atob(text);
  let at = 0;
  let previous = 0;
  for (let i = 0; i < size; ++i) {
    let zigzag = 0;
    let weight = 1;
    let byte;
    do {
      byte = bytes.charCodeAt(at++);
      zigzag += (byte & 127) * weight;
      weight *= 128;
    } while (byte & 128);
    previous += zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
    values[i] = previous;
  }
  return values;
}

/** A series: one kind of packet over time. Cells are in order of their first packet's time. */
class Points {
  constructor(packed) {
    this.packed = packed;
    this.space = packed.space;
    this.mark = markOf(packed);
    this.size = packed.cells;
    this.packets = packed.packets;
    this.binNs = packed.bin_ns;
  }

  /** The columns stand in this order. Times count `unit_ns` each. */
  column(name) {
    this.columns ??= this.packed.columns.split(' ');
    const text = this.columns[['t', 'low', 'span', 'frame', 'bytes', 'count', 'duration', 'file'].indexOf(name)];
    const value = text === undefined ? null : unpack(text, this.size);
    const unit = this.packed.unit_ns ?? 1;
    if (unit !== 1 && (name === 't' || name === 'duration')) value.forEach((n, i) => { value[i] = n * unit; });
    Object.defineProperty(this, '_' + name, {value});
    return value;
  }
  get t() { return this._t ?? this.column('t'); }
  get low() { return this._low ?? this.column('low'); }
  get span() { return this._span ?? this.column('span'); }
  get frame() { return this._frame ?? this.column('frame'); }
  get bytes() { return this._bytes ?? this.column('bytes'); }
  get count() { return this._count ?? this.column('count'); }
  get duration() { return this._duration ?? this.column('duration'); }
  get file() { return this._file === undefined ? this.column('file') : this._file; }

  fileOf(i) { return this.file === null ? undefined : this.file[i]; }

  /** First cell that begins at or after `time`. */
  from(time) {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Cells that may touch first..last: [from, to). A cell lasts no longer than a bin. */
  range(first, last) { return [this.from(first - this.binNs), this.from(last + 1e-9)]; }
}

/** What each mark is called, how it is drawn, and whether it counts packets (the others mark a packet again). */
const marks = {
  new: {name: 'new data', colour: '--mark-new', shape: 'tick', layer: 1},
  response: {name: 'response', colour: '--mark-response', shape: 'tick', layer: 1},
  ack: {name: 'ACK', colour: '--mark-ack', shape: 'line', layer: 2},
  resent_nak: {name: 'resent after NAK', colour: '--mark-resent-nak', shape: 'dot', layer: 4},
  resent_timeout: {name: 'resent after timeout', colour: '--mark-resent-timeout', shape: 'square', layer: 4},
  resent_rnr: {name: 'resent after RNR NAK', colour: '--mark-resent-rnr', shape: 'diamond', layer: 4},
  resent_read_restart: {name: 'READ asked again', colour: '--mark-resent-read', shape: 'dot', layer: 4},
  resent_spurious: {name: 'resent needlessly', colour: '--mark-resent-spurious', shape: 'ring', layer: 4},
  resent_sack: {name: 'resent after SACK', colour: '--mark-resent-sack', shape: 'diamond', layer: 4},
  resent_unknown: {name: 'resent, cause not seen', colour: '--mark-resent-unknown', shape: 'ring', layer: 4},
  response_again: {name: 'response sent again', colour: '--mark-resent-unknown', shape: 'diamond-open', layer: 4},
  reordered: {name: 'late (reordered)', colour: '--mark-reordered', shape: 'diamond-open', layer: 3},
  duplicate: {name: 'duplicate', colour: '--mark-duplicate', shape: 'square-open', layer: 3},
  gap: {name: 'gap (PSNs jumped over)', colour: '--mark-gap', shape: 'bar', layer: 3},
  sequence_nak: {name: 'NAK, PSN sequence error', colour: '--mark-nak', shape: 'down', layer: 5},
  fatal_nak: {name: 'NAK, fatal', colour: '--mark-fatal', shape: 'cross', layer: 6},
  rnr_nak: {name: 'RNR NAK', colour: '--mark-rnr', shape: 'up', layer: 5},
  ce: {name: 'CE mark', colour: '--mark-ce', shape: 'lane', lane: 1, layer: 5},
  cnp: {name: 'CNP', colour: '--mark-cnp', shape: 'lane', lane: 0, layer: 5},
  fast_cnp: {name: 'Fast CNP', colour: '--mark-fast-cnp', shape: 'lane', lane: 2, layer: 5},
  told_by_switch: {name: 'Fast CNP about this data, from a switch', colour: '--mark-fast-cnp', shape: 'lane', lane: 2, layer: 5},
  other: {name: 'other packet', colour: '--mark-duplicate', shape: 'lane', lane: 1, layer: 1},
  round_trip: {name: 'round trip', colour: '--mark-ack', shape: 'dot', layer: 1},
};
const countsPackets = (mark) => !['gap', 'ce', 'told_by_switch', 'round_trip'].includes(mark);
const hasPsns = (mark) => !['cnp', 'fast_cnp', 'told_by_switch', 'other', 'round_trip'].includes(mark);
const isResent = (mark) => mark.startsWith('resent_') || mark === 'response_again';

/** A responder does not resend for reasons of its own: it answers again what is asked again. */
function markOf({mark, space}) {
  if (space !== 'responses') return mark;
  if (mark === 'resent_sack') return mark;  // veRoCE: responses have resends of their own
  return mark === 'new' ? 'response' : mark.startsWith('resent_') ? 'response_again' : mark;
}
const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
