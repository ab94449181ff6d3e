import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLASSES } from '../../../src/engine/class-slot.ts';
import { type ErasureOrder, type ErasureReceipt, NOTHING_ERASED } from '../../../src/engine/erasure.ts';
import { linkTo, toLink } from '../../../src/engine/link.ts';
import { type EntityKey, formatKey, type Snapshot } from '../../../src/engine/object.ts';
import { customerMarks } from '../../../src/engine/person.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const PHONE = '+74950001101';
const NAME = 'Vera Orlova';
const PERSON = { phone: PHONE, name: NAME };

let redis: TestRedis;
let store: TestStore;
let contact: EntityKey;
let appointment: EntityKey;
let other: EntityKey;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  contact = { kind: 'contact', id: randomUUID() };
  appointment = { kind: 'appointment', id: randomUUID() };
  other = { kind: 'appointment', id: randomUUID() };
  return () => store.close();
});

function order(): ErasureOrder {
  const hashes = Object.values(customerMarks({ contactId: contact.id, ...PERSON, email: '', name: '' }));
  return {
    contactId: contact.id,
    keys: [formatKey(contact), formatKey(appointment)],
    terms: { ids: [contact.id, appointment.id], phones: [PHONE], emails: [], names: [NAME], hashes },
    begunAtMs: Date.now(),
    erased: NOTHING_ERASED,
  };
}

async function see(
  key: EntityKey,
  fields: Partial<Snapshot> = {},
  eventId: string | undefined = randomUUID(),
) {
  const snapshot = { id: key.id, updated_at: '2026-01-01T00:00:00Z', ...fields };
  const seen = { as: 'snapshot', snapshot } as const;
  return store.intake.observe({ key, source: 'webhook', eventId, occurredAtMs: 1, seen });
}

/** Everything that Redis holds, as one text. */
async function all(): Promise<string> {
  const texts: string[] = [];
  for await (const { key, text } of store.search.all()) {
    if (!/^(forgetting)(:|$)/.test(key)) texts.push(`${key} ${text}`);
  }
  return texts.join('\n');
}

describe('what was forgotten', () => {
  test('is not stored again, whatever brings it, and its event is taken once', async () => {
    await see(contact, PERSON);
    await store.erasures.begin(order());
    await store.erasures.eraseState(order());
    const eventId = randomUUID();
    const later = { ...PERSON, updated_at: '2027-01-01T00:00:00Z' };
    expect(await see(contact, later, eventId)).toBe('forgotten');
    // Until whoever has to hear of it has heard.
    expect(await see(contact, later, eventId)).toBe('forgotten');
    await store.intake.letGo(eventId);
    expect(await see(contact, PERSON, eventId)).toBe('duplicate');
    for (const as of ['deleted', 'reduced'] as const)
      expect(
        await store.intake.observe({
          key: contact,
          source: 'feed',
          occurredAtMs: 1,
          seen: { as },
          force: true,
        }),
      ).toBe('forgotten');
    expect(await store.work.claim(contact)).toBeUndefined();
    const left = await all();
    for (const secret of [contact.id, PHONE, 'Orlova']) expect(left).not.toContain(secret);
  });

  test('covers what was made for the contact before, and nothing that is made afterwards', async () => {
    await store.erasures.begin(order());
    const made = (created_at: string) => ({ ...PERSON, contact_id: contact.id, created_at });
    expect(await see(other, made(new Date(Date.now() - 60_000).toISOString()))).toBe('forgotten');
    expect(await see({ kind: 'appointment', id: randomUUID() }, { contact_id: contact.id })).toBe(
      'forgotten',
    );
    expect(await see(other, made(new Date(Date.now() + 60_000).toISOString()))).toBe('fresh');
    expect(await see({ kind: 'appointment', id: randomUUID() }, { contact_id: randomUUID() })).toBe('fresh');
  });

  test('P1: covers what a person who came back had up to the second erasure, and no repetition moves that on', async () => {
    const first = order();
    const at = (ms: number) => ({
      ...PERSON,
      contact_id: contact.id,
      created_at: new Date(first.begunAtMs + ms).toISOString(),
    });
    const made = (ms: number) => see({ kind: 'appointment', id: randomUUID() }, at(ms));
    await store.erasures.begin(first);
    await store.erasures.begin(first);
    expect(await made(60_000)).toBe('fresh');
    await store.erasures.begin({ ...first, begunAtMs: first.begunAtMs + 120_000 });
    expect(await made(60_000)).toBe('forgotten');
    // Somebody goes on with what was begun earlier.
    await store.erasures.begin(first);
    expect(await made(60_000)).toBe('forgotten');
    expect(await made(180_000)).toBe('fresh');
  });

  test('is not adopted from a calendar', async () => {
    await store.erasures.begin(order());
    const link = linkTo({ calendarId: 'c', eventId: 'e' }, { etag: '"1"' });
    expect(await store.links.adopt(formatKey(appointment), 'm', link)).toBe(false);
    expect(await store.work.claim(appointment)).toBeUndefined();
  });

  test('fences off a handler that was at work', async () => {
    await see(appointment, PERSON);
    const claim = await store.work.claim(appointment);
    if (claim === undefined) throw new Error('nothing to claim');
    await store.erasures.begin(order());
    await store.erasures.eraseState(order());
    const link = toLink({ calendarId: 'c', eventId: 'e', etag: '"1"', hash: 'h', coloured: false });
    await expect(store.links.write(claim, 'm', { calendars: [link] })).rejects.toMatchObject({
      code: 'fenced',
    });
    expect(await store.work.settle(claim)).toBe('fenced');
    expect(await store.work.claim(appointment)).toBeUndefined();
  });
});

