/** What becomes of the rows of a booking sheet, over the platform's sandbox and Redis; the sheet itself is a double that keeps answers. */

import type { SilentSwitches } from '@slotbridge/sandbox/platform/sandbox';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createBookingTarget } from '../../../src/engine/booking-turn.ts';
import { DirectoryKeeper } from '../../../src/engine/directory-keeper.ts';
import { rowOrigin } from '../../../src/engine/ids.ts';
import { contentHash, formatKey, type Snapshot } from '../../../src/engine/object.ts';
import type { BookingAnswer, SeenRowBooking, SheetBookings } from '../../../src/engine/outside-booking.ts';
import { reconcile } from '../../../src/engine/reconcile.ts';
import { createBookingSubmitter } from '../../../src/engine/submitter.ts';
import { createBookingTemplates } from '../../../src/mapping/phone-filter.ts';
import { createCustomerCards, createPlatformWriter } from '../../../src/platform/client.ts';
import { KeptLog, KeptMeter } from '../../doubles/listener.ts';
import { SandboxStands } from '../../platform/sandbox-stand.ts';
import { WORKER_DEFAULTS } from '../../stand/defaults.ts';
import { double } from '../../stand/double.ts';
import { heldRowsOf } from '../../stand/held-rows.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { rowsOf, runsOf } from '../../stand/runs.ts';
import { openTestStore } from '../../stand/store.ts';

const TUESDAY_10 = '2026-03-03T07:00:00.000Z';
const TUESDAY_12 = '2026-03-03T09:00:00.000Z';
const TUESDAY_14 = '2026-03-03T11:00:00.000Z';

const platforms = new SandboxStands();
const closers: (() => void)[] = [];
let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await platforms.close();
});
afterAll(() => redis.stop());

async function start(rules: Partial<SheetBookings> = {}, switches: Partial<SilentSwitches> = {}) {
  const platform = await platforms.start({ rateLimitPerMinute: 1_000_000, switches });
  const { clock, sandbox, dashboard } = platform;
  const client = platform.client();
  const directory = new DirectoryKeeper(client.reader, clock);
  await directory.refresh();
  const store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  closers.push(() => store.close());
  const mapping: SheetBookings = {
    kind: 'sheet',
    name: 'front-submitter',
    spreadsheetId: 's',
    tab: 'Intake',
    everyMs: 30_000,
    columns: { service: 'Service', starts_at: 'Start', id: 'Id', status: 'Status', ready: 'Ready' },
    service: '{{ service }}',
    resource: '{{ resource }}',
    customer: { name: '{{ name }}', phone: '{{ phone | phone }}', create: true },
    comment: '{{ comment }}',
    region: 'RU',
    notifyCustomer: false,
    language: 'en',
    stillForMs: 30_000,
    ...rules,
  };
  const answers: BookingAnswer[] = [];
  const doom = { isNear: false };
  const shared = {
    directory,
    clock,
    log: new KeptLog(),
    meter: new KeptMeter(),
  };
  const submitter = createBookingSubmitter({
    ...{ ...shared, writer: createPlatformWriter(client), cards: createCustomerCards(client) },
    ...{ intents: store.intents, leases: store.leases },
  });
  const target = createBookingTarget({
    ...{ ...shared, mapping, entries: [], reader: client.reader, view: store.ledger, links: store.links },
    ...{ history: store.history, intake: store.intake, resourceAt: () => undefined },
    holds: heldRowsOf(store, clock),
    guard: {
      assertNoLoop: async () => undefined,
      assertMayMail: async () => undefined,
      mayBeBooked: async () => true,
      assertNoMassTicking: async () => undefined,
      tickEnded: async () => undefined,
    },
    submitter: double({
      async finish(from) {
        const verdict = await submitter.finish(from);
        if (doom.isNear && verdict !== undefined && verdict.outcome !== 'open')
          throw new Error('killed before it recorded the verdict');
        return verdict;
      },
      made: (from) => submitter.made(from),
      withdraw: (from) => submitter.withdraw(from),
      find: (from, wish) => submitter.find(from, wish),
      freeTimes: (wished, within) => submitter.freeTimes(wished, within),
      async submit(from, wish) {
        const verdict = await submitter.submit(from, wish);
        if (doom.isNear) throw new Error('killed with the verdict in its hands');
        return verdict;
      },
    }),
    templates: createBookingTemplates({ region: 'RU', serviceNames: () => [] }),
    place: {
      async answer(_, answer) {
        // As the outbox does it: what stands in the row already costs no write.
        if (contentHash(answers.at(-1)) !== contentHash(answer)) answers.push(answer);
        return 'answered';
      },
    },
  });
  const origin = rowOrigin('r1');
  const key = { kind: 'booking', id: 'r1' } as const;
  const world = {
    ...{ platform, dashboard, directory, clock, store, answers, doom },
    /** The row as it stands now is seen, and looked at. */
    async row(cells: Record<string, string> = {}, more: Partial<SeenRowBooking> = {}): Promise<void> {
      clock.advance(1_000);
      const { starts_at = TUESDAY_10, ...typed } = cells;
      const snapshot: SeenRowBooking = {
        ...{ id: key.id, origin, mapping: 'front-submitter', place: 'row', state: 'live' },
        ...{ spreadsheet_id: 's', tab: 'Intake', row_id: 'r1', ready: true, cancel: false },
        seen_at: new Date(clock.now()).toISOString(),
        ...(starts_at !== '' && { starts_at }),
        cells: { service: 'haircut', starts_at, name: 'Vera', phone: '8 495 000-11-01', ...typed },
        ...more,
      };
      const seen = { as: 'snapshot', snapshot: snapshot as unknown as Snapshot } as const;
      await store.intake.observe({ key, source: 'list', occurredAtMs: clock.now(), seen });
      await world.turn();
    },
    turn: () =>
      reconcile(
        {
          ...shared,
          ...{ work: store.work, reader: client.reader, handlers: [target], history: store.history },
          editCarrier: { carry: async (claim) => ({ claim, failures: [] }) },
          ...WORKER_DEFAULTS,
        },
        formatKey(key),
      ),
    /** What has become due by itself. */
    due: async () => (await store.later.wake(clock.now(), 100)).length,
    markDirty: () => store.dirtyMarks.markDirty([key], { read: false }),
    appointments: () =>
      sandbox.truth.appointments().map(({ status, starts_at }) => `${String(status)} ${String(starts_at)}`),
    last: () => answers.at(-1),
  };
  return world;
}

