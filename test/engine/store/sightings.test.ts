import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventIdOf } from '../../../src/engine/ids.ts';
import type { CalendarLink } from '../../../src/engine/link.ts';
import { toLink, toStored } from '../../../src/engine/link.ts';
import type { EntityKey } from '../../../src/engine/object.ts';
import type { Sighting } from '../../../src/engine/outside-booking.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const CALENDAR = 'anna@clinic.example';
const LETTER = { key: 'x', atMs: 1, attempts: 1, reasons: [] };

let redis: TestRedis;
let store: TestStore;
let key: EntityKey;
let name: string;
let eventId: string;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  key = { kind: 'appointment', id: randomUUID() };
  name = `appointment/${key.id}`;
  eventId = eventIdOf(key.id);
  return () => store.close();
});

/** An appointment whose event stands in the calendar with this etag, and that needs nothing. */
async function mirrored(etag = '"1"'): Promise<void> {
  await store.intake.observe({
    key,
    source: 'webhook',
    occurredAtMs: 1,
    seen: { as: 'snapshot', snapshot: { id: key.id, updated_at: '2026-01-01T00:00:00Z' } },
  });
  const claim = await claimed();
  await store.links.write(claim, 'staff', { calendars: [link(etag)] });
  expect(await store.work.settle(claim)).toBe('settled');
}

function link(etag: string, calendarId = CALENDAR): CalendarLink {
  return toLink({ calendarId, eventId, etag, hash: 'h', coloured: false });
}

function sighting(etag: string, seenAtMs = 5, calendarId = CALENDAR): Sighting {
  return { calendarId, eventId, etag, seenAtMs };
}

const sight = (seen: Sighting, isAlive = true) => store.sightings.sight(key, seen, { isAlive });
const due = () => store.work.due(Date.now() + 1, 10);

