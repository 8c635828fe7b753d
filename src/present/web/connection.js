// SPDX-License-Identifier: BSD-3-Clause
// Everything about one connection: plots, distributions, episodes, missing PSNs.

class ConnectionDetail {
  /** `row` of the table; `counts`: its object in the JSON, if it has one; `timeline`, if there is one. */
  constructor(row, counts, timeline, report) {
    this.row = row;
    this.counts = counts;
    this.report = report;
    this.directions = (timeline?.directions ?? []).map((d) => ({
      name: this.nameOf(d), points: d.marks.map((packed) => new Points(packed)), timeline: d}));
    this.plots = [];
    const zero = Number(report.beside.timeline.zero_ns);
    this.means = (counts?.directions ?? []).map((d) => ({name: this.nameOf(d), steps: roundTripMeans(d, zero)}))
        .filter(({steps}) => steps.length > 0);
    this.element = el('section', {class: 'detail', 'aria-label': `Connection ${row.id}`, tabindex: '-1'},
                      el('h3', {}, `Connection ${row.id}: ${endPointText(row.a)} ${row.oneWay ? '→' : '↔'} ${endPointText(row.b)}`),
                      this.facts(), this.makePlots(), ...this.numbers());
  }

  /** A direction is named by its sender. */
  nameOf(direction) {
    const {a, b} = this.row;
    if (a.ip === b.ip) return direction.dst_qpn === b.qpn ? endPointText(a) : endPointText(b);
    return direction.src === a.ip ? endPointText(a) : endPointText(b);
  }

  facts() {
    const c = this.counts;
    const facts = [this.row.protocol + ' ' + this.row.transport];
    if (this.row.notes) facts.push(this.row.notes);
    if (!c) return el('p', {class: 'quiet'}, facts.join(' · ') + ' · without details in this report; rocetop triage ' +
                                             `--json --connection ${this.row.id} has them`);
    facts.push(c.paired_by ? `directions joined by ${inWords('paired_by', c.paired_by)}` : 'one direction seen, or not joined');
    if (c.path_mtu) facts.push(`path MTU ${c.path_mtu}`);
    facts.push(`frames ${frameText(c.first_frame, c.first_file)} to ${frameText(c.last_frame, c.last_file)}`);
    for (const d of c.directions) if (d.tap !== 'unknown') facts.push(`capture point ${inWords('tap', d.tap)}, for what ${d.src} sends`);
    return el('p', {class: 'quiet'}, facts.join(' · '));
  }

  makePlots() {
    if (!this.report.hasPlots) return el('p', {class: 'notice'}, 'This rocetop was built without the library that draws plots.');
    const points = this.directions.flatMap((d) => d.points).filter((p) => p.size > 0);
    const steps = this.means.flatMap((mean) => mean.steps);
    const together = points.length > 0 ? null
        : el('p', {class: 'notice'}, 'The packets of this connection are drawn together with those of others, below.');
    if (together && steps.length === 0) return together;
    const first = Math.min(...points.map((p) => p.t[0]), ...(together ? steps : []).map(({from}) => from));
    const last = Math.max(...points.map((p) => p.t[p.size - 1] + p.duration[p.size - 1]),
                          ...(together ? steps : []).map(({to}) => to));
    this.view = new View(first, last);
    this.directions.forEach((direction, i) => {
      if (direction.points.some((p) => p.space === 'requests' && p.size > 0)) {
        this.plots.push(new PsnPlot(this.view, direction, this.directions[1 - i], this.report.severalFiles));
      }
    });
    if (this.plots.length === 0 && points.some((p) => p.mark === 'ack' || p.space === 'responses')) {
      const replier = this.directions.find((d) => d.points.some((p) => p.mark === 'ack' || p.space === 'responses'));
      const unseen = {name: endPointText(replier.name === endPointText(this.row.a) ? this.row.b : this.row.a) + ' (not seen)',
                      points: []};
      this.plots.push(new PsnPlot(this.view, unseen, replier, this.report.severalFiles));
    }
    if (!together) this.plots.push(new RatePlot(this.view, this.directions, this.report.pauses));
    for (const {name, timeline} of this.directions) this.plots.push(...pathPlots(this.view, name, timeline));
    if (steps.length > 0 || points.some((p) => p.mark === 'round_trip')) {
      this.plots.push(new RoundTripPlot(this.view, this.directions, this.means));
    }
    const button = (text, help, act) => el('button', {type: 'button', title: help, onclick: act}, text);
    return el('div', {}, together, this.pathsNotDrawn(), el('div', {class: 'bar no-print'},
        button('all', 'key 0', () => this.view.reset()),
        button('+', 'zoom in', () => this.view.zoom(0.5)), button('−', 'zoom out', () => this.view.zoom(2)),
        button('◀', 'pan left', () => this.view.pan(-0.3)), button('▶', 'pan right', () => this.view.pan(0.3)),
        button('◂ event', 'key p', () => this.plots[0].step(-1)), button('event ▸', 'key n', () => this.plots[0].step(1)),
        el('span', {class: 'quiet'}, 'drag: zoom · Shift+drag: pan · wheel in a clicked plot, or Ctrl+wheel: zoom · ' +
                                     'arrows, n, p, 0 in a focused plot')),
        this.plots.map((plot) => plot.element));
  }