test('a ready row is booked, and told its appointment and time', async () => {
  const world = await start();
  await world.row();
  const [made] = world.platform.sandbox.truth.appointments();
  expect(made).toMatchObject({ starts_at: TUESDAY_10, customer_phone: '+74950001101' });
  expect(world.answers).toEqual([
    { state: 'booked', text: 'Booked.', appointmentId: made?.['id'], startsAt: TUESDAY_10 },
  ]);
});

test('case 66: a row that is not ready books nothing, and keeps no answer that was copied into it', async () => {
  const world = await start();
  await world.row({}, { ready: false });
  expect(world.appointments()).toEqual([]);
  expect(world.answers).toEqual([{ state: 'ignored', text: '' }]);
});

test('a row with another time moves its appointment; reading it again costs nothing', async () => {
  const world = await start();
  await world.row();
  await world.row({ starts_at: TUESDAY_12 });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  expect(world.answers.map(({ startsAt }) => startsAt)).toEqual([TUESDAY_10, TUESDAY_12]);
});

test('after a row was changed and changed back around a death, its appointment is where the row says', async () => {
  const world = await start();
  await world.row();
  world.doom.isNear = true;
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  world.doom.isNear = false;
  await world.row();
  await world.turn();
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_10 });
});

test('a new wish that changes around a death, after a cancellation, gives one appointment where the row says', async () => {
  const world = await start();
  await world.row();
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.cancel(id, { notify: false });
  world.doom.isNear = true;
  await world.row({ starts_at: TUESDAY_12 });
  world.doom.isNear = false;
  await world.row({ starts_at: TUESDAY_14 });
  await world.turn();
  expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_14}`]);
});

test('a move into a taken hour is refused in the row, and the appointment stays', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12 });
  expect(world.appointments()[0]).toBe(`confirmed ${TUESDAY_10}`);
  expect(world.last()?.text).toMatch(
    /^Booked\. Not possible: this time is already taken\.\nNearest free times:/,
  );
});

test('another resource in the row keeps the hour that the platform has since given the appointment', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_12, notify: false });
  await world.row({ resource: 'Boris' });
  const { borisId } = world.platform;
  expect(world.platform.sandbox.truth.appointment(id)).toMatchObject({
    starts_at: TUESDAY_12,
    resource_id: borisId,
  });
});

test('what the platform cannot change is said once', async () => {
  const world = await start();
  await world.row();
  await world.row({ comment: 'first time here' });
  await world.turn();
  expect(world.answers).toHaveLength(2);
  expect(world.last()?.text).toMatch(/^Booked\. Only time and resource can be changed here\./);
});

const BORIS = { name: 'Boris', phone: '8 495 000-11-09' };

test.each([
  ['moved', { ...BORIS, starts_at: TUESDAY_12 }, {}],
  ['cancelled', BORIS, { cancel: true }],
])(
  'P7: a row that was typed over for another customer asks a person, nothing is %s',
  async (_, cells, more) => {
    const world = await start();
    await world.row();
    await world.row(cells, more);
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
    expect(world.last()?.text).toMatch(/^Not booked for this customer: .* for another customer/);
  },
);

/** Told of a cancelled appointment that was somebody else's. */
const OTHERS_CANCELLED = /^Not booked: .* was for another customer, and is cancelled\./;

test('P4: a row of a cancelled appointment that is typed over speaks of its own customer, and is booked when its tick goes', async () => {
  const world = await start();
  await world.row();
  await world.row({}, { cancel: true });
  const boris = { ...BORIS, starts_at: TUESDAY_12 };
  await world.row(boris, { cancel: true });
  expect(world.last()).toMatchObject({ text: expect.stringMatching(OTHERS_CANCELLED) });
  expect(world.last()).not.toHaveProperty('appointmentId');
  expect(world.last()).not.toHaveProperty('startsAt');
  const told = world.answers.length;
  await world.markDirty();
  await world.turn();
  expect(world.answers).toHaveLength(told);
  await world.row(boris);
  expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_12}`]);
  expect(world.last()).toMatchObject({ state: 'booked', text: 'Booked.' });
});

test('P4: typed over and not ready, it does not say that it is booked, nor that it is cancelled', async () => {
  const world = await start();
  await world.row();
  const id = await ONLY_ID(world);
  await world.row(BORIS, { ready: false });
  expect(world.last()).toMatchObject({
    appointmentId: id,
    text: expect.stringMatching(/^Not booked for this/),
  });
  world.dashboard.cancel(id, { notify: false });
  await world.markDirty();
  await world.turn();
  expect(world.last()).toMatchObject({ text: expect.stringMatching(OTHERS_CANCELLED) });
  expect(world.last()).not.toHaveProperty('appointmentId');
});

