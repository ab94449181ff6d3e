import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALERT_NAMES } from '../../src/engine/alert.ts';
import { COUNTERS, createMetrics, HISTOGRAMS, LABELLED_GAUGES } from '../../src/operate/metrics.ts';
import { read } from './tree.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const file = parse(read('config/ops/alerts.yml')) as { groups: readonly { name: string; rules: Rule[] }[] };
const rules = file.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('config/ops/dashboard.json')) as { panels: readonly Panel[] };
const queries = dashboard.panels.flatMap((panel) =>
  (panel.targets ?? []).map((target) => ({ title: panel.title, ...target })),
);

/** Series that the worker shows, with their labels. */
const series = new Map<string, readonly string[]>();
beforeAll(async () => {
  const shown = [...(await createMetrics().text()).matchAll(/^# TYPE ((?:slotbridge|platform)_\w+) /gm)];
  for (const [, name = ''] of shown) series.set(name, []);
  for (const { name, labels } of COUNTERS) series.set(name, labels);
  for (const { name, label } of LABELLED_GAUGES) series.set(name, [label]);
  for (const { name, labels } of HISTOGRAMS) {
    series.delete(name);
    for (const end of ['sum', 'count']) series.set(`${name}_${end}`, labels);
    series.set(`${name}_bucket`, [...labels, 'le']);
  }
  series.set('slotbridge_alert', ['alert']);
  series.set('up', ['job']);
});

const KNOWN_WORDS = new Set(
  'sum min max rate increase histogram_quantile absent min_over_time vector by on and or'.split(' '),
);
const ALWAYS_LABELS = ['job', 'instance', 'le'];

/** What is wrong with a query, as far as it can be said without Prometheus: words, brackets, metrics and their labels. */
function faultsOf(expr: string): string[] {
  const faults: string[] = [];
  const bare = expr.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  if (!areBalanced(bare)) faults.push('brackets');
  if (/\d(?!\d*[smhdw]\])\d*[a-z]/i.test(bare.replaceAll(/\[\d+[smhdw]\]/g, ''))) faults.push('a duration');
  const grouped = [...bare.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    wordsOf(labels),
  );
  const matchers = [...bare.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, metric = '', inside = '']) => ({
    metric,
    labels: [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
  const outside = bare.replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '').replaceAll(/\b(by|on) \([^)]*\)/g, '$1');
  const metrics = wordsOf(outside).filter((word) => !KNOWN_WORDS.has(word));
  faults.push(...metrics.filter((name) => !series.has(name)).map((name) => `no metric ${name}`));
  const labels = metrics.flatMap((name) => series.get(name) ?? []);
  faults.push(
    ...grouped
      .filter((label) => ![...labels, ...ALWAYS_LABELS].includes(label))
      .map((label) => `by ${label}`),
  );
  for (const { metric, labels: matched } of matchers) {
    const known = [...(series.get(metric) ?? []), ...ALWAYS_LABELS];
    faults.push(...matched.filter((label) => !known.includes(label)).map((label) => `${metric}{${label}}`));
  }
  return faults;
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

function areBalanced(text: string): boolean {
  const open: string[] = [];
  for (const sign of text.replaceAll(/[^()[\]{}]/g, '')) {
    if ('([{'.includes(sign)) open.push(sign);
    else if (`${open.pop()}${sign}`.match(/^(\(\)|\[\]|\{\})$/) === null) return false;
  }
  return open.length === 0;
}

describe('a query is found wrong', () => {
  it.each([
    ['sum(slotbridge_no_such_metric)', 'no metric slotbridge_no_such_metric'],
    ['sum by (colour) (slotbridge_failures_total)', 'by colour'],
    ['slotbridge_alert{name="lag"}', 'slotbridge_alert{name}'],
    ['sum(rate(slotbridge_failures_total[5m])', 'brackets'],
    ['slotbridge_lag_seconds > 1', 'no metric slotbridge_lag_seconds'],
  ])('%s', (expr, fault) => {
    expect(faultsOf(expr)).toContain(fault);
  });
});

describe('config/ops/alerts.yml', () => {
  it('has rules, each named once', () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map((rule) => rule.alert)).size).toBe(rules.length);
  });

  it.each(rules)('$alert asks for metrics and labels that the worker has', ({ expr }) => {
    expect(faultsOf(expr)).toEqual([]);
  });

  it.each(rules)('$alert has what Prometheus knows in a rule, and nothing else', (rule) => {
    const keys = ['alert', 'annotations', 'expr', 'for', 'labels'];
    expect(Object.keys(rule).filter((key) => !keys.includes(key))).toEqual([]);
    expect(rule.alert).toMatch(/^Slotbridge[A-Za-z]+$/);
    expect(rule.for ?? '1m').toMatch(/^\d+[smh]$/);
    expect(['critical', 'warning', 'info']).toContain(rule.labels['severity']);
    expect(Object.keys(rule.annotations).sort()).toEqual(['description', 'summary']);
  });

  it.each(rules)('$alert speaks only of values and labels that its query leaves', (rule) => {
    const text = Object.values(rule.annotations).join('\n');
    for (const [, inside = ''] of text.matchAll(/\{\{(.*?)\}\}/g)) {
      expect(inside.trim()).toMatch(/^\$value( \| humanizeDuration)?$|^\$labels\.\w+$/);
    }
    for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g)) {
      expect(rule.expr).toMatch(new RegExp(`\\bby \\([^)]*\\b${label}\\b`));
    }
  });

  it('tells of everything that the worker tells of by itself', () => {
    const ruleOf: Readonly<Record<(typeof ALERT_NAMES)[number], string>> = {
      lag: 'SlotbridgeLag',
      stuck: 'SlotbridgeStuck',
      coverage: 'SlotbridgeFeedNotProved',
      hole: 'SlotbridgeHole',
      'hole-open': 'SlotbridgeHole',
      'dead-letters': 'SlotbridgeDeadLetters',
      'many-dead-letters': 'SlotbridgeDeadLetters',
      'platform-refused': 'SlotbridgePlatformRefuses',
      endpoint: 'SlotbridgeEndpoint',
      'google-refused': 'SlotbridgeGoogleRefuses',
      problem: 'SlotbridgeProblem',
      'state-unreadable': 'SlotbridgeStateUnreadable',
    };
    const names = rules.map((rule) => rule.alert);
    for (const alert of ALERT_NAMES) expect(names).toContain(ruleOf[alert]);
  });
});

describe('config/ops/dashboard.json', () => {
  it('has panels with ids of their own that do not overlap', () => {
    const { panels } = dashboard;
    expect(panels.length).toBeGreaterThan(15);
    expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it.each(queries)('$title: $expr', ({ expr, legendFormat }) => {
    expect(faultsOf(expr)).toEqual([]);
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(expr).toMatch(new RegExp(`\\bby \\([^)]*\\b${label}\\b`));
    }
  });

  it('shows every figure that the worker keeps of its state', () => {
    const shown = queries.map((query) => query.expr).join('\n');
    const untold = [...series.keys()].filter(
      (name) =>
        /^slotbridge_(pending|holes|problems|dead_letters|alert|quota|source)\w*(?<!_total)$/.test(name) &&
        !shown.includes(name),
    );
    expect(untold).toEqual([]);
  });
});
