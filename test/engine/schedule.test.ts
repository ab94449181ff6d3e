import fc from 'fast-check';
import { createTask } from 'node-cron';
import { afterEach, expect, test } from 'vitest';
import { isDueOn, latestDue, zoneOrUtc } from '../../src/engine/supervisor.ts';

const MINUTE = 60_000;
const LOOK = 5 * MINUTE;
const DAY = 24 * 60 * MINUTE;
const before = process.env['TZ'];
afterEach(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

/** Every moment at which the schedule is due, as a worker finds them that looks every five minutes. */
function dueIn(zone: string, expression: string, [from, until]: readonly [string, string]): string[] {
  const found: string[] = [];
  for (let atMs = Date.parse(from); atMs < Date.parse(until); atMs += LOOK) {
    const due = latestDue(expression, { zone: zoneOrUtc(zone), afterMs: atMs, untilMs: atMs + LOOK });
    if (due !== undefined) found.push(new Date(due).toISOString().slice(0, 16));
  }
  return found;
}

const AUTUMN = ['2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'] as const;
const SPRING = ['2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'] as const;

for (const zoneOfProcess of ['Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'UTC']) {
  test(`an hour that comes twice counts once, in a process of ${zoneOfProcess}`, () => {
    process.env['TZ'] = zoneOfProcess;
    expect(dueIn('Europe/Berlin', '30 2 * * *', AUTUMN)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(dueIn('America/New_York', '15 1 * * *', ['2026-11-01T00:00:00Z', '2026-11-02T12:00:00Z'])).toEqual(
      ['2026-11-01T05:15', '2026-11-02T06:15'],
    );
  });

  test(`an hour that is missing is made up for once, in a process of ${zoneOfProcess}`, () => {
    process.env['TZ'] = zoneOfProcess;
    expect(dueIn('Europe/Berlin', '30 2 * * *', SPRING)).toEqual(['2026-03-29T01:30', '2026-03-30T00:30']);
    expect(dueIn('America/New_York', '0 2 * * 0', ['2026-03-08T00:00:00Z', '2026-03-09T12:00:00Z'])).toEqual([
      '2026-03-08T07:00',
    ]);
  });
}

test('each local time of the hour that comes twice counts once', () => {
  expect(dueIn('Europe/Berlin', '*/15 2 * * *', ['2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z'])).toEqual([
    '2026-10-25T00:00',
    '2026-10-25T00:15',
    '2026-10-25T00:30',
    '2026-10-25T00:45',
  ]);
});

test('half an hour that comes twice counts once, too', () => {
  // Lord Howe goes from +11 to +10:30 at 2:00, and back from 2:00 to 2:30.
  const zone = 'Australia/Lord_Howe';
  expect(dueIn(zone, '45 1 * * *', ['2026-04-04T00:00:00Z', '2026-04-05T00:00:00Z'])).toEqual([
    '2026-04-04T14:45',
  ]);
  expect(dueIn(zone, '15 2 * * *', ['2026-10-03T00:00:00Z', '2026-10-04T00:00:00Z'])).toEqual([
    '2026-10-03T15:45',
  ]);
});

test('weekdays, months and the last day are those of the zone', () => {
  expect(dueIn('Pacific/Auckland', '0 1 * * 1', ['2026-11-27T00:00:00Z', '2026-12-01T00:00:00Z'])).toEqual([
    '2026-11-29T12:00',
  ]);
  expect(
    dueIn('America/Los_Angeles', '0 23 L * *', ['2026-11-30T00:00:00Z', '2026-12-02T00:00:00Z']),
  ).toEqual(['2026-12-01T07:00']);
});

test('whatever was due while nobody looked is found by the next look, however late', () => {
  const zone = zoneOrUtc('Europe/Berlin');
  const at = (text: string) => Date.parse(text);
  const late = (from: string, until: string, expression = '0 4 * * *') =>
    latestDue(expression, { zone, afterMs: at(from), untilMs: at(until) });
  expect(late('2026-11-20T02:59:50Z', '2026-11-20T03:00:09Z')).toBe(at('2026-11-20T03:00:00Z'));
  expect(late('2026-11-01T12:00:00Z', '2026-11-20T02:00:00Z')).toBe(at('2026-11-19T03:00:00Z'));
  expect(late('2026-11-20T03:00:00Z', '2026-11-21T02:59:59Z')).toBeUndefined();
  expect(late('2024-03-01T12:00:00Z', '2028-03-01T12:00:00Z', '0 4 29 2 *')).toBe(at('2028-02-29T03:00:00Z'));
});

test('two looks find what one look finds', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Africa/Casablanca', 'Asia/Kolkata', 'Pacific/Chatham'];
  const expressions = [
    '0 4 * * *',
    '30 2 * * *',
    '*/20 * * * *',
    '0 0 1 * *',
    '59 23 * * 6',
    '0 */3 * * 1-5',
  ];
  const start = Date.parse('2026-01-01T00:00:00Z');
  const moment = fc.integer({ min: 0, max: 365 * 24 * 60 }).map((minutes) => start + minutes * MINUTE);
  fc.assert(
    fc.property(
      fc.record({
        name: fc.constantFrom(...zones),
        expression: fc.constantFrom(...expressions),
        afterMs: moment,
        oneMs: fc.integer({ min: 0, max: 3 * DAY }),
        twoMs: fc.integer({ min: 0, max: 3 * DAY }),
      }),
      ({ name, expression, afterMs, oneMs, twoMs }) => {
        const zone = zoneOrUtc(name);
        const [midMs, untilMs] = [afterMs + oneMs, afterMs + oneMs + twoMs];
        const whole = latestDue(expression, { zone, afterMs, untilMs });
        const second = latestDue(expression, { zone, afterMs: midMs, untilMs });
        expect(second ?? latestDue(expression, { zone, afterMs, untilMs: midMs })).toBe(whole);
      },
    ),
    { numRuns: 300 },
  );
});

test('a day is due as node-cron says', () => {
  const expressions = [
    '* * * * *',
    '0 4 1-7 * *',
    '0 4 * feb,6 *',
    '0 4 * * 5-7',
    '0 4 13 * fri',
    '0 4 */10 2 0',
    '0 4 29 2 *',
  ];
  for (const expression of [...expressions, '0 4 L * *', '0 4 15W * *', '0 4 * * 1#2']) {
    const task = createTask(expression, () => undefined, { timezone: 'Etc/UTC' });
    for (let ms = Date.parse('2028-02-01T04:00:00Z'); ms < Date.parse('2028-05-01'); ms += DAY)
      expect(`${expression} ${ms} ${isDueOn(expression, ms)}`).toBe(
        `${expression} ${ms} ${task.match(new Date(ms))}`,
      );
    task.destroy();
  }
});
