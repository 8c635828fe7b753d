// SPDX-License-Identifier: BSD-3-Clause
// Findings with their proof; consequences under their cause.

/** `zero`: when the capture began, in nanoseconds (rounded: fine for what people read). `open(connection, frame)` shows a connection's plots, around a frame if one is given. */
function findingsSection(findings, anyRoce, severalFiles, zero, open) {
  if (findings.length === 0) {
    return anyRoce ? el('p', {class: 'good'}, 'No rule fired. What a tap cannot see may still be wrong.')
                   : el('p', {class: 'notice'}, 'No RoCE is in this capture (UDP destination port 4791 or 4794, EtherType 0x8915): ' +
                                                'there was nothing to judge.');
  }
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const root = (finding) => {
    const met = new Set();
    while (finding.caused_by !== null && byId.has(finding.caused_by) && !met.has(finding.id)) {
      met.add(finding.id);
      finding = byId.get(finding.caused_by);
    }
    return finding;
  };
  const consequences = new Map();
  for (const finding of findings) {
    const cause = root(finding);
    if (cause !== finding) consequences.set(cause.id, [...(consequences.get(cause.id) ?? []), finding]);
  }
  const causes = findings.filter((finding) => root(finding) === finding);
  const list = el('div', {class: 'findings'});
  const counted = el('span', {class: 'quiet', role: 'status'});
  const search = el('input', {type: 'search', placeholder: 'rule, host, words …', 'aria-label': 'Filter findings',
                              oninput: () => show()});
  const wanted = new Set(['critical', 'warning', 'info']);
  const chips = [...wanted].map((severity) => {
    const n = findings.filter((finding) => finding.severity === severity).length;
    const chip = el('button', {type: 'button', class: 'chip severity-' + severity, 'aria-pressed': 'true',
                               disabled: n === 0,
                               onclick: () => {
                                 if (!wanted.delete(severity)) wanted.add(severity);
                                 chip.setAttribute('aria-pressed', String(wanted.has(severity)));
                                 show();
                               }}, `${severityMark[severity]} ${n} ${severity}`);
    return chip;
  });

  const cards = causes.map((finding) => {
    const group = [finding, ...(consequences.get(finding.id) ?? [])];
    return {group, text: group.map(searchable).join('\n'), card: null};
  });
  let most = 50;
  const more = el('button', {type: 'button', class: 'more no-print', onclick: () => { most *= 4; show(); }});
  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = cards.filter(({group, text}) => group.some((finding) => wanted.has(finding.severity)) &&
        words.every((word) => text.includes(word)));
    list.replaceChildren(...fitting.slice(0, most).map((entry, i) => {
      entry.card ??= findingCard(entry.group, severalFiles, zero, open, i < 5);
      return entry.card;
    }));
    counted.textContent = fitting.length === cards.length ? '' : `${fitting.length} of ${cards.length} shown`;
    more.hidden = fitting.length <= most;
    more.textContent = `show more (${grouped(fitting.length - most)} left)`;
  }
  show();
  return el('div', {}, el('div', {class: 'bar no-print'}, chips, search, counted), list, more);
}

const searchable = (finding) => [finding.rule, finding.title, finding.explanation, finding.severity,
                                 ...finding.hosts].join(' ').toLowerCase();

function findingCard([finding, ...consequences], severalFiles, zero, open, unfolded) {
  return el('details', {class: 'finding severity-' + finding.severity, open: unfolded, 'data-rule': finding.rule},
            el('summary', {},
               el('span', {class: 'mark', title: finding.severity}, severityMark[finding.severity] + ' '),
               el('span', {class: 'severity'}, finding.severity + ' '), el('strong', {}, finding.title)),
            findingBody(finding, severalFiles, zero, open),
            consequences.length === 0 ? null : el('div', {class: 'consequences'},
               el('h4', {}, 'Consequences'), consequences.map((c) => el('details', {class: 'consequence', 'data-rule': c.rule},
                   el('summary', {}, `${severityMark[c.severity]} ${c.severity}: ${c.title}`),
                   findingBody(c, severalFiles, zero, open)))));
}

