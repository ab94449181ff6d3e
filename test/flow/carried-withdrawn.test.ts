// Changes in rows of appointments that people take back while the platform does not answer.
import { afterAll, afterEach, expect, test } from 'vitest';
import { createPlatformWriter } from '../../src/platform/client.ts';
import { CarriedStands } from '../stand/carried-sheet.ts';
import { standing, startAppointments, typed } from './carried-appointment-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const unanswered = (path: RegExp) =>
  ({ method: 'POST', path, times: 1, fault: { kind: 'status', status: 503 } }) as const;

test.each(['confirmed', 'arrived'] as const)(
  'P7: a tick that is removed before the platform answers cancels nothing, even if the appointment is %s (case 48)',
  async (status) => {
    const { world, ada } = await startAppointments(stands);
    world.platform.sandbox.faults.add(unanswered(/cancel$/));
    world.put(ada, 'Cancel', true);
    await world.look();
    await world.work(1);
    expect((await world.store.intents.read(`appointment/${ada}`))?.open).toMatchObject({ op: 'cancel' });
    if (status === 'arrived') world.dashboard.markAppointment(ada, status);
    world.put(ada, 'Cancel', false);
    world.clock.advance(3_600_000);
    await world.look();
    await world.settle();
    expect(world.platform.sandbox.truth.appointment(ada)).toMatchObject({ status });
    expect((await world.claim(ada))?.rowNotes?.['visits']?.sent ?? []).toEqual([]);
    expect((await world.store.intents.read(`appointment/${ada}`))?.open).toBeUndefined();
  },
);

test('P4: a start that is typed twice stands at its last hour, although the platform performs the first move late', async () => {
  const { world, ada } = await startAppointments(stands);
  world.platform.sandbox.faults.add(unanswered(/reschedule$/));
  world.put(ada, 'Start', typed('2026-03-04 10:00'));
  await world.look();
  await world.work(1);
  const open = (await world.store.intents.read(`appointment/${ada}`))?.open;
  expect(open).toMatchObject({ op: 'move' });
  world.put(ada, 'Start', typed('2026-03-04 12:00'));
  await world.look();
  await world.work(1);
  await createPlatformWriter(world.platform.client()).reschedule(ada, {
    ...{ body: String(open?.body), idempotencyKey: String(open?.key) },
  });
  expect(world.appointment(ada)).toMatchObject({ starts_at: '2026-03-04T07:00:00.000Z' });
  world.clock.advance(60_000);
  await world.look();
  await world.settle();
  expect(world.appointment(ada)).toMatchObject({ starts_at: '2026-03-04T09:00:00.000Z' });
  expect(world.row(ada)).toMatchObject({ Answer: 'Moved in the booking system.' });
});

test('P4: a row that is ticked after a start was typed back is cancelled, although the platform performs the move late', async () => {
  const { world, ada } = await startAppointments(stands);
  world.platform.sandbox.faults.add(unanswered(/reschedule$/));
  world.put(ada, 'Start', typed('2026-03-04 10:00'));
  await world.look();
  await world.work(1);
  const open = (await world.store.intents.read(`appointment/${ada}`))?.open;
  world.put(ada, 'Start', typed('2026-03-03 10:00'));
  world.put(ada, 'Cancel', true);
  await world.look();
  await world.work(1);
  await createPlatformWriter(world.platform.client()).reschedule(ada, {
    ...{ body: String(open?.body), idempotencyKey: String(open?.key) },
  });
  world.clock.advance(60_000);
  await world.look();
  await world.settle();
  expect(world.appointment(ada)).toMatchObject({ status: 'cancelled' });
});

test('P7: an hour that is replaced and then restored before the platform answers moves nothing, and its request ends', async () => {
  const { world, ada } = await startAppointments(stands);
  const before = standing(world);
  const shown = Number(world.row(ada)['Start']);
  const open = async () => (await world.store.intents.read(`appointment/${ada}`))?.open;
  world.platform.sandbox.faults.add(unanswered(/reschedule$/));
  world.put(ada, 'Start', typed('2026-03-05 12:10'));
  await world.look();
  await world.work(1);
  const sent = await open();
  expect(sent).toMatchObject({ op: 'move' });
  // The first request may still be under way.
  world.put(ada, 'Start', typed('2026-03-05 15:10'));
  await world.look();
  await world.work(1);
  expect(await open()).toEqual(sent);
  world.put(ada, 'Start', shown);
  await world.look();
  world.clock.advance(3_600_000);
  await world.settle();
  expect(standing(world)).toEqual(before);
  expect(await open()).toBeUndefined();
  expect((await world.claim(ada))?.rowNotes?.['visits']?.sent ?? []).toEqual([]);
});
