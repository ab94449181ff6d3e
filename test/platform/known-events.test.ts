import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { Intake } from '../../src/engine/intake.ts';
import type { IntakeStore } from '../../src/engine/intake-store.ts';
import type { EntityKind } from '../../src/engine/object.ts';
import type { PlatformEvent } from '../../src/engine/platform.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const AT = '2026-11-20T10:00:00Z';

let redis: TestRedis;
let store: TestStore;
let observed: string[];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
  observed = [];
  return () => store.close();
});

function intakeOf(kinds: readonly EntityKind[], onForgotten?: () => Promise<void>): Intake {
  const counted = storeWith((observation) => {
    observed.push(String(observation.eventId));
    return store.intake.observe(observation);
  });
  const parts = { store: counted, queue: { add() {} }, kinds, clock: { now: () => Date.now() } };
  return new Intake({
    ...{ ...parts, log: SILENT_LOG, meter: NO_METER },
    ...(onForgotten && { onForgotten }),
  });
}

function storeWith(observe: IntakeStore['observe']): IntakeStore {
  return double({
    observe,
    letGo: (id) => store.intake.letGo(id),
    known: (ids) => store.intake.known(ids),
    quarantine: (entry) => store.intake.quarantine(entry),
  });
}

async function forget(erased: PlatformEvent): Promise<void> {
  const id = String(erased.object?.['id']);
  await store.erasures.begin({
    ...{ contactId: id, keys: [`contact/${id}`], begunAtMs: Date.now(), erased: NOTHING_ERASED },
    terms: { ids: [id], phones: [], emails: [], names: [], hashes: [] },
  });
}

function event(object: Record<string, unknown>, type = 'contact.updated'): PlatformEvent {
  return {
    id: randomUUID(),
    type,
    createdAt: AT,
    projectId: undefined,
    test: false,
    object: { updated_at: AT, ...object },
  };
}

const contact = () => event({ object: 'contact', id: randomUUID() });
const message = (of: string) =>
  event({ object: 'message', id: randomUUID(), conversation_id: of }, 'message.created');
const due = () => store.work.due(Date.now(), 1_000);

test('a page that was read before is not observed again; what is new in it is taken', async () => {
  const intake = intakeOf(['contact']);
  const page = [contact(), contact(), contact()];
  expect(await intake.takeEvents(page, 'feed')).toEqual(['fresh', 'fresh', 'fresh']);
  observed = [];
  const news = contact();
  const outcomes = await intake.takeEvents([page[0], news, page[1], page[2]] as PlatformEvent[], 'feed');
  expect(outcomes).toEqual(['duplicate', 'fresh', 'duplicate', 'duplicate']);
  expect(observed).toEqual([news.id]);
  expect(await due()).toContain(`contact/${news.object?.['id']}`);
});

test('a message is known only when its hint at the conversation is known as well', async () => {
  const taken = message('talk');
  // Another mapping, which had no conversations: it left the row of the message alone.
  expect(await intakeOf(['message']).takeEvents([taken], 'feed')).toEqual(['fresh']);
  const both = intakeOf(['message', 'conversation']);
  observed = [];
  expect(await both.takeEvents([taken], 'feed')).toEqual(['duplicate']);
  expect(await due()).toContain('conversation/talk');
  expect(observed).toHaveLength(2);
  observed = [];
  expect(await both.takeEvents([taken], 'feed')).toEqual(['duplicate']);
  expect(observed).toEqual([]);
});

test('a message that is not mirrored is known by its hint alone', async () => {
  const intake = intakeOf(['conversation']);
  const taken = message('chat');
  expect(await intake.takeEvents([taken], 'feed')).toEqual(['verify']);
  observed = [];
  expect(await intake.takeEvents([taken], 'feed')).toEqual(['duplicate']);
  expect(observed).toEqual([]);
});

test('what leaves no row of its own goes the whole way, and harms nobody else on the page', async () => {
  const intake = intakeOf(['contact']);
  const good = contact();
  const page = [
    { ...contact(), test: true },
    event({ object: 'lead', id: 'lead' }),
    { ...contact(), object: undefined },
    { ...contact(), id: 'no id {}' },
    good,
  ];
  const outcomes = ['test', 'not-mirrored', 'quarantined', 'quarantined', 'fresh'];
  expect(await intake.takeEvents(page, 'feed')).toEqual(outcomes);
  expect(observed).toEqual([good.id]);
});

test('an empty page asks nothing', async () => {
  expect(await intakeOf(['contact']).takeEvents([], 'feed')).toEqual([]);
});

test('P1: whoever has to hear of what was erased hears before its event is known; a death in between brings it again', async () => {
  const erased = contact();
  await forget(erased);
  let heard = 0;
  const dying = intakeOf(['contact'], async () => {
    heard += 1;
    throw new Error('killed');
  });
  await expect(dying.takeEvent(erased, 'webhook')).rejects.toThrow('killed');
  expect(await store.intake.known([erased.id])).toEqual(new Set());
  const intake = intakeOf(['contact'], async () => {
    heard += 1;
  });
  expect(await intake.takeEvents([erased], 'feed')).toEqual(['forgotten']);
  expect(await intake.takeEvents([erased], 'feed')).toEqual(['duplicate']);
  expect(heard).toBe(2);
});

test('P1: a defect of the store or of what is told about the erased is no fault of the event, which comes again', async () => {
  const defect = () => Promise.reject(new TypeError('not a function'));
  const taken = contact();
  const broken = new Intake({
    ...{ store: storeWith(defect), queue: { add() {} }, kinds: ['contact'] as const },
    ...{ clock: { now: () => Date.now() }, log: SILENT_LOG, meter: NO_METER },
  });
  await expect(broken.takeEvents([taken], 'feed')).rejects.toThrow('not a function');
  expect(await intakeOf(['contact']).takeEvents([taken], 'feed')).toEqual(['fresh']);
  const erased = contact();
  await forget(erased);
  await expect(intakeOf(['contact'], defect).takeEvents([erased], 'feed')).rejects.toThrow('not a function');
  expect(await intakeOf(['contact']).takeEvents([erased], 'feed')).toEqual(['forgotten']);
  expect(await store.ledger.quarantined()).toBe(0);
});

test('an event whose content this program cannot process is kept for people, and holds up no other', async () => {
  let reads = 0;
  const odd = {
    toJSON() {
      reads += 1;
      if (reads === 1) throw new RangeError('cannot be written down');
    },
  };
  const page = [contact(), event({ object: 'contact', id: randomUUID(), name: odd }), contact()];
  const intake = intakeOf(['contact']);
  await expect(intake.takeEvents(page, 'feed')).resolves.toEqual(['fresh', 'quarantined', 'fresh']);
  expect(await store.ledger.quarantined()).toBe(1);
});
