import { setTimeout as sleep } from 'node:timers/promises';
import { slot, type World } from './world.ts';

/** Bookings, moves to other people, cancellations, marks and contacts; `from` keeps the hours of several bustles apart. */
export async function bustle(
  world: World,
  { rounds, from = 0, pauseMs = 30 }: { rounds: number; from?: number; pauseMs?: number },
): Promise<void> {
  const { dashboard } = world.platform;
  const { anna, boris, massage, projectId } = world.company;
  for (let round = from; round < from + rounds; round += 1) {
    const [resourceId, other] = round % 2 === 0 ? [anna, boris] : [boris, anna];
    const moved = world.book({ hours: 24 + 4 * round, resourceId });
    const cancelled = world.book({ hours: 25 + 4 * round, resourceId });
    const marked = world.book({ hours: 26 + 4 * round, resourceId, serviceId: massage });
    const contact = dashboard.createContact({ projectId, name: `Contact ${round}` });
    await sleep(pauseMs);
    dashboard.reschedule(moved, { startsAt: slot(27 + 4 * round), resourceId: other });
    dashboard.cancel(cancelled);
    dashboard.changeContact(contact, { name: `Renamed ${round}` });
    if (round % 3 === 0) dashboard.markAppointment(marked, 'no_show');
    await sleep(pauseMs);
  }
}