function findingBody(finding, severalFiles, zero, open) {
  const first = finding.connections[0];
  const frame = (number, i) => {
    const text = frameText(number, severalFiles ? finding.frame_files[i] : undefined);
    if (first === undefined) return el('span', {class: 'frame'}, text);
    return el('button', {type: 'button', class: 'link frame', title: 'show in the plot',
                         onclick: () => open(finding.connections, number, finding.frame_files?.[i])}, text);
  };
  const values = Object.entries(finding.values);
  const connections = finding.connections.slice(0, 12).map((id) =>
      el('button', {type: 'button', class: 'link', onclick: () => open([id])}, String(id)));
  if (finding.connections.length > 12) connections.push(`and ${grouped(finding.connections.length - 12)} more`);
  return el('div', {class: 'finding-body'},
            finding.explanation ? el('p', {}, finding.explanation) : null,
            finding.ruled_out.length ? el('p', {}, 'Ruled out: ' + finding.ruled_out.join('; ')) : null,
            finding.next_steps.length ? el('ul', {class: 'steps'}, finding.next_steps.map((step) => el('li', {}, step)))
                                      : null,
            el('dl', {class: 'facts'},
               finding.frames.length ? [el('dt', {}, 'packets that prove it'),
                                        el('dd', {}, spaced(finding.frames.map(frame)),
                                           finding.frames_total > finding.frames.length
                                               ? ` of ${grouped(finding.frames_total)}` : '')] : null,
               finding.first_ns === null || finding.first_ns === undefined ? null
                   : [el('dt', {}, 'when'), el('dd', {}, whenText(finding.first_ns - zero, finding.last_ns - zero))],
               connections.length ? [el('dt', {}, 'connections'), el('dd', {}, spaced(connections))] : null,
               finding.hosts.length ? [el('dt', {}, 'hosts'), el('dd', {}, finding.hosts.slice(0, 12).join(', ') +
                   (finding.hosts.length > 12 ? ` and ${finding.hosts.length - 12} more` : ''))] : null,
               values.length ? [el('dt', {}, 'values'), el('dd', {}, values.map(([name, value]) =>
                   el('span', {class: 'value', title: name}, valueParts(name, value))))] : null,
               [el('dt', {}, 'rule'), el('dd', {}, el('code', {}, finding.rule),
                                         finding.confidence === 'high' ? '' : ` · confidence ${finding.confidence}`)]));
}

/** Times from the start of the capture on. Nanoseconds since 1970 are read as the nearest of 256. */
const whenText = (first, last) => first === last ? `at ${offsetText(first - 256)}`
                                                 : `${offsetText(first - 256)} to ${offsetText(last + 256, true)}`;

const spaced = (items) => items.flatMap((item, i) => i === 0 ? [item] : [' ', item]);

/** "wait", quiet, and "44.1 ms" for wait_ns: the unit is the end of a value's name. */
function valueParts(name, value) {
  const [, stem, unit] = name.match(/^(?:(.*?)_)?(ns|bytes|bytes_per_second|bps|bits_per_second|ratio|percent)$/) ??
      [null, name, ''];
  if (unit === 'bytes' && /(^|_)mtu$/.test(stem)) return [el('span', {class: 'quiet'}, stem.replaceAll('_', ' ') + ' '), String(value)];
  return [el('span', {class: 'quiet'}, (stem ?? name).replaceAll('_', ' ') + ' '), unitText(value, unit)];
}

function unitText(value, unit) {
  if (unit === 'ns') return durationText(value);
  if (unit === 'bps') return rateText(value);
  if (unit === 'percent') return significant(value) + '\u00a0%';
  return fieldText(value, unit);
}
