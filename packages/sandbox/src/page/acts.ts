// What a user can do on the page: act as the platform's staff, in a calendar or in a sheet, or cause faults.
import { DateTime } from 'luxon';
import * as z from 'zod';
import type { JsonObject } from '../google/json.ts';
import { columnName } from '../google/sheets/a1.ts';
import { readLocal } from '../zones/local.ts';
import { bounded, type Shown } from './state.ts';

const text = z.string().max(2_000);
const id = z.string().min(1).max(300);
/** From an input of type datetime-local: local time of the branch or of the calendar. */
const local = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/, 'Choose a day and a time.');
const ROW_MAX = 5_000;
const COLUMN_MAX = 100;
const WEBHOOKS_TO_LOSE_MAX = 10;

const act = z.discriminatedUnion('act', [
  z.strictObject({
    act: z.literal('book'),
    service: id,
    resource: text,
    start: local,
    name: text.trim().min(1, 'A customer needs a name.'),
    phone: text,
  }),
  z.strictObject({ act: z.literal('move'), id, start: local }),
  z.strictObject({ act: z.literal('cancel'), id }),
  z.strictObject({ act: z.literal('lose') }),
  z.strictObject({ act: z.literal('fail'), side: z.enum(['platform', 'google']) }),
  z.strictObject({ act: z.literal('add-event'), calendar: id, title: text, start: local, end: local }),
  z.strictObject({
    act: z.literal('change-event'),
    calendar: id,
    id,
    title: text.optional(),
    start: local.optional(),
    end: local.optional(),
  }),
  z.strictObject({ act: z.literal('delete-event'), calendar: id, id }),
  z.strictObject({
    act: z.literal('type'),
    book: id,
    tab: id,
    row: z.int().min(1).max(ROW_MAX),
    column: z.int().min(1).max(COLUMN_MAX),
    /** The cell's text when the user began to type. */
    was: z.string(),
    value: text,
  }),
]);

type Act = z.infer<typeof act>;
type ActCalled<K extends Act['act']> = Extract<Act, { act: K }>;

/** Performs the act and returns a sentence about it. @throws an Error with a message for the user */
export function perform(shown: Shown, body: unknown): string {
  const wanted = act.safeParse(body);
  if (!wanted.success) throw new Error(wanted.error.issues[0]?.message ?? 'This cannot be done.');
  return doers[wanted.data.act](shown, wanted.data as never);
}

const doers: { [K in Act['act']]: (shown: Shown, what: ActCalled<K>) => string } = {
  book({ platform }, { service, resource, start, name, phone }) {
    platform.dashboard.bookAs('lk', {
      serviceId: service,
      startsAt: instantOf(start, zoneOfBranch(platform)),
      customerName: name,
      ...(resource === '' ? {} : { resourceId: resource }),
      ...(phone.trim() === '' ? {} : { customerPhone: phone }),
    });
    return `Booked for ${spoken(start)}. Watch the calendar and the sheet.`;
  },
  move({ platform }, what) {
    platform.dashboard.reschedule(what.id, { startsAt: instantOf(what.start, zoneOfBranch(platform)) });
    return `Moved to ${spoken(what.start)}.`;
  },
  cancel({ platform }, what) {
    platform.dashboard.cancel(what.id);
    return 'Cancelled.';
  },
  lose({ platform }) {
    if (platform.webhooksToLose >= WEBHOOKS_TO_LOSE_MAX)
      throw new Error('No more webhooks can be set to be lost.');
    platform.webhooksToLose += 1;
    return 'The next webhook will be lost. The event feed has to bring that change.';
  },
  fail({ armed }, { side }) {
    if (!armed.answer500(side)) throw new Error('Enough calls will fail.');
    return `The next call to ${side === 'google' ? 'Google' : 'the platform'} gets the answer 500.`;
  },
  'add-event'({ google }, { calendar, title, start, end }) {
    const { zone } = google.truth.calendar(calendar);
    const event: JsonObject = { summary: title, start: side(start, zone), end: side(end, zone) };
    google.staff.calendar.add({ calendarId: calendar, event });
    return 'The event is in the calendar.';
  },
  'change-event'({ google }, what) {
    const { zone } = google.truth.calendar(what.calendar);
    const patch: JsonObject = {
      ...(what.title === undefined ? {} : { summary: what.title }),
      ...(what.start === undefined ? {} : { start: { ...side(what.start, zone), date: null } }),
      ...(what.end === undefined ? {} : { end: { ...side(what.end, zone), date: null } }),
    };
    google.staff.calendar.edit({ calendarId: what.calendar, eventId: what.id, patch });
    return 'Changed in the calendar, as staff would do it.';
  },
  'delete-event'({ google }, what) {
    google.staff.calendar.remove({ calendarId: what.calendar, eventId: what.id });
    return 'Deleted in the calendar, as staff would do it.';
  },
  type({ google }, { book, tab, row, column, was, value }) {
    const stands = google.truth.formatted(book, tab)[row - 1]?.[column - 1];
    if (bounded(stands) !== was)
      throw new Error('The cell has changed meanwhile, so nothing was typed into it.');
    const cell = `${columnName(column - 1)}${row}`;
    google.staff.sheets.setCell({ spreadsheetId: book, tab, cell, value });
    return `Typed into ${cell}.`;
  },
};

function zoneOfBranch(platform: Shown['platform']): string {
  return String(platform.truth.branches()[0]?.['timezone'] ?? 'UTC');
}

function side(localTime: string, zone: string): JsonObject {
  return { dateTime: new Date(instantOf(localTime, zone)).toISOString(), timeZone: zone };
}

function instantOf(localTime: string, zone: string): number {
  const moment = readLocal(localTime, zone);
  if (!moment.isValid) throw new Error('There is no such time.');
  return moment.toMillis();
}

function spoken(localTime: string): string {
  return DateTime.fromISO(localTime, { zone: 'utc' }).setLocale('en-GB').toFormat('ccc d LLLL, HH:mm');
}
