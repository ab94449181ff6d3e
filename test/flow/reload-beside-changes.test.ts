/** What changes while an edit of the YAML renders everything again. */

import { expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, slot, startWorld, type WorldOptions } from '../stand/world.ts';

const STAFF = (title: string) => `mirrors:
  staff:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Anna Petrova: ${ANNA} } }
    event: { title: "${title} {{ customer_name }}" }
    staff_edits: { moved: reschedule }
`;
const SOON = { timeout: PATIENCE_MS, interval: 50 };

test('P1, P4: after an edit of the YAML only what has not changed leaves quota to the rest: bookings, changes and drags stay live (case 57)', async ({
  onTestFinished,
}) => {
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {
    mirrors: STAFF('before'),
    watch: '{ every: 5s, settle: 100ms }',
  };
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  const port = await world.door();
  await world.subscribe(port);
  const [quiet, changed, dragged] = [24, 26, 28].map((hours) => world.book({ hours })) as [
    string,
    string,
    string,
  ];
  const titles = () => world.events(ANNA).map(({ summary }) => String(summary).split(' ')[0]);
  let worker = await world.startWorker(port);
  await vi.waitFor(() => expect(titles()).toEqual(['before', 'before', 'before']), SOON);
  await world.untilIdle(worker.url);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  onTestFinished(() => store.close());
  await store.ready();
  const isUnchanged = async (id: string) =>
    (await store.ledger.peek({ kind: 'appointment', id }))?.isUnchanged === true;
  const unchanged = async () => [
    await isUnchanged(quiet),
    await isUnchanged(changed),
    await isUnchanged(dragged),
  ];

  await world.stopWorker(worker);
  options.mirrors = STAFF('after');
  const heal = world.google.faults.add({ method: 'PATCH', fault: { kind: 'status', status: 503 } });
  worker = await world.startWorker(port);
  await vi.waitFor(async () => expect(await unchanged()).toEqual([true, true, true]), SOON);
  const fresh = world.book({ hours: 30, name: 'Emma' });
  await vi.waitFor(
    () => expect(world.events(ANNA).map(({ summary }) => summary)).toContain('after Emma'),
    SOON,
  );
  expect(await isUnchanged(fresh)).toBe(false);
  world.platform.dashboard.markAppointment(changed, 'arrived');
  world.google.staff.calendar.move({
    ...{ calendarId: ANNA, eventId: `sb${dragged.replaceAll('-', '')}` },
    start: slot(40),
  });
  await vi.waitFor(async () => expect(await unchanged()).toEqual([true, false, false]), SOON);
  await vi.waitFor(
    () =>
      expect(Date.parse(String(world.platform.truth.appointment(dragged)?.['starts_at']))).toBe(
        Date.parse(slot(40)),
      ),
    SOON,
  );

  heal();
  await vi.waitFor(() => expect(titles()).toEqual(['after', 'after', 'after', 'after']), SOON);
  await world.untilIdle(worker.url);
  expect(await unchanged()).toEqual([false, false, false]);
});
