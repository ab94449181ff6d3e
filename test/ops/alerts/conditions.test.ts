import { beforeEach, expect, test } from 'vitest';
import { EMPTY_BOOK } from '../../../src/domain/alert.ts';
import type { HoleCause } from '../../../src/domain/coverage.ts';
import { type AlertBounds, conditionsOf } from '../../../src/ops/alerts/conditions.ts';
import { step } from '../../../src/ops/alerts/step.ts';
import { createStatusSource } from '../../../src/ops/status.ts';
import { StatusStores } from '../../doubles/status-stores.ts';

const MINUTE = 60_000;
const BOUNDS: AlertBounds = {
  lagMs: 5 * MINUTE,
  stuckMs: 10 * MINUTE,
  coverageMs: 10 * MINUTE,
  holeMs: 30 * MINUTE,
  deadLetters: 2,
};

let stores: StatusStores;
beforeEach(() => {
  stores = new StatusStores();
});

async function conditions(stillForMs = 0) {
  return conditionsOf(await createStatusSource(stores.parts()).read(), BOUNDS, stillForMs);
}
async function alerts(stillForMs = 0): Promise<string[]> {
  return (await conditions(stillForMs)).map((condition) => condition.alert);
}
function ago(ms: number): number {
  return stores.clock.now() - ms;
}
function problem(target: string, code: string, advice?: string): void {
  const times = { sinceMs: 0, lastAtMs: 0 };
  stores.problems.push({ target, code, message: 'it refuses', ...times, ...(advice ? { advice } : {}) });
}
function letter(code: string): void {
  const reasons = [{ mirror: 'staff', code, message: 'no' }];
  stores.letters.push({ key: `contact/${stores.letters.length}`, atMs: 0, attempts: 1, reasons });
}

test('a quiet worker has nothing to tell', async () => {
  expect(await alerts()).toEqual([]);
});

test('a change that waits for longer than the bound is a lag', async () => {
  stores.pending = { objects: 3, oldestSinceMs: ago(5 * MINUTE) };
  expect(await alerts()).toEqual([]);
  stores.pending = { objects: 3, oldestSinceMs: ago(5 * MINUTE + 1_000) };
  expect(await conditions()).toMatchObject([
    { alert: 'lag', text: expect.stringContaining('5 min (3 objects)') },
  ]);
});

test('pending rows that do not move are told, unless a problem or a quota says why', async () => {
  stores.rows = [{ spreadsheetId: 'x', rows: 4 }];
  expect(await alerts(10 * MINUTE)).toEqual([]);
  expect(await alerts(10 * MINUTE + 1)).toEqual(['stuck']);
  const quota = { name: 'google-sheets-write:1', spent: 60, admitted: 60, limit: 60, reason: undefined };
  stores.quotas = [{ ...quota, pausedUntilMs: undefined, waiting: 1 }];
  expect(await alerts(60 * MINUTE)).toEqual([]);
  stores.quotas = [];
  problem('spreadsheet:x/Tab', 'tab-not-found');
  expect(await alerts(60 * MINUTE)).toEqual(['problem']);
});

test('nothing pending cannot be stuck', async () => {
  expect(await alerts(24 * 60 * MINUTE)).toEqual([]);
});

test('a source whose proof is too old is told, each by itself, and a calendar without its address', async () => {
  stores.coverage = { ...stores.coverage, coveredUntilMs: ago(11 * MINUTE), provedAtMs: ago(11 * MINUTE) };
  stores.calendarIds = ['anna@clinic.example'];
  const told = await conditions();
  expect(told.map((each) => each.alert)).toEqual(['coverage', 'coverage']);
  expect(told[0]).toMatchObject({ subject: 'event feed', text: expect.stringContaining('11 min') });
  expect(told.map(({ advice }) => advice)).toEqual([
    expect.stringContaining('feed walk failed'),
    expect.stringContaining('calendar sync failed'),
  ]);
  expect(told[1]?.subject).toMatch(/^calendar \[email \w{6}\]$/);
  expect(JSON.stringify(told)).not.toContain('anna');
});

test('a source that has not been read yet has its time from the start of the worker', async () => {
  const young = { ...stores.parts(), startedAtMs: ago(MINUTE), feedEveryMs: 60_000 };
  stores.coverage = { ...stores.coverage, coveredUntilMs: undefined, provedAtMs: undefined };
  const read = async (parts: typeof young) =>
    conditionsOf(await createStatusSource(parts).read(), BOUNDS, 0).map((each) => each.alert);
  expect(await read(young)).toEqual([]);
  expect(await read({ ...young, startedAtMs: ago(11 * MINUTE) })).toEqual(['coverage']);
});

