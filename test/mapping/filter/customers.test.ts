import { beforeEach, expect, test } from 'vitest';
import type { CalendarMirror } from '../../../src/engine/mirror.ts';
import { type EntityKey, formatKey, type Observation, type Snapshot } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import {
  createCustomers,
  createCustomerWaker,
  judgeAll,
  linesOf,
} from '../../../src/mapping/filter-lines.ts';
import { mirroredKinds } from '../../../src/mapping/needs.ts';
import { takesAppointment } from '../../../src/mapping/route.ts';
import { appointment, directory, mirror } from '../../calendar/stand.ts';
import { double } from '../../stand/double.ts';
import { startTestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';

const CONTACT = '5b0f3a34-0d0c-4a57-9d0e-0b9c6f1d2a11';
const where = { ...mirror.where, customerLifecycles: ['customer', 'churned'] };
const booked = appointment({ contact_id: CONTACT });

/** What happened, in its order. */
let steps: string[];
let known: Partial<Claim> | undefined;
let onPlatform: Snapshot | undefined;
let observed: Observation[];
beforeEach(() => {
  [steps, known, onPlatform, observed] = [[], undefined, undefined, []];
});

const customerOf = (isWorker = true) =>
  createCustomers({
    view: {
      peek: async (key) => {
        steps.push(`look at ${formatKey(key)}`);
        return known === undefined ? undefined : ({ deleted: false, verify: false, key, ...known } as Claim);
      },
    },
    reader: {
      get: async () => {
        steps.push('read');
        return onPlatform;
      },
    },
    ...(isWorker && {
      worker: {
        appointments: { note: async (contact, id) => void steps.push(`note ${id} of ${contact}`) },
        intake: {
          observe: async (seen) => {
            observed.push(seen);
            return 'fresh';
          },
        },
        clock: { now: () => 7 },
      },
    }),
  });

test('the appointment is noted before the look, so that no change of the contact can fall between', async () => {
  known = { snapshot: { id: CONTACT, lifecycle: 'lead' } };
  expect(await customerOf()(booked)).toEqual({ lifecycle: 'lead' });
  expect(steps).toEqual([`note ${booked.id} of ${CONTACT}`, `look at contact/${CONTACT}`]);
});

test('a contact that is not known is read once, and kept like one that a list showed', async () => {
  onPlatform = { id: CONTACT, lifecycle: 'customer' };
  expect(await customerOf()(booked)).toEqual({ lifecycle: 'customer' });
  expect(observed).toMatchObject([{ key: { kind: 'contact', id: CONTACT }, source: 'list' }]);
});

test('a contact whose order is in doubt is read, and its own turn is left to it', async () => {
  known = { snapshot: { id: CONTACT, lifecycle: 'lead' }, verify: true };
  onPlatform = { id: CONTACT, lifecycle: 'customer' };
  expect(await customerOf()(booked)).toEqual({ lifecycle: 'customer' });
  expect(observed).toEqual([]);
});

test('whoever only looks notes and keeps nothing', async () => {
  onPlatform = { id: CONTACT, lifecycle: 'customer' };
  expect(await customerOf(false)(booked)).toEqual({ lifecycle: 'customer' });
  expect(steps).toEqual([`look at contact/${CONTACT}`, 'read']);
});

test.each([
  ['was deleted', { deleted: true }, booked],
  ['is not shown', undefined, booked],
  ['is none', undefined, appointment({ contact_id: null })],
  ['has an id that is none', undefined, appointment({ contact_id: `${'x'.repeat(500)}:` })],
])('the lifecycle of a contact that %s is unknown', async (_, claim, snapshot) => {
  known = claim;
  expect(await customerOf()(snapshot)).toBeUndefined();
});

test.each([
  ['customer', CONTACT, 'yes'],
  ['lead', CONTACT, 'no'],
  [undefined, CONTACT, 'unknown'],
  [undefined, undefined, 'unknown'],
  [undefined, null, 'no'],
])('with lifecycle %s, contact %s: %s', (lifecycle, contact_id, judged) => {
  const customer = lifecycle === undefined ? undefined : { lifecycle };
  const subject = {
    kind: 'appointment',
    snapshot: appointment({ contact_id }),
    directory,
    customer,
  } as const;
  expect(judgeAll(linesOf({ customerLifecycles: ['customer', 'churned'] }), subject)).toBe(judged);
});

test('an unknown customer keeps what stands, and brings nothing in', () => {
  const around = { nowMs: Date.parse('2026-11-02T08:00:00Z'), directory };
  expect(takesAppointment(where, booked, { ...around, linked: true })).toBe(true);
  expect(takesAppointment(where, booked, { ...around, linked: false })).toBe(false);
});

test('a turn of a contact wakes its appointments, and forgets those that are not known any more', async () => {
  const added: string[] = [];
  const forgotten: string[] = [];
  const waker = createCustomerWaker({
    appointments: double({
      note: async () => undefined,
      of: async () => ['a-1', 'a-2'],
      forgetUnknown: async (_, ids) => void forgotten.push(...ids),
    }),
    dirtyMarks: { markDirty: async (keys: readonly EntityKey[]) => keys.filter(({ id }) => id === 'a-2') },
    queue: { add: (keys: readonly string[]) => void added.push(...keys) },
  });
  await waker.reconcile({ key: { kind: 'contact', id: CONTACT } } as Claim);
  expect(added).toEqual(['appointment/a-1']);
  expect(forgotten).toEqual(['a-2']);
});

test('an appointment that comes back while its contact has a turn is woken by the next turn of the contact (P1)', async ({
  onTestFinished,
}) => {
  const redis = await startTestRedis();
  const store = openTestStore(redis.url);
  onTestFinished(async () => {
    store.close();
    await redis.stop();
  });
  await store.ready();
  const { customerAppointments: appointments, dirtyMarks, intake, ledger: view } = store;
  const added: string[] = [];
  const parts = { appointments, queue: { add: (keys: readonly string[]) => void added.push(...keys) } };
  const claim = { key: { kind: 'contact', id: CONTACT } } as Claim;
  await appointments.note(CONTACT, booked.id);
  const worker = { appointments, intake, clock: { now: Date.now } };
  const judge = createCustomers({ view, worker, reader: { get: async () => undefined } });
  const meanwhile = {
    async markDirty(...about: Parameters<typeof dirtyMarks.markDirty>) {
      const unknown = await dirtyMarks.markDirty(...about);
      const key = { kind: 'appointment', id: booked.id } as const;
      const seen = { as: 'snapshot', snapshot: booked } as const;
      await intake.observe({ key, source: 'webhook', occurredAtMs: Date.now(), seen });
      await judge(booked);
      return unknown;
    },
  };
  await createCustomerWaker({ ...parts, dirtyMarks: meanwhile }).reconcile(claim);
  await createCustomerWaker({ ...parts, dirtyMarks }).reconcile(claim);
  expect(added).toEqual([`appointment/${booked.id}`]);
});

test('a mirror that asks who comes needs contacts as well', () => {
  const asking: CalendarMirror = { ...mirror, where };
  const rest = { bookings: [], feeds: [], blocks: [], privacy: { forgetDeleted: false } };
  expect(mirroredKinds({ ...rest, mirrors: [mirror] } as never)).toEqual(['appointment']);
  expect(mirroredKinds({ ...rest, mirrors: [asking] } as never)).toEqual(['appointment', 'contact']);
});
