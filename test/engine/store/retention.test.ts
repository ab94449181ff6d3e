import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type ClassSlot, classIdOf, storedClass } from '../../../src/engine/class-slot.ts';
import { KEEP } from '../../../src/engine/keep.ts';
import type { MirrorLinks } from '../../../src/engine/link.ts';
import { toLink } from '../../../src/engine/link.ts';
import type { EntityKey, EntityKind } from '../../../src/engine/object.ts';
import { retain } from '../../../src/engine/retention.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { double } from '../../stand/double.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, SILENT_LOG, type TestStore } from '../../stand/store.ts';

const DAY = 86_400_000;
const EVENT_LINK = toLink({ calendarId: 'c', eventId: 'e', etag: '"1"', hash: 'h', coloured: false });
const EVENT: MirrorLinks = { calendars: [EVENT_LINK] };

let redis: TestRedis;
let store: TestStore;
let aheadMs: number;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  aheadMs = 0;
  store = openTestStore(redis.url, { now: () => Date.now() + aheadMs });
  await store.ready();
  return () => store.close();
});

function snapshotOf(key: EntityKey, version: number, ends: string) {
  const updated_at = new Date(Date.UTC(2026, 0, 1) + version * 1_000).toISOString();
  return { id: key.id, name: 'Vera Orlova', version, updated_at, ends_at: ends };
}

async function see(key: EntityKey, { version = 1, ends = '2020-01-01T10:00:00Z', force = false } = {}) {
  return store.intake.observe({
    key,
    source: 'webhook',
    ...(force ? { force } : { eventId: randomUUID() }),
    occurredAtMs: version,
    seen: { as: 'snapshot', snapshot: snapshotOf(key, version, ends) },
  });
}

async function claimed(key: EntityKey): Promise<Claim> {
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}

const keyOf = (kind: EntityKind): EntityKey => ({ kind, id: randomUUID() });

/** An object that something stands for, settled just now. */
async function standing(key: EntityKey, links: MirrorLinks = EVENT): Promise<void> {
  const claim = await claimed(key);
  await store.links.write(claim, 'm', links);
  expect(await store.work.settle(claim)).toBe('settled');
}

async function later(days: number) {
  aheadMs = days * DAY;
  return store.retention.ageObjects();
}

const field = (key: EntityKey, name: string) =>
  store.redis.hget(store.keys.object(`${key.kind}/${key.id}`), name);

test.each(['contact', 'appointment', 'conversation'] as const)(
  'the content of a quiet %s goes, and what orders and finds it stays',
  async (kind) => {
    const key = keyOf(kind);
    await see(key);
    await standing(key);
    expect(await later(89)).toEqual({ emptied: 0, forgotten: 0 });
    expect(await later(91)).toEqual({ emptied: 1, forgotten: 0 });
    const raw = JSON.stringify(await store.redis.hgetall(store.keys.object(`${kind}/${key.id}`)));
    expect(raw).not.toContain('Vera');
    const { snapshot, links, desiredRev, syncedRev } = await claimed(key);
    expect({ snapshot, links, desiredRev, syncedRev }).toEqual({
      snapshot: undefined,
      links: { m: EVENT },
      desiredRev: 1,
      syncedRev: 1,
    });
  },
);

test('P7: whose an emptied appointment is stays known, and follows what is seen later', async () => {
  const key = keyOf('appointment');
  const held = async (contact_id: string | null, version: number) => {
    const snapshot = { ...snapshotOf(key, version, '2020-01-01T10:00:00Z'), contact_id };
    await store.intake.observe({
      key,
      source: 'list',
      occurredAtMs: version,
      seen: { as: 'snapshot', snapshot },
    });
    await standing(key);
    await later(91);
    return store.ledger.peek(key);
  };
  expect(await held('contact-a', 1)).toMatchObject({ snapshot: undefined, contactId: 'contact-a' });
  expect(await held('contact-b', 2)).toMatchObject({ snapshot: undefined, contactId: 'contact-b' });
  expect(await held(null, 3)).not.toHaveProperty('contactId');
});

test('what comes late is still told from what is new', async () => {
  const key = keyOf('contact');
  await see(key, { version: 5 });
  await standing(key);
  await later(91);
  expect(await see(key, { version: 5 })).toBe('unchanged');
  expect(await see(key, { version: 3 })).toBe('stale');
  expect(await field(key, 's')).toBeNull();
  expect(await see(key, { version: 6 })).toBe('fresh');
  expect((await claimed(key)).snapshot?.['version']).toBe(6);
});

