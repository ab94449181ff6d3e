import * as z from 'zod';
import { DROP_DOWNS } from '../../domain/outside-booking.ts';
import { AS_WRITTEN, complaint } from '../complaint.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { flag } from '../kinds/flag.ts';
import { oneOrMany } from '../kinds/list.ts';
import { section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { bookingPlace, eventRule, intakeColumns } from './booking-place.ts';
import { COLOR_NAMES } from './colours.ts';
import { phoneRegion } from './phone-region.ts';
import { staffEditsSection } from './staff-edits.ts';

const customerSection = section({
  contact_id: template()
    .optional()
    .meta(
      explained(
        'Id of the customer’s contact on the platform, a Liquid template. Where it gives one, the appointment is booked for that contact, and nobody is looked for by phone or e-mail.',
        { example: '{{ properties.contact }}', since: 'Unreleased' },
      ),
    ),
  name: template()
    .optional()
    .meta(
      explained('Name of the customer, a Liquid template.', {
        example: "{{ title | remove_first: '#book ' }}",
      }),
    ),
  phone: template()
    .optional()
    .meta(
      explained('Phone of the customer, a Liquid template. The filter phone finds the first one in a text.', {
        example: '{{ description | phone }}',
      }),
    ),
  email: template()
    .optional()
    .meta(
      explained(
        'E-mail of the customer, a Liquid template. The filter email finds the first one in a text.',
        { example: '{{ description | email }}' },
      ),
    ),
  create: flag()
    .prefault(true)
    .meta(
      explained(
        'Whether a contact is created for somebody whom the platform does not know; else such bookings are refused.',
        { example: false },
      ),
    ),
});

/** One entry of `bookings`. The checks across settings know which settings belong to calendars and which to sheets. */
export const bookingSchema = section({
  from: bookingPlace,
  when: eventRule.optional(),
  columns: intakeColumns.optional(),
  recurring: choice(['refuse', 'each'], 'way with a series')
    .prefault('refuse')
    .meta(
      explained(
        'What becomes of a series of events. refuse says in it that appointments are entered one by one. each books its events that begin within the horizon, and later ones as time goes by.',
        { example: 'each', since: 'Unreleased' },
      ),
    ),
  horizon: duration({ min: '1d', max: '366d' })
    .prefault('60d')
    .meta(
      explained(
        'With recurring: each, how far ahead events of a series are booked. Later ones follow as time goes by.',
        { example: '90d', since: 'Unreleased' },
      ),
    ),
  service: template()
    .optional()
    .meta(
      explained(
        'Service, by name or id, a Liquid template over the event: title, description, location, starts_at, ends_at, timezone, creator, organizer, attendees, properties. The filter service finds the service whose name is in a text. Needed for calendars; of a sheet the default is its column.',
        { example: '{{ title | service }}' },
      ),
    ),
  resource: template()
    .optional()
    .meta(
      explained(
        'Resource, by name or id, a Liquid template. Default: the one whose calendar it is; of a sheet its column, else the platform chooses.',
        { example: 'Anna Petrova' },
      ),
    ),
  branch: template()
    .optional()
    .meta(
      explained('Branch, by name or id, a Liquid template. Needed only where the project has several.', {
        example: '{{ location }}',
      }),
    ),
  duration: template()
    .optional()
    .meta(
      explained(
        'Length of an appointment for services of time rental, a Liquid template that gives minutes. The filter duration reads "1h 30m". Default: the length of the event.',
        { example: '{{ title | duration }}' },
      ),
    ),
  guests: template()
    .optional()
    .meta(explained('Number of guests, a Liquid template.', { example: '{{ properties.guests }}' })),
  customer: customerSection
    .prefault({})
    .describe('Who is booked. The platform is asked by phone, else by e-mail.'),
  comment: template()
    .optional()
    .meta(explained('Comment of the appointment, a Liquid template.', { example: '{{ description }}' })),
  region: phoneRegion()
    .optional()
    .meta(
      explained('Country of phone numbers that are written without one, two letters such as RU or DE.', {
        example: 'DE',
      }),
    ),
  notify_customer: flag()
    .prefault(false)
    .meta(explained('Whether the platform tells the customer about the booking.', { example: true })),
  still_for: duration({ min: '0s', max: '1h' })
    .prefault('30s')
    .meta(
      explained(
        'How long an event or row has to stand unchanged before it is booked: people type in several goes.',
        { example: '1m' },
      ),
    ),
  language: choice(['en', 'ru'], 'language')
    .optional()
    .meta(
      explained('Language of what is written for people into events and rows. Default: worker.language.', {
        example: 'ru',
      }),
    ),
  drop_downs: oneOrMany(z.string(), readDropDown)
    .optional()
    .meta(
      explained(
        `Columns of a booking sheet whose cells get a drop-down, one or a list of: ${DROP_DOWNS.join(', ')}. It lists the platform's services, resources or branches; for starts_at the free times of the row's service, person and day. People may still type anything. Default: none.`,
        { example: ['service', 'resource', 'starts_at'], since: 'Unreleased' },
      ),
    ),
  refused_color: choice(COLOR_NAMES, "name of one of Google's colours for events")
    .optional()
    .meta(explained('Colour of a refused event. Default: it keeps its own.', { example: 'tomato' })),
  staff_edits: staffEditsSection
    .optional()
    .describe(
      "What becomes of changes to the events of appointments that were booked here. Default: the staff_edits of the calendar's mirror where it has them, else moved: reschedule and deleted: cancel. Of rows only conflict counts: who wins when an appointment was moved in its row and on the platform.",
    ),
});

export type WrittenBooking = z.output<typeof bookingSchema>;

function readDropDown(written: string) {
  const value = written.trim();
  if ((DROP_DOWNS as readonly string[]).includes(value)) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is no column with a drop-down`,
      `write one of: ${DROP_DOWNS.join(', ')}`,
    ),
  };
}
