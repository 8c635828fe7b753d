// SPDX-License-Identifier: BSD-3-Clause
// Rules and alerts as text: for Prometheus, and for its Kubernetes operator.
local mixin = import 'mixin.libsonnet';
local made = '# SPDX-License-Identifier: BSD-3-Clause\n' +
             '# Made by dashboards/build from dashboards/mixin; a test compares. Change the source instead.\n';

// YAML of rule files, for people: PromQL as blocks of lines, everything else in single quotes.
local quoted(text) = "'%s'" % std.strReplace(text, "'", "''");
local lines_of(expr) = [line for line in std.split(expr, '\n') if std.stripChars(line, ' ') != ''];
local block(expr, indent) =
  local lines = lines_of(expr);
  if std.length(lines) == 1 && std.length(lines[0]) < 90 then quoted(lines[0])
  else std.join('\n', ['|-'] + [indent + line for line in lines]);
local map_of(object, indent, order) = std.join('\n', [
  '%s%s: %s' % [indent, key, quoted(object[key])]
  for key in order
  if key in object
]);
local rule_yaml(rule) = std.join('\n', std.prune([
  if 'record' in rule then '      - record: ' + rule.record else '      - alert: ' + rule.alert,
  '        expr: ' + block(rule.expr, '          '),
  if 'for' in rule then '        for: ' + rule['for'],
  if 'labels' in rule then '        labels:\n' + map_of(rule.labels, '          ', std.objectFields(rule.labels)),
  if 'annotations' in rule then '        annotations:\n' + map_of(
    rule.annotations, '          ', ['summary', 'description', 'runbook_url']
  ),
]));
local rules_yaml(groups) = std.join('\n', [made + 'groups:'] + [
  '  - name: %s\n    rules:\n%s' % [group.name, std.join('\n', [rule_yaml(rule) for rule in group.rules])]
  for group in groups.groups
]);

// For the Prometheus operator: both files as one object.
local indented(yaml, indent) = std.join('\n', [indent + line for line in std.split(yaml, '\n') if !std.startsWith(line, '#')]);
local prometheus_rule = made + |||
  apiVersion: monitoring.coreos.com/v1
  kind: PrometheusRule
  metadata:
    name: rocetop
    labels:
      app.kubernetes.io/name: rocetop-export
  spec:
||| + indented(rules_yaml({ groups: mixin.prometheusRules.groups + mixin.prometheusAlerts.groups }), '  ');

{
  'rules.yml': rules_yaml(mixin.prometheusRules),
  'alerts.yml': rules_yaml(mixin.prometheusAlerts),
  'prometheus_rule.yaml': prometheus_rule,
}