test('a tie with another content is read, and does not pass for the content', async () => {
  const key = keyOf('contact');
  await see(key, { version: 5 });
  await standing(key);
  await later(91);
  const other = { ...snapshotOf(key, 5, ''), name: 'Vera Petrova' };
  const seen = { as: 'snapshot', snapshot: other } as const;
  expect(await store.intake.observe({ key, source: 'list', occurredAtMs: 1, seen })).toBe('verify');
  expect(await claimed(key)).toMatchObject({ verify: true, snapshot: undefined });
});

test('a list that shows the same again brings the content back', async () => {
  const key = keyOf('contact');
  await see(key, { version: 5 });
  await standing(key);
  await later(91);
  expect(await see(key, { version: 5, force: true })).toBe('unchanged');
  expect((await claimed(key)).snapshot?.['version']).toBe(5);
});

test('a deleted contact whose row is kept loses its content and stays deleted', async () => {
  const key = keyOf('contact');
  await see(key);
  await store.intake.observe({ key, source: 'webhook', occurredAtMs: 2, seen: { as: 'deleted' } });
  await standing(key, { sheet: { spreadsheetId: 's', tab: 't', hash: 'h' } });
  expect(await later(91)).toEqual({ emptied: 1, forgotten: 0 });
  expect(await claimed(key)).toMatchObject({ deleted: true, snapshot: undefined });
  expect(await see(key, { version: 9 })).toBe('verify');
});

test('nothing is taken from what waits, is ahead, or cannot be read again', async () => {
  const dirty = keyOf('contact');
  await see(dirty);
  await claimed(dirty);
  const ahead = keyOf('appointment');
  await see(ahead, { ends: '2999-01-01T10:00:00Z' });
  await standing(ahead);
  const odd = keyOf('appointment');
  await see(odd, { ends: '' });
  await standing(odd);
  const lead = keyOf('lead');
  await see(lead);
  await standing(lead);
  const dead = keyOf('contact');
  await see(dead);
  const name = `contact/${dead.id}`;
  await store.work.deadLetter(await claimed(dead), { key: name, atMs: 1, attempts: 1, reasons: [] });
  const row = keyOf('contact');
  await see(row);
  const claim = await claimed(row);
  await store.outbox.put(claim, {
    ...{ mirror: 'm', spreadsheetId: 's', tab: 't', key: `contact/${row.id}`, rowKey: row.id, hash: 'h' },
    ...{ cells: { A: 'a' }, occurredAtMs: undefined },
  });
  await store.work.settle(claim);
  const aClass: EntityKey = { kind: 'class', id: classIdOf({ serviceId: 's', resourceId: 'r', startMs: 1 }) };
  await see(aClass);
  await standing(aClass);
  expect(await later(1_000)).toEqual({ emptied: 0, forgotten: 0 });
});

test('what has a turn to come is not forgotten, and neither is a contact', async () => {
  const [appointment, contact, booking] = [keyOf('appointment'), keyOf('contact'), keyOf('booking')];
  for (const key of [appointment, contact]) {
    await see(key);
    await standing(key);
    await store.redis.hset(
      store.keys.object(`${key.kind}/${key.id}`),
      'n:m',
      '{"refused":[{"wrote":"Vera"}]}',
    );
  }
  const snapshot = {
    id: booking.id,
    place: 'calendar',
    state: 'gone',
    starts_at: '2020-01-01T10:00:00+03:00',
  };
  const seen = { as: 'snapshot', snapshot } as const;
  await store.intake.observe({ key: booking, source: 'calendar', occurredAtMs: 1, seen });
  await standing(booking);
  const turns = [appointment, booking].map(({ kind, id }) => `${kind}/${id}`);
  for (const name of turns) await store.redis.zadd(store.keys.later, Number.MAX_SAFE_INTEGER, name);
  expect(await later(399)).toEqual({ emptied: 2, forgotten: 0 });
  expect(await field(contact, 'n:m')).toBeNull();
  expect(await later(801)).toEqual({ emptied: 0, forgotten: 0 });
  await store.redis.zrem(store.keys.later, ...turns);
  expect(await later(801)).toEqual({ emptied: 1, forgotten: 1 });
});