  /** Directions whose paths have numbers and no plot. */
  pathsNotDrawn() {
    const drawn = new Set(this.directions.filter(({timeline}) => timeline.paths).map(({name}) => name));
    const sprays = (d) => (d.veroce?.paths ?? []).filter((p) => p.packets > 0).length > 1;
    const left = (this.counts?.directions ?? []).filter(sprays).map((d) => this.nameOf(d)).filter((name) => !drawn.has(name));
    return left.length === 0 ? null : el('p', {class: 'notice'}, `The paths of ${left.join(' and ')} are not drawn: ` +
        'there is room for those of 512 directions, of connections with plots of their own. Their numbers are below.');
  }

  mount() { for (const plot of this.plots) plot.mount(); }
  unmount() { for (const plot of this.plots) plot.unmount(); }

  /** Zooms to where a frame is, if it is among those drawn. */
  goTo(frame, file) {
    if (!this.view) return false;
    let best = null;
    for (const points of this.directions.flatMap((d) => d.points)) {
      if (points.mark === 'round_trip') continue;
      for (let i = 0; i < points.size; ++i) {
        if (file !== undefined && points.fileOf(i) !== undefined && points.fileOf(i) !== file) continue;
        const distance = frame - points.frame[i];
        if (distance < 0 || (distance > 0 && points.count[i] < 2)) continue;
        const layer = marks[points.mark].layer;
        if (best === null || distance < best.distance || (distance === best.distance && layer > best.layer)) {
          best = {distance, layer, points, i, t: points.t[i]};
        }
      }
    }
    if (best === null) return false;
    const half = Math.max((this.view.last - this.view.first) / 40, best.points.binNs * 8, 2000);
    this.view.set(best.t - half, best.t + half);
    const plot = this.plots.find((p) => p.all?.includes(best.points)) ?? this.plots[0];
    plot.show(best.t, plot.all?.includes(best.points) ? best : null);
    return true;
  }

  numbers() {
    if (!this.counts) return [];
    const {message_fields: ofMessages, delay_fields: ofDelays, congestion_fields: ofCongestion,
           path_fields: ofPaths, recovery_fields: ofRecovery} = this.report.beside;
    const packed = this.report.histogramsById.get(this.row.id)?.directions ?? [];
    return this.counts.directions.flatMap((d, i) => {
      const title = `${d.src} → ${d.dst}` + (d.dst_qpn === null ? '' : ` qp ${d.dst_qpn}`);
      return [timeSplit(d, title, ofDelays), messageCounts(d, title, ofMessages), delayFacts(d, title, ofDelays),
              congestionLoop(d, title, ofCongestion), paths(d, title, ofPaths), recovery(d, title, ofRecovery), classFacts(d, title, this.counts.directions[1 - i]),
              histograms(d, packed[i], title), distributions(d, title),
              episodes(d, title, this.report), missing(d, title, this.report)];
    }).filter((part) => part !== null);
  }
}

const kListRows = 100;

function longTable(name, title, headings, rows, omitted) {
  if (rows.length === 0) return null;
  const body = el('tbody', {}, rows.slice(0, kListRows));
  const left = rows.length - kListRows;
  const more = left > 0 ? el('button', {type: 'button', class: 'no-print', onclick: () => {
    body.append(...rows.slice(kListRows));
    more.remove();
  }}, `show ${grouped(left)} more`) : null;
  return el('details', {open: rows.length <= 20, 'data-table': name},
            el('summary', {}, `${title} (${grouped(rows.length + omitted)})`),
            el('div', {class: 'scroll'}, el('table', {class: 'plain'},
               el('thead', {}, el('tr', {}, headings.map((h) => el('th', {scope: 'col', title: h.help ?? headingTip(h)}, h.heading ?? h)))), body)), more,
            omitted ? el('p', {class: 'quiet'}, `${grouped(omitted)} more are counted, not listed`) : null);
}

