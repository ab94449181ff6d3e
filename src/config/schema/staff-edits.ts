import type { z } from 'zod';
import type { StaffEdits } from '../../domain/mirror.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { flag } from '../kinds/flag.ts';
import { section } from '../kinds/section.ts';

/** Every default leaves the platform unchanged: what people do in a calendar reaches customers only if the file says so. */
export const staffEditsSection = section({
  moved: choice(['reschedule', 'revert', 'ignore'], 'way to treat moved events')
    .prefault('revert')
    .meta(
      explained(
        "What becomes of an event that somebody moved. reschedule moves the appointment on the platform, revert puts the event back, ignore leaves it until the appointment changes. reschedule needs the key's right appointments:write.",
        { example: 'reschedule' },
      ),
    ),
  deleted: choice(['cancel', 'restore', 'ignore'], 'way to treat deleted events')
    .prefault('restore')
    .meta(
      explained(
        "What becomes of an event that somebody deleted. cancel cancels the appointment on the platform, restore brings the event back, ignore lets it stay away until the appointment is moved. cancel needs the key's right appointments:write.",
        { example: 'cancel' },
      ),
    ),
  conflict: choice(['platform', 'staff', 'latest'], 'way to settle a conflict')
    .prefault('platform')
    .meta(
      explained(
        'Who wins when an appointment was moved on both sides: platform, staff, or the later of the two.',
        { example: 'latest' },
      ),
    ),
  grace: duration({ min: '0s', max: '1h' })
    .prefault('2m')
    .meta(
      explained(
        'How long a deletion has to last before it is believed, five seconds at least. A move to another calendar may look like a deletion and a new event.',
        { example: '5m' },
      ),
    ),
  notify_customer: flag()
    .prefault(false)
    .meta(
      explained(
        'Whether the platform tells the customer about what staff moved or cancelled in the calendar.',
        { example: true },
      ),
    ),
});

export function toStaffEdits(written: z.output<typeof staffEditsSection>): StaffEdits {
  const { moved, deleted, conflict, grace, notify_customer } = written;
  return { moved, deleted, conflict, graceMs: grace, notifyCustomer: notify_customer };
}