test('an appointment that is long over is forgotten with its places in the indexes, and can begin again', async () => {
  const key = keyOf('appointment');
  const name = `appointment/${key.id}`;
  const place = { mirror: 'visits', spreadsheetId: 's', tab: 't' };
  await see(key);
  const claim = await claimed(key);
  await store.links.write(claim, 'm', EVENT);
  await store.links.write(claim, 'visits', { sheet: { spreadsheetId: 's', tab: 't', hash: 'h' } });
  await store.work.settle(claim);
  await store.redis.hset(store.keys.rows(place), name, 'h');
  expect(await later(399)).toEqual({ emptied: 1, forgotten: 0 });
  expect(await later(399)).toEqual({ emptied: 0, forgotten: 0 });
  expect(await later(401)).toEqual({ emptied: 0, forgotten: 1 });
  expect(await store.redis.exists(store.keys.object(name))).toBe(0);
  expect((await store.sightings.linked('c', ['e'])).size).toBe(0);
  expect(await store.redis.hexists(store.keys.rows(place), name)).toBe(0);
  expect(await see(key)).toBe('fresh');
  expect((await claimed(key)).links).toEqual({});
});

test('a class that is long over is forgotten, one to come is not', async () => {
  const slotAt = (startMs: number): ClassSlot => ({ serviceId: 's', resourceId: 'r', startMs });
  const keys = [Date.UTC(2020, 0, 1), Date.UTC(2999, 0, 1)].map(async (startMs) => {
    const key: EntityKey = { kind: 'class', id: classIdOf(slotAt(startMs)) };
    const seen = { as: 'snapshot', snapshot: storedClass(slotAt(startMs), Date.now()) } as const;
    await store.intake.observe({ key, source: 'webhook', occurredAtMs: 1, seen, force: true });
    await standing(key);
    return store.keys.object(`class/${key.id}`);
  });
  const [over = '', ahead = ''] = await Promise.all(keys);
  expect(await later(399)).toEqual({ emptied: 0, forgotten: 0 });
  expect(await later(401)).toEqual({ emptied: 0, forgotten: 1 });
  expect([await store.redis.exists(over), await store.redis.exists(ahead)]).toEqual([0, 1]);
});

test('what people took away stays known: it would be made again', async () => {
  for (const links of [
    { calendars: [{ ...EVENT_LINK, leftAt: 'x' }] },
    { sheet: { spreadsheetId: 's', tab: 't', hash: 'left' } },
  ] satisfies MirrorLinks[]) {
    const key = keyOf('appointment');
    await see(key);
    await standing(key, links);
    expect(await later(401)).toEqual({ emptied: 1, forgotten: 0 });
    expect(await later(401)).toEqual({ emptied: 0, forgotten: 0 });
  }
});

test('an index entry that belongs to another object stays', async () => {
  const key = keyOf('appointment');
  await see(key);
  await standing(key);
  await store.redis.hset(`${store.keys.eventsOf}c`, 'e', 'appointment/other');
  await later(91);
  expect(await later(401)).toEqual({ emptied: 0, forgotten: 1 });
  expect((await store.sightings.linked('c', ['e'])).get('e')).toBe('appointment/other');
});

test('quarantine goes by time, the newest stay', async () => {
  for (const atMs of [Date.now() - 40 * DAY, Date.now() - 36 * DAY, Date.now() - DAY])
    await store.intake.quarantine({ atMs, reason: 'not-json', body: '+74950001101' });
  expect(await store.retention.trimQuarantine()).toBe(2);
  expect(await store.ledger.quarantined()).toBe(1);
  expect(await store.retention.trimQuarantine()).toBe(0);
});

test('a dead letter for which nobody came is discarded, told, and lets its object go', async () => {
  const warn = vi.fn();
  const old = keyOf('contact');
  const young = keyOf('contact');
  for (const [key, atMs] of [
    [old, Date.now() - KEEP.deadLettersMs - DAY],
    [young, Date.now() - DAY],
  ] as const) {
    await see(key);
    const letter = { key: `contact/${key.id}`, atMs, attempts: 1, reasons: [] };
    await store.work.deadLetter(await claimed(key), letter);
  }
  await retain({ ...store, log: { ...SILENT_LOG, warn } });
  expect((await store.deadLetters.all()).map(({ key }) => key)).toEqual([`contact/${young.id}`]);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(await store.redis.ttl(store.keys.object(`contact/${old.id}`))).toBeGreaterThan(0);
});

