import { pathSpelled } from '../../engine/ids.ts';
import { readWebAddress } from '../kinds/web-address.ts';

/** A Calendar ID of Google contains an `@` and no `//`. */
export const ADDRESS = /^https?:\/\//i;

/**
 * The id of a calendar: of Google, or the address of a CalDAV calendar in its one spelling, always with its last slash. Undefined for anything
 * else.
 */
export function calendarNamed(written: string): string | undefined {
  const value = written.trim();
  if (!ADDRESS.test(value)) return /^[^\s@]+@[^\s@]+$/.test(value) ? value : undefined;
  const read = readWebAddress(value, 'https://cloud.clinic.example/dav/anna/calendar/');
  if (!('value' in read)) return undefined;
  const { origin, pathname } = read.value;
  return `${origin}${pathSpelled(pathname.endsWith('/') ? pathname : `${pathname}/`)}`;
}