test('an intake sheet that is not read for long is told like a calendar, without a name of people', async () => {
  const entries = [
    { name: 'session', everyMs: 30_000, spreadsheetId: 'book' },
    { name: 'anna@clinic.example', everyMs: 30_000, spreadsheetId: 'other' },
    { name: 'hourly', everyMs: 60 * MINUTE, spreadsheetId: 'third' },
  ];
  const told = async (agoMs: number | undefined) => {
    const readUntilMs = async () => (agoMs === undefined ? undefined : ago(agoMs));
    const parts = { ...stores.parts(), intakeSheets: { entries, readUntilMs } };
    return conditionsOf(await createStatusSource(parts).read(), BOUNDS, 0);
  };
  expect(await told(9 * MINUTE)).toEqual([]);
  const late = await told(11 * MINUTE);
  expect(late.map(({ alert }) => alert)).toEqual(['coverage', 'coverage']);
  expect(late[0]).toMatchObject({
    subject: 'booking sheet session',
    text: 'booking sheet session: no proof of a complete read for 11 min',
    advice: expect.stringContaining('loop failed; will retry'),
  });
  expect(JSON.stringify(late)).not.toContain('anna');
  // Never read, by a worker that is up for six hours.
  expect((await told(undefined)).map(({ subject }) => subject)).toContain('booking sheet hourly');
});

test("a calendar that waits for Google's limit is told when it has waited for a day", async () => {
  stores.calendarIds = ['anna@clinic.example'];
  stores.calendarsReadAtMs = ago(60 * MINUTE);
  expect((await conditions()).map(({ toldAfterMs }) => toldAfterMs)).toEqual([undefined]);
  const quota = {
    name: 'google-calendar:1',
    target: 'calendar:anna@clinic.example',
    spent: 1,
    admitted: 600,
    limit: 600,
  };
  stores.quotas = [
    { ...quota, pausedUntilMs: stores.clock.now() + 1, reason: 'rateLimitExceeded', waiting: 0 },
  ];
  expect((await conditions()).map(({ toldAfterMs }) => toldAfterMs)).toEqual([24 * 60 * MINUTE]);
});

/** Looks every half minute at a worker that came up after ten hours, and says after how long people were told. */
async function toldAfterMs(life: {
  readonly restartsEveryMs?: number;
  readonly getsOn?: boolean;
  readonly forMs: number;
}): Promise<number | undefined> {
  const beganMs = stores.clock.now();
  const before = { coveredUntilMs: ago(600 * MINUTE), provedAtMs: ago(600 * MINUTE) };
  const walk = {
    startedAtMs: beganMs,
    top: [],
    topAtMs: undefined,
    position: 'e',
    metAnchor: false,
    pages: 1,
  };
  let book = EMPTY_BOOK;
  for (let passedMs = 0; passedMs <= life.forMs; passedMs += MINUTE / 2) {
    const nowMs = stores.clock.now();
    const open = life.getsOn === true ? { ...walk, pageAtMs: nowMs - 1_000 } : undefined;
    stores.coverage = { ...stores.coverage, ...before, open };
    const runsForMs = life.restartsEveryMs === undefined ? passedMs : passedMs % life.restartsEveryMs;
    const parts = { ...stores.parts(), startedAtMs: nowMs - runsForMs };
    const seen = conditionsOf(await createStatusSource(parts).read(), BOUNDS, 0);
    book = step(book, seen, { raiseAfterMs: MINUTE, clearAfterMs: 2 * MINUTE, nowMs });
    if (book.unsent.length > 0) return passedMs;
    stores.clock.advance(MINUTE / 2);
  }
  return undefined;
}

test('after a long downtime the feed has its time from the start of the worker', async () => {
  expect(await toldAfterMs({ forMs: 30 * MINUTE })).toBe(10 * MINUTE);
});

test('a worker that dies again and again before it has read the feed is told no later', async () => {
  expect(await toldAfterMs({ forMs: 30 * MINUTE, restartsEveryMs: 3 * MINUTE })).toBe(10 * MINUTE);
});

test('a walk that gets on is not told, until it has taken a day', async () => {
  const told = await toldAfterMs({ forMs: 25 * 60 * MINUTE, getsOn: true });
  expect(told).toBeGreaterThan(23 * 60 * MINUTE);
});

test('a feed that is walked once an hour is not old after ten minutes', async () => {
  stores.coverage = { ...stores.coverage, coveredUntilMs: ago(50 * MINUTE), provedAtMs: ago(50 * MINUTE) };
  const parts = { ...stores.parts(), feedEveryMs: 60 * MINUTE };
  expect(conditionsOf(await createStatusSource(parts).read(), BOUNDS, 0)).toEqual([]);
});

