/** What becomes of the rows of an intake sheet, over the platform's sandbox and Redis; the sheet itself is a double that keeps answers. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createBookingTarget } from '../../../src/bookings/outside/target.ts';
import { createBookingDesk } from '../../../src/bookings/push/desk.ts';
import { formatKey } from '../../../src/domain/entity.ts';
import { rowOrigin } from '../../../src/domain/origin.ts';
import type { BookingAnswer, SeenRowBooking, SheetBookings } from '../../../src/domain/outside-booking.ts';
import { contentHash, type Snapshot } from '../../../src/domain/snapshot.ts';
import { reconcile } from '../../../src/mirrors/reconcile.ts';
import { createBookingTemplates } from '../../../src/mirrors/render/booking-templates.ts';
import { createCustomerCards, createPlatformWriter } from '../../../src/platform/writer.ts';
import { KeptLog, KeptMeter } from '../../doubles/listener.ts';
import { SandboxStands } from '../../platform/sandbox-stand.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
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

async function start(rules: Partial<SheetBookings> = {}) {
  const platform = await platforms.start({ rateLimitPerMinute: 1_000_000 });
  const { clock, sandbox, dashboard } = platform;
  const client = platform.client();
  const directory = await client.reader.directory();
  const store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  closers.push(() => store.close());
  const mapping: SheetBookings = {
    kind: 'sheet',
    name: 'front-desk',
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
    directory: { current: () => directory },
    clock,
    log: new KeptLog(),
    meter: new KeptMeter(),
  };
  const desk = createBookingDesk({
    ...{ ...shared, writer: createPlatformWriter(client), cards: createCustomerCards(client) },
    ...{ intents: store.intents, leases: store.leases },
  });
  const target = createBookingTarget({
    ...{ ...shared, mapping, reader: client.reader, view: store.ledger, links: store.links },
    ...{ history: store.history, intake: store.intake, resourceAt: () => undefined },
    guard: {
      assertNoLoop: async () => undefined,
      assertMayMail: async () => undefined,
      deletionWaits: async () => 0,
      deletionUndone: async () => undefined,
      deletionDecided: async () => undefined,
      assertNoMassDeletion: async () => undefined,
    },
    desk: {
      ...{ finish: (from) => desk.finish(from), made: (from) => desk.made(from) },
      async submit(from, wish) {
        const verdict = await desk.submit(from, wish);
        if (doom.isNear) throw new Error('killed with the verdict in its hands');
        return verdict;
      },
    },
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
    ...{ platform, dashboard, clock, store, answers, doom },
    /** The row as it stands now is seen, and looked at. */
    async row(cells: Record<string, string> = {}, more: Partial<SeenRowBooking> = {}): Promise<void> {
      clock.advance(1_000);
      const { starts_at = TUESDAY_10, ...typed } = cells;
      const snapshot: SeenRowBooking = {
        ...{ id: key.id, origin, mapping: 'front-desk', place: 'row', state: 'live' },
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
          ...{ work: store.work, reader: client.reader, targets: [target], history: store.history },
          wayBack: { carry: async (claim) => ({ claim, failures: [] }) },
        },
        formatKey(key),
        { number: 1, isLast: false },
      ),
    nudge: () => store.nudges.nudge([key], { read: false }),
    visits: () =>
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

test('case 66: a row that is not ready is let be', async () => {
  const world = await start();
  await world.row({}, { ready: false });
  expect(world.visits()).toEqual([]);
  expect(world.answers).toEqual([]);
});

test('a row with another time moves its visit; the same row again costs nothing', async () => {
  const world = await start();
  await world.row();
  await world.row({ starts_at: TUESDAY_12 });
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.visits()).toEqual([`confirmed ${TUESDAY_12}`]);
  expect(world.answers.map(({ startsAt }) => startsAt)).toEqual([TUESDAY_10, TUESDAY_12]);
});

test('there and back again around a death: the visit is where the row says', async () => {
  const world = await start();
  await world.row();
  world.doom.isNear = true;
  await world.row({ starts_at: TUESDAY_12 });
  expect(world.visits()).toEqual([`confirmed ${TUESDAY_12}`]);
  world.doom.isNear = false;
  await world.row();
  await world.turn();
  expect(world.visits()).toEqual([`confirmed ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ text: 'Booked.', startsAt: TUESDAY_10 });
});

test('a new wish after a cancellation, changed around a death: one visit, where the row says', async () => {
  const world = await start();
  await world.row();
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.cancel(id, { notify: false });
  world.doom.isNear = true;
  await world.row({ starts_at: TUESDAY_12 });
  world.doom.isNear = false;
  await world.row({ starts_at: TUESDAY_14 });
  await world.turn();
  expect(world.visits().sort()).toEqual([`cancelled ${TUESDAY_10}`, `confirmed ${TUESDAY_14}`]);
});

test('a move into a taken hour is refused in the row, and the visit stays', async () => {
  const world = await start();
  await world.row({ resource: 'Anna' });
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TUESDAY_12, notify: false });
  await world.row({ resource: 'Anna', starts_at: TUESDAY_12 });
  expect(world.visits()[0]).toBe(`confirmed ${TUESDAY_10}`);
  expect(world.last()?.text).toMatch(
    /^Booked\. Not possible: this time is already taken\.\nNearest free times:/,
  );
});

test('another resource in the row leaves the hour alone that the platform has given the visit since', async () => {
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
  await world.row({ comment: 'first visit' });
  await world.turn();
  expect(world.answers).toHaveLength(2);
  expect(world.last()?.text).toMatch(/^Booked\. Only time and resource can be changed here\./);
});

test('the cancel column cancels, and a row that disappears does not (case 65)', async () => {
  const world = await start();
  await world.row();
  await world.row({}, { state: 'gone' });
  expect(world.visits()).toEqual([`confirmed ${TUESDAY_10}`]);
  await world.row({}, { cancel: true });
  expect(world.visits()).toEqual([`cancelled ${TUESDAY_10}`]);
  expect(world.last()).toMatchObject({ state: 'cancelled', text: 'Cancelled.' });
});

test('a row shows what became of its visit on the platform', async () => {
  const world = await start();
  await world.row();
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.reschedule(id, { startsAt: TUESDAY_12, notify: false });
  await world.nudge();
  await world.turn();
  expect(world.last()).toMatchObject({ state: 'booked', startsAt: TUESDAY_12 });
  world.dashboard.cancel(id, { notify: false });
  await world.nudge();
  await world.turn();
  expect(world.last()).toMatchObject({ state: 'cancelled' });
  expect(world.visits()).toEqual([`cancelled ${TUESDAY_12}`]);
});

test('Redis is lost: a row that names its appointment books no second one, also when that was cancelled', async () => {
  const world = await start();
  await world.row();
  const id = String(world.platform.sandbox.truth.appointments()[0]?.['id']);
  world.dashboard.cancel(id, { notify: false });
  await world.store.redis.flushall();
  await world.row({}, { known_appointment: id });
  expect(world.visits()).toHaveLength(1);
});

test.each([
  [{ service: 'Shave' }, /no service of this name/],
  [{ starts_at: '' }, /please give day and time/],
  [{ resource: 'Zoe' }, /nobody, and no room, of this name/],
  [{ phone: '' }, /give the phone number/],
])('a row that cannot be understood says what to mend: %o', async (cells, said) => {
  const world = await start();
  await world.row(cells);
  expect(world.visits()).toEqual([]);
  expect(world.last()).toMatchObject({ state: 'refused', text: expect.stringMatching(said) });
  await world.row();
  expect(world.visits()).toEqual([`confirmed ${TUESDAY_10}`]);
});