test('each family of keys loses what is about the person, and keeps what is about others', async () => {
  /** For whom the appointment was made before. */
  const stranger = randomUUID();
  const [mine, theirs] = [formatKey(appointment), formatKey(other)];
  for (const key of [contact, appointment, other]) await see(key, key === other ? {} : PERSON);
  for (const key of [appointment, other]) {
    const claim = await store.work.claim(key);
    if (claim === undefined) throw new Error('nothing to claim');
    const eventId = `sb${key.id.replaceAll('-', '')}`;
    const link = toLink({ calendarId: 'c', eventId, etag: '"1"', hash: 'h', coloured: false });
    await store.links.write(claim, 'm', { calendars: [link] });
    const hour = { startsAt: '2027-01-01T10:00:00Z', endsAt: '2027-01-01T11:00:00Z', isTentative: false };
    const event = { ...hour, title: key === appointment ? NAME : 'Oleg' };
    await store.feeds.put(claim, 'anna', { event, hash: 'h', nowMs: Date.now() });
    await store.customerAppointments.note(key === appointment ? contact.id : stranger, key.id);
    await store.outbox.put(claim, {
      ...{ mirror: 'v', spreadsheetId: 's', tab: 't', key: formatKey(key), rowKey: key.id, hash: 'h' },
      ...{ cells: { Who: key === appointment ? NAME : 'Oleg' }, occurredAtMs: undefined },
    });
    const name = formatKey(key);
    await store.work.deadLetter(claim, { key: name, atMs: 1, attempts: 1, reasons: [] }, Date.now() + 60_000);
    await store.redis.hset(store.keys.rows({ mirror: 'v', spreadsheetId: 's', tab: 't' }), name, 'h');
    await store.unkept.missed({ mirror: 'v', key: name, hash: 'h' });
    await store.tally.count(`edited:${name}`, 'mark', 60_000);
    await store.intents.begin(`origin ${name}`, {
      ...{
        generation: 1,
        key: 'k',
        op: 'book',
        body: JSON.stringify(key === appointment ? PERSON : { name: 'Oleg' }),
      },
    } as never);
  }
  await store.customerAppointments.note(stranger, appointment.id);
  const row = (key: EntityKey) => ({ mirror: 'v', tab: 't', key: formatKey(key), rowKey: key.id, hash: 'h' });
  await store.sentRows.sent('s', [row(appointment), row(other)]);
  const overWritten = (key: EntityKey) => ({ key: formatKey(key), wrote: {} });
  await store.overWrites.begin('s', {
    ...{ sheetId: 1, sentAtMs: 1, mirror: 'v', tab: 't' },
    ...{ rows: [overWritten(appointment), overWritten(other)], doubled: [mine, theirs] },
  });
  await store.intake.quarantine({ atMs: 1, reason: 'no-object', body: `${NAME} ${PHONE}` });
  await store.intake.quarantine({ atMs: 2, reason: 'no-object', body: 'Oleg +74950002202' });
  await store.deliveries.keep(`{"text":"${NAME} ${PHONE}"}`);
  await store.deliveries.keep('{"text":"Oleg writes"}');
  const mark = customerMarks({ contactId: '', phone: PHONE, email: '', name: '' }).phone ?? '';
  await store.rowRegister.trace('entry', [{ id: 'row-1', traces: [mark, 'another'], keepMs: 60_000 }]);
  await store.memory.set(
    'intake-asked entry',
    JSON.stringify([{ print: 'a', customer: { phone: mark } }, { print: 'b' }]),
  );

  // A class in which both are.
  const group: EntityKey = { kind: 'class', id: `c${'0'.repeat(32)}` };
  await see(group);
  const atWork = await store.work.claim(group);
  if (atWork === undefined) throw new Error('nothing to claim');
  await store.links.write(atWork, CLASSES, {
    told: [`m ${appointment.id}`, `m ${other.id}`],
    split: { from: 'f', to: 't', ids: [appointment.id, other.id] },
  });
  const handler = await store.work.claim(group);
  if (handler === undefined) throw new Error('nothing to claim');

  await store.erasures.begin(order());
  const counts = await store.erasures.eraseState(order());
  expect(Object.keys(counts).sort()).toEqual([
    ...[
      'changes',
      'customer',
      'dead',
      'dead-cause',
      'deliveries',
      'dirty',
      'dirty-since',
      'events-of',
      'feed',
      'history',
      'inbox',
      'intent',
      'journal',
      'later',
      'memory',
    ],
    ...['object', 'outbox', 'over-writes', 'quarantine', 'row-trace', 'rows', 'sent-rows', 'tally', 'unkept'],
  ]);
  const left = await all();
  for (const secret of [
    contact.id,
    appointment.id,
    appointment.id.replaceAll('-', ''),
    PHONE,
    'Orlova',
    mark,
  ])
    expect(left).not.toContain(secret);
  expect(left).toContain('Oleg');
  expect((await store.deadLetters.all()).map(({ key }) => key)).toEqual([theirs]);
  expect((await store.outbox.pending('s', 10)).map(({ key }) => key)).toEqual([theirs]);
  expect((await store.sentRows.open('s')).flatMap(({ rows }) => rows.map(({ key }) => key))).toEqual([
    theirs,
  ]);
  expect(await store.overWrites.open('s')).toMatchObject([
    { sheetId: 1, rows: [overWritten(other)], doubled: [theirs] },
  ]);
  expect((await store.feeds.events('anna')).map(({ id }) => id)).toEqual([other.id]);
  expect(await store.customerAppointments.of(stranger)).toEqual([other.id]);
  expect(await store.memory.get('intake-asked entry')).toBe('[{"print":"b"}]');
  expect(await store.ledger.quarantined()).toBe(1);
  expect(await store.deliveries.after(undefined, 10)).toMatchObject([{ body: '{"text":"Oleg writes"}' }]);
  expect(await store.intents.read(`origin ${theirs}`)).toMatchObject({ open: { body: '{"name":"Oleg"}' } });
  expect(await store.intents.read(`origin ${mine}`)).toBeUndefined();
  expect(await store.work.claim(other)).toMatchObject({ key: other, deleted: false });
  expect((await store.ledger.peek(group))?.links[CLASSES]).toEqual({
    told: [`m ${other.id}`],
    split: { from: 'f', to: 't', ids: [other.id] },
  });
  // It knows what stood there before.
  await expect(store.links.write(handler, CLASSES, { told: [`m ${appointment.id}`] })).rejects.toMatchObject({
    code: 'fenced',
  });
  expect(await store.erasures.eraseState(order())).toEqual({});
});

