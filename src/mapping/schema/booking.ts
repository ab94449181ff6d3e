import * as z from 'zod';
import { DROP_DOWNS } from '../../engine/domain/outside-booking.ts';
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
        "Id of the customer's contact on the platform, a Liquid template. If it gives an id, the worker books for that contact and does not search by phone or e-mail.",
        { example: '{{ properties.contact }}', since: '0.3.0' },
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
      explained(
        'Phone of the customer, a Liquid template. The filter phone finds the first number in a text.',
        {
          example: '{{ description | phone }}',
        },
      ),
    ),
  email: template()
    .optional()
    .meta(
      explained(
        'E-mail of the customer, a Liquid template. The filter email finds the first address in a text.',
        { example: '{{ description | email }}' },
      ),
    ),
  create: flag()
    .prefault(true)
    .meta(
      explained(
        'Whether a contact is created for a customer whom the platform does not know. If false, the booking itself carries name, phone and e-mail, and is refused without a phone.',
        { example: false },
      ),
    ),
});

/** One entry of `bookings`. The checks across settings know which settings belong to calendars and which to sheets. */
export const bookingSchema = section({
  from: bookingPlace,
  when: eventRule.optional(),
  columns: intakeColumns.optional(),
  recurring: choice(['refuse', 'each'], 'way to treat a series')
    .prefault('refuse')
    .meta(
      explained(
        'What happens to a recurring event. refuse: the event says that appointments must be entered one by one. each: its events within the horizon are booked, later ones as time passes.',
        { example: 'each', since: '0.3.0' },
      ),
    ),
  horizon: duration({ min: '1d', max: '366d' })
    .prefault('60d')
    .meta(
      explained(
        'With recurring: each, how far ahead events of a series are booked. Later ones follow as time passes.',
        { example: '90d', since: '0.3.0' },
      ),
    ),
  service: template()
    .optional()
    .meta(
      explained(
        'Service, by name or id, a Liquid template. It sees title, description, location, starts_at, ends_at, timezone, creator, organizer, attendees and properties of the event. The filter service finds the service named in a text. Required for calendars. Default for sheets: the service column.',
        { example: '{{ title | service }}' },
      ),
    ),
  resource: template()
    .optional()
    .meta(
      explained(
        'Resource, by name or id, a Liquid template. Default for calendars: the resource that the calendar belongs to. Default for sheets: the resource column, otherwise the platform chooses.',
        { example: 'Anna Petrova' },
      ),
    ),
  branch: template()
    .optional()
    .meta(
      explained(
        'Branch, by name or id, a Liquid template. Needed only if the project has several branches.',
        {
          example: '{{ location }}',
        },
      ),
    ),
  duration: template()
    .optional()
    .meta(
      explained(
        'Length in minutes for time-rental services, a Liquid template. The filter duration reads "1h 30m". Default: the length of the event.',
        { example: '{{ title | duration }}' },
      ),
    ),
  guests: template()
    .optional()
    .meta(explained('Number of guests, a Liquid template.', { example: '{{ properties.guests }}' })),
  customer: customerSection
    .prefault({})
    .describe("The customer. The worker searches the platform's contacts by phone, then by e-mail."),
  comment: template()
    .optional()
    .meta(explained('Comment of the appointment, a Liquid template.', { example: '{{ description }}' })),
  region: phoneRegion()
    .optional()
    .meta(
      explained('Country of phone numbers without a country code: two letters such as RU or DE.', {
        example: 'DE',
      }),
    ),
  notify_customer: flag()
    .prefault(false)
    .meta(explained('Whether the platform notifies the customer about the booking.', { example: true })),
  still_for: duration({ min: '0s', max: '1h' })
    .prefault('30s')
    .meta(
      explained(
        'How long an event or row must stay unchanged before it is booked. Raise it if half-typed entries are booked.',
        { example: '1m' },
      ),
    ),
  language: choice(['en', 'ru'], 'language')
    .optional()
    .meta(
      explained(
        'Language of the texts that the worker writes into events and rows. Default: worker.language.',
        {
          example: 'ru',
        },
      ),
    ),
  drop_downs: oneOrMany(z.string(), readDropDown)
    .optional()
    .meta(
      explained(
        `Columns of a booking sheet that get drop-downs, one or a list of: ${DROP_DOWNS.join(', ')}. They list the platform's services, resources or branches; for starts_at, the free times for the row's service, resource and day. People can still type anything. Default: none.`,
        { example: ['service', 'resource', 'starts_at'], since: '0.3.0' },
      ),
    ),
  refused_color: choice(COLOR_NAMES, 'Google event colour')
    .optional()
    .meta(explained('Colour of a refused event. Default: it keeps its colour.', { example: 'tomato' })),
  staff_edits: staffEditsSection
    .optional()
    .describe(
      "What happens when people move or delete the events of appointments booked here. Default: the staff_edits of the calendar's mirror if it has them, otherwise moved: reschedule and deleted: cancel. For rows only conflict applies: which move wins when an appointment was moved in its row and on the platform.",
    ),
});

export type WrittenBooking = z.output<typeof bookingSchema>;

function readDropDown(written: string) {
  const value = written.trim();
  if ((DROP_DOWNS as readonly string[]).includes(value)) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is not a column that can have a drop-down`,
      `write one of: ${DROP_DOWNS.join(', ')}`,
    ),
  };
}
