import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ObjectLinks } from '../../../src/engine/link.ts';
import { toLink } from '../../../src/engine/link.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { inheritLinks, type LinkedMirror } from '../../../src/operate/mapping-change/inherit-links.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(() => store.close());

const key = { kind: 'appointment', id: '1' } as const;
const link = toLink({
  ...{ calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'h', coloured: false, resourceIds: ['anna'] },
});
const place = { spreadsheetId: 'book', tab: 'Visits' };

async function known(): Promise<Claim> {
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('the object is not known');
  return claim;
}

async function begin(links: ObjectLinks): Promise<Claim> {
  await store.intake.observe({
    ...{ key, source: 'list', occurredAtMs: 0 },
    seen: {
      as: 'snapshot',
      snapshot: { object: 'appointment', id: '1', updated_at: '2026-01-01T00:00:00Z' },
    },
  });
  const claim = await known();
  for (const [mirror, each] of Object.entries(links)) await store.links.write(claim, mirror, each);
  return claim;
}

const calendars = (name: string): LinkedMirror => ({
  ...{ kind: 'calendar', name, from: 'appointment' },
  ...{ calendarIds: ['a'], resourceIds: ['anna'] },
});
const sheet = (name: string): LinkedMirror => ({ kind: 'sheet', name, from: 'appointment', places: [place] });
const take = (...mirrors: LinkedMirror[]) =>
  inheritLinks({ mirrors, moves: store.linkMoves, memory: store.memory, log: SILENT_LOG });

test('P1: a mirror that is renamed and renamed back goes on with the same links each time', async () => {
  await take(calendars('m'), sheet('s'));
  const links = { m: { calendars: [link] }, s: { sheet: { ...place, hash: 'h' } } };
  await begin(links);
  await take(calendars('n'), sheet('t'));
  expect((await known()).links).toEqual({ n: links.m, t: links.s });
  await take(calendars('m'), sheet('s'));
  expect((await known()).links).toEqual(links);
});

test('E68, P7: absence proves nothing in a calendar that no mirror named at the last start, until the event is read', async () => {
  const own = { ...link, eventId: `sb${'1'.repeat(32)}` };
  await take(calendars('m'));
  await begin({ m: { calendars: [own] } });
  await take({ ...calendars('m'), kind: 'calendar', calendarIds: [], resourceIds: [] });
  expect((await known()).links['m']?.calendars).toEqual([own]);
  await take(calendars('m'));
  expect((await known()).links['m']?.calendars).toMatchObject([{ absence: 'doubled', eventId: own.eventId }]);
});

test('P3: a handler that read the links under the old name writes them back no more', async () => {
  await take(calendars('m'));
  const claim = await begin({ m: { calendars: [link] } });
  await take(calendars('n'));
  await expect(store.links.write(claim, 'm', { calendars: [link] })).rejects.toMatchObject({
    code: 'fenced',
  });
  expect((await known()).links).toEqual({ n: { calendars: [link] } });
});

test('a start that died on the way is finished by the next, and the event still finds its object', async () => {
  await take(calendars('m'));
  await begin({ m: { calendars: [link] } });
  const dying = {
    ...store.memory,
    get: (name: string) => store.memory.get(name),
    all: (prefix: string) => store.memory.all(prefix),
    forget: (name: string) => store.memory.forget(name),
    set: () => Promise.reject(),
  };
  const mirrors = [calendars('n')];
  await expect(
    inheritLinks({ mirrors, moves: store.linkMoves, memory: dying, log: SILENT_LOG }),
  ).rejects.toBeUndefined();
  await take(calendars('n'));
  const claim = await known();
  expect(claim.links).toEqual({ n: { calendars: [link] } });
  expect(await store.redis.hget(`${store.keys.eventsOf}a`, 'sb1')).toBe('appointment/1');
  await store.links.write(claim, 'n', {});
  expect(await store.redis.hget(`${store.keys.eventsOf}a`, 'sb1')).toBeNull();
});

test('what was remembered of the rows under the other name is made anew from the links', async () => {
  await take(sheet('s'));
  await begin({ s: { sheet: { ...place, hash: 'now' } } });
  // From the time when the mirror was called so before.
  await store.redis.hset(store.keys.rows({ mirror: 't', ...place }), { '#': '1', 'appointment/1': 'then' });
  await take(sheet('t'));
  expect(await store.sheetRows.known({ mirror: 't', ...place })).toEqual(new Map([['appointment/1', 'now']]));
});

test('an object that expires while its links are looked at does not come back', async () => {
  await begin({ m: { calendars: [link] } });
  const object = store.keys.object('appointment/1');
  for (const wanted of [{}, { n: {} }, { n: { calendars: [link] } }]) {
    await store.linkMoves.rearrange(() => {
      void store.redis.del(object);
      return wanted;
    });
    expect(await store.redis.exists(object)).toBe(0);
    await begin({ m: { calendars: [link] } });
  }
});

test('links that stay as they are do not fence off a handler at work', async () => {
  const claim = await begin({ m: { calendars: [link] } });
  expect(await store.linkMoves.rearrange((_, links) => links)).toBe(0);
  await store.links.write(claim, 'm', { calendars: [link] });
});

test('an event that is another object’s by now still finds that object when the former one lets it go', async () => {
  const claim = await begin({ m: { calendars: [link] } });
  expect(await store.links.adopt('appointment/2', 'm', link)).toBe(true);
  expect(await store.redis.hget(`${store.keys.eventsOf}a`, 'sb1')).toBe('appointment/2');
  await store.links.write(claim, 'm', {});
  expect(await store.redis.hget(`${store.keys.eventsOf}a`, 'sb1')).toBe('appointment/2');
});
