import { expect, test } from 'vitest';
import { summarizeConfig } from '../../src/config/summary.ts';
import { file, load, problemOf } from './fixture.ts';

const MINUTE = 60_000;

test('alerts have bounds from the start, and no webhook', () => {
  expect(load(file({})).alerts).toEqual({
    lagMs: 5 * MINUTE,
    stuckMs: 10 * MINUTE,
    coverageMs: 10 * MINUTE,
    holeMs: 30 * MINUTE,
    deadLetters: 10,
    raiseAfterMs: MINUTE,
    clearAfterMs: 2 * MINUTE,
  });
});

test('every setting of the alerts reaches the worker', () => {
  const more = `alerts: { webhook: "https://hooks.example/T0/B0/x", lag: 1m, stuck: 2m, coverage: 3m, hole: 4m, dead_letters: 0, raise_after: 0s, clear_after: 5s }\n`;
  expect(load(file({ more })).alerts).toEqual({
    webhook: 'https://hooks.example/T0/B0/x',
    lagMs: MINUTE,
    stuckMs: 2 * MINUTE,
    coverageMs: 3 * MINUTE,
    holeMs: 4 * MINUTE,
    deadLetters: 0,
    raiseAfterMs: 0,
    clearAfterMs: 5_000,
  });
});

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
  ['alerts: { lag: 1s }', 'alerts.lag'],
  ['alerts: { dead_letters: -1 }', 'alerts.dead_letters'],
  ['alerts: { raise_after: 2h }', 'alerts.raise_after'],
  ['alerts: { webhook: "http://hooks.example/x" }', 'alerts.webhook'],
  ['alerts: { slack: "https://hooks.example/x" }', 'alerts.slack'],
])('%s is refused', (more, path) => {
  expect(problemOf(file({ more: `${more}\n` }))).toMatchObject({ path, line: 4 });
});
