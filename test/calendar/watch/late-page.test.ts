import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { noteOutsideEvent, watchOutsideEvents } from '../../../src/calendar/outside-events.ts';
import type { Lease } from '../../../src/engine/leases.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const CALENDAR = 'anna@clinic.example';
const LEASE = `calendar:${CALENDAR}`;
const MAPPING = {
  ...{
    kind: 'calendar',
    name: 'walk-ins',
    when: { title: '#book *' },
    calendars: [{ calendarId: CALENDAR }],
  },
} as never;

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

const parts = () => ({
  ...{ mappings: [MAPPING], intake: store.intake, view: store.ledger, clock: { now: Date.now } },
  ...{ cursors: store.calendars, memory: store.memory },
});
const event = (name: string) => ({ id: 'e1', etag: name, status: 'confirmed', summary: `#book ${name}` });
const read = (name: string, page: { askedAtMs: number; lease: Lease }) =>
  watchOutsideEvents(parts())(CALENDAR, [event(name)], page);

async function title(): Promise<unknown> {
  const [name = ''] = await store.work.due(Date.now() + 1_000, 10);
  const id = name.split('/')[1] ?? '';
  return (await store.ledger.peek({ kind: 'booking', id }))?.snapshot?.['title'];
}

/** A worker reads a page and is frozen for longer than its lease; another one reads the calendar meanwhile. */
async function overtaken(): Promise<{ askedAtMs: number; lease: Lease }> {
  const askedAtMs = Date.now();
  const lease = await store.under(LEASE, async (held) => held);
  await new Promise((done) => setTimeout(done, 5));
  await store.under(LEASE, (held) => read('Vera Orlova', { askedAtMs: Date.now(), lease: held }));
  return { askedAtMs, lease };
}

test('P3: a worker that was frozen with a page in its hands puts nothing older over what another has read since (case 71)', async () => {
  const page = await overtaken();
  await expect(read('Vera', page)).rejects.toMatchObject({ code: 'lease-lost' });
  expect(await title()).toBe('#book Vera Orlova');
});

test('P3: what was asked for earlier is older, however late it is noted', async () => {
  const { askedAtMs } = await overtaken();
  await noteOutsideEvent(parts(), { calendarId: CALENDAR, event: event('Vera'), seenAtMs: askedAtMs });
  expect(await title()).toBe('#book Vera Orlova');
});

test('P3: what somebody has read for himself since the page was asked for is newer than the page', async () => {
  const askedAtMs = Date.now();
  await new Promise((done) => setTimeout(done, 5));
  await noteOutsideEvent(parts(), {
    ...{ calendarId: CALENDAR, event: event('Vera Orlova'), seenAtMs: Date.now() },
  });
  await new Promise((done) => setTimeout(done, 5));
  await store.under(LEASE, (lease) => read('Vera', { askedAtMs, lease }));
  expect(await title()).toBe('#book Vera Orlova');
});