test('the audit log of the console keeps who did what and when, and no longer about whom', async () => {
  const act = { role: 'ops', who: 'anna', atMs: Date.now(), what: 'letters-discarded' } as const;
  const asked = {
    ...act,
    id: '1',
    why: `Vera Orlova asked, ${PHONE}`,
    about: { key: formatKey(appointment) },
  };
  const another = { ...act, id: '2', why: 'Oleg asked', about: { key: formatKey(other) } };
  for (const each of [asked, another, { ...asked, done: 1 }]) await store.acts.note(each);
  const counts = await store.erasures.eraseState(order());
  expect(counts['console-acts']).toBe(2);
  const [first, second] = [...(await store.acts.newest(10))].sort((a, b) => a.id.localeCompare(b.id));
  expect(first).toEqual({ ...asked, why: '… asked, +…', about: { key: 'appointment/…' }, done: 1 });
  expect(second).toEqual(another);
  expect(await store.erasures.eraseState(order())).toEqual({});
});

test('an act that ends after a person was erased does not bring them back into the audit log', async () => {
  const about = { objects: `${formatKey(appointment)}, ${formatKey(other)}` };
  const act = { role: 'ops', who: 'boris', atMs: Date.now(), what: 'healed', id: '1' } as const;
  const begun = { ...act, why: 'Vera Orlova asked', about, chosen: 2 };
  await store.acts.note(begun);
  await store.erasures.eraseState(order());
  await store.acts.note({ ...begun, about: { ...about, healed: '2' }, done: 2 });
  const rest = { objects: `appointment/…, ${formatKey(other)}`, healed: '2' };
  expect(await store.acts.newest(10)).toEqual([{ ...begun, why: '… asked', about: rest, done: 2 }]);
  expect(await store.redis.lrange(store.keys.consoleActs, 0, -1)).not.toContain(
    expect.stringContaining(appointment.id),
  );
});

