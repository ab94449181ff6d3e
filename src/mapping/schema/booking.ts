import * as z from 'zod';
import {
  type BookingSource,
  DROP_DOWNS,
  ROW_INPUTS,
  ROW_OUTPUTS,
  ROWS_PER_HOUR,
  type RowInput,
  type RowOutput,
} from '../../engine/outside-booking.ts';
import { accountName, readCalendar } from '../calendar-kinds.ts';
import { explained, explanation, readWith } from '../kinds/reading.ts';
import { entries, oneOrMany, readName, section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { choice, duration, flag, text, timeZone, wholeNumber } from '../kinds/text.ts';
import { AS_WRITTEN, complaint } from '../problem.ts';
import { COLOR_NAMES, staffEditsSection } from './calendar.ts';
import { phoneRegion } from './phone-region.ts';
import { PER_HOUR_MAX, readSpreadsheet } from './sheet.ts';

const PROPERTIES_MAX = 20;
const DATE_FORMAT_CHARS_MAX = 60;
const ADDRESS_CHARS_MAX = 320;

const bookingPlace = section(
  {
    calendar: explained(
      oneOrMany(z.string(), readCalendar).optional(),
      'Calendars in which people book. A mirror of appointments must map each of them, because a booked event becomes the mirror of its appointment.',
      { example: 'anna@clinic.example' },
    ),
    spreadsheet: explained(
      readWith(text(), readSpreadsheet).optional(),
      'Id of the spreadsheet in which people book. Excludes calendar.',
      { example: '1AbC' },
    ),
    tab: explained(text().optional(), 'Name of the tab.', { example: 'Bookings' }),
    account: accountName(),
    timezone: explained(
      timeZone().optional(),
      "IANA time zone of the times that people type. Default: the spreadsheet's zone (File, Settings).",
      { example: 'Europe/Berlin' },
    ),
    date_format: explained(
      oneOrMany(z.string(), readDateFormat).optional(),
      'Patterns for times typed as text, tried in order, such as d/M/yyyy H:mm or M/d/yyyy h:mm a. 2026-03-03 10:00 and 3.3.2026 10:00 are always read. Date cells need no pattern.',
      { example: 'd/M/yyyy H:mm', since: '0.3.0' },
    ),
    every: explained(
      duration({ min: '5s', max: '1d' }).prefault('30s'),
      'How often the worker reads the tab. One request reads all tabs of a spreadsheet, at the shortest of their times.',
      { example: '1m' },
    ),
    rows_per_hour: explained(
      wholeNumber({ min: 1, max: PER_HOUR_MAX }).prefault(ROWS_PER_HOUR),
      'How many rows may be booked within an hour. Further rows wait for approval (slotbridge approve bookings), and their status says so.',
      { example: 100, since: '0.3.0' },
    ),
  },
  { calendars: 'write calendar: with one calendar, or a list of them' },
).describe('Where people book.');

export type BookingKind = BookingSource['kind'];

/** Settings that only one kind of entry has. A group stands for everything in it. */
const OWN_SETTINGS: Readonly<Record<BookingKind, readonly string[]>> = {
  calendar: ['from.calendar', 'when', 'recurring', 'horizon', 'refused_color', 'staff_edits'],
  sheet: [
    ...['from.spreadsheet', 'from.tab', 'from.account', 'from.timezone', 'from.date_format', 'from.every'],
    'from.rows_per_hour',
    // Rows are not events: of `staff_edits`, only the winner of a conflict applies to both.
    ...['columns', 'drop_downs', 'staff_edits.conflict'],
  ],
};

export const BOOKING_KINDS = Object.keys(OWN_SETTINGS) as BookingKind[];

/** The other kind of entry, if only that one may have the setting; otherwise undefined. */
export function kindInstead(kind: BookingKind, setting: string): BookingKind | undefined {
  const isOf = (each: BookingKind) =>
    OWN_SETTINGS[each].some((own) => setting === own || setting.startsWith(`${own}.`));
  return isOf(kind) ? undefined : BOOKING_KINDS.find(isOf);
}

/** Which events are bookings. An event has to match every line; only `organizer` adds to them. */
const eventRule = section({
  title: explained(text().optional(), 'Title of the event: "#book *". * matches any text; case is ignored.', {
    example: '#book *',
  }),
  creator: explained(oneOrMany(z.string(), readName).optional(), 'Addresses of people whose events count.', {
    example: ['anna@clinic.example'],
  }),
  organizer: explained(
    oneOrMany(z.string(), readOrganizer).optional(),
    'Additional organizers whose invitations count, by address or domain (@agency.example). Default: only events organized by a calendar of this entry count. This is the only line that adds events.',
    { example: ['@agency.example'], since: '0.3.0' },
  ),
  attendee: explained(
    oneOrMany(z.string(), readName).optional(),
    'Addresses. The event must invite one of them.',
    { example: ['desk@clinic.example'] },
  ),
  property: explained(
    entries(text(), { noun: 'property', example: 'source: website', max: PROPERTIES_MAX }).optional(),
    'Private extended properties that another tool has set, by name. * matches any text.',
    { example: { source: 'website' } },
  ),
}).describe(
  'Which events are bookings. An event must match every line; other events are ignored. organizer only adds organizers, so at least one other line is required.',
);

/** Headers of the columns, by what the columns mean. */
const intakeColumns = section({
  ...Object.fromEntries(
    [...ROW_INPUTS, ...ROW_OUTPUTS].map((name) => [name, header().meta(explainedColumn(name))]),
  ),
} as Record<RowInput | RowOutput, ReturnType<typeof header>>).describe(
  'Headers of the columns, by meaning. The worker writes id, status, appointment and booked_at; the other columns belong to people.',
);

function header() {
  return text().optional();
}

function explainedColumn(name: RowInput | RowOutput) {
  const [meaning, example, since] = columnMeanings()[name];
  return explanation(meaning, since === undefined ? { example } : { example, since });
}

/** The meaning of each column, an example of its header, and the version that added a later column. */
function columnMeanings(): Readonly<Record<RowInput | RowOutput, readonly [string, string, string?]>> {
  return {
    service: ['Service, by name or id. Required unless the entry sets service.', 'Service'],
    starts_at: ['Start of the appointment: date and time. Required.', 'Start'],
    duration: ['Length for time-rental services: minutes, or 1h 30m.', 'Length'],
    resource: ['Resource, by name or id. Empty: the platform chooses.', 'With'],
    branch: ['Branch, by name or id.', 'Branch'],
    guests: ['Number of guests.', 'Guests'],
    contact_id: [
      "Id of the customer's contact on the platform. Empty: the worker searches by phone, then by e-mail.",
      'Contact',
      '0.3.0',
    ],
    name: ['Name of the customer.', 'Name'],
    phone: ['Phone of the customer.', 'Phone'],
    email: ['E-mail of the customer.', 'E-mail'],
    comment: ['Comment of the appointment.', 'Comment'],
    ready: [
      'The row is booked once this is ticked or says yes. Without this column it is booked once it has been unchanged for still_for. When this setting is removed, rows that were not ready wait for approval (slotbridge approve bookings).',
      'Ready',
    ],
    cancel: [
      'The appointment is cancelled once this is ticked or says yes. Deleting a row cancels nothing.',
      'Cancel',
    ],
    id: ['Written by the worker: the id by which it finds the row again. Required.', 'Booking'],
    status: ['Written by the worker: the result for the row. Required.', 'Status'],
    appointment: ['Written by the worker: id of the appointment.', 'Appointment'],
    booked_at: ['Written by the worker: start of the appointment on the platform.', 'Booked for'],
  };
}

/** Day, month, year, hour and minute: without one of them, the time of the appointment is unknown. */
const PARTS = [/d/, /M/, /y/, /[Hh]/, /m/];

function readDateFormat(written: string) {
  const value = written.trim();
  const isWhole = PARTS.every((part) => part.test(value)) && (!value.includes('h') || value.includes('a'));
  if (isWhole && value.length <= DATE_FORMAT_CHARS_MAX) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} does not say day, month, year, hour and minute`,
      'write a pattern such as d/M/yyyy H:mm, or M/d/yyyy h:mm a',
    ),
  };
}

function readOrganizer(written: string) {
  const value = written.trim();
  if (value.length <= ADDRESS_CHARS_MAX && /^[^\s@]*@[^\s@]+$/.test(value)) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is neither an address nor a domain`,
      'write an address such as desk@agency.example, or a domain with its @: "@agency.example"',
    ),
  };
}

