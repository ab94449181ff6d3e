import { offsetAt, zoneNamed } from './zone-rules.ts';

const MINUTE_MS = 60_000;

/**
 * The parts of a local time as a language writes them, without loading a library for calendars. `options` are those of
 * `Intl.DateTimeFormat`, without zone. Undefined for an unknown zone, and for no time.
 */
export function localParts(
  ms: number,
  zone: string,
  { locale, ...options }: { readonly locale: string } & ShownOptions,
): ReadonlyMap<Intl.DateTimeFormatPartTypes, string> | undefined {
  const rules = zoneNamed(zone);
  if (rules === undefined || Number.isNaN(ms)) return undefined;
  // Shown as UTC: the rules of Node must not move it once more.
  const localMs = ms + offsetAt(rules, ms) * MINUTE_MS;
  const parts = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).formatToParts(localMs);
  return new Map(parts.map(({ type, value }) => [type, value]));
}

type ShownOptions = Omit<Intl.DateTimeFormatOptions, 'timeZone' | 'timeZoneName'>;

/** The day, such as `2026-11-24`; that of UTC in an unknown zone, and empty for no time. */
export function localDate(ms: number, zone: string): string {
  if (Number.isNaN(ms)) return '';
  const rules = zoneNamed(zone);
  const localMs = rules === undefined ? ms : ms + offsetAt(rules, ms) * MINUTE_MS;
  return new Date(localMs).toISOString().slice(0, 10);
}