test('P4: typed over with a mistake, a row of a cancelled appointment is told of the mistake only, and booked when it is mended', async () => {
  const world = await start();
  await world.row();
  await world.row({}, { cancel: true });
  await world.row({ ...BORIS, service: 'no such' });
  expect(world.last()).toEqual({ state: 'refused', text: 'Not booked: there is no service of this name.' });
  await world.row({ ...BORIS, starts_at: TUESDAY_12 });
  expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_12}`]);
});

test('P4: a row whose cells are taken out goes on showing its appointment', async () => {
  const world = await start();
  await world.row();
  await world.row({ starts_at: '', service: '', name: '', phone: '' });
  expect(world.last()).toMatchObject({ appointmentId: await ONLY_ID(world) });
  expect(world.last()?.text).toMatch(/^Booked\./);
});

test('P7: nor when the customer is changed bit by bit', async () => {
  const world = await start();
  await world.row();
  await world.row({ name: BORIS.name });
  await world.row({ name: BORIS.name, starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  await world.row({ ...BORIS, starts_at: TUESDAY_12 });
  await world.row({ ...BORIS, starts_at: TUESDAY_14 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  expect(world.last()?.text).toMatch(/another customer/);
});

test('P7: nor after Redis was lost: the platform tells for whom the appointment is', async () => {
  const world = await start();
  await world.row();
  const id = await ONLY_ID(world);
  await world.store.redis.flushall();
  await world.row(BORIS, { known_appointment: id, cancel: true });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  await world.row({ name: 'Vera O.' }, { known_appointment: id, cancel: true });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`]);
});

test('the cancel column cancels, and a row that disappears does not (case 65)', async () => {
  const world = await start();
  await world.row();
  await world.row({}, { state: 'gone' });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  await world.row({}, { cancel: true });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ state: 'cancelled', text: 'Cancelled.' });
});

test('a row shows what happened to its appointment on the platform', async () => {
  const world = await start();
  await world.row();
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_12, notify: false });
  await world.markDirty();
  await world.turn();
  expect(world.last()).toMatchObject({ state: 'booked', startsAt: TUESDAY_12 });
  world.dashboard.cancel(id, { notify: false });
  await world.markDirty();
  await world.turn();
  expect(world.last()).toMatchObject({ state: 'cancelled' });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_12}`]);
});

test('Redis is lost: a row that names its appointment books no second one, also when that was cancelled', async () => {
  const world = await start();
  await world.row();
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.cancel(id, { notify: false });
  await world.store.redis.flushall();
  await world.row({}, { known_appointment: id });
  expect(world.appointments()).toHaveLength(1);
});

const UNSURE = /^Booked\. Not moved: this row differs from its appointment/;

test('P1: Redis is lost, and later changes of a row that was found again are carried', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const known_appointment = await ONLY_ID(world);
  await world.store.redis.flushall();
  await world.row({ resource: 'Anna' }, { known_appointment });
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_10 });
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  await world.row({ resource: 'Boris', starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.platform.sandbox.truth.appointments()[0]?.['resource_id']).toBe(world.platform.borisId);
  await world.row({ resource: 'Boris', starts_at: TUESDAY_12 }, { known_appointment, cancel: true });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_12}`]);
  await world.row({ resource: 'Boris', starts_at: TUESDAY_14 }, { known_appointment });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_12}`, `confirmed ${TUESDAY_14}`]);
});

test('P1: so are those of a row that was not ready when it was found again', async () => {
  const world = await start();
  await world.row();
  const known_appointment = await ONLY_ID(world);
  await world.store.redis.flushall();
  await world.row({}, { known_appointment, ready: false });
  await world.row({ starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
});

test.each([true, false])(
  'P7: its hour was changed while Redis was lost: nothing is moved, and the row asks (it names its appointment: %s)',
  async (isNamed) => {
    const world = await start();
    await world.row();
    const id = await ONLY_ID(world);
    const more = isNamed ? { known_appointment: id } : {};
    await world.store.redis.flushall();
    await world.row({ starts_at: TUESDAY_12 }, more);
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
    expect(world.last()).toMatchObject({ startsAt: TUESDAY_10, text: expect.stringMatching(UNSURE) });
    expect((await acts(world)).at(-1)).toMatchObject({ code: 'not-carried', reason: 'differs' });
    // A comment is no answer.
    await world.row({ starts_at: TUESDAY_12, comment: 'window seat' }, more);
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
    // Another hour is one.
    await world.row({ starts_at: TUESDAY_14, comment: 'window seat' }, more);
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
    expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_14 });
  },
);

test('P7: so it is with an hour that the platform had changed before: with the hour of the appointment the row asks no more', async () => {
  const world = await start();
  await world.row();
  const known_appointment = await ONLY_ID(world);
  world.dashboard.reschedule(known_appointment, { startsAt: TUESDAY_12, notify: false });
  await world.store.redis.flushall();
  await world.row({}, { known_appointment });
  expect(world.last()).toMatchObject({ startsAt: TUESDAY_12, text: expect.stringMatching(UNSURE) });
  await world.row({ starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.last()).toMatchObject({ startsAt: TUESDAY_12, text: 'Booked.' });
  await world.row({}, { known_appointment });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
});

test('P7: a person in the row that is not the one of the appointment moves nothing after a loss of Redis, and is asked about', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const known_appointment = await ONLY_ID(world);
  await world.store.redis.flushall();
  await world.row({ resource: 'Boris' }, { known_appointment });
  expect(world.platform.sandbox.truth.appointments()[0]?.['resource_id']).toBe(world.platform.annaId);
  expect(world.last()?.text).toMatch(UNSURE);
  await world.row({ resource: 'Boris', comment: 'window seat' }, { known_appointment });
  expect(world.platform.sandbox.truth.appointments()[0]?.['resource_id']).toBe(world.platform.annaId);
});

test('P7: after a loss of Redis another hour in the row of a cancelled appointment books nothing, and is asked about', async () => {
  const world = await start();
  await world.row();
  const known_appointment = await ONLY_ID(world);
  world.dashboard.cancel(known_appointment, { notify: false });
  await world.store.redis.flushall();
  await world.row({ starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`]);
  expect(world.last()?.text).toMatch(/^Cancelled\. Not booked again: .* NEW/);
  await world.row({ starts_at: TUESDAY_14 }, { known_appointment });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_14}`]);
});

test('P7: a row of another customer stays one, also when Redis was lost before its hour is changed', async () => {
  const world = await start();
  await world.row();
  const known_appointment = await ONLY_ID(world);
  await world.store.redis.flushall();
  await world.row(BORIS, { known_appointment });
  await world.row({ ...BORIS, starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  await world.row({ starts_at: TUESDAY_10 }, { known_appointment });
  await world.row({ starts_at: TUESDAY_12 }, { known_appointment });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
});

test('P3: nothing is asked of rows whose appointment is over', async () => {
  const world = await start();
  await world.row();
  const known_appointment = await ONLY_ID(world);
  world.dashboard.reschedule(known_appointment, { startsAt: TUESDAY_12, notify: false });
  world.clock.advance(Date.parse(TUESDAY_14) - world.clock.now());
  await world.store.redis.flushall();
  await world.row({}, { known_appointment });
  expect(world.last()).toMatchObject({ startsAt: TUESDAY_12, text: 'Booked.' });
});

test.each(
  rowsOf(
    [
      [{ service: 'Shave' }, /no service of this name/],
      [{ starts_at: '' }, /please give day and time/],
      [{ resource: 'Zoe' }, /no person or room has this name/],
      [{ phone: '' }, /give the phone number/],
    ],
    3,
  ),
)('a row that cannot be understood says what to mend: %o', async (cells, said) => {
  const world = await start();
  await world.row(cells);
  expect(world.appointments()).toEqual([]);
  expect(world.last()).toMatchObject({ state: 'refused', text: expect.stringMatching(said) });
  await world.row();
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
});

test('a service that was made a moment ago is booked', async () => {
  const world = await start();
  const { dashboard, platform } = world;
  const { projectId, annaId } = platform;
  // The lists were read at the start.
  world.clock.advance(60_000);
  dashboard.createService({ projectId, name: 'Shave', resourceIds: [annaId] });
  await world.row({ service: 'shave' });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
});

test('a row that was refused for a name is booked when the platform has it, and nobody has to touch the row', async () => {
  const world = await start();
  await world.row({ service: 'Shave' });
  expect(world.last()).toMatchObject({ state: 'refused' });
  const { dashboard, platform, clock } = world;
  dashboard.createService({ projectId: platform.projectId, name: 'Shave', resourceIds: [platform.annaId] });
  clock.advance(5 * 60_000);
  await world.directory.refresh();
  expect(await world.due()).toBe(1);
  await world.turn();
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ state: 'booked' });
});

const ONLY_ID = async (world: Awaited<ReturnType<typeof start>>) =>
  String(world.platform.sandbox.truth.appointments()[0]?.['id']);

const cancelFirst = async (world: Awaited<ReturnType<typeof start>>) => {
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.cancel(id, { notify: false });
  await world.markDirty();
  await world.turn();
};

test('a comment typed in the row of a cancelled appointment books nothing', async () => {
  const world = await start();
  await world.row();
  await cancelFirst(world);
  await world.row({ comment: 'called off by phone' });
  await world.row({ comment: 'called off by phone', guests: '2' });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ state: 'cancelled', text: 'Cancelled.' });
});

test('nor does one where the row had lost another hour to the platform before', async () => {
  const world = await start();
  await world.row();
  const id = await ONLY_ID(world);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_14, notify: false });
  await world.row({ starts_at: TUESDAY_12 });
  await cancelFirst(world);
  await world.row({ starts_at: TUESDAY_12, comment: 'called off by phone' });
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_14}`]);
});