test('a dead letter that a person retries at that moment is not told as discarded', async () => {
  const info = vi.fn();
  const key = keyOf('contact');
  await see(key);
  const atMs = Date.now() - KEEP.deadLettersMs - DAY;
  const letter = { key: `contact/${key.id}`, atMs, attempts: 1, reasons: [] };
  await store.work.deadLetter(await claimed(key), letter);
  const deadLetters = {
    causes: store.deadLetters.causes.bind(store.deadLetters),
    each: store.deadLetters.each.bind(store.deadLetters),
    async discard(...about: Parameters<typeof store.deadLetters.discard>) {
      await store.deadLetters.retry(about[0]);
      return store.deadLetters.discard(...about);
    },
  };
  await retain({ ...store, deadLetters, log: { ...SILENT_LOG, info } });
  const told = info.mock.calls.map(([facts]) => (facts as { letters?: number }).letters);
  expect(told.filter((letters) => letters !== 0)).toEqual([]);
});

test('histories and intents are kept as long as the YAML says', async () => {
  const short = openTestStore(redis.url, { keep: { ...KEEP, historiesMs: 2 * DAY, intentsMs: 40 * DAY } });
  await short.ready();
  const key = keyOf('contact');
  const seen = { as: 'snapshot', snapshot: snapshotOf(key, 1, '') } as const;
  await short.intake.observe({ key, source: 'list', occurredAtMs: 1, seen });
  const left = await short.redis.ttl(short.keys.history(`contact/${key.id}`));
  expect(left).toBeGreaterThan(86_400);
  expect(left).toBeLessThanOrEqual(2 * 86_400);
  short.close();
});

test('a damaged object or entry is reported; everything else is still removed, and the file is rewritten', async () => {
  const warn = vi.fn();
  const [damaged, whole] = [keyOf('appointment'), keyOf('appointment')];
  for (const key of [damaged, whole]) {
    await see(key);
    await standing(key);
  }
  const aClass: EntityKey = { kind: 'class', id: classIdOf({ serviceId: 's', resourceId: 'r', startMs: 1 }) };
  const [booking, links] = [keyOf('booking'), keyOf('appointment')];
  for (const key of [aClass, booking, links]) {
    await see(key);
    await standing(key);
  }
  await store.redis.hdel(store.keys.object(`appointment/${links.id}`), 's');
  await store.redis.hset(store.keys.object(`appointment/${links.id}`), 'l:m', '{"calendars":');
  const names = [damaged, aClass, booking, links].map(({ kind, id }) => `${kind}/${id}`);
  for (const name of names.slice(0, 3)) await store.redis.hset(store.keys.object(name), 's', '{"id":');
  await store.intake.quarantine({ atMs: Date.now(), reason: 'not-json', body: 'a' });
  await store.redis.rpush(store.keys.quarantine, '{"atMs":');
  aheadMs = 400 * DAY;
  const rewriteFile = vi.fn(() => store.retention.rewriteFile());
  const retention = {
    ageObjects: () => store.retention.ageObjects(),
    boundIntents: () => store.retention.boundIntents(),
    trimQuarantine: () => store.retention.trimQuarantine(),
    lettersBeforeMs: () => store.retention.lettersBeforeMs(),
    rewriteFile,
  };
  await retain({ ...store, retention: double(retention), log: { ...SILENT_LOG, warn } });
  expect(await store.ledger.quarantined()).toBe(0);
  expect(await field(whole, 's')).toBeNull();
  expect(warn.mock.calls).toMatchObject([
    [{ objects: 4, keys: expect.arrayContaining(names) }, 'unreadable old state is kept'],
  ]);
  expect(await store.problems.list()).toMatchObject([
    { code: 'retention-failing', message: expect.stringContaining('4 unreadable object') },
  ]);
  expect(rewriteFile).toHaveBeenCalledTimes(1);
});

test('a failed step of the retention does not stop the others', async () => {
  const rewriteFile = vi.fn(async () => {});
  const ageObjects = vi.fn(async () => ({ emptied: 0, forgotten: 0 }));
  const retention = {
    ageObjects,
    boundIntents: async () => {},
    trimQuarantine: () => Promise.reject(new Error('refused')),
    lettersBeforeMs: () => 0,
    rewriteFile,
  };
  await expect(retain({ ...store, retention: double(retention), log: SILENT_LOG })).rejects.toThrow(
    'refused',
  );
  // Nobody reads the log every day.
  expect(await store.problems.list()).toMatchObject([{ target: 'retention', code: 'retention-failing' }]);
  await retain({
    ...store,
    retention: double({ ...retention, trimQuarantine: async () => 0 }),
    log: SILENT_LOG,
  });
  expect(await store.problems.list()).toEqual([]);
  await expect(retain({ ...store, retention: double(retention), log: SILENT_LOG })).rejects.toThrow(
    'refused',
  );
  ageObjects.mockClear();
  rewriteFile.mockClear();
  await expect(retain({ ...store, retention: double(retention), log: SILENT_LOG })).rejects.toThrow(
    'refused',
  );
  expect(ageObjects).toHaveBeenCalledTimes(1);
  expect(rewriteFile).toHaveBeenCalledTimes(1);
});

