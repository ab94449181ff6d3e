import { expect, test } from 'vitest';
import { summarizeConfig } from '../../src/mapping/changes.ts';
import { file, load, problemOf } from './fixture.ts';

const MINUTE = 60_000;

test('the address of a webhook may hold its secret in a query, and an empty one is none', () => {
  const withQuery = load(file({ more: 'alerts: { webhook: "https://chat.example/v1?key=a&token=b" }\n' }));
  expect(withQuery.alerts.webhook).toBe('https://chat.example/v1?key=a&token=b');
  const empty = `alerts: { webhook: "$\{ALERT_WEBHOOK:-}" }\n`;
  expect('webhook' in load(file({ more: empty })).alerts).toBe(false);
});

test('the summary says whether there is a webhook, never which', () => {
  const config = load(file({ more: 'alerts: { webhook: "https://hooks.example/T0/hunter2" }\n' }));
  expect(summarizeConfig(config).alerts).toMatchObject({ webhook: 'set', lagMs: 5 * MINUTE });
  expect(JSON.stringify(summarizeConfig(config))).not.toContain('hunter2');
  expect(summarizeConfig(load(file({}))).alerts.webhook).toBe('not set');
});

test.each([
  ['alerts: { webhook: "http://hooks.example/x" }', 'alerts.webhook'],
  ['alerts: { slack: "https://hooks.example/x" }', 'alerts.slack'],
])('%s is refused', (more, path) => {
  expect(problemOf(file({ more: `${more}\n` }))).toMatchObject({ path, line: 4 });
});
