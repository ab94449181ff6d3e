import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkTo, toLink } from '../../../src/engine/link.ts';
import type { EntityKey } from '../../../src/engine/object.ts';
import type { Claim, DeadLetter, Wait } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let key: EntityKey;
let name: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  key = { kind: 'appointment', id: randomUUID() };
  name = `appointment/${key.id}`;
  return () => store.close();
});

async function change(version: number): Promise<void> {
  const updated = new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString();
  await store.intake.observe({
    key,
    source: 'webhook',
    occurredAtMs: version,
    seen: { as: 'snapshot', snapshot: { id: key.id, version, updated_at: updated } },
  });
}

async function claimed(): Promise<Claim> {
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

const LETTER: DeadLetter = {
  key: 'x',
  atMs: 1,
  attempts: 3,
  reasons: [{ mirror: 'm', code: 'c', message: 'm' }],
};

test('a key is dirty until the revision that was asked for is mirrored', async () => {
  await change(1);
  const claim = await claimed();
  await change(2);
  expect(await store.work.settle(claim)).toBe('dirty');
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
  expect(await store.work.settle(await claimed())).toBe('settled');
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
  expect(await store.ledger.pending()).toEqual({ objects: 0, oldestSinceMs: undefined });
});

test.each([
  ['appointment', true],
  ['lead', false],
] as const)(
  'a stored state does not decide what a person released: before its turn, a released %s is read: %s (P7)',
  async (kind, isRead) => {
    key = { kind, id: randomUUID() };
    await change(1);
    const claim = await claimed();
    await store.links.write(claim, 'm', { calendars: [linkTo({ calendarId: 'a', eventId: 'b' })] });
    await store.work.settle(claim);
    await store.dirtyMarks.release([key], 'm');
    expect(await claimed()).toMatchObject({
      verify: isRead,
      links: { m: { calendars: [{ released: true }] } },
    });
  },
);

test('a handler that was overtaken commits nothing: not the revision, not a link, not a row, not a burial (case 72)', async () => {
  await change(1);
  const slow = await claimed();
  const quick = await claimed();
  const row = {
    spreadsheetId: 's',
    tab: 't',
    mirror: 'm',
    key: name,
    rowKey: key.id,
    cells: {},
    hash: 'h',
    occurredAtMs: undefined,
  };
  expect(await store.work.settle(slow)).toBe('fenced');
  await expect(
    store.links.write(slow, 'm', { sheet: { spreadsheetId: 's', tab: 't', hash: 'h' } }),
  ).rejects.toMatchObject({ code: 'fenced' });
  await expect(store.outbox.put(slow, row)).rejects.toMatchObject({ code: 'fenced' });
  await expect(store.work.refresh(slow, { found: undefined })).rejects.toMatchObject({ code: 'fenced' });
  expect(await store.work.deadLetter(slow, LETTER)).toBe('fenced');
  expect((await store.ledger.deadLetters(10)).count).toBe(0);
  expect((await claimed()).links).toEqual({});
  expect(await store.work.settle(quick)).toBe('fenced');
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
});

test('links come back with the next claim', async () => {
  await change(1);
  const link = toLink({ calendarId: 'c', eventId: 'e', etag: '"1"', hash: 'h', coloured: false });
  const links = { calendars: [link] };
  await store.links.write(await claimed(), 'staff', links);
  expect((await claimed()).links).toEqual({ staff: links });
  await store.links.write(await claimed(), 'staff', {});
  expect((await claimed()).links).toEqual({});
});

const WAIT: Wait = {
  family: 'deferred',
  rev: 1,
  sinceMs: 1,
  untilMs: 5_000_000_000_000,
  attempts: 0,
  reason: { mirror: 'm', code: 'c', message: 'm' },
};
const put = { waits: { 'm room': WAIT }, untilMs: WAIT.untilMs };

test('a key that was put off is due when its time has come, and its next claim knows what waits', async () => {
  await change(1);
  expect(await store.work.postpone(await claimed(), put)).toBe('postponed');
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
  expect(await store.work.due(put.untilMs, 10)).toEqual([name]);
  const span = { nowMs: put.untilMs - 1_000, untilMs: put.untilMs };
  expect(await store.work.upcoming(span, 10)).toEqual([{ key: name, atMs: put.untilMs }]);
  expect(await store.work.upcoming({ ...span, nowMs: put.untilMs }, 10)).toEqual([]);
  expect((await store.ledger.pending()).objects).toBe(1);
  expect((await claimed()).waits).toEqual(put.waits);
  expect(await store.work.settle(await claimed())).toBe('settled');
  expect((await claimed()).waits).toEqual({});
});

test('P1: a change that comes while a handler is at work is due at once, whatever the handler puts off', async () => {
  await change(1);
  const claim = await claimed();
  await change(2);
  expect(await store.work.postpone(claim, put)).toBe('dirty');
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
  expect((await claimed()).waits).toEqual(put.waits);
});

test('P1: a change that comes after the key was put off makes it due at once', async () => {
  await change(1);
  await store.work.postpone(await claimed(), put);
  await change(2);
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
});

test('a handler that was overtaken puts nothing off', async () => {
  await change(1);
  const slow = await claimed();
  const quick = await claimed();
  expect(await store.work.postpone(slow, put)).toBe('fenced');
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
  expect(await store.work.settle(quick)).toBe('settled');
  expect(await store.work.postpone(quick, put)).toBe('postponed');
  expect(await store.work.due(put.untilMs, 10)).toEqual([]);
});

test('an object that was given up begins with its first attempt when it is tried again', async () => {
  await change(1);
  await store.work.postpone(await claimed(), put);
  await store.work.deadLetter(await claimed(), LETTER);
  expect((await claimed()).waits).toEqual({});
});

test('a dead letter is listed until its object gets through', async () => {
  await change(1);
  expect(await store.work.deadLetter(await claimed(), LETTER)).toBe('buried');
  expect(await store.work.due(Date.now(), 10)).toEqual([]);
  expect(await store.ledger.deadLetters(10)).toMatchObject({ count: 1, letters: [LETTER] });
  await change(2);
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
  await store.work.settle(await claimed());
  expect((await store.ledger.deadLetters(10)).count).toBe(0);
});

test('a newer revision that waits keeps its object from being buried out of sight', async () => {
  await change(1);
  const claim = await claimed();
  await change(2);
  expect(await store.work.deadLetter(claim, LETTER)).toBe('dirty');
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
});

test('an event found in its calendar is taken up once, beside the links that are there, and its object is looked at', async () => {
  const link = linkTo({ calendarId: 'old', eventId: 'e' }, { etag: '"1"' });
  expect(await store.links.adopt(name, 'staff', link)).toBe(true);
  expect(await store.links.adopt(name, 'staff', linkTo(link, { etag: '"2"' }))).toBe(false);
  const other = { ...link, calendarId: 'new', eventId: 'f' };
  expect(await store.links.adopt(name, 'staff', other)).toBe(true);
  expect(await store.work.due(Date.now(), 10)).toEqual([name]);
  const claim = await claimed();
  expect(claim.links['staff']?.calendars).toEqual([link, other]);
  expect(claim.snapshot).toBeUndefined();
});

test.each(['staff', 'another mirror'])(
  'an event that is linked in another calendar is not taken up as if it stood where it belongs: it is sighted (linked by: %s)',
  async (mirror) => {
    const name = `appointment/${randomUUID()}`;
    const link = toLink({ calendarId: 'home', eventId: 'e', etag: '"1"', hash: 'h', coloured: false });
    expect(await store.links.adopt(name, mirror, link)).toBe(true);
    const dragged = linkTo({ calendarId: 'colleague', eventId: 'e' }, { etag: '"2"' });
    expect(await store.links.adopt(name, 'staff', dragged)).toBe(true);
    const claim = await store.work.claim({ kind: 'appointment', id: name.split('/')[1] ?? '' });
    expect(claim?.links).toEqual({ [mirror]: { calendars: [link] } });
    expect(claim?.sightings).toMatchObject([{ calendarId: 'colleague', eventId: 'e', etag: '"2"' }]);
    expect(await store.sightings.linked('colleague', ['e'])).toEqual(new Map());
    expect(await store.work.due(Date.now(), 100)).toContain(name);
  },
);