test('a discarded object loses its content like any other, and does not count as mirrored', async () => {
  const [key, waiting] = [keyOf('contact'), keyOf('contact')];
  for (const each of [key, waiting]) {
    const name = `contact/${each.id}`;
    await see(each);
    await standing(each);
    await see(each, { version: 2 });
    const edit = { mirror: 'm', header: 'H', text: 'Vera', as: '1', base: '', sinceMs: 1, seenAtMs: 2 };
    await store.rowEdits.note(name, [edit]);
    await store.work.deadLetter(await claimed(each), {
      key: name,
      atMs: Date.now(),
      attempts: 1,
      reasons: [],
    });
  }
  const letter = (await store.deadLetters.all()).find(({ name }) => name === `contact/${key.id}`);
  if (letter === undefined) throw new Error('no letter');
  await store.deadLetters.discard(letter, 'known');
  expect(await later(89)).toEqual({ emptied: 0, forgotten: 0 });
  expect(await later(91)).toEqual({ emptied: 1, forgotten: 0 });
  const raw = JSON.stringify(await store.redis.hgetall(store.keys.object(`contact/${key.id}`)));
  expect(raw).not.toContain('Vera');
  const { desiredRev, syncedRev, links } = await claimed(key);
  expect(desiredRev).toBeGreaterThan(syncedRev);
  expect(links).toEqual({ m: EVENT });
  expect(await field(waiting, 's')).toContain('Vera');
});

test('the content of a booking row is removed once the row has long been deleted, and not before', async () => {
  const place = { mirror: 'desk/answers', spreadsheetId: 'book', tab: 'T' };
  const [standsYet, deleted, unanswered] = [keyOf('booking'), keyOf('booking'), keyOf('booking')];
  for (const key of [standsYet, deleted, unanswered]) {
    const snapshot = {
      ...{ id: key.id, place: 'row', mapping: 'desk', state: 'live', cells: { name: 'Vera' } },
      ...{ seen_at: new Date().toISOString(), starts_at: '2020-01-01T10:00:00+03:00' },
    };
    const seen = { as: 'snapshot', snapshot } as const;
    await store.intake.observe({ key, source: 'sheet', occurredAtMs: 1, seen });
    const claim = await claimed(key);
    await store.links.write(claim, 'desk', { booking: { state: 'new', told: { is: 'nothing' } } });
    const answer = { spreadsheetId: 'book', tab: 'T', hash: 'h' };
    if (key !== unanswered) await store.links.write(claim, place.mirror, { sheet: answer });
    await store.work.settle(claim);
  }
  expect([...(await store.sheetRows.known(place)).keys()]).toHaveLength(2);
  expect(await later(91)).toEqual({ emptied: 0, forgotten: 0 });
  await store.sheetRows.forget(place, [`booking/${deleted.id}`]);
  expect(await later(91)).toEqual({ emptied: 1, forgotten: 0 });
  expect(await field(deleted, 's')).toBeNull();
  expect(await field(deleted, 'l:desk')).toContain('new');
});

test('what an earlier version stored of a request without an end gets one', async () => {
  const request = { key: 'k', body: '{}', generation: 1, storedAtMs: 1, op: 'contact' } as const;
  await store.intents.begin('old', request);
  const [old = ''] = await store.redis.keys(`${store.keys.intent('')}*`);
  await store.redis.persist(old);
  await store.intents.begin('new', request);
  const [young = ''] = (await store.redis.keys(`${store.keys.intent('')}*`)).filter((key) => key !== old);
  await store.redis.expire(young, 1_000);
  await retain({ ...store, log: SILENT_LOG });
  const left = await store.redis.ttl(old);
  expect(left).toBeGreaterThan((KEEP.intentsMs - DAY) / 1_000);
  expect(left).toBeLessThanOrEqual(KEEP.intentsMs / 1_000);
  expect(await store.redis.ttl(young)).toBeLessThanOrEqual(1_000);
});