test.each([
  ['a comment', { comment: 'called off by phone' }, {}],
  ['a cancel tick that is removed again', {}, { cancel: true }],
])(
  'after an hour was refused and became free, %s in the row of its appointment books nothing',
  async (_, cells, more) => {
    const world = await start();
    await world.row({ resource: 'Anna' });
    const { serviceId, annaId: resourceId } = world.platform;
    world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
    const typed = { resource: 'Anna', starts_at: TUESDAY_12 };
    await world.row(typed);
    expect(world.last()).toMatchObject({ text: expect.stringContaining('already taken') });
    for (const { id } of world.platform.sandbox.truth.appointments())
      world.dashboard.cancel(String(id), { notify: false });
    await world.row({ ...typed, ...cells }, more);
    await world.row({ ...typed, ...cells });
    expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`, `cancelled ${TUESDAY_12}`]);
    await world.row({ ...typed, ...cells, starts_at: TUESDAY_14 });
    expect(world.appointments()).toContain(`confirmed ${TUESDAY_14}`);
  },
);

test.each([
  ['another hour', { starts_at: TUESDAY_12 }],
  ['another resource', { starts_at: TUESDAY_10, resource: 'Boris' }],
  ['another customer', { starts_at: TUESDAY_10, name: 'Olga', phone: '8 495 000-11-02' }],
])('%s in the row of a cancelled appointment is a new wish', async (_, cells) => {
  const world = await start();
  await world.row();
  await cancelFirst(world);
  await world.row(cells);
  expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${cells.starts_at}`]);
});

