// Changes in rows of appointments that people take back while the platform does not answer.
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands } from '../stand/carried-sheet.ts';
import { startAppointments } from './carried-appointment-rows.ts';

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
