// SPDX-License-Identifier: BSD-3-Clause
// Puts the report together from the JSON in the page.

const data = JSON.parse(document.getElementById('data').textContent);

/** The system's theme, until the reader chooses one. */
const preferred = matchMedia('(prefers-color-scheme: dark)');
const themeOf = ({matches}) => matches ? 'dark' : 'light';
document.documentElement.dataset.theme = themeOf(preferred);

class Report {
  constructor({triage, beside}) {
    this.triage = triage;
    this.beside = beside;
    this.severalFiles = triage.files.length > 1;
    this.hasPlots = beside.has_plots && typeof uPlot !== 'undefined';
    this.countsById = new Map(triage.connections.map((c) => [c.id, c]));
    this.histogramsById = new Map(beside.histograms.connections.map((c) => [c.id, c]));
    this.timelineById = new Map(beside.timeline.connections.map((c) => [c.id, c]));
    this.pauses = beside.timeline.pauses.map((p) => ({class: p.class, xoff: new Points(p.xoff), xon: new Points(p.xon)}));
    this.rows = this.makeRows();
    this.rowById = new Map(this.rows.map((row) => [row.id, row]));
    this.detail = null;
    this.slot = el('div', {class: 'detail-slot'});
  }

  makeRows() {
    const {triage, beside} = this;
    const rank = new Map(beside.order.map((id, i) => [id, i]));
    const worst = new Map();
    for (const finding of triage.findings) {
      for (const id of finding.connections) {
        if ((severityRank[finding.severity]) > (severityRank[worst.get(id)] ?? 0)) worst.set(id, finding.severity);
      }
    }
    const finish = (row) => ({...row, severity: worst.get(row.id) ?? null, rank: rank.get(row.id) ?? Infinity,
                              plot: !this.timelineById.has(row.id) ? 'with others'
                                                                   : this.timelineById.get(row.id).full ? 'full' : 'bins'});
    const detailed = triage.connections.map((c) => finish({
      id: c.id, a: c.a, b: c.b, protocol: c.protocol, transport: c.transport, oneWay: c.directions.length < 2,
      notes: [c.transport === 'RC' ? '' : c.transport,
              ...Object.entries(c.network ?? {}).map(([key, value]) => `${key.replaceAll('_', ' ')} ${value}`)]
          .filter(Boolean).join(', '),
      values: Object.fromEntries(beside.connection_fields.map(({key}) => [key, c.totals[key]]))}));
    const compact = beside.rows.map(([id, protocol, transport, aIp, aQpn, bIp, bQpn, ...values]) => finish({
      id, protocol, transport, a: {ip: aIp, qpn: aQpn}, b: {ip: bIp, qpn: bQpn}, oneWay: false,
      notes: transport === 'RC' ? '' : transport,
      values: Object.fromEntries(beside.connection_fields.map(({key}, i) => [key, values[i]]))}));
    return [...detailed, ...compact].sort((x, y) => x.rank - y.rank);
  }

  open(ids, frame, file) {
    const id = ids.find((i) => this.rowById.has(i));
    if (id === undefined) return;
    if (this.detail?.row.id !== id) {
      this.detail?.unmount();
      this.detail = new ConnectionDetail(this.rowById.get(id), this.countsById.get(id), this.timelineById.get(id), this);
      this.slot.replaceChildren(this.detail.element);
      this.detail.mount();
      this.table.select(id);
      history.replaceState(null, '', '#connection-' + id);
    }
    if (frame !== undefined) this.goTo(frame, file);
    else if (this.started) this.detail.element.scrollIntoView({block: 'start'});
    if (this.started) this.detail.element.focus({preventScroll: true});
  }

  goTo(frame, file) {
    if (!this.detail?.goTo(frame, file)) return;
    this.detail.plots[0].element.scrollIntoView({block: 'center'});
  }