const customerSection = section({
  contact_id: explained(
    template().optional(),
    "Id of the customer's contact on the platform, a Liquid template. If it gives an id, the worker books for that contact and does not search by phone or e-mail.",
    { example: '{{ properties.contact }}', since: '0.3.0' },
  ),
  name: explained(template().optional(), 'Name of the customer, a Liquid template.', {
    example: "{{ title | remove_first: '#book ' }}",
  }),
  phone: explained(
    template().optional(),
    'Phone of the customer, a Liquid template. The filter phone finds the first number in a text.',
    { example: '{{ description | phone }}' },
  ),
  email: explained(
    template().optional(),
    'E-mail of the customer, a Liquid template. The filter email finds the first address in a text.',
    { example: '{{ description | email }}' },
  ),
  create: explained(
    flag().prefault(true),
    'Whether a contact is created for a customer whom the platform does not know. If false, the booking itself carries name, phone and e-mail, and is refused without a phone.',
    { example: false },
  ),
});

/** One entry of `bookings`. The checks across settings know which settings belong to calendars and which to sheets. */
export const bookingSchema = section({
  from: bookingPlace,
  when: eventRule.optional(),
  columns: intakeColumns.optional(),
  recurring: explained(
    choice(['refuse', 'each'], 'way to treat a series').prefault('refuse'),
    'What happens to a recurring event. refuse: the event says that appointments must be entered one by one. each: its events within the horizon are booked, later ones as time passes.',
    { example: 'each', since: '0.3.0' },
  ),
  horizon: explained(
    duration({ min: '1d', max: '366d' }).prefault('60d'),
    'With recurring: each, how far ahead events of a series are booked. Later ones follow as time passes.',
    { example: '90d', since: '0.3.0' },
  ),
  service: explained(
    template().optional(),
    'Service, by name or id, a Liquid template. It sees title, description, location, starts_at, ends_at, timezone, creator, organizer, attendees and properties of the event. The filter service finds the service named in a text. Required for calendars. Default for sheets: the service column.',
    { example: '{{ title | service }}' },
  ),
  resource: explained(
    template().optional(),
    'Resource, by name or id, a Liquid template. Default for calendars: the resource that the calendar belongs to. Default for sheets: the resource column, otherwise the platform chooses.',
    { example: 'Anna Petrova' },
  ),
  branch: explained(
    template().optional(),
    'Branch, by name or id, a Liquid template. Needed only if the project has several branches.',
    { example: '{{ location }}' },
  ),
  duration: explained(
    template().optional(),
    'Length in minutes for time-rental services, a Liquid template. The filter duration reads "1h 30m". Default: the length of the event.',
    { example: '{{ title | duration }}' },
  ),
  guests: explained(template().optional(), 'Number of guests, a Liquid template.', {
    example: '{{ properties.guests }}',
  }),
  customer: customerSection
    .prefault({})
    .describe("The customer. The worker searches the platform's contacts by phone, then by e-mail."),
  comment: explained(template().optional(), 'Comment of the appointment, a Liquid template.', {
    example: '{{ description }}',
  }),
  region: explained(
    phoneRegion().optional(),
    'Country of phone numbers without a country code: two letters such as RU or DE.',
    { example: 'DE' },
  ),
  notify_customer: explained(
    flag().prefault(false),
    'Whether the platform notifies the customer about the booking.',
    { example: true },
  ),
  still_for: explained(
    duration({ min: '0s', max: '1h' }).prefault('30s'),
    'How long an event or row must stay unchanged before it is booked. Raise it if half-typed entries are booked.',
    { example: '1m' },
  ),
  language: explained(
    choice(['en', 'ru'], 'language').optional(),
    'Language of the texts that the worker writes into events and rows. Default: worker.language.',
    { example: 'ru' },
  ),
  drop_downs: explained(
    oneOrMany(z.string(), readDropDown).optional(),
    `Columns of a booking sheet that get drop-downs, one or a list of: ${DROP_DOWNS.join(', ')}. They list the platform's services, resources or branches; for starts_at, the free times for the row's service, resource and day. People can still type anything. Default: none.`,
    { example: ['service', 'resource', 'starts_at'], since: '0.3.0' },
  ),
  refused_color: explained(
    choice(COLOR_NAMES, 'Google event colour').optional(),
    'Colour of a refused event. Default: it keeps its colour.',
    { example: 'tomato' },
  ),
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
