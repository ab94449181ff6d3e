// Reads when an appointment shall begin from what somebody typed into a cell. Nothing comes out unless the instant is certain.
import { DateTime } from 'luxon';

const DAY_S = 86_400;
/** Google's day 0, whatever the locale of the spreadsheet (Sheets API, DateTimeRenderOption). */
const DAY_ZERO = DateTime.utc(1899, 12, 30);

/** Typed as text, in the order in which they are tried. */
const PATTERNS = [
  'd.M.yyyy H:mm',
  'd.M.yyyy H:mm:ss',
  'd.M.yy H:mm',
  'yyyy-MM-dd H:mm',
  'yyyy-MM-dd H:mm:ss',
];

/** How people mean the times that they type. */
export interface TypedClock {
  /** IANA. */
  readonly zone: string;
  /** Patterns of luxon's, tried before all others. */
  readonly formats: readonly string[];
}

/**
 * RFC 3339 with offset, by the clock of the zone unless the text names its own. A typed date is a serial number (Sheets API,
 * SERIAL_NUMBER). Undefined for anything else: a day without an hour, a text that is no time, an hour that the clocks skip in
 * spring. Of the hour that autumn has twice the first is meant (case 44).
 */
export function momentOf(cell: unknown, { zone, formats }: TypedClock): string | undefined {
  if (typeof cell === 'number') return fromSerial(cell, zone);
  if (typeof cell !== 'string') return undefined;
  const typed = cell.trim().replaceAll(/[\s\u00a0]+/g, ' ');
  const text = typed.replace(', ', ' ');
  for (const pattern of [...formats, ...PATTERNS]) {
    const seen = pattern.includes(',') ? typed : text;
    const read = DateTime.fromFormat(seen, pattern, { zone: 'utc', locale: 'en' });
    if (read.isValid) return onClock(read, zone);
  }
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:?\d{2}/.test(text)) return undefined;
  const iso = text.replace(' ', 'T').replaceAll(' ', '');
  if (/(?:Z|[+-]\d{2}(?::?\d{2})?)$/i.test(iso.slice(11))) {
    const own = DateTime.fromISO(iso, { setZone: true });
    return own.isValid ? (own.toISO({ suppressMilliseconds: true }) ?? undefined) : undefined;
  }
  const read = DateTime.fromISO(iso, { zone: 'utc' });
  return read.isValid ? onClock(read, zone) : undefined;
}

/** A day without an hour, typed as text. */
const DAY_PATTERNS = ['d.M.yyyy', 'd.M.yy', 'yyyy-MM-dd'];

/** The day that is in a cell, with an hour or without one, by the clock of the zone; `date` is ISO 8601. */
export function dayIn(
  cell: unknown,
  clock: TypedClock,
): { readonly date: string; readonly fromMs: number; readonly toMs: number } | undefined {
  const { zone } = clock;
  const moment = momentOf(cell, clock);
  const day = moment === undefined ? dateOf(cell, zone) : DateTime.fromISO(moment, { zone });
  if (day === undefined || !day.isValid) return undefined;
  const from = day.startOf('day');
  return {
    date: from.toFormat('yyyy-MM-dd'),
    fromMs: from.toMillis(),
    toMs: from.plus({ days: 1 }).toMillis(),
  };
}

function dateOf(cell: unknown, zone: string): DateTime | undefined {
  if (typeof cell === 'number') {
    if (!Number.isInteger(cell) || cell < 1) return undefined;
    return DAY_ZERO.plus({ days: cell }).setZone(zone, { keepLocalTime: true });
  }
  if (typeof cell !== 'string') return undefined;
  const read = DAY_PATTERNS.map((pattern) =>
    DateTime.fromFormat(cell.trim(), pattern, { zone, locale: 'en' }),
  );
  return read.find(({ isValid }) => isValid);
}

/** As it is offered: a text that Google and `momentOf` read in every locale. Undefined in an hour that the clocks have twice. */
export function offeredTime(atMs: number, clock: TypedClock): string | undefined {
  const text = DateTime.fromMillis(atMs, { zone: clock.zone }).toFormat('yyyy-MM-dd HH:mm');
  return Date.parse(momentOf(text, clock) ?? '') === atMs ? text : undefined;
}

function fromSerial(serial: number, zone: string): string | undefined {
  // Nobody is booked at midnight sharp: that is a day without an hour.
  if (!Number.isFinite(serial) || serial < 1 || Number.isInteger(serial)) return undefined;
  // Google keeps 15 digits: the second is right, what is behind it is dust.
  const read = DAY_ZERO.plus({ seconds: Math.round(serial * DAY_S) });
  return read.isValid ? onClock(read, zone) : undefined;
}

/** The same figures on the clock of the zone. */
function onClock(figures: DateTime, zone: string): string | undefined {
  const [there] = figures.setZone(zone, { keepLocalTime: true }).getPossibleOffsets();
  const isShown = there?.isValid === true && there.hour === figures.hour && there.minute === figures.minute;
  return isShown ? (there.toISO({ suppressMilliseconds: true }) ?? undefined) : undefined;
}