  header() {
    const {triage} = this;
    const names = triage.files.map((name) => name === '-' ? 'standard input' : name);
    document.title = 'rocetop: ' + (names[0] ?? 'report') + (names.length > 1 ? ` and ${names.length - 1} more` : '');
    const theme = el('button', {type: 'button', class: 'no-print', onclick: () => this.switchTheme()}, 'light / dark');
    const {first_time: first, last_time: last} = triage.capture;
    return el('header', {}, el('div', {class: 'top'}, el('h1', {}, 'rocetop triage'), theme),
              el('p', {class: 'files'}, names.length > 1 ? names.map((name, i) => `file ${i + 1}: ${name}`).join(', ')
                                                          : names.join('')),
              el('p', {class: 'quiet'}, [first ? `${first} to ${last}` : '', `rocetop ${triage.rocetop_version}`]
                  .filter(Boolean).join(' · ')),
              this.beside.selection ? el('p', {class: 'notice'},
                  `Showing only ${this.beside.selection}: ${grouped(this.beside.connections_shown)} of ` +
                  `${grouped(this.beside.connections_in_all)} connections`) : null);
  }

  honesty() {
    const {triage, beside} = this;
    const facts = beside.capture_fields.map((field) => ({...field, value: triage.capture[field.key]}))
        .filter(({key}) => triage.capture.roce_frames > 0 || !['completeness', 'capture_missed_packets'].includes(key))
        .filter(({value, key}) => value !== null && value !== undefined &&
                                  (value !== 0 || ['frames', 'roce_frames', 'capture_missed_packets'].includes(key)));
    return this.section('capture', 'What the capture is worth',
        el('p', {class: 'honesty'}, beside.honesty),
        beside.congestion ? el('p', {class: 'congestion'}, beside.congestion) : null, beside.also ? el('p', {class: 'quiet'}, 'Also there: ' + beside.also) : null,
        triage.partial ? el('p', {class: 'notice'}, 'Only a part was analysed: a filter, -c, --from, --to or an interruption.') : null,
        ...triage.problems.map((problem) => el('p', {class: 'notice'}, problem.message)),
        el('dl', {class: 'tiles'}, facts.map(({key, heading, unit, help, value}) => el('div', {title: help, 'data-key': key},
            el('dt', {}, heading), key === 'completeness' && !triage.capture.completeness_known
                ? el('dd', {title: 'No acknowledgement was captured: what the capture missed does not show.'}, 'unknown')
                : el('dd', {title: exactText(value, unit)}, fieldText(value, unit))))),
        ...[pauseTable(triage.capture), trafficMix(triage.capture.mix)].filter(Boolean));
  }

  section(id, title, ...children) {
    return el('section', {id, 'aria-label': title}, el('h2', {}, title), ...children);
  }

  /** What is drawn in full, what is not. */
  honestyOfPlots() {
    const {timeline} = this.beside;
    const full = timeline.connections.filter((c) => c.full).length;
    const binned = timeline.connections.length - full;
    const detailed = this.triage.connections.length;
    const parts = [];
    if (binned || timeline.other_connections) {
      parts.push(`Drawn packet by packet: ${grouped(full)}, in bins of time: ${grouped(binned)}` +
                 (timeline.other_connections ? `, together with others: ${grouped(timeline.other_connections)}` : '') +
                 ' (column “plot”; bins keep every kind of event and every count).');
    }
    const {omitted} = this.beside.histograms;
    if (omitted > 0) parts.push(`${grouped(omitted)} connections with details have percentiles but no histograms.`);
    const rest = this.rows.length - detailed;
    if (rest > 0) parts.push(`The ${grouped(detailed)} connections in the most trouble have episodes and distributions; ` +
                             `the other ${grouped(rest)} have their numbers in the table.`);
    return parts.length ? el('p', {class: 'quiet', id: 'limits'}, parts.join(' ')) : null;
  }

  others() {
    const marked = this.beside.timeline.others.map((packed) => new Points(packed));
    if (marked.length === 0 || !this.hasPlots) return null;
    const box = el('div');
    const list = el('ul', {}, marked.map((p) => el('li', {}, `${marks[p.mark].name}: ${grouped(p.packets)}`)));
    const first = Math.min(...marked.map((p) => p.t[0]));
    const last = Math.max(...marked.map((p) => p.t[p.size - 1] + p.duration[p.size - 1]));
    this.otherPlot = new RatePlot(new View(first, last), [{name: 'all of them', points: marked}], this.pauses);
    box.append(this.otherPlot.element);
    return this.section('others', `${grouped(this.beside.timeline.other_connections)} connections drawn together`, list, box);
  }

