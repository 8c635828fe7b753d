// SPDX-License-Identifier: BSD-3-Clause
// What the capture holds besides connections: pause frames by class and by port, and which protocols ride in which class.

const kPlainRows = 25;

/** What the columns of the small tables mean, for the tip of their headings. */
const headingHelp = {
  'class': 'DSCP, or priority of 802.1p and of PFC', 'of all': 'share of all bytes', 'by protocol': 'shares of the bytes',
  'XOFF': 'frames that ask to stop', 'XON': 'frames that allow to go on', 'interface': 'of the capture',
  'time paused, all ports': 'sum over the ports that asked; a pause without an XON lasts as long as its quanta at the link’s speed',
  'time paused': 'of the link; where neither the capture nor --link-speed tells its speed, from … to',
  'longest without XON': 'the longest pause that no XON ended', 'port': 'MAC address, or UDP port', 'RoCE': 'share of the class, and bytes',
  'TCP': 'share of the class, and bytes', 'other UDP': 'share of the class, and bytes', 'other IP': 'share of the class, and bytes',
  'not IP': 'share of the class, and bytes',
  'from → to': 'sender and receiver', 'UDP source ports': 'how many; ECMP spreads by them',
  'TTL': 'hop limits seen: one a path length', 'connections': 'that share it', 'data packets': 'requests with data, and responses',
  'share': 'of the data packets', 'late': 'packets that came out of order, without their sender having gone back',
  'sender': 'of the CNPs', 'CNPs': 'congestion notifications', 'paced by': 'what keeps the least distance between two CNPs',
  'one queue pair': 'least time between two CNPs to one queue pair', 'one IP pair': 'least time between two CNPs to one host',
  'one destination': 'least time between two CNPs to one address', 'the sending port': 'least time between any two CNPs',
  'switch': 'who sent the Fast CNPs', 'told': 'the sender of the data', 'about data to': 'as an option of the packet tells it',
  'queue pair': 'of the receiver', 'first frame': 'of these', 'receiver': 'of marked data',
  'senders at once': 'the most that had marked data on the way within a millisecond',
  'cause': 'what made the sender go back', 'PSNs': 'packet sequence numbers, first and last', 'from frame': 'the first packet sent again',
  'trigger': 'the NAK or SACK that made it, where there is one', 'packets': 'sent again', 'needless': 'of these, sent again although they had arrived',
  'bytes': 'payload sent again', 'wait': 'from the trigger, or from the last time the packet was sent, to the resend',
  'of': 'requests, or responses', 'jumped over by frame': 'the packet after the gap', 'outcome': 'what became of them',
  'share of packets': 'of those of all paths', 'late by': 'median, behind the first packet that had overtaken it',
  'probe': 'median, from RTT Request to RTT Response at the capture point, less what the host took',
  'requests': 'SEND, WRITE, READ, atomic', 'responses': 'READ responses and atomic answers',
  'count': 'how many were measured', 'min': 'the least', 'p50': 'the median', 'p90': '90 % are no longer', 'p99': '99 % are no longer',
  'p99.9': '99.9 % are no longer', 'max': 'the most', 'on one logarithmic axis': 'from the least to the most; thick from the median to p99',
};
const headingTip = (heading) => typeof heading === 'string' && Object.hasOwn(headingHelp, heading) ? headingHelp[heading] : null;

/** A table of texts; the columns in `numbers` (indexes) are numbers. Long ones are unfolded on demand. */
function plainTable(caption, headings, rows, numbers = []) {
  const cell = (tag, content, i, more = {}) => el(tag, {class: numbers.includes(i) ? 'number' : null, ...more}, content);
  const line = (row) => el('tr', {}, row.map((content, i) => i === 0 ? cell('th', content, i, {scope: 'row'})
                                                                     : cell('td', content, i)));
  const body = el('tbody', {}, rows.slice(0, kPlainRows).map(line));
  const left = rows.length - kPlainRows;
  const more = left <= 0 ? null : el('button', {type: 'button', class: 'no-print', onclick: () => {
    body.append(...rows.slice(kPlainRows).map(line));
    more.remove();
  }}, `show ${grouped(left)} more`);
  return el('figure', {class: 'table'}, el('figcaption', {class: 'quiet'}, caption), el('div', {class: 'scroll'},
      el('table', {class: 'plain', 'aria-label': caption},
      el('thead', {}, el('tr', {}, headings.map((heading, i) => cell('th', heading, i, {scope: 'col', title: headingTip(heading)})))),
      body)), more);
}

