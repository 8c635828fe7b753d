// SPDX-License-Identifier: BSD-3-Clause
// PromQL as text: the few shapes that rules, alerts and panels share.
{
  // sum by (by) (rate(metric{selector}[window]))
  rate(metric, selector, by, window='$__rate_interval'):
    'sum by (%s) (rate(%s{%s}[%s]))' % [by, metric, selector, window],

  increase(metric, selector, by, window):
    'sum by (%s) (increase(%s{%s}[%s]))' % [by, metric, selector, window],

  // Share of `part` in `whole`; absent where nothing of the whole came, instead of NaN.
  share(part, whole): '%s\n/\n(%s > 0)' % [part, whole],

  quantile(q, metric, selector, by='', window='$__rate_interval'):
    'histogram_quantile(%g, sum by (%s) (rate(%s_bucket{%s}[%s])))' %
    [q, std.join(', ', std.filter(function(l) l != '', [by, 'le'])), metric, selector, window],

  // Source and destination swapped: what went the other way.
  swapped(expr):
    'label_replace(label_replace(label_replace(%s, "was_src", "$1", "src", "(.*)"), ' % expr +
    '"src", "$1", "dst", "(.*)"), "dst", "$1", "was_src", "(.*)")',

  // `cases` are [value, condition] pairs; each condition is a filter by (job, instance). The first that holds decides.
  first_of(cases):
    std.join('\nor\n', ['((%s) * 0 + %d)' % [case[1], case[0]] for case in cases]),
}