test('a member of the staff keeps the name that a customer bears, too', async () => {
  const act = { role: 'ops', who: 'boris', atMs: Date.now(), what: 'letters-discarded', about: {} } as const;
  await store.acts.note({ ...act, id: '1', why: 'a double' });
  await store.acts.note({ ...act, id: '2', why: 'Boris Ivanov asked' });
  const customer = { ...order(), terms: { ...order().terms, names: ['Boris', 'Boris Ivanov'] } };
  expect(await store.erasures.eraseState(customer)).toEqual({ 'console-acts': 1 });
  expect((await store.acts.newest(10)).map(({ who, why }) => [who, why]).sort()).toEqual([
    ['boris', 'a double'],
    ['boris', '… … asked'],
  ]);
});

test('a replay that somebody has started goes on without the person', async () => {
  const act = { role: 'ops', who: 'vera', atMs: 1, what: 'replayed', id: '1' } as const;
  const run = { who: 'vera', atMs: 1, objects: 3, handed: 0, unknown: 0, batch: 0 };
  const asked = { ...act, why: 'Vera Orlova asked', about: { key: formatKey(appointment) } };
  await store.memory.set('replay-run', JSON.stringify({ ...run, act: asked }));
  await store.memory.set('replay-keys 0', [formatKey(appointment), formatKey(other)].join('\n'));
  await store.memory.set('replay-keys 1', formatKey(contact));
  expect(await store.erasures.eraseState(order())).toEqual({ memory: 3 });
  expect(JSON.parse((await store.memory.get('replay-run')) ?? '')).toEqual({
    ...run,
    act: { ...act, why: '… asked', about: { key: 'appointment/…' } },
  });
  expect(await store.memory.get('replay-keys 0')).toBe(formatKey(other));
  expect(await store.memory.get('replay-keys 1')).toBeUndefined();
  expect(await store.erasures.eraseState(order())).toEqual({});
});

test('what somebody changes meanwhile is not overwritten', async () => {
  const { memory } = store.keys;
  const name = 'intake-asked entry';
  await store.redis.hset(memory, name, JSON.stringify([{ print: contact.id }, { print: 'a' }]));
  const { hscan } = store.redis;
  store.redis.hscan = (async (key: string, ...rest: [string]) => {
    const page = await hscan.call(store.redis, key, ...rest);
    if (key === memory)
      await store.redis.hset(memory, name, JSON.stringify([{ print: contact.id }, { print: 'b' }]));
    return page;
  }) as never;
  expect(await store.erasures.eraseState(order())).toEqual({});
  store.redis.hscan = hscan;
  expect(await store.erasures.eraseState(order())).toEqual({ memory: 1 });
  expect(await store.memory.get(name)).toBe('[{"print":"b"}]');
});

test('a loss of Redis is noticed: the order is not known any more, and no proof is kept', async () => {
  const receipt: ErasureReceipt = {
    version: 1,
    ...{ person: 'p', begun: '', verified: '', erased: NOTHING_ERASED, left: [] },
    ...{ recognisedBy: ['id'], outOfReach: [] },
  };
  const person = order();
  expect(await store.erasures.begin(person)).toBe(false);
  expect(await store.erasures.begin(person)).toBe(true);
  await store.redis.del(store.keys.forgetting, store.keys.memory, store.keys.forgotten);
  expect(await store.erasures.end(person, receipt)).toBe(false);
  expect(await store.erasures.receipt(person.contactId)).toBeUndefined();
  expect(await store.erasures.begin(person)).toBe(false);
  expect(await store.erasures.end(person, receipt)).toBe(true);
  // Its answer was lost, and it is ended again.
  expect(await store.erasures.end(person, receipt)).toBe(true);
});

test('an appointment that is another card’s by now does not keep the id of whom it was before', async () => {
  await see(other, { phone: '+74950002202' });
  await store.redis.hset(store.keys.object(formatKey(other)), 'c', contact.id);
  await store.erasures.begin(order());
  expect(await store.erasures.eraseState(order())).toMatchObject({ object: 1 });
  expect(await all()).not.toContain(contact.id);
  expect(await store.work.claim(other)).not.toBeUndefined();
});

