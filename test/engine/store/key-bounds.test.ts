import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { CalendarIndex } from '../../../src/caldav/calendar-index.ts';
import { eraseFromStream } from '../../../src/engine/erasure.ts';
import { openStores } from '../../../src/worker/stores.ts';
import { read } from '../../house/tree.ts';
import { openTestStore } from '../../stand/store.ts';
import { startWorld, type World } from '../../stand/world.ts';

/** The table of bounds: every family of keys, and what bounds it. */
const bounds = new Map(
  [
    ...read('docs/reference/redis-keys.md').matchAll(
      /^\| ((?:`[a-z-]+`(?:, )?)+) \| (expires|trimmed|stands) \| (.+) \|$/gm,
    ),
  ].flatMap(([, names = '', bound = '', why = '']) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => [name, { bound, why }] as const),
  ),
);

/** Expire only from some moment on, which the object or the request decides. */
const EXPIRE_ONCE_OVER = ['intent'];

describe('every family of keys', () => {
  const families = new Set(
    [...read('src/engine/key-space.ts').matchAll(/\$\{tag\}:([a-z-]+)/g)].map(([, name]) => name),
  );

  it('is found at all', () => {
    expect(families.size).toBeGreaterThan(30);
  });

  it('has a bound, or a reason why it stands', () => {
    expect([...families].filter((name) => !bounds.has(name ?? ''))).toEqual([]);
    for (const { why } of bounds.values()) expect(why.length).toBeGreaterThan(5);
  });

  it('is one that there is', () => {
    expect([...bounds.keys()].filter((name) => !families.has(name))).toEqual([]);
  });
});

/** An erasure that ends while it copies a stream: more entries than one call takes, and a look that fails at the last of them. */
async function copyHalf({ redis, keys }: ReturnType<typeof openTestStore>): Promise<void> {
  const stream = `${keys.journal}-of-a-test`;
  const entries = 600;
  for (let n = 0; n < entries; n += 1) await redis.xadd(stream, '*', 'n', String(n));
  let looks = 0;
  const isMeant = (text: string) => {
    looks += 1;
    if (looks === 2 * entries) throw new Error('the process ends');
    return text === 'n 0';
  };
  await expect(eraseFromStream(redis, { stream, copy: keys.streamCopy }, isMeant)).rejects.toThrow('ends');
  await redis.del(stream);
}

describe('in Redis', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.close());

  test('whatever a worker stores is of a family with a bound, and what shall expire has its time', async () => {
    const port = await world.door();
    await world.subscribe(port);
    const worker = await world.startWorker(port);
    const appointment = { kind: 'appointment', id: world.book() } as const;
    world.platform.dashboard.createContact({
      projectId: world.company.projectId,
      name: 'Vera',
      phone: '+74950001101',
    });
    await fetch(`${worker.url}/webhooks/platform`, { method: 'POST', body: 'no json' });
    await world.untilIdle(worker.url);
    const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
    await store.ready();
    // What only happens when something goes wrong.
    const name = `contact/${randomUUID()}`;
    await store.tally.count('edited:contact', name, 60_000);
    await store.pace.add({ minutes: [{ minute: 30_000_000, writes: 1, slowestS: 1 }], lagsS: [1] });
    await store.mirrorPace.add([{ atMs: Date.now(), mirror: 'm', writes: 1, failures: 0, slowestS: 1 }]);
    const secret = { from: 'yaml', nth: 1 } as const;
    const verified = {
      atMs: Date.now(),
      eventId: 'e',
      eventType: 'contact.created',
      secret,
      outcome: 'fresh',
    };
    await store.received.add([verified], [{ atMs: Date.now(), outcome: 'signature-wrong', times: 1 }]);
    await store.traces.put(name, 'context');
    await store.unkept.missed({ mirror: 'm', key: name, hash: 'h' });
    await store.sentRows.sent('s', []);
    await store.overWrites.begin('s', {
      ...{ sheetId: 1, sentAtMs: 1, mirror: 'm', tab: 't' },
      rows: [],
      doubled: [],
    });
    await store.rowRegister.send('entry', new Map([['id', 'print']]));
    await store.rowRegister.trace('entry', [{ id: 'id', traces: ['trace'], keepMs: 60_000 }]);
    await store.platformPause.pause(60_000);
    await new CalendarIndex(store.parts).put('https://dav.example/anna/', '/anna/1', {
      etag: 'e',
      ids: ['i'],
      owned: ['i'],
    });
    await store.customerAppointments.note(randomUUID(), randomUUID());
    await store.calendars.markShown({ calendarId: 'c', startedAtMs: 1 }, ['e']);
    await store.problems.raise({ target: 't', code: 'c', message: 'm', advice: 'a' });
    await store.budget.waits(name, ['google-calendar'], Date.now() + 60_000);
    await store.acts.note({
      id: 'i',
      atMs: Date.now(),
      who: 'anna',
      role: 'ops',
      what: 'approved',
      why: 'w',
      about: {},
    });
    await store.consoleAccess.know('203.0.113.7');
    await store.consoleAccess.countFound('anna', { searches: 1, objects: 1 });
    const begun = { key: 'k', body: '{}', generation: 1, storedAtMs: Date.now() };
    const wish = { op: 'cancel', appointmentId: 'a', notifyCustomer: false } as const;
    await store.intents.begin('origin', { ...begun, op: 'cancel', wish });
    const claim = await store.work.claim(appointment);
    if (claim === undefined) throw new Error('nothing to claim');
    const hour = { startsAt: '2027-01-01T10:00:00Z', endsAt: '2027-01-01T11:00:00Z', isTentative: false };
    await store.feeds.put(claim, 'f', { event: { ...hour, title: 'Vera' }, hash: 'h', nowMs: Date.now() });
    const about = { keys: store.keys, clock: { now: Date.now } };
    const settings = { processId: 'p', consentKeys: [randomBytes(32).toString('base64')] };
    const asProcess = openStores(store.redis, about, settings);
    const owner = { account: 'staff', address: 'anna@clinic.example' };
    await asProcess.consentLinks.add('state', { ...owner, verifier: 'v' }, 60_000);
    await copyHalf(store);
    const keys = (
      await asProcess.leases.hold('feed-walk-of-a-test', () => store.redis.keys(`${store.keys.everything}*`))
    )?.result;
    if (keys === undefined) throw new Error('the lease is taken');
    const families = new Set<string>();
    for (const key of keys) {
      const family = /^([a-z-]+)/.exec(key.slice(store.keys.everything.length))?.[1] ?? key;
      families.add(family);
      expect([key, bounds.has(family)]).toEqual([key, true]);
      if (bounds.get(family)?.bound !== 'expires' || EXPIRE_ONCE_OVER.includes(family)) continue;
      const ttl = await store.redis.pttl(key);
      expect([key, ttl === -1]).toEqual([key, false]);
    }
    const unseen = [...bounds].flatMap(([family, { bound }]) =>
      bound === 'expires' && !families.has(family) ? [family] : [],
    );
    expect(unseen).toEqual([]);
    for (const family of [
      'inbox',
      'object',
      'history',
      'rows',
      'events-of',
      'journal',
      'unkept',
      'row-trace',
    ])
      expect(families).toContain(family);
    store.close();
  });
});
