// What a clock that was ahead has stored, and what is told of it once the clock is set right.
import { describe, expect, test } from 'vitest';
import { EMPTY_BOOK } from '../../src/engine/alert.ts';
import { step } from '../../src/operate/alerts/alerter.ts';
import { conditionsOf } from '../../src/operate/alerts/conditions.ts';
import { createMetrics } from '../../src/operate/metrics.ts';
import { createStatusSource, formatStatus, type StatusReport } from '../../src/operate/status.ts';
import { statusVerdict } from '../../src/operate/verdict.ts';
import { StatusStores } from '../doubles/status-stores.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BOUNDS = {
  ...{ lagMs: 5 * MINUTE, stuckMs: 10 * MINUTE, coverageMs: 10 * MINUTE, holeMs: 30 * MINUTE },
  deadLetters: 2,
};

async function readWith(change: (stores: StatusStores, nowMs: number) => void): Promise<StatusReport> {
  const stores = new StatusStores();
  stores.calendarIds = ['anna@clinic.example'];
  change(stores, stores.clock.now());
  return createStatusSource(stores.parts()).read();
}

const alertsOf = (report: StatusReport) => conditionsOf(report, BOUNDS, 0);

describe.each([
  ['two minutes', 2 * MINUTE],
  ['three hours', 3 * HOUR],
  ['a year', 365 * 24 * HOUR],
])('P8: a proof that lies %s in the future', (_, aheadMs) => {
  const report = () =>
    readWith((stores, nowMs) => {
      const moments = { coveredUntilMs: nowMs + aheadMs, provedAtMs: nowMs + aheadMs };
      stores.coverage = { ...stores.coverage, ...moments };
      stores.calendarsReadAtMs = nowMs + aheadMs;
    });

  test('is none in the report, the verdict and the text', async () => {
    const { coverage, idle } = await report();
    expect(idle).toBe(false);
    for (const source of [coverage.feed, ...coverage.calendars])
      expect(source).toMatchObject({ fresh: false, proved_ago_s: null, reading: 'unread' });
    const { mood, line } = statusVerdict(await report());
    expect(mood).toBe('wrong');
    expect(line).toMatch(/nothing is proved: the last proof lies in the future/);
    expect(line).not.toMatch(/covered (without a hole )?up to/);
    const text = formatStatus(await report(), { color: false });
    expect(text).toMatch(/event feed: nothing is proved, because the last proof lies in the future/);
    expect(text).toMatch(/anna@clinic.example: nothing is proved/);
  });

  test('is infinitely old in the metrics', async () => {
    const metrics = createMetrics();
    const text = await metrics.text(await report());
    for (const gauge of [
      'slotbridge_coverage_age_seconds',
      'slotbridge_calendar_coverage_age_seconds',
      'slotbridge_source_coverage_age_seconds{source="feed"}',
    ])
      expect(text).toContain(`${gauge} +Inf`);
  });

  test('raises an alert when it lasts as long as a proof may be old, and not before', async () => {
    const seen = alertsOf(await report());
    expect(seen.map(({ alert, subject }) => `${alert} ${subject}`)).toContain('coverage event feed');
    expect(seen[0]?.text).toMatch(/its last proof lies in the future/);
    const damping = { raiseAfterMs: 0, clearAfterMs: MINUTE };
    let book = EMPTY_BOOK;
    for (let minute = 0; minute < 10; minute += 1) {
      book = step(book, seen, { ...damping, nowMs: minute * MINUTE });
      expect(book.unsent).toEqual([]);
    }
    expect(step(book, seen, { ...damping, nowMs: 10 * MINUTE }).unsent.length).toBeGreaterThan(0);
  });
});

test('P8: a proof of the future is none even if what it covers is past', async () => {
  const { coverage } = await readWith((stores, nowMs) => {
    stores.coverage = { ...stores.coverage, provedAtMs: nowMs + 3 * HOUR };
  });
  expect(coverage.feed).toMatchObject({ fresh: false, proved_ago_s: null });
});

test('P1: what was marked by a clock that was ahead is late, too', async () => {
  const report = await readWith((stores, nowMs) => {
    stores.pending = { objects: 2, oldestSinceMs: nowMs + 3 * HOUR };
    stores.holes = [
      {
        id: 'feed-1',
        source: 'feed',
        fromMs: 0,
        toMs: nowMs,
        cause: 'walk-failed',
        foundAtMs: nowMs + 3 * HOUR,
      },
    ];
  });
  expect(alertsOf(report).map(({ alert }) => alert)).toEqual(
    expect.arrayContaining(['lag', 'hole', 'hole-open']),
  );
  const text = await createMetrics().text(report);
  expect(text).toContain(`slotbridge_oldest_pending_age_seconds ${3 * 3_600}`);
  expect(text).toContain(`slotbridge_oldest_hole_age_seconds ${3 * 3_600}`);
});