test('ticking a row of a cancelled appointment as ready again books it once more', async () => {
  const world = await start();
  await world.row();
  await cancelFirst(world);
  await world.row({}, { ready: false });
  await world.turn();
  expect(world.appointments()).toEqual([`cancelled ${TUESDAY_10}`]);
  await world.row({}, { ready: true });
  expect(world.appointments()).toHaveLength(2);
  await world.row({ comment: 'after all' }, { ready: true });
  expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_10}`]);
  await world.row({}, { cancel: true });
  await world.row({ comment: 'after all' });
  expect(world.appointments()).toHaveLength(2);
});

/** A row that rents a room by the interval, for the length that somebody typed. */
async function rented(duration: string) {
  const world = await start({ duration: '{{ duration | duration }}' });
  const { projectId, annaId } = world.platform;
  world.dashboard.createService({
    ...{ projectId, name: 'Room', resourceIds: [annaId], bookingMode: 'interval' },
    ...{ minDurationMin: 30, maxDurationMin: 180, durationStepMin: 30 },
  });
  await world.directory.refresh();
  await world.row({ service: 'Room', duration });
  return world;
}

test.each(
  rowsOf(
    [
      ['1h 30m', 90],
      ['90', 90],
    ],
    2,
  ),
)('case 58: a room is rented for the length that the row gives: %s', async (duration, minutes) => {
  const world = await rented(duration);
  const [made] = world.platform.sandbox.truth.appointments();
  expect(Date.parse(String(made?.['ends_at'])) - Date.parse(String(made?.['starts_at']))).toBe(
    minutes * 60_000,
  );
});

test.each(
  rowsOf(
    [
      ['1h 3', /give the length in whole minutes/],
      ['90 mi', /give the length in whole minutes/],
      ['', /cannot be booked for this length/],
    ],
    2,
  ),
)('a length that is %o is asked for', async (duration, said) => {
  const world = await rented(duration);
  expect(world.appointments()).toEqual([]);
  expect(world.last()).toMatchObject({ state: 'refused', text: expect.stringMatching(said) });
});

test('after a cancellation, the row says why its new wish was refused, until the row is corrected', async () => {
  const world = await rented('60');
  await cancelFirst(world);
  await world.row({ service: 'Room', duration: '60' }, { ready: false });
  await world.row({ service: 'Room', duration: '600' });
  const refused = { state: 'refused', text: expect.stringContaining('cannot be booked for this length') };
  expect(world.last()).toMatchObject(refused);
  await world.markDirty();
  await world.turn();
  expect(world.last()).toMatchObject(refused);
  await world.row({ service: 'Room', duration: '120' });
  expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ state: 'booked' });
});

const acts = async (world: Awaited<ReturnType<typeof start>>) =>
  (await world.store.history.of('booking/r1')).flatMap((entry) =>
    entry.what === 'acted' ? [{ code: entry.code, ...entry.ids }] : [],
  );

test('moved on both sides, the platform wins: the row says so once, and is not asked again until it says another hour', async () => {
  const world = await start();
  await world.row();
  const id = await ONLY_ID(world);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_14, notify: false });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
  expect(world.last()).toMatchObject({
    startsAt: TUESDAY_14,
    text: 'Booked. Not moved: the appointment was moved in the booking system in the meantime.',
  });
  expect((await acts(world)).at(-1)).toMatchObject({
    ...{ code: 'not-carried', reason: 'moved-meanwhile', lost: TUESDAY_12 },
  });
  // A comment is no new wish for the hour that lost; nor is the hour before it, which nobody has now.
  await world.row({ starts_at: TUESDAY_12, comment: 'window seat' });
  await world.row({ starts_at: TUESDAY_10 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
  world.clock.advance(120_000);
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_12 });
});

test('the platform wins also when the row was told a moment before somebody was seen to have typed', async () => {
  const world = await start();
  await world.row();
  world.dashboard.reschedule(await ONLY_ID(world), { startsAt: TUESDAY_14, notify: false });
  await world.markDirty();
  await world.turn();
  expect(world.last()).toMatchObject({ startsAt: TUESDAY_14 });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
});

test.each(
  rowsOf(
    [
      ['an hour that lost', { starts_at: TUESDAY_12 }],
      ['a comment', { comment: 'window seat' }],
    ],
    2,
  ),
)('the platform wins also when the row was told a moment before, in the answer to %s', async (_, cells) => {
  const world = await start();
  await world.row();
  world.dashboard.reschedule(await ONLY_ID(world), { startsAt: TUESDAY_14, notify: false });
  await world.row(cells);
  expect(world.last()).toMatchObject({ startsAt: TUESDAY_14 });
  await world.row({ ...cells, starts_at: '2026-03-03T08:00:00.000Z' });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
  world.clock.advance(120_000);
  await world.row({ ...cells, starts_at: '2026-03-03T08:15:00.000Z' });
  expect(world.appointments()).toEqual(['confirmed 2026-03-03T08:15:00.000Z']);
});

test('an hour typed long after the row showed the platform’s hour moves the appointment', async () => {
  const world = await start();
  await world.row();
  world.dashboard.reschedule(await ONLY_ID(world), { startsAt: TUESDAY_14, notify: false });
  await world.markDirty();
  await world.turn();
  world.clock.advance(120_000);
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
});

test('a refused hour is tried again when the row changes; until then the appointment keeps its hour', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const { serviceId, annaId: resourceId } = world.platform;
  const other = world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12 });
  world.dashboard.cancel(String(other), { notify: false });
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12, comment: 'is free now' });
  expect(world.appointments()).toContain(`confirmed ${TUESDAY_12}`);
});

test('after a refused hour, an appointment that the platform moves stays there until the row says another hour', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const id = await ONLY_ID(world);
  const { serviceId, annaId: resourceId } = world.platform;
  const other = world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12 });
  world.dashboard.cancel(String(other), { notify: false });
  world.dashboard.reschedule(id, { startsAt: TUESDAY_14, notify: false });
  await world.markDirty();
  await world.turn();
  world.clock.advance(120_000);
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12, comment: 'window seat' });
  expect(world.appointments()).toContain(`confirmed ${TUESDAY_14}`);
  await world.row({ resource: 'Anna', starts_at: '2026-03-03T08:00:00.000Z', comment: 'window seat' });
  expect(world.appointments()).toContain('confirmed 2026-03-03T08:00:00.000Z');
});

test('conflict: staff, and the row wins: the platform’s move is named', async () => {
  const world = await start({ conflict: 'staff' });
  await world.row();
  world.dashboard.reschedule(await ONLY_ID(world), { startsAt: TUESDAY_14, notify: false });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  expect(world.last()?.text).toBe(
    'Booked. The appointment had been moved in the booking system in the meantime; the time of this row counts.',
  );
  expect((await acts(world)).at(-1)).toMatchObject({
    ...{ code: 'moved', reason: 'platform-overruled', lost: TUESDAY_14 },
  });
});

test.each([
  ['the platform before the row', 0, TUESDAY_12],
  ['the row before the platform', 60_000, TUESDAY_14],
])('conflict: latest, and %s: the later one stands', async (_, rowSeenBeforeMs, stands) => {
  const world = await start({ conflict: 'latest' });
  await world.row();
  world.clock.advance(120_000);
  world.dashboard.reschedule(await ONLY_ID(world), { startsAt: TUESDAY_14, notify: false });
  const seenAtMs = world.clock.now() + 1_000 - rowSeenBeforeMs;
  await world.row({ starts_at: TUESDAY_12 }, { seen_at: new Date(seenAtMs).toISOString() });
  expect(world.appointments()).toEqual([`confirmed ${stands}`]);
});

test.each(rowsOf(['platform', 'staff', 'latest'] as const, 2))(
  'conflict: %s. If the platform cancels the appointment of a row that says another hour, the row is booked again',
  async (conflict) => {
    const world = await start(conflict === 'platform' ? {} : { conflict });
    await world.row();
    world.dashboard.cancel(await ONLY_ID(world), { notify: false });
    await world.row({ starts_at: TUESDAY_12 });
    expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_12}`]);
  },
);

