import { pathSpelled } from '../../engine/ids.ts';
import type { Reading } from '../kinds/reading.ts';
import { readWebAddress } from '../kinds/web-address.ts';
import { AS_WRITTEN, complaint } from '../problem.ts';

/** A Calendar ID of Google contains an `@` and no `//`. */
export const ADDRESS = /^https?:\/\//i;
/** Without what mail programs and word processors put around an address. */
const GOOGLE_ID =
  /^[^\s@<>()[\],;:"\\\u2018-\u201f\u00ab\u00bb]+@[^\s@<>()[\],;:"\\\u2018-\u201f\u00ab\u00bb]+$/u;

/** Google: the Calendar ID. CalDAV: the address in its one spelling, always with its last slash. */
export function readCalendar(written: string): Reading<string> {
  const value = written.trim();
  if (!ADDRESS.test(value)) return GOOGLE_ID.test(value) ? { value } : { complaint: NO_CALENDAR };
  const read = readWebAddress(value, 'https://cloud.clinic.example/dav/anna/calendar/');
  if (!('value' in read)) return read;
  const { origin, hostname, pathname } = read.value;
  // Pages and feeds of Google Calendar.
  if (hostname === 'calendar.google.com') return { complaint: NO_CALENDAR };
  return { value: `${origin}${pathSpelled(pathname.endsWith('/') ? pathname : `${pathname}/`)}` };
}

/** Undefined for anything that is no calendar. */
export function calendarNamed(written: string): string | undefined {
  const read = readCalendar(written);
  return 'value' in read ? read.value : undefined;
}

const NO_CALENDAR = complaint(
  `${AS_WRITTEN} is not the id of a calendar`,
  "write the Calendar ID from the calendar's settings, such as anna@clinic.example or …@group.calendar.google.com, or the https address of a CalDAV calendar",
);
