// Parses an appointment's start from what a user typed into a cell. Returns nothing unless the instant is certain.
import { DateTime } from 'luxon';
import { dayEndOf, dayStartOf, localAt, onClockOf, readLocal } from '../engine/zones/local.ts';

const DAY_S = 86_400;
/** Google's day 0 in every locale (Sheets API, DateTimeRenderOption). */
const DAY_ZERO = DateTime.utc(1899, 12, 30);

/** Formats of times typed as text, in the order in which they are tried. */
const PATTERNS = [
  'd.M.yyyy H:mm',
  'd.M.yyyy H:mm:ss',
  'd.M.yy H:mm',
  'yyyy-MM-dd H:mm',
  'yyyy-MM-dd H:mm:ss',
];

/** How to interpret the times that people type. */
export interface TypedClock {
  /** IANA zone. */
  readonly zone: string;
  /** luxon patterns, tried before all others. */
  readonly formats: readonly string[];
}

/**
 * RFC 3339 with offset, in the zone's local time unless the text names its own offset. A typed date is a serial number (Sheets API,
 * SERIAL_NUMBER). Undefined for anything else: a day without an hour, a text that is not a time, an hour skipped in spring. In the hour
 * that occurs twice in autumn, the first occurrence is meant (case 44).
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

/** Marks a serial number as a moment: less than the half second that `fromSerial` rounds away. */
const MOMENT_DAYS = 0.25 / DAY_S;
/** Serial number of the first day after the year 9999. */
const SERIAL_MAX = 2_958_466;

/** True for a number that is a day, perhaps at 00:00. */
export function isDaySerial(cell: unknown): cell is number {
  return typeof cell === 'number' && Number.isInteger(cell) && cell >= 1 && cell < SERIAL_MAX;
}

/** A day that its cell shows with 00:00, in a form that is read as that moment. */
export function atMidnight(cell: unknown): unknown {
  return isDaySerial(cell) ? cell + MOMENT_DAYS : cell;
}

/** Formats of a day without an hour, typed as text. */
const DAY_PATTERNS = ['d.M.yyyy', 'd.M.yy', 'yyyy-MM-dd'];

/** The day in a cell, with or without an hour, in the zone's local time; `date` is ISO 8601. */
export function dayIn(
  cell: unknown,
  clock: TypedClock,
): { readonly date: string; readonly fromMs: number; readonly toMs: number } | undefined {
  const { zone } = clock;
  const moment = momentOf(cell, clock);
  const day = moment === undefined ? dateOf(cell, zone) : readLocal(moment, zone);
  if (day === undefined || !day.isValid) return undefined;
  const from = dayStartOf(day);
  return {
    date: from.toFormat('yyyy-MM-dd'),
    fromMs: from.toMillis(),
    toMs: dayEndOf(from).toMillis(),
  };
}

function dateOf(cell: unknown, zone: string): DateTime | undefined {
  if (typeof cell === 'number') {
    if (!Number.isInteger(cell) || cell < 1) return undefined;
    return onClockOf(zone, DAY_ZERO.plus({ days: cell }));
  }
  if (typeof cell !== 'string') return undefined;
  const read = DAY_PATTERNS.map((pattern) =>
    DateTime.fromFormat(cell.trim(), pattern, { zone: 'utc', locale: 'en' }),
  ).find(({ isValid }) => isValid);
  return read && onClockOf(zone, read);
}

/**
 * The form in which free times are offered: Google and `momentOf` read it in every locale. Undefined for the second occurrence of a
 * repeated hour.
 */
export function offeredTime(atMs: number, clock: TypedClock): string | undefined {
  const text = localAt(atMs, clock.zone).toFormat('yyyy-MM-dd HH:mm');
  return Date.parse(momentOf(text, clock) ?? '') === atMs ? text : undefined;
}

function fromSerial(serial: number, zone: string): string | undefined {
  // An integer is a day without an hour, unless its cell's format says otherwise: see `atMidnight`.
  if (!Number.isFinite(serial) || serial < 1 || Number.isInteger(serial)) return undefined;
  // Google stores 15 digits: the seconds are exact, smaller digits are rounding errors.
  const read = DAY_ZERO.plus({ seconds: Math.round(serial * DAY_S) });
  return read.isValid ? onClock(read, zone) : undefined;
}

/** The same wall-clock time in the zone. */
function onClock(figures: DateTime, zone: string): string | undefined {
  const [there] = onClockOf(zone, figures).getPossibleOffsets();
  const isShown = there?.isValid === true && there.hour === figures.hour && there.minute === figures.minute;
  return isShown ? (there.toISO({ suppressMilliseconds: true }) ?? undefined) : undefined;
}
