import { expect, test } from 'vitest';
import { isWorkerIdle } from '../../demo/patience.ts';
import type { WorkerStatus } from '../../demo/worker-process.ts';

const LAST_CHANGE = Date.parse('2026-11-21T10:00:00Z');
const MINUTE = 60_000;

function seen(after: { feed?: number; calendar?: number; rows?: number }): WorkerStatus {
  const until = (ms = MINUTE) => ({ covered_until: new Date(LAST_CHANGE + ms).toISOString() });
  return {
    idle: true,
    not_idle_because: [],
    at: new Date(LAST_CHANGE + MINUTE).toISOString(),
    coverage: {
      feed: until(after.feed),
      calendars: [until(after.calendar)],
      intake_sheets: [until(after.rows)],
    },
    pending: { objects: 0, sheet_rows: 0 },
    dead_letters: { count: 0 },
  };
}

const beyond = { coveredBeyondMs: LAST_CHANGE, provedBeyondMs: LAST_CHANGE };

test('the day is over when feed, calendars and the intake tab were read after its last change', () => {
  expect(isWorkerIdle(seen({}), beyond)).toBe(true);
  expect(isWorkerIdle(seen({ feed: -1 }), beyond)).toBe(false);
  expect(isWorkerIdle(seen({ calendar: -1 }), beyond)).toBe(false);
});

test('a row that was typed last has to be given its id and to be taken before the day is judged', () => {
  expect(isWorkerIdle(seen({ rows: 1_000 }), beyond)).toBe(false);
  expect(isWorkerIdle(seen({ rows: 13_000 }), beyond)).toBe(true);
});
