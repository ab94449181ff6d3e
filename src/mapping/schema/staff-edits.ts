import type { z } from 'zod';
import type { StaffEdits } from '../../engine/domain/mirror.ts';
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
        'What happens when somebody moves an event. reschedule: the appointment moves on the platform. revert: the event goes back. ignore: the event stays until the appointment changes. reschedule needs the right appointments:write.',
        { example: 'reschedule' },
      ),
    ),
  deleted: choice(['cancel', 'restore', 'ignore'], 'way to treat deleted events')
    .prefault('restore')
    .meta(
      explained(
        'What happens when somebody deletes an event. cancel: the appointment is cancelled on the platform. restore: the event comes back. ignore: the event stays deleted until the appointment is moved. cancel needs the right appointments:write.',
        { example: 'cancel' },
      ),
    ),
  conflict: choice(['platform', 'staff', 'latest'], 'way to settle a conflict')
    .prefault('platform')
    .meta(
      explained(
        "Which move wins when an appointment was moved in the calendar and on the platform: the platform's, the staff's, or the later one.",
        { example: 'latest' },
      ),
    ),
  grace: duration({ min: '0s', max: '1h' })
    .prefault('2m')
    .meta(
      explained(
        'How long an event must be gone before it counts as deleted, at least 5 s. A move to another calendar can look like a deletion and a new event.',
        { example: '5m' },
      ),
    ),
  notify_customer: flag()
    .prefault(false)
    .meta(
      explained('Whether the platform notifies the customer when staff move or cancel in the calendar.', {
        example: true,
      }),
    ),
});

export function toStaffEdits(written: z.output<typeof staffEditsSection>): StaffEdits {
  const { moved, deleted, conflict, grace, notify_customer } = written;
  return { moved, deleted, conflict, graceMs: grace, notifyCustomer: notify_customer };
}
