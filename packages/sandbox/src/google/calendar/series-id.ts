// Ids of recurring events. "This and following events" makes a second master `<base>_R<start>`, whose instances keep the first one's base.
import { DateTime } from 'luxon';
import { localAt } from '../../zones/local.ts';

const splitForm = /_R\d{8}(?:T\d{6})?$/;

/** The id of the first part of a series, from the id of any of its masters. */
export function baseOf(masterId: string): string {
  return masterId.replace(splitForm, '');
}

/** The base and the start's form (`20260501T080000Z`, or `20260501` for a day) of an instance's id; undefined for any other id. */
export function readInstanceId(id: string): { base: string; suffix: string } | undefined {
  const [, base, suffix] = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/.exec(id) ?? [];
  return base === undefined || suffix === undefined ? undefined : { base, suffix };
}

/** The form of a start in an instance's id: in UTC, or the day in the calendar's zone. */
export function suffixOf(startMs: number, form: { isAllDay: boolean; calendarZone: string }): string {
  return form.isAllDay
    ? localAt(startMs, form.calendarZone).toFormat('yyyyMMdd')
    : DateTime.fromMillis(startMs, { zone: 'utc' }).toFormat("yyyyMMdd'T'HHmmss'Z'");
}

/** The id of the part of a series that begins at this instance. */
export function splitId(base: string, suffix: string): string {
  return `${base}_R${suffix.replace(/Z$/, '')}`;
}