async function claimed(): Promise<Claim> {
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

test('an event with an etag that the link does not hold comes along with the next claim', async () => {
  await mirrored();
  expect(await sight(sighting('"2"'))).toBe('noticed');
  expect(await due()).toEqual([name]);
  const claim = await claimed();
  expect(claim.sightings).toEqual([sighting('"2"')]);
  expect(claim.desiredRev).toBe(claim.syncedRev + 1);
});

test('our own write that comes back stores nothing and makes nothing dirty (case 39)', async () => {
  await mirrored();
  const before = await store.redis.hgetall(store.keys.object(name));
  expect(await sight(sighting('"1"'))).toBe('echo');
  expect(await due()).toEqual([]);
  expect(await store.redis.hgetall(store.keys.object(name))).toEqual(before);
});

test('an event of a series whose content the link knows is an echo under any etag, unless people’s change waits for a decision', async () => {
  await mirrored();
  const held = await claimed();
  const known = (more = {}) => [toLink({ ...toStored(link('"1"')), content: 'c', ...more })];
  const seen = (content?: string) => store.sightings.sight(key, sighting('"2"'), { isAlive: true, content });
  await store.links.write(held, 'staff', { calendars: known() });
  expect(await seen('c')).toBe('echo');
  expect(await due()).toEqual([]);
  await store.links.write(held, 'staff', { calendars: known({ editSeenAtMs: 1 }) });
  expect(await seen('c')).toBe('noticed');
  await store.links.write(held, 'staff', { calendars: known() });
  expect([await seen('another'), await seen()]).toEqual(['noticed', 'noticed']);
});

test('a tombstone of which only the id is left is no echo of an insert without an answer', async () => {
  await mirrored('');
  expect(await sight(sighting(''), false)).toBe('noticed');
});

test('settling takes away what the claim carried, and a newer sighting stays', async () => {
  await mirrored();
  await sight(sighting('"2"'));
  const claim = await claimed();
  await sight(sighting('"3"', 6));
  expect(await store.work.settle(claim)).toBe('dirty');
  const next = await claimed();
  expect(next.sightings).toEqual([sighting('"3"', 6)]);
  expect(await store.work.settle(next)).toBe('settled');
  expect((await claimed()).sightings).toEqual([]);
});

test('reading the object meanwhile does not slip in a sighting that the handler has not seen', async () => {
  await mirrored();
  const claim = await claimed();
  await sight(sighting('"2"'));
  const refreshed = await store.work.refresh(claim, { found: { id: key.id, n: 2 } });
  expect(refreshed?.sightings).toEqual([]);
  if (refreshed !== undefined) await store.work.settle(refreshed);
  expect((await claimed()).sightings).toEqual([sighting('"2"')]);
});

test('a handler that was overtaken takes no sighting away', async () => {
  await mirrored();
  await sight(sighting('"2"'));
  const slow = await claimed();
  await claimed();
  expect(await store.work.settle(slow)).toBe('fenced');
  expect((await claimed()).sightings).toEqual([sighting('"2"')]);
});

test('a page that is read again notes its events once', async () => {
  await mirrored();
  await sight(sighting('"2"', 5));
  const { desiredRev } = await claimed();
  expect(await sight(sighting('"2"', 9))).toBe('noticed');
  expect((await claimed()).desiredRev).toBe(desiredRev);
});

test('a dead letter keeps its sightings for whoever retries it, and the same sighting brings it back', async () => {
  await mirrored();
  await sight(sighting('"2"'));
  await store.work.deadLetter(await claimed(), LETTER);
  expect(await due()).toEqual([]);
  expect((await claimed()).sightings).toEqual([sighting('"2"')]);
  expect(await sight(sighting('"2"', 9))).toBe('noticed');
  expect(await due()).toEqual([name]);
});

test('an event that was dragged into another calendar is noticed there; one that was deleted there is not (case 47)', async () => {
  await mirrored();
  expect(await sight(sighting('"7"', 5, 'boris@clinic.example'), false)).toBe('ignored');
  expect(await due()).toEqual([]);
  expect(await sight(sighting('"7"', 5, 'boris@clinic.example'))).toBe('noticed');
  expect(await sight(sighting('"8"', 5), false)).toBe('noticed');
  expect((await claimed()).sightings).toHaveLength(2);
});

test('of an appointment that nothing is known of, nothing is stored', async () => {
  expect(await sight(sighting('"1"'))).toBe('unknown');
  expect(await store.redis.exists(store.keys.object(name))).toBe(0);
  expect(await due()).toEqual([]);
});

test("a calendar's index has its linked events, and loses them with their links", async () => {
  await mirrored();
  const linked = async (calendarId: string) =>
    Object.fromEntries(await store.sightings.linked(calendarId, [eventId, 'another']));
  expect(await linked(CALENDAR)).toEqual({ [eventId]: name });
  const moved = { calendars: [link('"3"', 'boris@clinic.example')] };
  await store.links.write(await claimed(), 'staff', moved);
  expect(await linked(CALENDAR)).toEqual({});
  expect(await linked('boris@clinic.example')).toEqual({ [eventId]: name });
  await store.links.write(await claimed(), 'staff', {});
  expect(await linked('boris@clinic.example')).toEqual({});
});

test('an event that another mirror holds as well stays in the index', async () => {
  await mirrored();
  await store.links.write(await claimed(), 'second', { calendars: [link('"1"')] });
  await store.links.write(await claimed(), 'staff', {});
  expect([...(await store.sightings.linked(CALENDAR, [eventId])).keys()]).toEqual([eventId]);
});

test('an adopted event is in the index, whatever its id is called', async () => {
  await mirrored();
  await store.links.adopt(name, 'walk-ins', { ...link('"4"'), eventId: 'googlesown123' });
  const all = new Map<string, string>();
  for await (const some of store.sightings.allLinked(CALENDAR)) for (const [id, of] of some) all.set(id, of);
  expect(Object.fromEntries(all)).toEqual({ [eventId]: name, googlesown123: name });
});

test('an event linked before there was an index is put into it when the calendar shows it changed', async () => {
  await mirrored();
  await store.redis.del(store.keys.eventsOf + CALENDAR);
  await sight(sighting('"2"'));
  expect((await store.sightings.linked(CALENDAR, [eventId])).size).toBe(1);
});
