import { localParts } from '../engine/zone-parts.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** `12 s`, `4 min`, `6 h 3 min`, `2 d 5 h`: at most two units, because the seconds of yesterday do not matter. */
export function spokenDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 2 * MINUTE_S) return `${whole} s`;
  if (whole < HOUR_S) return `${Math.floor(whole / MINUTE_S)} min`;
  if (whole < DAY_S) return twoUnits(whole, { unit: 'h', s: HOUR_S }, { unit: 'min', s: MINUTE_S });
  return twoUnits(whole, { unit: 'd', s: DAY_S }, { unit: 'h', s: HOUR_S });
}

/** An estimate: `4 min 20 s` below ten minutes, because a minute more or less is a lot of them, and then as `spokenDuration`. */
export function spokenEstimate(seconds: number): string {
  if (seconds < 2 * MINUTE_S) return spokenDuration(seconds);
  const tens = Math.round(seconds / 10) * 10;
  if (tens < 10 * MINUTE_S) return twoUnits(tens, { unit: 'min', s: MINUTE_S }, { unit: 's', s: 1 });
  return spokenDuration(Math.round(seconds / MINUTE_S) * MINUTE_S);
}

/** `14:03:22 UTC`, preceded by the date if it is not the day of `nowIso`. Both are ISO 8601 in UTC. */
export function spokenTime(iso: string, nowIso: string): string {
  const [date = '', time = ''] = iso.split('T');
  const clock = `${time.slice(0, 8)} UTC`;
  return nowIso.startsWith(date) ? clock : `${date} ${clock}`;
}

/** Time from `iso` to `nowIso`. */
export function spokenAge(iso: string, nowIso: string): string {
  return spokenDuration((Date.parse(nowIso) - Date.parse(iso)) / 1000);
}

type Unit = { readonly unit: string; readonly s: number };

function twoUnits(seconds: number, large: Unit, small: Unit): string {
  const rest = Math.floor((seconds % large.s) / small.s);
  const first = `${Math.floor(seconds / large.s)} ${large.unit}`;
  return rest === 0 ? first : `${first} ${rest} ${small.unit}`;
}

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
