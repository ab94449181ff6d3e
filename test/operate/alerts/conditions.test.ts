import { beforeEach, expect, test } from 'vitest';
import { ALERT_NAMES, EMPTY_BOOK } from '../../../src/engine/alert.ts';
import type { HoleCause } from '../../../src/engine/coverage.ts';
import { step } from '../../../src/operate/alerts/alerter.ts';
import { type AlertBounds, conditionsOf } from '../../../src/operate/alerts/conditions.ts';
import { placeWords } from '../../../src/operate/alerts/words.ts';
import { CODES_EN } from '../../../src/operate/codes/en.ts';
import { createStatusSource } from '../../../src/operate/status.ts';
import { mirror } from '../../calendar/stand.ts';
import { StatusStores } from '../../doubles/status-stores.ts';
import { latinRuns } from '../../stand/latin.ts';

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
  // P8: a quota of a minute explains no hour.
  expect(await alerts(60 * MINUTE + 1)).toEqual(['stuck']);
  stores.quotas = [];
  problem('spreadsheet:x/Tab', 'tab-not-found');
  expect(await alerts(60 * MINUTE)).toEqual(['problem']);
});

test('a standstill beside a problem that holds up nothing is told, and so is one of work that is due', async () => {
  stores.pending = { objects: 2, oldestSinceMs: undefined };
  problem('sheet-check:contacts', 'rows-missing');
  expect(await alerts(11 * MINUTE)).toEqual(['stuck', 'problem']);
  problem('calendar:anna@clinic.example', 'calendar-not-shared');
  expect(await alerts(11 * MINUTE)).not.toContain('stuck');
  const due = { objects: 2, oldestSinceMs: undefined, dueSinceMs: ago(-5 * MINUTE) };
  stores.pending = due;
  expect(await alerts(11 * MINUTE)).not.toContain('stuck');
  stores.pending = { ...due, dueSinceMs: ago(11 * MINUTE) } as typeof due;
  expect(await alerts(11 * MINUTE)).toContain('stuck');
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
  // What a reload adds has the same time as after a start.
  expect(await read({ ...young, processStartedAtMs: ago(90 * MINUTE) })).toEqual([]);
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
  // Its cause was mended: who was not told of it by then is told only if its resync does not end.
  const stillMs = BOUNDS.holeMs;
  const at = (nowMs: number) => ({ raiseAfterMs: MINUTE, clearAfterMs: MINUTE, nowMs });
  const seen = step(EMPTY_BOOK, growing, at(foundAtMs));
  expect(step(seen, ended, at(foundAtMs + 2 * MINUTE)).unsent).toEqual([]);
  const told = step(seen, growing, at(foundAtMs + 2 * MINUTE));
  expect(step(told, ended, at(foundAtMs + 3 * MINUTE)).standing).toMatchObject([{ isRaised: true }]);
  const looks = Array.from({ length: 16 }, (_, nth) => foundAtMs + 2 * (nth + 1) * MINUTE);
  const late = looks.reduce((book, nowMs) => step(book, ended, at(nowMs)), seen);
  expect([late.unsent.length, looks.at(-1)]).toEqual([1, foundAtMs + stillMs + 2 * MINUTE]);
});

test('a problem says when it was last found, unless it was found but once', async () => {
  const times = { sinceMs: ago(MINUTE), lastAtMs: ago(5_000) };
  stores.problems = [{ target: 'calendar:c', code: 'calendar-failing', message: 'm', ...times }];
  expect(await conditions()).toMatchObject([{ foundAtMs: times.lastAtMs }]);
  stores.problems = [
    { target: 'calendar:c', code: 'calendar-failing', message: 'm', ...times, lastAtMs: ago(59_000) },
  ];
  expect((await conditions())[0]?.foundAtMs).toBeUndefined();
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

test('messages of a Russian installation are Russian, and the log stays English', async () => {
  stores.coverage = { ...stores.coverage, coveredUntilMs: ago(60 * MINUTE), provedAtMs: ago(60 * MINUTE) };
  stores.calendarIds = ['anna@clinic.example'];
  stores.pending = { objects: 3, oldestSinceMs: ago(60 * MINUTE) };
  for (const toMs of [undefined, 1]) hole('endpoint-disabled', 31 * MINUTE, toMs);
  hole('scheduled', 25 * 60 * MINUTE, 1);
  for (let letters = 0; letters < 3; letters += 1) letter('template-failed');
  const read = async (language: 'en' | 'ru') => {
    const entries = ['session', 'private'].map((name) => ({ name, everyMs: 30_000 }));
    const polled = { entries, readUntilMs: async () => ago(60 * MINUTE) };
    const parts = { ...stores.parts(), intakeSheets: polled, blocks: polled };
    const report = await createStatusSource(parts).read();
    const placeOf = placeWords({ mirrors: [mirror], bookings: [] });
    return conditionsOf(report, { ...BOUNDS, language, placeOf }, 60 * MINUTE);
  };
  const still = await read('ru');
  for (const code of Object.keys(CODES_EN)) problem('spreadsheet:book/Contacts', code, 'Do this.');
  problem('mapping:staff/Anna Petrova', 'resource-unknown', 'Correct "Anna Petrova".');
  stores.problems.push({
    ...{ target: 'tab:1', code: 'header-missing', message: 'it refuses', sinceMs: 0, lastAtMs: 0 },
    names: ['Имя', 'anna@clinic.example'],
  });
  const all = [...still, ...(await read('ru'))];
  expect(new Set(all.map(({ alert }) => alert))).toEqual(
    new Set(
      ALERT_NAMES.filter((name) => !['platform-refused', 'endpoint', 'state-unreadable'].includes(name)),
    ),
  );
  const said = all.map(({ alert, subject, said: told }) => [alert, subject, told?.text, told?.advice]);
  const english = said.filter((told) =>
    told.slice(2).some((text = '') => !/[а-яё]/i.test(text) || latinRuns(text).length > 0),
  );
  expect(english).toEqual([]);
  expect(JSON.stringify(said)).not.toMatch(/anna/i);
  expect(all.at(-1)?.said?.text).toMatch(/^лист 1: Не хватает заголовков: Имя, \[email \w{6}\]\. В первой/);
  expect(all.find(({ alert }) => alert === 'lag')?.said?.text).toBe(
    'изменения ждут переноса: 3 объекта, самое старое ждёт 1 ч',
  );
  expect(all.map(({ text, advice }) => [text, advice]).slice(still.length)).toEqual(
    (await read('en')).map(({ text, advice }) => [text, advice]),
  );
});
