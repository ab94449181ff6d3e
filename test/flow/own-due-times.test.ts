import { afterEach, expect, test, vi } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, MIRRORS, ROOM, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

/** Its deliveries reach nobody: the feed carries everything. */
async function start(): Promise<{ readonly url: string }> {
  await world.subscribe(8080);
  return world.startWorker();
}

/** Far below the pauses of these tests, which are quarters of an hour. */
const patience = { timeout: PATIENCE_MS, interval: 50 };
const startOf = (calendarId: string) => {
  const [event] = world.events(calendarId);
  return event === undefined
    ? undefined
    : new Date(String((event['start'] as { dateTime: string }).dateTime)).toISOString();
};

/** After so many refusals a quota is taken for spent; one more tries whether it still is. */
const REFUSED_IN_A_ROW = 8;

test("P1: a room's calendar that Google limits for a quarter of an hour keeps a change of its appointment from nobody else (case 79)", async () => {
  world = await startWorld({ watch: '{ push: false, every: 1h }' });
  const { url } = await start();
  await world.untilIdle(url);
  const error = { code: 403, message: 'x', errors: [{ domain: 'usageLimits', reason: 'quotaExceeded' }] };
  world.google.faults.add({
    path: new RegExp(`calendars/${ROOM}`),
    fault: { kind: 'status', status: 403, body: JSON.stringify({ error }), contentType: 'application/json' },
  });
  const id = world.book({ serviceId: world.company.massage, hours: 24 });
  await vi.waitFor(async () => {
    expect(startOf(ANNA)).toBe(slot(24));
    expect((await world.status(url)).quotas).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ target: `calendar:${ROOM}`, waiting: 1 })]),
    );
  }, patience);
  for (const hours of [33, 34, 35]) {
    world.platform.dashboard.reschedule(id, { startsAt: slot(hours), notify: false });
    await vi.waitFor(() => expect(startOf(ANNA)).toBe(slot(hours)), patience);
  }
  // The room waits for its own time: it is asked until its quota is taken for spent, and the appointment is pending for it.
  expect(world.google.faults.hits()).toBeLessThanOrEqual(REFUSED_IN_A_ROW + 1);
  await vi.waitFor(
    async () =>
      expect(await world.status(url)).toMatchObject({
        pending: { objects: 1 },
        dead_letters: { count: 0 },
        idle: false,
      }),
    patience,
  );
});

atLength.test(
  'P1: an event that was deleted and waits for its grace keeps a cancellation from no other place (case 79)',
  async () => {
    const edits = 'staff_edits: { moved: reschedule, deleted: cancel, grace: 1h }';
    const colours = '      color: { no_show: tomato }';
    world = await startWorld({
      watch: '{ push: false, every: 5s, settle: 100ms }',
      mirrors: MIRRORS.replace(colours, `${colours}\n    ${edits}`),
    });
    const { url } = await start();
    const id = world.book({ serviceId: world.company.massage, hours: 24 });
    await vi.waitFor(() => expect(world.events(ROOM).length).toBe(1), patience);
    await world.untilIdle(url);
    const row = () => world.rows('Visits').find((cells) => cells[0] === id);
    expect(row()?.[1]).not.toBe('cancelled');
    world.google.staff.calendar.remove({ calendarId: ANNA, eventId: eventIdOf(id) });
    await vi.waitFor(async () => expect((await world.status(url)).pending.objects).toBe(1), patience);
    world.platform.dashboard.cancel(id, { notify: false });
    await vi.waitFor(() => {
      expect(world.events(ROOM)).toEqual([]);
      expect(row()?.[1]).toBe('cancelled');
    }, patience);
    await world.untilIdle(url);
  },
);