test('it is no conflict when both sides move the appointment to the same hour', async () => {
  const world = await start();
  await world.row();
  world.dashboard.reschedule(await ONLY_ID(world), { startsAt: TUESDAY_12, notify: false });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_12 });
});

test('the customer whose contact id stands in the row is booked, with the name and e-mail of the CRM (case 25)', async () => {
  const world = await start({
    customer: {
      contactId: '{{ contact_id }}',
      name: '{{ name }}',
      phone: '{{ phone | phone }}',
      create: true,
    },
  });
  const { projectId } = world.platform;
  const contact = { projectId, name: 'Olga Ivanova', phone: '+74950001107', email: 'olga@example.com' };
  const contactId = world.dashboard.createContact(contact);
  await world.row({ contact_id: contactId.toUpperCase(), name: 'Olya', phone: '' });
  expect(world.platform.sandbox.truth.appointments()).toMatchObject([{ contact_id: contactId }]);
  expect(world.platform.sandbox.truth.contacts()).toMatchObject([
    { name: 'Olga Ivanova', email: 'olga@example.com' },
  ]);
});

test.each(
  rowsOf(
    [
      ['Olga', /no id of a customer/],
      ['00000000-0000-4000-8000-00000000000', /no id of a customer/],
      ['00000000-0000-4000-8000-000000000000', /card was not found/],
    ],
    2,
  ),
)('a contact id %s is refused in words, whatever phone stands beside it', async (contact_id, said) => {
  const world = await start({
    customer: { contactId: '{{ contact_id }}', phone: '{{ phone | phone }}', create: true },
  });
  await world.row({ contact_id });
  expect(world.appointments()).toEqual([]);
  expect(world.last()).toMatchObject({ state: 'refused', text: expect.stringMatching(said) });
  expect(world.platform.sandbox.truth.contacts()).toEqual([]);
});

/** What the platform's document leaves open about lengths. */
test.each(
  rowsOf(
    (['minimum', 'validation'] as const).flatMap((durationAbsentOnInterval) =>
      (['validation', 'ignored'] as const).map((durationOnFixed) => ({
        durationAbsentOnInterval,
        durationOnFixed,
      })),
    ),
    3,
  ),
)(
  'a length in the row is sent for rentals only, and a rental without one is asked for it: %o',
  async (switches) => {
    const world = await start({ duration: '{{ duration | duration }}' }, switches);
    const { projectId, annaId } = world.platform;
    world.dashboard.createService({
      ...{ projectId, name: 'Room', resourceIds: [annaId], bookingMode: 'interval' },
      ...{ minDurationMin: 30, maxDurationMin: 180, durationStepMin: 30 },
    });
    await world.directory.refresh();
    await world.row({ service: 'Room', duration: '' });
    expect(world.last()).toMatchObject({ state: 'refused' });
    expect(world.appointments()).toEqual([]);
    await world.row({ service: 'Room', duration: '90 min' });
    const [room] = world.platform.sandbox.truth.appointments();
    expect(Date.parse(String(room?.['ends_at'])) - Date.parse(String(room?.['starts_at']))).toBe(90 * 60_000);
  },
);

test.each(rowsOf(['validation', 'ignored'] as const, 2))(
  'a service of fixed length is booked, whatever length stands in the row (the platform: %s)',
  async (durationOnFixed) => {
    const world = await start({ duration: '{{ duration | duration }}' }, { durationOnFixed });
    await world.row({ duration: '90 min' });
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  },
);

type Act =
  | { readonly act: 'types'; readonly cells: Readonly<Record<string, string>> }
  | { readonly act: 'dies' | 'staff-moves' | 'nudged' | 'cancels' | 'unticks' };

