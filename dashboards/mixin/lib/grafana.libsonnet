// SPDX-License-Identifier: BSD-3-Clause
// Dashboards of Grafana 10 and later from few words. Every panel must say its unit, what it means and what it says when
// there is nothing to show: the helpers take no panel without.
local datasource = { type: 'prometheus', uid: '${datasource}' };

{
  target(expr, legend='', instant=false, format='time_series'): {
    datasource: datasource,
    editorMode: 'code',
    expr: expr,
    format: format,
    instant: instant,
    legendFormat: if legend == '' then '__auto' else legend,
    range: !instant,
  },
  // For tables: the newest value of each series.
  row_target(expr): self.target(expr, '', instant=true, format='table'),

  // [value, colour] pairs behind a base colour; a threshold is where the colour begins.
  thresholds(base, steps=[]): {
    mode: 'absolute',
    steps: [{ color: base, value: null }] + [{ color: step[1], value: step[0] } for step in steps],
  },
  plain: self.thresholds('green'),

  local with_refs(targets) = std.mapWithIndex(
    function(i, target) target { refId: std.char(std.codepoint('A') + i) }, targets
  ),

  // What every panel has. `say` is what it shows when there is nothing to show.
  local panel(kind, title, description, unit, targets, say) = {
    type: kind,
    title: title,
    description: description,
    datasource: datasource,
    targets: with_refs(targets),
    transparent: false,
    links: [],
    fieldConfig: {
      defaults: {
        color: { mode: 'palette-classic' },
        custom: {},
        mappings: [],
        noValue: say,
        thresholds: $.plain,
        unit: unit,
      },
      overrides: [],
    },
    options: {},
  },

  timeseries(title, description, unit, targets, say, thresholds=null, stack=false, min=0, max=null, width=12, height=8):
    panel('timeseries', title, description, unit, targets, say) {
      width:: width,
      height:: height,
      fieldConfig+: {
        defaults+: {
          [if min != null then 'min']: min,
          [if max != null then 'max']: max,
          thresholds: if thresholds == null then $.plain else thresholds,
          custom: {
            axisCenteredZero: false,
            axisColorMode: 'text',
            axisLabel: '',
            axisPlacement: 'auto',
            barAlignment: 0,
            drawStyle: 'line',
            fillOpacity: if stack == false then 8 else 40,
            gradientMode: 'none',
            hideFrom: { legend: false, tooltip: false, viz: false },
            lineInterpolation: 'linear',
            lineWidth: 1,
            pointSize: 4,
            scaleDistribution: { type: 'linear' },
            showPoints: 'auto',
            spanNulls: false,
            stacking: {
              group: 'A',
              mode: if stack == false then 'none' else if stack == true then 'normal' else stack,
            },
            thresholdsStyle: { mode: if thresholds == null then 'off' else 'dashed' },
          },
        },
      },
      options: {
        legend: { calcs: ['lastNotNull', 'max'], displayMode: 'table', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
    },

  stat(title, description, unit, targets, say, thresholds, mappings=[], graph='none', width=4, height=4):
    panel('stat', title, description, unit, targets, say) {
      width:: width,
      height:: height,
      fieldConfig+: {
        defaults+: { color: { mode: 'thresholds' }, mappings: mappings, thresholds: thresholds },
      },
      options: {
        colorMode: 'background',
        graphMode: graph,
        justifyMode: 'auto',
        orientation: 'auto',
        percentChangeColorMode: 'standard',
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        showPercentChange: false,
        textMode: 'auto',
        wideLayout: true,
      },
    },

  bars(title, description, unit, targets, say, thresholds=null, width=12, height=8):
    panel('bargauge', title, description, unit, targets, say) {
      width:: width,
      height:: height,
      fieldConfig+: {
        defaults+: {
          color: { mode: 'thresholds' },
          min: 0,
          thresholds: if thresholds == null then $.plain else thresholds,
        },
      },
      options: {
        displayMode: 'basic',
        legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: false },
        maxVizHeight: 300,
        minVizHeight: 10,
        minVizWidth: 0,
        namePlacement: 'auto',
        orientation: 'horizontal',
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        showUnfilled: true,
        sizing: 'auto',
        valueMode: 'color',
      },
    },

  // Buckets as the exporter has them: no calculation in the browser.
  heatmap(title, description, unit, expr, say, width=12, height=9):
    panel('heatmap', title, description, unit, [$.target(expr, '{{le}}', format='heatmap')], say) {
      width:: width,
      height:: height,
      fieldConfig+: {
        defaults+: {
          custom: {
            hideFrom: { legend: false, tooltip: false, viz: false },
            scaleDistribution: { type: 'linear' },
          },
        },
      },
      options: {
        calculate: false,
        cellGap: 1,
        color: {
          exponent: 0.5,
          fill: 'dark-orange',
          mode: 'scheme',
          reverse: false,
          scale: 'exponential',
          scheme: 'Oranges',
          steps: 64,
        },
        exemplars: { color: 'rgba(255,0,255,0.7)' },
        filterValues: { le: 1e-9 },
        legend: { show: true },
        rowsFrame: { layout: 'auto' },
        showValue: 'never',
        tooltip: { mode: 'single', showColorScale: false, yHistogram: true },
        yAxis: { axisPlacement: 'left', reverse: false, unit: unit },
      },
    },

  // `columns` are [name of the value or label, title, properties…] in order; labels that are not named are hidden.
  table(title, description, targets, say, columns, hidden=[], sort=null, unit='short', width=24, height=10):
    panel('table', title, description, unit, targets, say) {
      width:: width,
      height:: height,
      fieldConfig: {
        defaults: {
          color: { mode: 'thresholds' },
          custom: { align: 'auto', cellOptions: { type: 'auto' }, filterable: true, inspect: false },
          mappings: [],
          noValue: say,
          thresholds: $.plain,
          unit: unit,
        },
        overrides: [
          {
            matcher: { id: 'byName', options: column[1] },
            properties: [{ id: property, value: column[2][property] } for property in std.objectFields(column[2])],
          }
          for column in columns
          if std.length(column) > 2
        ],
      },
      options: {
        cellHeight: 'sm',
        frameIndex: 0,
        showHeader: true,
        sortBy: if sort == null then [] else [{ desc: true, displayName: sort }],
      },
      transformations: [
        { id: 'merge', options: {} },
        {
          id: 'organize',
          options: {
            excludeByName: { [name]: true for name in ['Time', 'job'] + hidden },
            indexByName: { [columns[i][0]]: i for i in std.range(0, std.length(columns) - 1) },
            renameByName: { [column[0]]: column[1] for column in columns },
          },
        },
      ],
    },

  // Properties of table columns.
  coloured(unit, thresholds, mappings=[]): {
    unit: unit,
    thresholds: thresholds,
    mappings: mappings,
    'custom.cellOptions': { type: 'color-background', mode: 'basic' },
  },
  linked(title, url): { links: [{ title: title, url: url, targetBlank: false }] },

  // On a panel's title.
  link(title, url): {
    links: [{
      asDropdown: false,
      icon: 'external link',
      includeVars: false,
      keepTime: false,
      tags: [],
      targetBlank: false,
      title: title,
      tooltip: title,
      type: 'link',
      url: url,
    }],
  },

  // Makes series whose name matches use the right axis with another unit.
  on_right_axis(name, unit, label): {
    fieldConfig+: {
      overrides+: [{
        matcher: { id: 'byRegexp', options: name },
        properties: [
          { id: 'unit', value: unit },
          { id: 'custom.axisPlacement', value: 'right' },
          { id: 'custom.axisLabel', value: label },
          { id: 'custom.fillOpacity', value: 0 },
        ],
      }],
    },
  },
  colours(colours): {
    fieldConfig+: {
      overrides+: [
        {
          matcher: { id: 'byName', options: name },
          properties: [{ id: 'color', value: { fixedColor: colours[name], mode: 'fixed' } }],
        }
        for name in std.objectFields(colours)
      ],
    },
  },

  row(title, panels, collapsed=false): { title: title, panels: panels, collapsed: collapsed },

  datasource_variable: {
    hide: 0,
    includeAll: false,
    label: 'Data source',
    multi: false,
    name: 'datasource',
    options: [],
    query: 'prometheus',
    refresh: 1,
    regex: '',
    skipUrlSync: false,
    type: 'datasource',
  },
  // The values of one label of one metric; "All" matches also what has no such label.
  variable(name, label, metric, label_name, selector, description): {
    local query = 'label_values(%s, %s)' % [metric + (if selector == '' then '' else '{%s}' % selector), label_name],
    allValue: '.*',
    current: { selected: true, text: 'All', value: '$__all' },
    datasource: datasource,
    description: description,
    hide: 0,
    includeAll: true,
    label: label,
    multi: true,
    name: name,
    options: [],
    query: { query: query, refId: 'StandardVariableQuery' },
    refresh: 2,
    regex: '',
    skipUrlSync: false,
    sort: 1,
    type: 'query',
  },

  // Grafana's grid is 24 wide. Panels flow from left to right; a row's title takes a line of its own.
  local place(panels, top) = std.foldl(
    function(at, p)
      local wraps = at.x + p.width > 24;
      local x = if wraps then 0 else at.x;
      local y = if wraps then at.y + at.tallest else at.y;
      {
        x: x + p.width,
        y: y,
        tallest: if wraps then p.height else std.max(at.tallest, p.height),
        placed: at.placed + [p { gridPos: { h: p.height, w: p.width, x: x, y: y } }],
      },
    panels,
    { x: 0, y: top, tallest: 0, placed: [] }
  ),
  local laid_out(rows) = std.foldl(
    function(at, r)
      local inside = place(r.panels, at.y + 1);
      local head = {
        type: 'row',
        title: r.title,
        collapsed: r.collapsed,
        gridPos: { h: 1, w: 24, x: 0, y: at.y },
        panels: if r.collapsed then inside.placed else [],
      };
      {
        y: if r.collapsed then at.y + 1 else inside.y + inside.tallest,
        panels: at.panels + [head] + (if r.collapsed then [] else inside.placed),
      },
    rows,
    { y: 0, panels: [] }
  ).panels,
  local numbered(panels) = std.foldl(
    function(at, p)
      local inside = std.mapWithIndex(function(i, q) q { id: at.next + 1 + i }, if 'panels' in p then p.panels else []);
      {
        next: at.next + 1 + std.length(inside),
        done: at.done + [p { id: at.next } + (if 'panels' in p then { panels: inside } else {})],
      },
    panels,
    { next: 1, done: [] }
  ).done,

  dashboard(uid, title, description, variables, rows, annotations=[]): {
    annotations: {
      list: [{
        builtIn: 1,
        datasource: { type: 'grafana', uid: '-- Grafana --' },
        enable: true,
        hide: true,
        iconColor: 'rgba(0, 211, 255, 1)',
        name: 'Annotations & Alerts',
        type: 'dashboard',
      }] + [
        {
          datasource: datasource,
          enable: true,
          expr: annotation.expr,
          iconColor: annotation.colour,
          name: annotation.name,
          step: '60s',
          tagKeys: annotation.tags,
          titleFormat: annotation.title,
        }
        for annotation in annotations
      ],
    },
    description: description,
    editable: true,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    links: [{
      asDropdown: false,
      icon: 'external link',
      includeVars: true,
      keepTime: true,
      tags: ['rocetop'],
      targetBlank: false,
      title: 'rocetop',
      tooltip: 'The other dashboards, of the same hosts and time',
      type: 'dashboards',
      url: '',
    }],
    panels: numbered(laid_out(rows)),
    refresh: '30s',
    schemaVersion: 38,
    tags: ['rocetop'],
    templating: { list: [$.datasource_variable] + variables },
    time: { from: 'now-1h', to: 'now' },
    timepicker: {},
    timezone: 'browser',
    title: title,
    uid: uid,
    version: 1,
    weekStart: '',
  },
}
