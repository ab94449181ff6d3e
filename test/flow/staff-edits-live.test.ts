/** The whole worker: what people do in a calendar is noticed, carried to the platform, and comes back as an event that changes nothing. */
import { expect, type TestContext, test, vi } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import { keySpace } from '../../src/engine/key-space.ts';
import { startOf } from '../stand/edits.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore, SILENT_LOG } from '../stand/store.ts';
import { ANNA, BORIS, slot, startWorld, type World } from '../stand/world.ts';

const MIRRORS = `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: ${ANNA}
        Boris Ivanov: ${BORIS}
    event: { title: "{{ service_name }}", description: "{{ customer_phone }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
`;

/** Worlds of their own, which mostly wait: they stand beside each other. */
async function begin({ onTestFinished }: TestContext) {
  const world = await startWorld({ mirrors: MIRRORS, watch: '{ every: 5s, settle: 100ms }' });
  onTestFinished(() => world.close());
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  const appointment = (id: string) => world.platform.truth.appointment(id);
  const shown = async (fields: Parameters<World['book']>[0] = {}): Promise<string> => {
    const id = world.book(fields);
    await eventually(() => expect(world.google.truth.event(ANNA, eventIdOf(id))).toBeDefined());
    await world.untilIdle(url);
    return id;
  };
  return { world, url, appointment, shown };
}

const LINKS = 'l:staff-calendars';
const at = (id: string, calendarId = ANNA) => ({ calendarId, eventId: eventIdOf(id) });
const eventually = (holds: () => void) => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });

atLength.test.concurrent(
  'E1: a moved event moves the appointment, and its own webhook and echo cost no write (case 39)',
  async (context) => {
    const { world, url, appointment, shown } = await begin(context);
    const id = await shown();
    world.google.staff.calendar.move({ ...at(id), start: slot(26) });
    await eventually(() => expect(appointment(id)).toMatchObject({ starts_at: slot(26) }));
    await world.untilIdle(url);
    expect(world.events(ANNA).map(startOf)).toEqual([slot(26)]);
    expect(world.google.stats().callsByMethod['events.patch']).toBeUndefined();
  },
);

test.concurrent('E22, E31: a deleted event cancels its appointment, and one that was moved to a colleague does not', async (context) => {
  const { world, url, appointment, shown } = await begin(context);
  const gone = await shown();
  const moved = await shown({ hours: 30 });
  world.google.staff.calendar.remove(at(gone));
  world.google.staff.calendar.moveToCalendar({ ...at(moved), to: BORIS });
  await eventually(() => expect(appointment(gone)).toMatchObject({ status: 'cancelled' }));
  await eventually(() =>
    expect(appointment(moved)).toMatchObject({ status: 'confirmed', resource_id: world.company.boris }),
  );
  await world.untilIdle(url);
  expect(world.events(ANNA)).toEqual([]);
  expect(world.events(BORIS).map(startOf)).toEqual([slot(30)]);
});

atLength.test.concurrent(
  'E22: a worker that is started again goes on counting the grace, however often that is',
  async ({ onTestFinished }) => {
    let waits = 0;
    const warn = (fields: object) => {
      if (JSON.stringify(fields).includes('edit-grace')) waits += 1;
    };
    const world = await startWorld({
      mirrors: MIRRORS.replace('grace: 2s', 'grace: 1h'),
      watch: '{ every: 5s, settle: 100ms }',
      log: { ...SILENT_LOG, warn },
    });
    onTestFinished(() => world.close());
    const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
    onTestFinished(() => store.close());
    const port = await world.door();
    await world.subscribe(port);
    const first = await world.startWorker(port);
    const id = world.book();
    await eventually(() => expect(world.events(ANNA)).toHaveLength(1));
    const counts = async () => {
      const stored = await store.redis.hget(keySpace('slotbridge').object(`appointment/${id}`), LINKS);
      return JSON.parse(stored ?? '{}').calendars[0].missedSinceMs;
    };
    world.google.staff.calendar.remove(at(id));
    await vi.waitFor(async () => expect(Object.keys((await counts()) ?? {})).toHaveLength(1), {
      timeout: PATIENCE_MS,
    });
    const begun = await counts();
    await world.stopWorker(first);
    waits = 0;
    await world.startWorker(port);
    const contactId = world.platform.dashboard.createContact({
      projectId: world.company.projectId,
      name: 'Vera',
    });
    world.platform.dashboard.linkContact(id, contactId);
    await eventually(() => expect(waits).toBeGreaterThan(0));
    expect(await counts()).toEqual(begun);
  },
);