function hole(cause: HoleCause, openMs: number, toMs: number | undefined): void {
  const foundAtMs = ago(openMs);
  stores.holes.push({ id: `h${stores.holes.length}`, source: 'feed', fromMs: 0, toMs, cause, foundAtMs });
}

test('a hole is told at once, and again as one that stays open; one that an operator made only when it stays', async () => {
  hole('endpoint-changed', MINUTE, 1);
  expect(await alerts()).toEqual(['hole']);
  stores.holes = [];
  hole('mapping-changed', MINUTE, 1);
  for (const cause of ['first-start', 'operator', 'scheduled'] as const) hole(cause, MINUTE, 1);
  expect(await alerts()).toEqual([]);
  stores.holes = [];
  hole('endpoint-disabled', 31 * MINUTE, undefined);
  expect(await alerts()).toEqual(['hole', 'hole-open']);
  expect((await conditions())[1]?.advice).toContain('webhook status');
  stores.holes = [];
  hole('mapping-changed', 31 * MINUTE, 1);
  expect(await alerts()).toEqual(['hole-open']);
});

test('a resync that was asked for is no hole: it is told when it has not ended for a day', async () => {
  for (const cause of ['operator', 'scheduled'] as const) hole(cause, 23 * 60 * MINUTE, 1);
  expect(await alerts()).toEqual([]);
  stores.holes = [];
  hole('scheduled', 25 * 60 * MINUTE, 1);
  expect(await conditions()).toMatchObject([
    { alert: 'hole-open', text: 'a requested resync (scheduled) has been running for 1 d 1 h' },
  ]);
});

test('a hole that gets its end is the same alert as while it grew: it is told once', async () => {
  const foundAtMs = stores.clock.now() - MINUTE;
  const about = { source: 'feed', fromMs: 0, cause: 'endpoint-disabled', foundAtMs } as const;
  stores.holes = [{ ...about, id: 'endpoint-open', toMs: undefined }];
  const growing = await conditions();
  stores.holes = [{ ...about, id: `endpoint-${foundAtMs}`, toMs: stores.clock.now() }];
  const ended = await conditions();
  expect(ended.map(({ alert, subject }) => [alert, subject])).toEqual(
    growing.map(({ alert, subject }) => [alert, subject]),
  );
  expect(growing.length).toBe(1);
});

test('a feed whose proof lies in the future, because a clock was ahead, is told as not read', async () => {
  const ahead = stores.clock.now() + 5 * 60 * MINUTE;
  stores.coverage = { ...stores.coverage, coveredUntilMs: ahead, provedAtMs: ahead };
  expect(await alerts()).toEqual(['coverage']);
});

test('dead letters are told by cause, and as many when there are many', async () => {
  letter('google-refused');
  letter('google-refused');
  expect(await conditions()).toMatchObject([
    {
      alert: 'dead-letters',
      subject: 'google-refused',
      text: '2 objects were given up with the code google-refused',
    },
  ]);
  letter('template-failed');
  expect(await conditions()).toMatchObject([
    { subject: 'google-refused' },
    { subject: 'template-failed' },
    { alert: 'many-dead-letters', subject: 'all' },
  ]);
});

test.each([
  ['platform', 'platform-unauthenticated', 'platform-refused'],
  ['webhook-endpoint', 'endpoint-disabled', 'endpoint'],
  ['google', 'google-token-dead', 'google-refused'],
  ['calendar:c1', 'google-api-disabled', 'google-refused'],
  ['calendar:c1', 'calendar-not-shared', 'problem'],
])('a problem of %s (%s) is the alert %s, with its advice', async (target, code, alert) => {
  problem(target, code, 'Do this.');
  expect(await conditions()).toMatchObject([{ alert, subject: `${target} ${code}`, advice: 'Do this.' }]);
});

test('no alert holds the address of a calendar, nor the name of a resource', async () => {
  problem('calendar:anna@clinic.example', 'calendar-not-shared', 'Share anna@clinic.example.');
  problem('mapping:staff/Anna Petrova', 'resource-unknown', 'Correct "Anna Petrova".');
  const told = await conditions();
  expect(told).toHaveLength(2);
  expect(JSON.stringify(told)).not.toMatch(/anna/i);
  expect(told[0]?.text).toMatch(/^calendar:\[email \w{6}\]: it refuses \(calendar-not-shared\)$/);
  expect(told[1]).toMatchObject({ subject: 'mapping:staff resource-unknown' });
});
