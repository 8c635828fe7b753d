// SPDX-License-Identifier: BSD-3-Clause
// rocetop's monitoring mixin: dashboards, recording rules and alerts, with _config to change what a site needs.
(import 'config.libsonnet') +
(import 'rules.libsonnet') +
(import 'alerts.libsonnet') +
{
  grafanaDashboards+:: {
    'fleet.json': import 'dashboards/fleet.libsonnet',
    'congestion.json': import 'dashboards/congestion.libsonnet',
    'reliability.json': import 'dashboards/reliability.libsonnet',
    'latency.json': import 'dashboards/latency.libsonnet',
    'host.json': import 'dashboards/host.libsonnet',
    'capture.json': import 'dashboards/capture.libsonnet',
  },
}
