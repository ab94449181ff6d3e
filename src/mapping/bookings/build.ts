import type { CalendarMirror, StaffEdits } from '../../engine/domain/mirror.ts';
import { withoutUndefined } from '../../engine/domain/object.ts';
import {
  type BookingLanguage,
  type BookingSource,
  DROP_DOWNS,
  ROWS_PER_HOUR,
  type SheetBookings,
} from '../../engine/domain/outside-booking.ts';
import type { WrittenBooking } from '../schema/booking.ts';
import { COLOR_IDS } from '../schema/colours.ts';
import { staffEditsSection, toStaffEdits } from '../schema/staff-edits.ts';

export interface MirrorOfCalendar {
  readonly mirror: CalendarMirror;
  /** The file says what happens to changes of its events. */
  readonly saysEdits: boolean;
}

/** Builds the booking source of an entry that has passed every check. */
export function buildBooking(
  name: string,
  written: WrittenBooking,
  around: { readonly mirrors: readonly MirrorOfCalendar[]; readonly language: BookingLanguage },
): BookingSource {
  const { mirrors } = around;
  const { from, columns = {}, customer, service } = written;
  const rules = {
    name,
    ...withoutUndefined({ resource: written.resource, branch: written.branch, duration: written.duration }),
    ...withoutUndefined({
      guests: written.guests,
      comment: written.comment,
      region: written.region?.toUpperCase(),
    }),
    notifyCustomer: written.notify_customer,
    language: written.language ?? around.language,
    stillForMs: written.still_for,
  };
  const { create } = customer;
  if (from.calendar === undefined) {
    const sheet: SheetBookings['columns'] = columns as SheetBookings['columns'];
    // Columns supply what the entry does not set itself.
    const given = (key: keyof SheetBookings['columns'], own: string | undefined) =>
      own ?? (sheet[key] === undefined ? undefined : `{{ ${key}${FOUND_BY[key] ?? ''} }}`);
    const { spreadsheet, tab } = from;
    const conflict = written.staff_edits?.conflict ?? 'platform';
    if (spreadsheet === undefined || tab === undefined)
      throw new Error(`bookings ${name} passed the checks without a place`);
    return {
      ...rules,
      ...withoutUndefined({
        resource: given('resource', written.resource),
        branch: given('branch', written.branch),
        duration: given('duration', written.duration),
        guests: given('guests', written.guests),
        comment: given('comment', written.comment),
      }),
      kind: 'sheet',
      service: service ?? '{{ service }}',
      customer: {
        create,
        ...withoutUndefined({
          contactId: given('contact_id', customer.contact_id),
          name: given('name', customer.name),
          phone: given('phone', customer.phone),
          email: given('email', customer.email),
        }),
      },
      spreadsheetId: spreadsheet,
      ...withoutUndefined({ account: from.account, timezone: from.timezone, dateFormats: from.date_format }),
      tab,
      everyMs: from.every,
      // Set only when they are not the default: an update of the worker must not look like an edit of the YAML.
      ...(from.rows_per_hour !== ROWS_PER_HOUR && { rowsPerHour: from.rows_per_hour }),
      ...(conflict !== 'platform' && { conflict }),
      // Sorted by column, so that another order in the file is no edit of the mapping.
      ...withoutUndefined({
        dropDowns: written.drop_downs && DROP_DOWNS.filter((each) => written.drop_downs?.includes(each)),
      }),
      columns: sheet,
    };
  }
  const { title, creator, organizer, attendee, property } = written.when ?? {};
  const calendars = from.calendar.map((calendarId) => mirrorOf(calendarId, mirrors, name));
  return {
    ...rules,
    kind: 'calendar',
    service: service ?? '',
    customer: {
      create,
      ...withoutUndefined({ contactId: customer.contact_id, name: customer.name }),
      ...withoutUndefined({ phone: customer.phone, email: customer.email }),
    },
    calendars: calendars.map(({ calendarId, mirror }) => ({ calendarId, mirror: mirror.name })),
    when: withoutUndefined({
      ...{ title, creators: creator, organizers: organizer, attendees: attendee },
      properties: property,
    }),
    ...(written.recurring === 'each' && { series: { horizonMs: written.horizon } }),
    ...withoutUndefined({ refusedColorId: written.refused_color && COLOR_IDS[written.refused_color] }),
    staffEdits: Object.fromEntries(
      calendars.map(({ mirror, saysEdits }) => [mirror.name, editsOf(written, { mirror, saysEdits })]),
    ),
  };
}

/** Filters for cells in which people type more than the value, and in any format. */
const FOUND_BY: Readonly<Record<string, string>> = {
  phone: ' | phone',
  email: ' | email',
  duration: ' | duration',
};

/** People who book in a calendar also move and cancel there, unless the file says otherwise. */
function editsOf({ staff_edits: own }: WrittenBooking, { mirror, saysEdits }: MirrorOfCalendar): StaffEdits {
  if (own !== undefined) return toStaffEdits(own);
  if (saysEdits) return mirror.staffEdits;
  return toStaffEdits(staffEditsSection.parse({ moved: 'reschedule', deleted: 'cancel' }));
}

/** Uses the id as the mirror spells it. Two spellings would be two calendars to the worker, but one to Google. */
function mirrorOf(
  written: string,
  mirrors: readonly MirrorOfCalendar[],
  name: string,
): MirrorOfCalendar & { readonly calendarId: string } {
  const id = written.toLowerCase();
  for (const found of mirrors) {
    const calendar = found.mirror.calendars.find((each) => each.calendarId.toLowerCase() === id);
    if (calendar !== undefined) return { ...found, calendarId: calendar.calendarId };
  }
  throw new Error(`bookings ${name} passed the checks without a mirror`);
}