/** Pause frames by class, as the JSON counts them. */
function pauseTable(capture) {
  const rows = (capture.pfc ?? []).map((p) => [`class ${p.class}`, p]);
  const link = capture.pause_802_3x;
  if (link && link.xoff_frames + link.xon_frames > 0) rows.push(['802.3x, all classes', link]);
  if (rows.length === 0) return null;
  const captureNs = capture.last_ns - capture.first_ns;
  const share = (ns) => captureNs > 0 ? ` (${percentText(Math.min(1, ns / captureNs))})` : '';
  const paused = (p) => typeof p.paused_ns === 'number' ? durationText(p.paused_ns) : 'needs the link’s speed';
  const exact = (port) => port.paused_ns === null
      ? `${durationText(port.paused_ns_min)} to ${durationText(port.paused_ns_max)}`
      : durationText(port.paused_ns) + share(port.paused_ns);
  const where = (port) => port.interface_name || `interface ${port.interface}`;
  return el('div', {class: 'pauses', 'data-table': 'pauses'},
      plainTable('Pause frames by class', ['class', 'XOFF', 'XON', 'time paused, all ports'],
                 rows.map(([name, p]) => [name, grouped(p.xoff_frames), grouped(p.xon_frames), paused(p)]), [1, 2, 3]),
      plainTable('… by interface of the capture and port that asks for the pause',
                 ['interface', 'port', 'class', 'XOFF', 'XON', 'time paused', 'longest without XON'],
                 capture.pausing_ports.map((port) => [where(port), port.mac, port.class === null ? 'all (802.3x)' : port.class,
                     grouped(port.xoff_frames), grouped(port.xon_frames), exact(port),
                     port.longest_without_xon_ns ? durationText(port.longest_without_xon_ns) : '–']), [3, 4, 5, 6]));
}

const carriers = {roce: 'RoCE', tcp: 'TCP', udp: 'other UDP', other_ip: 'other IP', not_ip: 'not IP'};

/** Shares of each DSCP and 802.1p class by protocol. */
function trafficMix(mix) {
  const all = [...Object.values(mix.dscp), ...Object.values(mix.priority)];
  const used = Object.keys(carriers).filter((carrier) => all.some((row) => row[carrier]));
  if (used.length === 0) return null;
  const table = (name, what, rows) => {
    const classes = Object.entries(rows);
    if (classes.length === 0) return null;
    const total = classes.reduce((sum, [, row]) => sum + rowBytes(row), 0);
    const lines = classes.map(([key, row]) => {
      const bytes = rowBytes(row);
      const shared = row.roce && Object.keys(row).length > 1;
      return [key === 'untagged' ? 'untagged' : `${name} ${key}`, percentText(bytes / Math.max(1, total)), mixBar(row, bytes),
              ...used.map((carrier) => row[carrier] ? el('span', {title: `${grouped(row[carrier].frames)} frames, ` +
                  `${grouped(row[carrier].bytes)} bytes`}, `${percentText(row[carrier].bytes / Math.max(1, bytes))}, ` +
                  bytesText(row[carrier].bytes)) : ''),
              ...(mix.holds_other_traffic ? [shared ? 'RoCE is not alone in it' : ''] : [])];
    });
    return plainTable(what, ['class', 'of all', 'by protocol', ...used.map((carrier) => carriers[carrier]),
                             ...(mix.holds_other_traffic ? [''] : [])], lines, [1, ...used.map((unused, i) => i + 3)]);
  };
  return el('details', {class: 'mix', 'data-table': 'mix', open: mix.holds_other_traffic},
      el('summary', {}, 'Traffic classes by protocol'),
      mix.holds_other_traffic ? null : el('p', {class: 'notice'},
          'Only RoCE is in this capture: it was filtered, or nothing else passed. Whether other traffic shares these classes ' +
          'cannot be seen.'),
      table('DSCP', 'Share of bytes by DSCP (innermost IP header)', mix.dscp),
      table('802.1p', 'Share of bytes by 802.1p class (outermost VLAN tag)', mix.priority));
}

const rowBytes = (row) => Object.values(row).reduce((sum, cell) => sum + cell.bytes, 0);

function mixBar(row, bytes) {
  const bar = el('span', {class: 'split', 'aria-hidden': 'true'});
  for (const [carrier, cell] of Object.entries(row)) {
    const part = el('span', {class: 'carrier-' + carrier.replace('_', '-'), title: carriers[carrier]});
    part.style.width = 100 * cell.bytes / Math.max(1, bytes) + '%';
    bar.append(part);
  }
  return bar;
}