  switchTheme() {
    const dark = document.documentElement.dataset.theme === 'dark';
    this.setTheme(dark ? 'light' : 'dark');
    this.chosen = true;
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    this.repaint();
  }

  repaint() {
    for (const plot of allPlots) {
      plot.drawSamples();
      plot.plot.redraw(true, true);
    }
  }

  build() {
    const {triage, beside} = this;
    const omitted = beside.connections_shown - this.rows.length;
    this.table = new ConnectionTable(this.rows, beside.connection_fields, omitted, (...args) => this.open(...args));
    const many = this.rows.length > 0;
    document.getElementById('report').replaceChildren(...[
      this.header(),
      el('nav', {class: 'no-print', 'aria-label': 'Sections'}, spaced([['capture', 'Capture'], ['findings', 'Findings'],
          ...(many ? [['connections', 'Connections'], ['plots', 'Plots'], ['hosts', 'Hosts']] : [])]
          .map(([id, name]) => el('a', {href: '#' + id}, name)))),
      this.honesty(),
      this.section('findings', `Findings (${grouped(beside.findings_in_all)})`,
                   findingsSection(triage.findings, triage.capture.roce_frames > 0, this.severalFiles, Number(beside.timeline.zero_ns), (...args) => this.open(...args)),
                   beside.findings_in_all > triage.findings.length ? el('p', {class: 'quiet'},
                       `The first ${grouped(triage.findings.length)} are here; rocetop triage --all has them all.`) : null),
      many ? this.section('connections', 'Connections', this.honestyOfPlots(), this.table.element) : null,
      many ? this.section('plots', 'Plots', this.slot) : null,
      many ? this.section('hosts', 'Who sends to whom', matrixSection(beside, (hosts) => {
        this.table.filterBy(hosts.join(' '));
        document.getElementById('connections').scrollIntoView();
      }), ...[hostPairs(triage.host_pairs, triage.host_pairs_omitted, beside.host_pair_fields),
              cnpPacing(triage.cnp_pacing, triage.cnp_pacing_omitted), fastCnps(triage.fast_cnps, triage.fast_cnps_omitted),
              receivers(triage.receivers, triage.receivers_omitted)].filter(Boolean)) : null,
      this.others(),
      el('footer', {class: 'quiet'}, 'Made by rocetop ' + triage.rocetop_version +
         '. This file needs no network and sends nothing anywhere. Frame numbers count from 1 within their file, as in ' +
         'Wireshark. ' + (this.hasPlots ? 'Plots: uPlot (MIT), © Leon Sorokin; its licence is in this file.' : '')),
    ].filter((part) => part !== null));
    this.otherPlot?.mount();
    const asked = location.hash.match(/^#connection-(\d+)$/);
    const first = asked && this.rowById.has(Number(asked[1])) ? Number(asked[1]) : this.rows[0]?.id;
    if (first !== undefined) this.open([first]);
    this.started = true;
  }

  listen() {
    preferred.addEventListener('change', () => {
      if (!this.chosen) this.setTheme(themeOf(preferred));
    });
    addEventListener('hashchange', () => {
      const asked = location.hash.match(/^#connection-(\d+)$/);
      if (asked) this.open([Number(asked[1])]);
    });
    let folded = [];
    addEventListener('beforeprint', () => {  // paper is white, and shows nothing that is folded
      document.documentElement.dataset.print = 'yes';
      folded = [...document.querySelectorAll('details:not([open])')];
      for (const details of folded) details.open = true;
      this.repaint();
    });
    addEventListener('afterprint', () => {
      delete document.documentElement.dataset.print;
      for (const details of folded) details.open = false;
      this.repaint();
    });
  }
}

const report = new Report(data);
report.build();
report.listen();
globalThis.rocetopReport = report;  // for tests, and for the curious
document.documentElement.dataset.ready = 'yes';
