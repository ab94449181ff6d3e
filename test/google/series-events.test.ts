import { expect, test } from 'vitest';
import { SeriesEvents } from '../../src/google/calendar-event.ts';

const ANNA = 'anna@clinic.example';
const [A, B] = ['abcde_20260303T070000Z', 'abcde_20260304T070000Z'];

const event = (id: string, etag: string, more = {}) => ({
  ...{ id, etag, status: 'confirmed', recurringEventId: 'abcde' },
  ...more,
});

function kept(...events: ReturnType<typeof event>[]): SeriesEvents {
  const series = new SeriesEvents();
  for (const each of events) series.keep(ANNA, each, { atMs: 1_000, asOf: 0 });
  return series;
}

test('after a write of one event, its siblings are known under the new version, and it is not known any more', () => {
  const series = kept(event(A, '"1"'), event(B, '"1"'));
  series.wrote(ANNA, { id: A, etag: '"1"' }, event(A, '"2"'));
  expect(series.since(ANNA, B, 0)?.etag).toBe('"2"');
  expect(series.since(ANNA, A, 0)).toBeUndefined();
  expect(series.etagNow(ANNA, A, '"1"')).toBe('"1"');
  series.wrote(ANNA, { id: A, etag: '"2"' }, event(A, '"3"'));
  expect(series.etagNow(ANNA, B, '"1"')).toBe('"3"');
});

test('an event that was written since keeps its old etag: the next write must be refused', () => {
  const series = kept(event(A, '"1"'), event(B, '"1"'));
  series.wrote(ANNA, { id: B, etag: '"1"' }, event(B, '"2"'));
  series.wrote(ANNA, { id: A, etag: '"2"' }, event(A, '"3"'));
  expect(series.etagNow(ANNA, B, '"1"')).toBe('"1"');
  expect(series.etagNow(ANNA, B, '"2"')).toBe('"3"');
});

test('a sibling that a later reading shows under its old etag has a version of its own', () => {
  const series = kept(event(A, '"1"'), event(B, '"1"'));
  series.wrote(ANNA, { id: A, etag: '"1"' }, event(A, '"2"'));
  // Asked for before the write: it proves nothing.
  series.keep(ANNA, event(B, '"1"'), { atMs: 1_000, asOf: 0 });
  expect(series.etagNow(ANNA, B, '"1"')).toBe('"2"');
  series.keep(ANNA, event(B, '"1"'), { atMs: 1_000, asOf: series.writes });
  expect(series.etagNow(ANNA, B, '"1"')).toBe('"1"');
  series.wrote(ANNA, { id: A, etag: '"2"' }, event(A, '"3"'));
  series.keep(ANNA, event(B, '"3"'), { atMs: 1_000, asOf: series.writes });
  expect(series.etagNow(ANNA, B, '"2"')).toBe('"3"');
});

test('only live events of series are remembered, by calendar and age, and none after somebody else changed the series', () => {
  const series = kept(event(A, '"1"'), event(B, '"1"', { status: 'cancelled' }));
  expect(series.since(ANNA, A, 1_000)?.id).toBe(A);
  expect(series.since(ANNA, A, 1_001)).toBeUndefined();
  expect(series.since('boris@clinic.example', A, 0)).toBeUndefined();
  expect(series.since(ANNA, B, 0)).toBeUndefined();
  series.forget(ANNA, B);
  expect(series.since(ANNA, A, 0)).toBeUndefined();
});

test('a part that was split from a series belongs to it', () => {
  const series = kept(event(A, '"1"'), event(B, '"1"', { recurringEventId: 'abcde_R20260304T070000' }));
  expect([series.masterOf(ANNA, A), series.masterOf(ANNA, B)]).toEqual(['abcde', 'abcde_R20260304T070000']);
});

test('writes of one series take turns, whether they succeed or not; others do not wait', async () => {
  const series = new SeriesEvents();
  const order: string[] = [];
  const write =
    (name: string, fails = false) =>
    async () => {
      order.push(`${name} begins`);
      await new Promise((done) => setImmediate(done));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const ends = await Promise.allSettled([
    series.inTurn(ANNA, A, write('first', true)),
    series.inTurn(ANNA, B, write('second')),
    series.inTurn(ANNA, 'single', write('single')),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(order.indexOf('second begins')).toBe(order.indexOf('first ends') + 1);
  expect(order.indexOf('single begins')).toBeLessThan(order.indexOf('first ends'));
});
