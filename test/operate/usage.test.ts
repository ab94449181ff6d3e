import { expect, test } from 'vitest';
import { createMetrics } from '../../src/operate/metrics.ts';
import { Usage } from '../../src/operate/process-reports.ts';
import { HandClock } from '../doubles/hand-clock.ts';

test('requests count for a minute, by budget and purpose, the most first', () => {
  const clock = new HandClock(0);
  const usage = new Usage(clock);
  usage.add('platform', 'events.list');
  clock.advance(30_000);
  for (let count = 0; count < 3; count += 1) usage.add('google-calendar:k', 'live');
  usage.add('platform', 'events.list');
  expect(usage.read()).toEqual([
    { budget: 'google-calendar:k', purpose: 'live', requests: 3 },
    { budget: 'platform', purpose: 'events.list', requests: 2 },
  ]);
  clock.advance(35_000);
  expect(usage.read().map(({ requests }) => requests)).toEqual([3, 1]);
  clock.advance(30_000);
  expect(usage.read()).toEqual([]);
});

test('there is an end to what is counted apart', () => {
  const usage = new Usage(new HandClock(0));
  for (let nth = 0; nth < 5_000; nth += 1) usage.add(`budget-${nth}`, 'live');
  expect(usage.read()).toHaveLength(1_000);
});

test('what the metrics count of requests is what a budget was used for', () => {
  const { meter, usage } = createMetrics();
  meter.add('platform_requests_total', { operation: 'slots.find', status: '200' });
  meter.add('slotbridge_google_requests_total', { budget: 'google-sheets-read:k', rank: 'list' });
  meter.add('slotbridge_webhooks_total', { outcome: 'taken' });
  expect(usage.read()).toEqual([
    { budget: 'platform', purpose: 'slots.find', requests: 1 },
    { budget: 'google-sheets-read:k', purpose: 'list', requests: 1 },
  ]);
});
