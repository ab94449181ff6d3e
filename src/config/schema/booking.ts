import { getCountries } from 'libphonenumber-js';
import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { flag } from '../kinds/flag.ts';
import { section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { text } from '../kinds/text.ts';
import { bookingPlace, eventRule, intakeColumns } from './booking-place.ts';
import { COLOR_NAMES } from './colours.ts';
import { staffEditsSection } from './staff-edits.ts';

const customerSection = section({
  contact_id: template()
    .optional()
    .describe(
      'Id of the customer’s contact on the platform, a Liquid template: "{{ properties.contact }}". Where it gives one, the visit is booked for that contact and for nobody else.',
    ),
  name: template().optional().describe('Name of the customer, a Liquid template.'),
  phone: template()
    .optional()
    .describe('Phone of the customer, a Liquid template: "{{ description | phone }}" finds it in a text.'),
  email: template()
    .optional()
    .describe('E-mail of the customer, a Liquid template: "{{ description | email }}" finds it in a text.'),
  create: flag()
    .prefault(true)
    .describe(
      'Whether a contact is created for somebody whom the platform does not know; else such bookings are refused.',
    ),
});

/** One entry of `bookings`. What a calendar and a sheet do not share is told apart by the checks across settings. */
export const bookingSchema = section({
  from: bookingPlace,
  when: eventRule.optional(),
  columns: intakeColumns.optional(),
  recurring: choice(['refuse', 'each'], 'way with a series')
    .prefault('refuse')
    .describe(
      'What becomes of a series of events: refuse says so in it, each books its events one by one, those that begin within the horizon.',
    ),
  horizon: duration({ min: '1d', max: '366d' })
    .prefault('60d')
    .describe(
      'With recurring: each, how far ahead events of a series are booked. Later ones follow as time goes by.',
    ),
  service: template()
    .optional()
    .describe(
      'Service, by name or id, a Liquid template: Haircut, or "{{ title | service }}" to find one by name in a text. Of a sheet: default its column.',
    ),
  resource: template()
    .optional()
    .describe(
      'Resource, by name or id, a Liquid template. Default: the one whose calendar it is; of a sheet its column, else the platform chooses.',
    ),
  branch: template()
    .optional()
    .describe('Branch, by name or id, a Liquid template. Needed only where the project has several.'),
  duration: template()
    .optional()
    .describe(
      'Length of a visit for services of time rental, a Liquid template that gives minutes: "{{ title | duration }}" reads "1h 30m". Default: the length of the event.',
    ),
  guests: template().optional().describe('Number of guests, a Liquid template.'),
  customer: customerSection
    .prefault({})
    .describe('Who is booked. The platform is asked by phone, else by e-mail.'),
  comment: template().optional().describe('Comment of the appointment, a Liquid template.'),
  region: text({ pattern: /^[A-Za-z]{2}$/, wrong: noRegion() })
    .refine((code) => (getCountries() as readonly string[]).includes(code.toUpperCase()), {
      error: noRegion(),
    })
    .optional()
    .describe('Country of phone numbers that are written without one, two letters such as RU or DE.'),
  notify_customer: flag()
    .prefault(false)
    .describe('Whether the platform tells the customer about the booking.'),
  still_for: duration({ min: '0s', max: '1h' })
    .prefault('30s')
    .describe(
      'How long an event or row has to stand unchanged before it is booked: people type in several goes.',
    ),
  language: choice(['en', 'ru'], 'language')
    .optional()
    .describe('Language of what is written for people into events and rows. Default: worker.language.'),
  refused_color: choice(COLOR_NAMES, "name of one of Google's colours for events")
    .optional()
    .describe('Colour of a refused event. Default: it keeps its own.'),
  staff_edits: staffEditsSection
    .optional()
    .describe(
      "What becomes of changes to the events of visits that were booked here. Default: the staff_edits of the calendar's mirror where it has them, else moved: reschedule and deleted: cancel. Of rows only conflict: who wins when a visit was moved in its row and on the platform, by default the platform.",
    ),
});

export type WrittenBooking = z.output<typeof bookingSchema>;

function noRegion(): string {
  return complaint('is no country', 'write its two letters, such as RU or DE');
}
