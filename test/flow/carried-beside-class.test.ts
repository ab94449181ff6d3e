// Changes in rows of appointments while a class with the same appointment is being moved.
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Wish } from '../../src/engine/outside-booking.ts';
import { CarriedStands } from '../stand/carried-sheet.ts';
import { double } from '../stand/double.ts';
import { startAppointments } from './carried-appointment-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('P7: a tick gets the verdict of its own request, not of another one under way for the appointment', async () => {
  let submits = 0;
  const { world, ada } = await startAppointments(stands, {
    around: (submitter) =>
      double({
        finish: (origin) => submitter.finish(origin),
        withdraw: (origin) => submitter.withdraw(origin),
        made: (origin) => submitter.made(origin),
        find: (origin, wish) => submitter.find(origin, wish),
        freeTimes: (wished, within) => submitter.freeTimes(wished, within),
        // A class with this appointment is being moved under another claim. Each of its requests is open when the tick arrives.
        async submit(origin, wish) {
          submits += 1;
          if (submits > 2) return submitter.submit(origin, wish);
          const earlier: Wish = {
            op: 'move',
            appointmentId: ada,
            startsAt: '2026-03-05T09:00:00Z',
            notifyCustomer: false,
          };
          return { outcome: 'refused', refusal: { code: 'slot-unavailable', slots: [] }, earlier };
        },
      }),
  });
  world.put(ada, 'Cancel', true);
  await world.settle();
  expect(world.platform.sandbox.truth.appointment(ada)).toMatchObject({ status: 'cancelled' });
  expect(world.row(ada)['Answer']).toBe('Cancelled in the booking system.');
});