test('a family that shares the number is not touched', async () => {
  await see(other, { phone: PHONE, name: 'Ivan Petrov' });
  await store.intake.quarantine({ atMs: 1, reason: 'no-object', body: `Ivan Petrov ${PHONE}` });
  await store.erasures.begin(order());
  await store.erasures.eraseState(order());
  expect(await store.ledger.quarantined()).toBe(1);
  expect((await store.work.claim(other))?.snapshot?.['name']).toBe('Ivan Petrov');
});

test('P2: a question to a stranger whose number ends like the person’s is not forgotten', async () => {
  const asked = (name: string) => ({
    print: `print of ${name}`,
    customer: customerMarks({ ...PERSON, contactId: '', email: '', name }),
  });
  const rows = ['Vera Orlova', 'orlova  VERA', 'Vera', 'Nina Weber'].map(asked);
  await store.memory.set('intake-asked desk', JSON.stringify(rows));
  for (let round = 0; round < 2; round += 1) {
    expect((await store.erasures.eraseState(order()))['memory'] ?? 0).toBe(1 - round);
    expect(JSON.parse((await store.memory.get('intake-asked desk')) ?? '')).toEqual([asked('Nina Weber')]);
  }
});

test('each key is counted when it is done: a command that dies at the next one has not lost it', async () => {
  await see(contact, PERSON);
  await see(appointment, { contact_id: contact.id });
  const told: Record<string, number>[] = [];
  const dying = store.erasures.eraseState(order(), async (more) => {
    told.push(more);
    if (told.length === 2) throw new Error('killed');
  });
  await expect(dying).rejects.toThrow('killed');
  const rest = await store.erasures.eraseState(order(), async (more) => void told.push(more));
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
  expect(told.slice(2).reduce((all, more) => all + sum(more), 0)).toBe(sum(rest));
  const objects = told.filter(({ object }) => object !== undefined);
  expect(objects).toEqual([{ object: 1 }, { object: 1 }]);
});

test('the order stands until its end, and the receipt names nobody', async () => {
  const begun = order();
  await store.erasures.begin(begun);
  const counted = { ...begun, erased: { ...NOTHING_ERASED, events: 3 } };
  expect(await store.erasures.storeCounts(begun, counted.erased)).toEqual(counted);
  expect((await store.erasures.open()).map(({ erased }) => erased.events)).toEqual([3]);
  const receipt: ErasureReceipt = {
    version: 1,
    ...{ person: await store.erasures.hashOf(formatKey(contact)), begun: '', verified: '' },
    ...{ erased: NOTHING_ERASED, left: [], recognisedBy: ['id'], outOfReach: [] },
  };
  expect(await store.erasures.end(begun, receipt)).toBe(false);
  expect(await store.erasures.end(counted, receipt)).toBe(true);
  expect(await store.erasures.open()).toEqual([]);
  expect(await store.erasures.receipt(contact.id)).toEqual(receipt);
  const left = await all();
  for (const secret of [contact.id, appointment.id, PHONE, 'Orlova']) expect(left).not.toContain(secret);
});

describe('a class', () => {
  test('may name neither what was erased nor what its contact had before, and what was made since', async () => {
    await store.erasures.begin(order());
    const made = (id: string, atMs: number, contact_id: string | null) => ({
      ...{ id, contact_id, created_at: new Date(atMs).toISOString() },
    });
    const [old, since] = [Date.now() - 60_000, Date.now() + 60_000];
    const all = [
      made(appointment.id, since, null),
      made('linked-late', old, contact.id),
      made('new', since, contact.id),
      made(other.id, old, 'somebody-else'),
      { id: 'unknown-age', contact_id: contact.id },
    ];
    expect([...(await store.erasures.among(all))]).toEqual([appointment.id, 'linked-late', 'unknown-age']);
    const many = Array.from({ length: 600 }, (_, at) =>
      made(String(at), old, at === 599 ? contact.id : null),
    );
    expect([...(await store.erasures.among(many))]).toEqual(['599']);
  });

  test('whose handler has listed its people before commits nothing, and no class comes of it', async () => {
    const key: EntityKey = { kind: 'class', id: `c${'0'.repeat(32)}` };
    await see(key);
    await see(other);
    const [claim, of] = [await store.work.claim(key), await store.work.claim(other)];
    await store.erasures.begin(order());
    await store.erasures.eraseState(order());
    if (claim === undefined || of === undefined) throw new Error('nothing to claim');
    await expect(store.links.write(claim, 'staff', { calendars: [] })).rejects.toMatchObject({
      code: 'fenced',
    });
    await store.links.write(of, 'staff', { calendars: [] });
    await store.links.write((await store.work.claim(key)) ?? claim, 'staff', { calendars: [] });
  });
});
