import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { type ErasureOrder, NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { DeferredError } from '../../src/engine/errors.ts';
import { SILENT } from '../../src/engine/runtime.ts';
import { personalCalendars } from '../../src/operate/forget/erase-google.ts';
import type { ForgetParts } from '../../src/operate/forget/forget.ts';
import { ErasureResumer, type ResumeParts } from '../../src/operate/forget/resume.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';

let redis: TestRedis;
let store: TestStore;
let nowMs: number;
let isShared: boolean;
/** How often the calendar was read. */
let looks: number;
let raise: ReturnType<typeof vi.fn<ResumeParts['problems']['raise']>>;

beforeEach(async () => {
  redis = await startTestRedis();
  nowMs = Date.now();
  [isShared, looks] = [false, 0];
  store = openTestStore(redis.url, { now: () => nowMs });
  await store.ready();
  raise = vi.fn(async () => undefined);
  return async () => {
    store.close();
    await redis.stop();
  };
});

const never = () => Promise.reject(new Error('not asked for'));

type EventParts = Parameters<typeof personalCalendars>[1];

function calendars(
  ids: readonly string[],
  eventsOf: EventParts['eventsOf'],
  patch: EventParts['api']['patch'] = never,
): ForgetParts['places'] {
  return personalCalendars(ids, { eventsOf, api: { patch, remove: never }, doubtClass: never });
}

function resumer(more: Partial<ForgetParts> = {}): ErasureResumer {
  return new ErasureResumer({
    forgetting: {
      ...{ erasures: store.erasures, view: store.ledger, known: store.known, search: store.search },
      cards: { byId: never, byPhone: never, byEmail: never, create: never },
      appointments: { list: never, get: never },
      houseContacts: new Set(),
      wakeClasses: async () => undefined,
      ...{
        queue: { forget: async () => [], turns: async () => new Set() },
        leases: store.leases,
        clock: { now: () => nowMs },
      },
      outOfReach: [],
      places: calendars(['anna'], async function* () {
        looks += 1;
        if (!isShared)
          throw new DeferredError('calendar-not-shared', 'gone', {
            target: 'calendar:anna',
            retryAfterMs: 1,
          });
        yield* [];
      }),
      ...more,
    },
    problems: { raise, clear: async () => undefined, list: async () => [] },
    memory: store.memory,
    log: SILENT,
  });
}

async function order(): Promise<ErasureOrder> {
  const contactId = randomUUID();
  const terms = { ids: [contactId], phones: [], emails: [], names: [], hashes: [] };
  const begun = {
    contactId,
    keys: [`contact/${contactId}`],
    terms,
    begunAtMs: nowMs,
    erased: NOTHING_ERASED,
  };
  await store.erasures.begin(begun);
  return begun;
}
const open = async () => (await store.erasures.open()).length;
const { signal } = new AbortController();

test('a calendar that is not shared any more is not read every few seconds, and ends once it is', async () => {
  await order();
  const worker = resumer();
  for (let nth = 0; nth < 10; nth += 1) {
    await worker.resume(signal);
    nowMs += 15_000;
  }
  expect(looks).toBe(1);
  expect(raise).toHaveBeenCalledWith(expect.objectContaining({ code: 'erasure-unfinished' }));
  expect(await open()).toBe(1);
  isShared = true;
  nowMs += 15 * 60_000;
  await worker.resume(signal);
  expect(await open()).toBe(0);
});

test('a spent quota is nobody’s work: no problem is raised, and the next minute ends the erasure', async () => {
  await order();
  let isSpent = true;
  const worker = resumer({
    places: calendars(['anna'], async function* () {
      looks += 1;
      if (isSpent)
        throw new DeferredError('quota-spent', 'spent for now', { target: 'calendar:anna', retryAfterMs: 1 });
      yield* [];
    }),
  });
  await worker.resume(signal);
  nowMs += 15_000;
  await worker.resume(signal);
  expect([looks, raise.mock.calls]).toEqual([1, []]);
  isSpent = false;
  nowMs += 60_000;
  await worker.resume(signal);
  expect([await open(), raise.mock.calls]).toEqual([0, []]);
});

atLength.test(
  'a row of somebody else that was hit is in the receipt, although no later look finds it',
  async () => {
    isShared = true;
    const begun = await order();
    const row = {
      kind: 'row',
      where: 'spreadsheet book, tab Desk',
      name: 'row 2',
      by: [],
      why: 'moved',
    } as const;
    await store.erasures.begin({ ...begun, erased: { ...NOTHING_ERASED, moved: [row] } });
    await resumer().resume(signal);
    const receipt = await store.erasures.receipt(begun.contactId);
    const place = await store.erasures.hashOf('spreadsheet book, tab Desk row 2');
    expect(receipt?.left).toEqual([{ kind: 'row', by: [], why: 'moved', place }]);
    expect(JSON.stringify(receipt)).not.toContain('Desk');
  },
);

test('P1: an event that people drag to a calendar that was looked at already is found by the second look', async () => {
  isShared = true;
  const begun = await order();
  const [id = ''] = begun.terms.ids;
  let at: string | undefined = 'boris';
  await resumer({
    places: calendars(
      ['anna', 'boris'],
      async function* (calendarId) {
        looks += 1;
        if (looks === 2) at = 'anna';
        if (calendarId === at) yield { id: 'e', summary: `Ring ${id}`, status: 'confirmed' } as never;
      },
      async () => {
        at = undefined;
        return { etag: '"2"' } as never;
      },
    ),
  }).resume(signal);
  expect(at).toBeUndefined();
  expect((await store.erasures.receipt(begun.contactId))?.erased.rewritten).toBe(1);
});

test('P1: what a command orders while a worker erases the same person is erased too, although the command is killed', async () => {
  isShared = true;
  const begun = await order();
  const [id, late] = [begun.contactId, randomUUID()];
  const key = { kind: 'appointment', id: late } as const;
  const wider: ErasureOrder = {
    ...{ ...begun, keys: [...begun.keys, `appointment/${late}`] },
    terms: { ...begun.terms, ids: [id, late], phones: ['+74950001101'], names: ['Vera Orlova'] },
  };
  const created_at = new Date(nowMs + 1_000).toISOString();
  const snapshot = {
    id: late,
    contact_id: id,
    customer_name: 'Vera Orlova',
    created_at,
    updated_at: created_at,
  };
  await store.intake.observe({
    ...{ key, source: 'webhook', eventId: randomUUID(), occurredAtMs: 1 },
    seen: { as: 'snapshot', snapshot },
  });
  expect(await store.ledger.peek(key)).toMatchObject({ snapshot });
  await resumer({
    places: calendars(['anna'], async function* () {
      looks += 1;
      // The command stores its order, waits for its turn, and is killed.
      if (looks === 2) await store.erasures.begin(wider);
      yield* [];
    }),
  }).resume(signal);
  expect(await store.ledger.peek(key)).toBeUndefined();
  expect(await open()).toBe(0);
  expect((await store.erasures.receipt(id))?.recognisedBy).toEqual(['id', 'phone', 'name']);
});

test('what a second order lacks of the first is not lost, and neither are the counts', async () => {
  const first = await order();
  const second = { ...first, keys: ['contact/another'], terms: { ...first.terms, phones: ['1'] } };
  await store.erasures.storeCounts(first, { ...NOTHING_ERASED, events: 7 });
  await store.erasures.begin(second);
  expect(await store.erasures.open()).toEqual([
    {
      ...{ ...first, keys: [...first.keys, 'contact/another'], erased: { ...NOTHING_ERASED, events: 7 } },
      terms: { ...first.terms, phones: ['1'], shared: [] },
    },
  ]);
});

test('what was erased before a place failed, or before the worker died, is in the receipt', async () => {
  const begun = await order();
  const [id = ''] = begun.terms.ids;
  const standing = new Set(['a', 'b', 'c', 'd']);
  let patches = 0;
  const places = calendars(
    ['anna'],
    async function* () {
      looks += 1;
      for (const each of [...standing])
        yield { id: each, summary: `Ring ${id}`, status: 'confirmed', etag: '"1"' } as never;
    },
    async (_, event) => {
      patches += 1;
      if (patches === 3)
        throw new DeferredError('quota-spent', 'no', { target: 'calendar:anna', retryAfterMs: 1 });
      // A death is as a defect: nothing behind it is done.
      if (patches === 5) throw new Error('killed');
      standing.delete(event.id);
      return { etag: '"2"' } as never;
    },
  );
  await resumer({ places }).resume(signal);
  expect([await open(), standing.size]).toEqual([1, 2]);
  await expect(resumer({ places }).resume(signal)).rejects.toThrow('killed');
  expect([await open(), standing.size]).toEqual([1, 1]);
  await resumer({ places }).resume(signal);
  expect([await open(), standing.size]).toEqual([0, 0]);
  const receipt = await store.erasures.receipt(begun.contactId);
  expect(receipt?.erased).toEqual({ events: 0, rewritten: 4, cells: 0, keys: {} });
});

atLength.test('one that does not come to its end holds up no other', async () => {
  const stuck = await order();
  isShared = true;
  nowMs += 1;
  const other = await order();
  const failing = {
    forget: async (keys: ReadonlySet<string>) => {
      if (keys.has(`contact/${stuck.contactId}`))
        throw new DeferredError('store-unavailable', 'no', { target: 'redis', retryAfterMs: 1 });
      return [];
    },
    turns: async () => new Set<string>(),
  };
  await resumer({ queue: failing }).resume(signal);
  expect((await store.erasures.open()).map(({ contactId }) => contactId)).toEqual([stuck.contactId]);
  expect(await store.erasures.receipt(other.contactId)).toMatchObject({ version: 1, left: [] });
});
