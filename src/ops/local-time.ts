import { DateTime } from 'luxon';

/** `Mon 6 May 2030, 10:00`, on the clock of the zone; the text itself when it is no time or the zone is none. */
export function localTime(iso: string, zone: string): string {
  const local = DateTime.fromISO(iso, { zone });
  return local.isValid ? local.setLocale('en-GB').toFormat('ccc d LLL yyyy, HH:mm') : iso;
}
