// What happens after a booking: marks, the waiting list, the contact behind it, and the oddities of
// `updated_at`.
import { wireText } from '../judge/company.ts';
import { isDone, MOVABLE, somebody, untilFree } from './attempts.ts';
import type { Cast } from './cast.ts';
import { someTime } from './times.ts';

/** Setting the same mark twice may or may not send an event. The mirrors must end up the same. */
export function markAppointment({ notebook, platform, random }: Cast): void {
  const appointment = notebook.appointment('confirmed', 'arrived', 'completed');
  if (appointment === undefined) return;
  const next =
    appointment['status'] === 'confirmed' ? (['arrived', 'no_show'] as const) : (['completed'] as const);
  platform.dashboard.markAppointment(wireText(appointment['id']), random.pick(next));
}

export function holdPlace({ company, notebook, platform, random }: Cast): Promise<void> {
  const person = somebody({ company, random, platform });
  const contactId = notebook.contact();
  return untilFree(() =>
    isDone(() => {
      const id = platform.dashboard.holdWaitlistPlace({
        serviceId: random.pick(company.serviceIds),
        resourceId: person.id,
        startsAt: someTime(random, person.zone),
        contactId,
      });
      notebook.booked(id);
    }),
  );
}

export function confirmPlace({ notebook, platform }: Cast): void {
  const held = notebook.appointment('pending');
  if (held !== undefined) platform.dashboard.confirmWaitlistPlace(wireText(held['id']));
}

export function declinePlace({ notebook, platform }: Cast): void {
  const held = notebook.appointment('pending');
  if (held !== undefined) platform.dashboard.declineWaitlistPlace(wireText(held['id']));
}

export function linkContact({ notebook, platform }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE, 'arrived');
  if (appointment !== undefined)
    platform.dashboard.linkContact(wireText(appointment['id']), notebook.contact());
}

/** Moves `updated_at` without an event (platform API, Delivery rule 3). */
export function touchSilently({ notebook, platform }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE);
  if (appointment !== undefined) platform.dashboard.touch(wireText(appointment['id']));
}

/**
 * `updated_at` may be null, and the API does not promise that it moves with every change (platform API,
 * Appointment).
 */
export function spoilUpdatedAt({ notebook, platform, random }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE);
  if (appointment !== undefined)
    platform.dashboard.setUpdatedAt(wireText(appointment['id']), random.pick([null, 'same'] as const));
}
