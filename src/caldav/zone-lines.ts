import { isZoneName, offsetAt, windowsZone, zoneNamed } from '../engine/zone-rules.ts';
import { type Component, line, propertyText } from './content-lines.ts';

const MINUTE_MS = 60_000;
/** How far before and after an event its zone is described. */
const AROUND_MS = 400 * 86_400_000;
/** Before the first year of the table. */
const FIRST_MS = Date.UTC(1970, 0, 1);

/**
 * The zone by the worker's own rules: around a moment, or for all years of its table. Undefined for a zone that they do not know, and for one
 * without a name of IANA.
 */
export function vtimezone(name: string, aroundMs: number | undefined): Component | undefined {
  const zone = zoneNamed(name);
  if (zone === undefined || zone.name === 'UTC' || /^(?:UTC|GMT)?[+-]\d/i.test(zone.name)) return undefined;
  const fromMs = aroundMs === undefined ? FIRST_MS : aroundMs - AROUND_MS;
  const untilMs = aroundMs === undefined ? Number.POSITIVE_INFINITY : aroundMs + AROUND_MS;
  const within = zone.changes.filter(({ fromMs: atMs }) => atMs > fromMs && atMs < untilMs);
  const first = { fromMs, offsetMin: offsetAt(zone, fromMs) };
  const all = [first, ...within];
  const least = Math.min(...all.map(({ offsetMin }) => offsetMin));
  const observances = all.map(({ fromMs: atMs, offsetMin }, at) => {
    const beforeMin = all[at - 1]?.offsetMin ?? offsetMin;
    return {
      name: offsetMin > least ? 'DAYLIGHT' : 'STANDARD',
      items: [
        line('DTSTART', localStamp(atMs, beforeMin)),
        line('TZOFFSETFROM', offset(beforeMin)),
        line('TZOFFSETTO', offset(offsetMin)),
      ],
    };
  });
  return { name: 'VTIMEZONE', items: [line('TZID', zone.name), ...observances] };
}

/** The zone of IANA that a description means: programs put their own prefix before its name, or call it as they like. */
export function zoneOf(description: Component): string | undefined {
  const said = ['TZID', 'X-LIC-LOCATION'].flatMap((name) => propertyText(description, name)?.trim() ?? []);
  for (const name of said) {
    const zone = zoneMeant(name);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** The zone of IANA in a name, whatever a program puts before it; of a name of Windows, the zone that stands for it. */
export function zoneMeant(name: string): string | undefined {
  const meant = [name, ...PARTS.map((count) => name.split('/').slice(-count).join('/'))].find(isZoneName);
  return meant ?? windowsZone(name);
}

/** `America/Argentina/Salta` has three, `Europe/Berlin` two. */
const PARTS = [3, 2];

/** `20261129T090000`, without a zone. */
export function localStamp(ms: number, offsetMin: number): string {
  return new Date(ms + offsetMin * MINUTE_MS).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}

/** `20261129T080000Z`. */
export function utcStamp(ms: number): string {
  return `${localStamp(ms, 0)}Z`;
}

function offset(minutes: number): string {
  const absolute = Math.abs(minutes);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}${two(absolute % 60)}`;
}
