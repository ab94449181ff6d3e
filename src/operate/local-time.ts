import { localParts } from '../engine/zones/parts.ts';

/** `Mon 6 May 2030, 10:00`, in the zone's local time; returns the text unchanged if it is not a time or the zone is unknown. */
export function localTime(iso: string, zone: string): string {
  const parts = localParts(Date.parse(iso), zone, {
    ...{ locale: 'en-GB', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  if (parts === undefined) return iso;
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${at('weekday')} ${at('day')} ${at('month')} ${at('year')}, ${at('hour')}:${at('minute')}`;
}
