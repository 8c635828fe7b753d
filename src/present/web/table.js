// SPDX-License-Identifier: BSD-3-Clause
// The table of connections: sorted by any column, filtered by words and comparisons, drawn a page at a time.

const kRowsAPage = 100;

class ConnectionTable {
  /** `rows`: {id, a, b, protocol, transport, notes, severity, rank, plot, values}; `fields`: connection_fields. */
  constructor(rows, fields, omitted, open) {
    this.rows = rows;
    this.fields = fields;
    this.omitted = omitted;
    this.open = open;
    this.sortKey = 'rank';
    this.descending = false;
    this.most = kRowsAPage;
    this.selected = null;
    for (const row of rows) {
      row.text = [row.id, endPointText(row.a), endPointText(row.b), row.protocol, row.transport, row.notes,
                  row.severity ?? ''].join(' ').toLowerCase();
    }
    this.columns = [
      {key: 'rank', heading: '', help: 'the worst finding that names the connection; sorts by trouble', class: 'mark',
       value: (row) => row.rank, text: (row) => row.severity ? severityMark[row.severity] : ''},
      {key: 'id', heading: 'id', help: 'number of the connection', class: 'number', value: (row) => row.id,
       text: (row) => String(row.id)},
      {key: 'peers', heading: 'peers', help: 'addresses and queue pairs', class: 'peers',
       value: (row) => endPointText(row.a) + endPointText(row.b),
       text: (row) => endPointText(row.a) + (row.oneWay ? ' → ' : ' ↔ ') + endPointText(row.b) +
                      (row.notes ? ` (${row.notes})` : '')},
      ...this.fields.filter((field) => this.alwaysShown(field.key) || rows.some((row) => row.values[field.key]))
          .map((field) => ({key: field.key, heading: field.heading, help: field.help, class: 'number', unit: field.unit,
                            value: (row) => row.values[field.key],
                            text: (row) => fieldText(row.values[field.key], field.unit)})),
      {key: 'plot', heading: 'plot', help: 'drawn packet by packet, or packets drawn together in bins of time',
       class: 'quiet', value: (row) => row.plot, text: (row) => row.plot},
    ];
    this.body = el('tbody');
    this.head = el('tr', {}, this.columns.map((column) => this.heading(column)));
    this.status = el('span', {class: 'quiet', role: 'status'});
    this.search = el('input', {type: 'search', 'aria-label': 'Filter connections', class: 'wide', oninput: () => this.show(),
                               placeholder: 'words and comparisons: 192.0.2.1 naks>0'});
    this.more = el('button', {type: 'button', class: 'more no-print', onclick: () => { this.most *= 5; this.show(); }});
    this.element = el('div', {},
                      el('div', {class: 'bar no-print'}, this.search, this.status),
                      el('div', {class: 'scroll'}, el('table', {class: 'connections'},
                         el('caption', {class: 'visually-hidden'}, 'Connections; Enter on a row shows its plots'),
                         el('thead', {}, this.head), this.body)),
                      this.more);
    this.show();
  }

  alwaysShown(key) {
    return ['packets', 'bytes_on_wire', 'bits_per_second', 'retransmitted_packets', 'missing_packets', 'naks']
        .includes(key);
  }

  heading(column) {
    const name = column.heading || 'trouble';
    return el('th', {scope: 'col', class: column.class, 'data-key': column.key},
              el('button', {type: 'button', title: column.help, 'aria-label': 'Sort by ' + name,
                            onclick: () => this.sortBy(column.key)}, column.heading || '!'));
  }

  sortBy(key) {
    const ascendingFirst = ['rank', 'id', 'peers', 'plot'].includes(key);
    this.descending = this.sortKey === key ? !this.descending : !ascendingFirst;
    this.sortKey = key;
    this.show();
  }

  filterBy(text) {
    this.search.value = text;
    this.show();
  }

  fitting() {
    const tests = this.search.value.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
      const comparison = word.match(/^([a-z_]+)(>=|<=|>|<|=)(-?[\d.]+)$/);
      const key = comparison && this.columns.find((c) => c.key === comparison[1] ||
                                                         c.heading.toLowerCase() === comparison[1])?.key;
      if (!key) return (row) => row.text.includes(word);
      const wanted = Number(comparison[3]);
      const value = (row) => key === 'id' ? row.id : row.values[key] ?? NaN;
      return {'>': (row) => value(row) > wanted, '<': (row) => value(row) < wanted, '=': (row) => value(row) === wanted,
              '>=': (row) => value(row) >= wanted, '<=': (row) => value(row) <= wanted}[comparison[2]];
    });
    return this.rows.filter((row) => tests.every((test) => test(row)));
  }

  show() {
    const column = this.columns.find((c) => c.key === this.sortKey);
    const sign = this.descending ? -1 : 1;
    const rows = this.fitting().sort((x, y) => {
      const [a, b] = [column.value(x), column.value(y)];
      if (a === b) return x.rank - y.rank;
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      return (typeof a === 'string' ? a.localeCompare(b, 'en', {numeric: true}) : a - b) * sign;
    });
    for (const th of this.head.children) {
      const sorted = th.dataset.key === this.sortKey;
      th.setAttribute('aria-sort', sorted ? (this.descending ? 'descending' : 'ascending') : 'none');
    }
    this.body.replaceChildren(...rows.slice(0, this.most).map((row) => this.line(row)));
    this.reach(this.body.querySelector('[aria-selected=true]') ?? this.body.firstElementChild);
    const all = this.rows.length;
    this.status.textContent = (rows.length === all ? `${grouped(all)} connection${all === 1 ? '' : 's'}`
                                                   : `${grouped(rows.length)} of ${grouped(all)} connections`) +
        (this.omitted ? `; ${grouped(this.omitted)} in less trouble are not in this report` : '');
    this.more.hidden = rows.length <= this.most;
    this.more.textContent = `show more (${grouped(rows.length - this.most)} left)`;
  }

  line(row) {
    const act = () => this.open([row.id]);
    return el('tr', {tabindex: '-1', 'data-id': row.id, class: row.severity ? 'severity-' + row.severity : null,
                     'aria-selected': String(row.id === this.selected), onclick: act,
                     onkeydown: (event) => {
                       if (event.key === 'Enter' || event.key === ' ') {
                         event.preventDefault();
                         act();
                       }
                       const next = event.key === 'ArrowDown' ? 'nextElementSibling'
                                  : event.key === 'ArrowUp' ? 'previousElementSibling' : null;
                       if (next && event.currentTarget[next]) {
                         event.preventDefault();
                         this.reach(event.currentTarget[next]);
                         event.currentTarget[next].focus();
                       }
                     }},
              this.columns.map((column) => el('td', {class: column.class, 'data-key': column.key,
                                                     title: column.unit && exactText(column.value(row), column.unit)},
                                              column.text(row))));
  }

  /** Tab leads to one row, arrows lead on: nobody wants to step through a hundred. */
  reach(row) {
    this.body.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    row?.setAttribute('tabindex', '0');
  }

  select(id) {
    this.selected = id;
    for (const tr of this.body.children) {
      const chosen = Number(tr.dataset.id) === id;
      tr.setAttribute('aria-selected', String(chosen));
      if (chosen) this.reach(tr);
    }
  }
}
