// SPDX-License-Identifier: BSD-3-Clause
// Dashboards against Grafana's own types, manifests against Kubernetes': check.mjs PACKAGES INPUT
// INPUT is JSON: { "dashboards": {name: dashboard}, "manifests": {name: object} }. Prints a line a fault, exits with 1.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [packages, input] = process.argv.slice(2);
const load = createRequire(path.join(packages, 'package.json'));
const Ajv = load('ajv').default;
const { createGenerator } = load('ts-json-schema-generator');
const ajv = new Ajv({ strict: false, allErrors: true });
const modules = path.join(packages, 'node_modules');
const grafana = path.join(modules, '@grafana/schema/dist/types/raw');
const kubernetes = path.join(modules, 'kubernetes-types');

// Making a schema takes a second or two: they are kept beside the packages that they are made from.
function schema(file, type) {
  const kept = path.join(packages, 'schemas', `${path.relative(modules, file).replaceAll('/', '_')}.${type}.json`);
  if (fs.existsSync(kept)) return JSON.parse(fs.readFileSync(kept, 'utf8'));
  const made = createGenerator({ path: file, type, skipTypeCheck: true, additionalProperties: false }).createSchema(type);
  fs.mkdirSync(path.dirname(kept), { recursive: true });
  const part = `${kept}.${process.pid}`;
  fs.writeFileSync(part, JSON.stringify(made));
  fs.renameSync(part, kept);
  return made;
}

const compiled = new Map();
function faults(file, type, value) {
  const key = `${file} ${type}`;
  if (!compiled.has(key)) compiled.set(key, ajv.compile(schema(file, type)));
  const validate = compiled.get(key);
  if (validate(value)) return [];
  return validate.errors.map((e) => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`);
}

const panelTypes = (kind) => path.join(grafana, 'composable', kind, 'panelcfg/x/types.gen.d.ts');

function* panelFaults(panel) {
  const where = `panel '${panel.title}' (${panel.type})`;
  if (panel.type === 'row') {
    for (const inner of panel.panels ?? []) yield* panelFaults(inner);
    return;
  }
  const types = panelTypes(panel.type);
  if (!fs.existsSync(types)) {
    yield `${where}: Grafana has no such panel`;
    return;
  }
  for (const fault of faults(types, 'Options', panel.options)) yield `${where} options: ${fault}`;
  // Of what a panel can set for a field; stat and bar gauge set nothing.
  const custom = panel.fieldConfig.defaults.custom;
  if (Object.keys(custom).length > 0) {
    for (const fault of faults(types, 'FieldConfig', custom)) yield `${where} fieldConfig: ${fault}`;
  }
}

const apiFiles = { v1: 'core/v1.d.ts', 'apps/v1': 'apps/v1.d.ts' };
const found = [];
const { dashboards, manifests } = JSON.parse(fs.readFileSync(input, 'utf8'));
for (const [name, dashboard] of Object.entries(dashboards)) {
  const types = path.join(grafana, 'dashboard/x/types.gen.d.ts');
  // What Prometheus' annotations add is the data source's own and has no type there.
  for (const annotation of dashboard.annotations?.list ?? []) {
    for (const key of ['expr', 'step', 'tagKeys', 'titleFormat']) delete annotation[key];
  }
  for (const fault of faults(types, 'Dashboard', dashboard)) found.push(`${name}: ${fault}`);
  for (const panel of dashboard.panels ?? []) for (const fault of panelFaults(panel)) found.push(`${name}: ${fault}`);
}
for (const [name, object] of Object.entries(manifests)) {
  const file = apiFiles[object.apiVersion];
  if (!file) continue; // of an operator: it has no types here
  for (const fault of faults(path.join(kubernetes, file), object.kind, object)) found.push(`${name}: ${fault}`);
}
for (const line of found) console.log(line);
process.exit(found.length > 0 ? 1 : 0);