const ROW_ACTS: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('types' as const),
      cells: fc.record({
        starts_at: fc.constantFrom(TUESDAY_10, TUESDAY_12, TUESDAY_14),
        comment: fc.constantFrom('', 'window seat'),
      }),
    }),
    fc.record({
      act: fc.constantFrom('dies', 'staff-moves', 'nudged', 'cancels', 'unticks'),
    }) as fc.Arbitrary<Act>,
  ),
  { minLength: 2, maxLength: 10 },
);

test('a row has one appointment whatever is typed, moved and killed meanwhile, and none after it requests cancellation', async () => {
  await fc.assert(
    fc.asyncProperty(ROW_ACTS, fc.constantFrom(undefined, 'staff', 'latest'), async (script, conflict) => {
      const world = await start(conflict === undefined ? {} : { conflict: conflict as 'staff' | 'latest' });
      const live = () =>
        world.appointments().filter((appointment) => !appointment.startsWith('cancelled')).length;
      let cells: Readonly<Record<string, string>> = {};
      let hasCancelled = false;
      // Killed with its first appointment in its hands.
      world.doom.isNear = true;
      await world.row(cells);
      world.doom.isNear = false;
      await world.row({ comment: 'window seat' });
      await world.turn();
      expect(live()).toBe(1);
      for (const step of script) {
        if (step.act === 'types') cells = step.cells;
        if (step.act === 'cancels') hasCancelled = true;
        const appointment = world.platform.sandbox.truth
          .appointments()
          .find(({ status }) => status !== 'cancelled');
        if (step.act === 'staff-moves' && appointment !== undefined)
          world.dashboard.reschedule(String(appointment['id']), {
            startsAt: '2026-03-03T13:00:00.000Z',
            notify: false,
          });
        world.doom.isNear = step.act === 'dies';
        if (step.act === 'nudged') await world.markDirty();
        else await world.row(cells, { ready: step.act !== 'unticks', cancel: step.act === 'cancels' });
        world.doom.isNear = false;
        world.clock.advance(1_000);
        await world.turn();
        expect(live()).toBeLessThanOrEqual(1);
        if (step.act === 'cancels') expect(live()).toBe(0);
        if (!hasCancelled) expect(live()).toBe(1);
      }
      for (const close of closers.splice(0)) close();
      await platforms.close();
    }),
    { numRuns: runsOf(40) },
  );
});

const NOT_FOR_THIS_CUSTOMER = /^Not booked for this customer: .* for another customer/;

test('P7: after a loss of Redis, a row that was typed over and does not name its appointment neither owns, moves nor cancels it', async () => {
  const world = await start();
  await world.row();
  await world.store.redis.flushall();
  await world.row(BORIS);
  expect(world.last()).toMatchObject({ text: expect.stringMatching(NOT_FOR_THIS_CUSTOMER) });
  await world.row({ ...BORIS, starts_at: TUESDAY_12 });
  await world.row(BORIS, { cancel: true });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ text: expect.stringMatching(NOT_FOR_THIS_CUSTOMER) });
  await world.row();
  await world.row({ starts_at: TUESDAY_14 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
});

test('P7: after a loss of Redis, a row that does not name its appointment and now names another person asks', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  await world.store.redis.flushall();
  await world.row({ resource: 'Boris' });
  expect(world.last()?.text).toMatch(UNSURE);
  expect(world.platform.sandbox.truth.appointments()[0]?.['resource_id']).toBe(world.platform.annaId);
});

test('P1: after a loss of Redis, later changes of a row that did not name its appointment are carried', async () => {
  const world = await start();
  await world.row();
  await world.store.redis.flushall();
  await world.row();
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_10 });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
});

test('P7: after a loss of Redis, if the platform fails while a typed-over row is looked up, its appointment stays the first customer’s', async () => {
  const world = await start();
  await world.row();
  const known_appointment = await ONLY_ID(world);
  await world.store.redis.flushall();
  const fault = { kind: 'status', status: 503 } as const;
  world.platform.sandbox.faults.add({ method: 'GET', path: /^\/v1\/appointments\?/, times: 1, fault });
  await world.row(BORIS);
  world.clock.advance(60_000);
  await world.row(BORIS, { known_appointment, cancel: true });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ text: expect.stringMatching(NOT_FOR_THIS_CUSTOMER) });
});

test.each([0, 1])(
  'P7: a row that is booked again around a death and then typed over cancels no appointment (the platform fails %i times)',
  async (times) => {
    const world = await start();
    await world.row();
    world.dashboard.cancel(await ONLY_ID(world), { notify: false });
    world.doom.isNear = true;
    await world.row({ starts_at: TUESDAY_12 });
    world.doom.isNear = false;
    if (times > 0) {
      const fault = { kind: 'status', status: 503 } as const;
      world.platform.sandbox.faults.add({ method: 'GET', path: /^\/v1\/appointments\//, times, fault });
    }
    const boris = { ...BORIS, starts_at: TUESDAY_12 };
    await world.row(boris);
    world.clock.advance(60_000);
    await world.row(boris);
    expect(world.last()).toMatchObject({ text: expect.stringMatching(NOT_FOR_THIS_CUSTOMER) });
    await world.row(boris, { cancel: true });
    expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_12}`]);
    await world.row({ starts_at: TUESDAY_14 });
    expect(world.appointments().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_14}`]);
  },
);

const UNANSWERED = { method: 'POST', times: 1, fault: { kind: 'status', status: 503 } } as const;