function frameLink(report, frame, file) {
  if (frame === null) return '–';
  return el('button', {type: 'button', class: 'link', onclick: (event) => {
    event.stopPropagation();
    report.goTo(frame, file);
  }}, frameText(frame, file));
}

const psnRange = (run) => run.first_psn === run.last_psn ? String(run.first_psn) : `${run.first_psn}–${run.last_psn}`;

function episodes(direction, title, report) {
  const all = [...direction.requests.episodes, ...direction.responses.episodes];
  const rows = all.map((e) => el('tr', {},
      el('td', {}, inWords('cause', e.cause)), el('td', {}, psnRange(e)),
      el('td', {}, frameLink(report, e.first_frame, e.first_file)), el('td', {}, frameLink(report, e.trigger_frame, e.trigger_file)),
      el('td', {class: 'number'}, grouped(e.packets)), el('td', {class: 'number'}, grouped(e.wasted_packets)),
      el('td', {class: 'number'}, bytesText(e.bytes)),
      el('td', {class: 'number'}, e.wait_ns === null ? '–' : durationText(e.wait_ns))));
  return longTable('episodes', `Times the sender went back, ${title}`,
                   ['cause', 'PSNs', 'from frame', 'trigger', 'packets', 'needless', 'bytes', 'wait'], rows,
                   (direction.requests.episodes_omitted ?? 0) + (direction.responses.episodes_omitted ?? 0));
}

/** veRoCE: one row a UDP source port. */
function paths(direction, title, fields) {
  const list = direction.veroce?.paths ?? [];
  const further = {packets: direction.veroce?.packets_on_other_paths ?? 0,
                   lost_packets: direction.veroce?.lost_packets_on_other_paths ?? 0};
  const shown = fields.filter(({key}) => key === 'packets' || list.some((path) => path[key]) || further[key]);
  const all = list.reduce((sum, path) => sum + path.packets, further.packets);
  const median = (distribution) => distribution === null ? '–' : durationText(distribution.p50);
  const rows = list.map((path) => el('tr', {}, el('td', {}, String(path.udp_source_port)),
      shown.map(({key, unit}) => el('td', {class: 'number'}, fieldText(path[key], unit))),
      el('td', {class: 'number'}, all > 0 ? percentText(path.packets / all) : '–'),
      el('td', {class: 'number'}, median(path.late_ns)), el('td', {class: 'number'}, median(path.probe_ns))));
  if (further.packets > 0) {
    rows.unshift(el('tr', {}, el('td', {title: 'Packets over more paths than are told apart.'}, 'further ports'),
        shown.map(({key, unit}) => el('td', {class: 'number'}, fieldText(further[key], unit))),
        el('td', {class: 'number'}, percentText(further.packets / all)), el('td', {}), el('td', {})));
  }
  return longTable('paths', `Paths by UDP source port, ${title}`,
                   ['port', ...shown, 'share of packets', 'late by', 'probe'], rows, 0);
}

/** veRoCE: how losses were told and made good, by sequence space; only what is not 0. */
function recovery(direction, title, fields) {
  const spaces = ['requests', 'responses'].filter((space) => fields.some(({key}) => direction.veroce?.[space][key]));
  const rows = fields.filter(({key}) => spaces.some((space) => direction.veroce[space][key]))
      .map(({key, heading, unit, help}) => el('tr', {title: help}, el('td', {}, heading),
          spaces.map((space) => el('td', {class: 'number'}, fieldText(direction.veroce[space][key], unit)))));
  return longTable('recovery', `Selective retransmission, ${title}`, ['', ...spaces], rows, 0);
}

function missing(direction, title, report) {
  const rows = ['requests', 'responses'].flatMap((space) => direction[space].missing.map((run) => el('tr', {},
      el('td', {}, space), el('td', {}, psnRange(run)),
      el('td', {}, frameLink(report, run.seen_at_frame, run.seen_at_file)),
      el('td', {}, inWords('outcome', run.outcome)))));
  const omitted = (direction.requests.missing_omitted ?? 0) + (direction.responses.missing_omitted ?? 0);
  return longTable('missing', `PSNs missing at the tap, ${title}`,
                   ['of', 'PSNs', 'jumped over by frame', 'outcome'], rows, omitted);
}
