import * as z from 'zod';
import {
  type BookingSource,
  ROW_INPUTS,
  ROW_OUTPUTS,
  ROWS_PER_HOUR,
  type RowInput,
  type RowOutput,
} from '../../engine/domain/outside-booking.ts';
import { AS_WRITTEN, complaint } from '../complaint.ts';
import { duration } from '../kinds/duration.ts';
import { entries } from '../kinds/entries.ts';
import { explained } from '../kinds/explained.ts';
import { oneOrMany, readName } from '../kinds/list.ts';
import { wholeNumber } from '../kinds/number.ts';
import { readWith } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';
import { timeZone } from '../kinds/time-zone.ts';
import { accountName } from './account-name.ts';
import { PER_HOUR_MAX, readSpreadsheet } from './sheet.ts';

const PROPERTIES_MAX = 20;
const DATE_FORMAT_CHARS_MAX = 60;
const ADDRESS_CHARS_MAX = 320;

export const bookingPlace = section(
  {
    calendar: oneOrMany(z.string(), readCalendar)
      .optional()
      .meta(
        explained(
          'Calendars in which people book. A mirror of appointments must map each of them, because a booked event becomes the mirror of its appointment.',
          { example: 'anna@clinic.example' },
        ),
      ),
    spreadsheet: readWith(text(), readSpreadsheet)
      .optional()
      .meta(
        explained('Id of the spreadsheet in which people book. Excludes calendar.', {
          example: '1AbC',
        }),
      ),
    tab: text()
      .optional()
      .meta(explained('Name of the tab.', { example: 'Bookings' })),
    account: accountName(),
    timezone: timeZone()
      .optional()
      .meta(
        explained(
          "IANA time zone of the times that people type. Default: the spreadsheet's zone (File, Settings).",
          {
            example: 'Europe/Berlin',
          },
        ),
      ),
    date_format: oneOrMany(z.string(), readDateFormat)
      .optional()
      .meta(
        explained(
          'Patterns for times typed as text, tried in order, such as d/M/yyyy H:mm or M/d/yyyy h:mm a. 2026-03-03 10:00 and 3.3.2026 10:00 are always read. Date cells need no pattern.',
          { example: 'd/M/yyyy H:mm', since: '0.3.0' },
        ),
      ),
    every: duration({ min: '5s', max: '1d' })
      .prefault('30s')
      .meta(
        explained(
          'How often the worker reads the tab. One request reads all tabs of a spreadsheet, at the shortest of their times.',
          { example: '1m' },
        ),
      ),
    rows_per_hour: wholeNumber({ min: 1, max: PER_HOUR_MAX })
      .prefault(ROWS_PER_HOUR)
      .meta(
        explained(
          'How many rows may be booked within an hour. Further rows wait for approval (slotbridge approve bookings), and their status says so.',
          { example: 100, since: '0.3.0' },
        ),
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
export const eventRule = section({
  title: text()
    .optional()
    .meta(
      explained('Title of the event: "#book *". * matches any text; case is ignored.', {
        example: '#book *',
      }),
    ),
  creator: oneOrMany(z.string(), readName)
    .optional()
    .meta(
      explained('Addresses of people whose events count.', {
        example: ['anna@clinic.example'],
      }),
    ),
  organizer: oneOrMany(z.string(), readOrganizer)
    .optional()
    .meta(
      explained(
        'Additional organizers whose invitations count, by address or domain (@agency.example). Default: only events organized by a calendar of this entry count. This is the only line that adds events.',
        { example: ['@agency.example'], since: '0.3.0' },
      ),
    ),
  attendee: oneOrMany(z.string(), readName)
    .optional()
    .meta(
      explained('Addresses. The event must invite one of them.', {
        example: ['desk@clinic.example'],
      }),
    ),
  property: entries(text(), { noun: 'property', example: 'source: website', max: PROPERTIES_MAX })
    .optional()
    .meta(
      explained('Private extended properties that another tool has set, by name. * matches any text.', {
        example: { source: 'website' },
      }),
    ),
}).describe(
  'Which events are bookings. An event must match every line; other events are ignored. organizer only adds organizers, so at least one other line is required.',
);

/** Headers of the columns, by what the columns mean. */
export const intakeColumns = section({
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
  return explained(meaning, since === undefined ? { example } : { example, since });
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

export function readCalendar(written: string) {
  const value = written.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is not the id of a calendar`,
      "write the Calendar ID from the calendar's settings, such as anna@clinic.example",
    ),
  };
}