test.each(['arrived', 'confirmed'] as const)(
  'P7: a tick that is removed before the platform answers again cancels nothing, even if the appointment is %s (case 48)',
  async (status) => {
    const world = await start({ notifyCustomer: true });
    await world.row();
    const [made] = world.platform.sandbox.truth.appointments();
    const mails = world.platform.sandbox.truth.customerMails().length;
    world.platform.sandbox.faults.add({ ...UNANSWERED, path: /cancel$/ });
    await world.row({}, { cancel: true });
    if (status === 'arrived') world.dashboard.markAppointment(String(made?.['id']), status);
    world.clock.advance(3_600_000);
    await world.row();
    await world.turn();
    expect(world.appointments()).toEqual([`${status} ${TUESDAY_10}`]);
    expect(world.platform.sandbox.truth.customerMails()).toHaveLength(mails);
    expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_10 });
    expect((await world.store.intents.read(rowOrigin('r1')))?.open).toBeUndefined();
  },
);

test('P7: a tick that is still there when the appointment has begun cancels nothing, and the row says so (case 48)', async () => {
  const world = await start();
  await world.row();
  world.platform.sandbox.faults.add({ ...UNANSWERED, path: /cancel$/ });
  await world.row({}, { cancel: true });
  world.clock.advance(Date.parse(TUESDAY_10) - world.clock.now());
  await world.turn();
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()?.text).toMatch(/^Booked\. Not cancelled: this appointment can no longer/);
});

test.each([
  ['is no longer ready', { ready: false }],
  ['is deleted', { state: 'gone' }],
  ['is cancelled there', { cancel: true }],
] as const)('P4: a row that %s by the time the platform answers again is not booked', async (_, more) => {
  const world = await start();
  world.platform.sandbox.faults.add({ ...UNANSWERED, path: /appointments$/ });
  await world.row();
  world.clock.advance(1_800_000);
  await world.row({}, more);
  await world.markDirty();
  await world.turn();
  expect(world.appointments()).toEqual([]);
  // Marked as ready again, the row is a wish again.
  await world.row();
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
});

test('P4: a row that has another customer by the time the platform answers again is booked only for that customer', async () => {
  const world = await start();
  world.platform.sandbox.faults.add({ ...UNANSWERED, path: /appointments$/ });
  await world.row();
  world.clock.advance(1_800_000);
  await world.row(BORIS);
  expect(world.platform.sandbox.truth.appointments()).toMatchObject([{ customer_phone: '+74950001109' }]);
});

test.each([
  ['immediately', 0],
  ['hours later', 7_200_000],
])(
  'P4: if the platform books %s although the row was taken back, the row says so, and nothing is cancelled',
  async (_, laterMs) => {
    const world = await start();
    world.platform.sandbox.faults.add({ ...UNANSWERED, path: /appointments$/ });
    await world.row();
    const open = (await world.store.intents.read(rowOrigin('r1')))?.open;
    world.clock.advance(laterMs);
    await world.row({}, { ready: false });
    expect(world.answers).toHaveLength(laterMs === 0 ? 0 : 1);
    const writer = createPlatformWriter(world.platform.client());
    await writer.create({ body: String(open?.body), idempotencyKey: String(open?.key) });
    // The waker of rows does this when the platform reports the appointment.
    await world.markDirty();
    await world.turn();
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
    expect(world.last()).toMatchObject({ state: 'booked', startsAt: TUESDAY_10 });
  },
);

/** The platform performs the open request, whose answer was lost. */
async function performLate(world: Awaited<ReturnType<typeof start>>): Promise<void> {
  const open = (await world.store.intents.read(rowOrigin('r1')))?.open;
  const request = { body: String(open?.body), idempotencyKey: String(open?.key) };
  const writer = createPlatformWriter(world.platform.client());
  if (open?.op === 'book') await writer.create(request);
  else await writer.reschedule(await ONLY_ID(world), request);
}

test.each(['platform', 'latest'] as const)(
  'P4: a row whose hour is changed twice gets its last hour, although the platform performs the first move late (conflict: %s)',
  async (conflict) => {
    const world = await start({ ...(conflict === 'latest' && { conflict }) });
    await world.row();
    world.platform.sandbox.faults.add({ ...UNANSWERED, path: /reschedule$/ });
    await world.row({ starts_at: TUESDAY_12 });
    await world.row({ starts_at: TUESDAY_14 });
    await performLate(world);
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_12}`]);
    world.clock.advance(60_000);
    await world.turn();
    expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
    expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_14 });
  },
);

test('P4: a row whose hour is changed twice gets its last hour around a death, although the platform performs the first move late', async () => {
  const world = await start();
  await world.row();
  world.platform.sandbox.faults.add({ ...UNANSWERED, path: /reschedule$/ });
  await world.row({ starts_at: TUESDAY_12 });
  await world.row({ starts_at: TUESDAY_14 });
  await performLate(world);
  world.clock.advance(60_000);
  world.doom.isNear = true;
  await world.turn();
  expect((await world.store.intents.read(rowOrigin('r1')))?.open).toBeUndefined();
  world.doom.isNear = false;
  world.clock.advance(60_000);
  await world.turn();
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_14}`]);
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_14 });
});

test('P7: a row that is typed over for another customer does not cancel what the platform books late for the first one', async () => {
  const world = await start();
  world.platform.sandbox.faults.add({ ...UNANSWERED, path: /appointments$/ });
  await world.row();
  const boris = { ...BORIS, starts_at: TUESDAY_12 };
  await world.row(boris);
  await performLate(world);
  world.clock.advance(60_000);
  world.doom.isNear = true;
  await world.turn();
  expect((await world.store.intents.read(rowOrigin('r1')))?.open).toBeUndefined();
  world.doom.isNear = false;
  world.clock.advance(60_000);
  await world.row(boris, { cancel: true });
  expect(world.appointments()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ text: expect.stringMatching(NOT_FOR_THIS_CUSTOMER) });
});
