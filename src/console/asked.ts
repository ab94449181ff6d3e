import { isId } from '../domain/bounds.ts';
import type { PersonAsked, RowAsked } from '../ports/console.ts';

/** What a person typed into the search box. The search tries the id first and people second: an id may consist of digits only. */
export interface Asked {
  readonly id?: string;
  readonly person?: PersonAsked;
  readonly row?: RowAsked;
}

export type Unusable = 'long' | 'short';

const CHARS_MAX = 200;
/** Fewest letters and digits of a search: fewer occur in half of all objects. */
const SIGNS_MIN = 3;
/** Shortest id, shortest phone number, and most words of a search. */
const ID_CHARS_MIN = 6;
const PHONE_DIGITS_MIN = 7;
const WORDS_MAX = 8;

/** Takes linear time: it never looks beyond the bound. A day without a year is the one nearest to `nowMs`. */
export function readAsked(typed: string, nowMs: number): Asked | Unusable {
  if (typed.length > CHARS_MAX) return 'long';
  const text = typed.trim();
  const row = rowIn(text);
  if (row !== undefined) return { row };
  const words = text.toLowerCase().split(/\s+/).slice(0, WORDS_MAX);
  const day = words.map((word) => dayIn(word, nowMs)).find((each) => each !== undefined);
  if (day !== undefined) {
    const rest = words.filter((word) => dayIn(word, nowMs) === undefined);
    return { person: { day, ...(rest.length === 0 ? {} : { words: rest }) } };
  }
  const signs = text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (signs.length < SIGNS_MIN) return 'short';
  const digits = text.replaceAll(/\D/g, '');
  const isPhone = digits.length >= PHONE_DIGITS_MIN && /^[+\d ().\-\u00a0]+$/.test(text);
  return {
    ...(isId(text) && text.length >= ID_CHARS_MIN ? { id: text } : {}),
    person: isPhone ? { digits } : { words },
  };
}

/** Reads `Contacts!12`, `'Past visits'!A12`, `row 12`, `строка 12`. */
function rowIn(text: string): RowAsked | undefined {
  const plain = /^(?:row|строка)\s+(\d{1,7})$/i.exec(text);
  if (plain !== null) return rowOf(plain[1]);
  const at = text.lastIndexOf('!');
  const cell = at < 1 ? null : /^\$?[a-z]{0,3}\$?(\d{1,7})$/i.exec(text.slice(at + 1));
  if (cell === null) return undefined;
  const tab = text.slice(0, at).trim();
  const isQuoted = tab.length > 2 && tab.startsWith("'") && tab.endsWith("'");
  const row = rowOf(cell[1]);
  return row && { ...row, tab: isQuoted ? tab.slice(1, -1).replaceAll("''", "'") : tab };
}

/** The first row contains the headers. */
function rowOf(digits: string | undefined): RowAsked | undefined {
  const row = Number(digits);
  return row > 1 ? { row } : undefined;
}

const DAY_MS = 86_400_000;

/** Reads 2026-11-24, 24.11.2026, 24.11.26 or 24.11. (with its last dot). */
function dayIn(word: string, nowMs: number): string | undefined {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(word);
  if (iso !== null) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const spoken = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?$/.exec(word);
  if (spoken === null) return undefined;
  const [date, month] = [Number(spoken[1]), Number(spoken[2])];
  const year = Number(spoken[3]);
  if (spoken[3] !== undefined) return dayOf(year < 100 ? 2_000 + year : year, month, date);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const awayMs = (day: string) => Math.abs(Date.parse(day) + DAY_MS / 2 - nowMs);
  const days = [-1, 0, 1].flatMap((by) => dayOf(thisYear + by, month, date) ?? []);
  return days.sort((a, b) => awayMs(a) - awayMs(b))[0];
}

/** Undefined for a day that does not exist. */
function dayOf(year: number, month: number, date: number): string | undefined {
  const at = new Date(Date.UTC(year, month - 1, date));
  const isReal = at.getUTCMonth() === month - 1 && at.getUTCDate() === date;
  return isReal ? at.toISOString().slice(0, 10) : undefined;
}
