import { WorkerError } from '../engine/domain/errors.ts';
import { type EntityKey, formatKey, isId } from '../engine/domain/object.ts';
import type { PersonAsked, RowAsked } from '../engine/ports/console.ts';
import { readRowAddress } from '../operate/row-address.ts';
import type { CountedSearches } from './counted-searches.ts';
import { type FoundObject, look } from './found.ts';
import { searchPage } from './pages/search.ts';
import type { ConsoleParts } from './parts.ts';
import type { Answer, Visit } from './visit.ts';

const FOUND_MAX = 50;

/**
 * `POST /console/search`: a form, so that a phone number appears in no address, no browser history and no proxy's log. A single result
 * opens immediately.
 */
export async function answerSearch(
  parts: ConsoleParts,
  visit: Visit,
  trace: CountedSearches,
): Promise<Answer> {
  const asked = readAsked(visit.form.get('q') ?? '', visit.nowMs);
  if (typeof asked === 'string') return searchPage(asked, visit);
  const seesPeople = visit.may('see-people');
  if (seesPeople && !trace.mayTry(visit.visitor)) return searchPage('tooMany', visit);
  const keys =
    asked.row === undefined ? await keysOf(parts, visit, asked) : await keysInRow(parts, asked.row);
  if (typeof keys === 'string') return searchPage(keys, visit);
  // A trace that cannot be written shows nothing.
  if (seesPeople) await trace.note(visit.visitor, keys.slice(0, FOUND_MAX));
  return answerKeys(parts, visit, keys);
}

async function keysOf(
  parts: ConsoleParts,
  visit: Visit,
  { id, person }: Asked,
): Promise<readonly EntityKey[]> {
  const byId = id === undefined ? [] : await parts.find('any', id);
  // That a person is a customer at all is already personal.
  const mayMore = byId.length === 0 && visit.may('see-people');
  return mayMore && person !== undefined ? parts.people.search(person, FOUND_MAX + 1) : byId;
}

/** Finds the object in a row as it is now, for which it reads the tab. */
async function keysInRow(
  parts: ConsoleParts,
  asked: RowAsked,
): Promise<readonly EntityKey[] | 'noRow' | 'unreadRow'> {
  try {
    const keys = await parts.rows.at(asked);
    return keys.length === 0 ? 'noRow' : keys;
  } catch (err) {
    if (!(err instanceof WorkerError)) throw err;
    parts.log.debug({ err }, 'row not read');
    return 'unreadRow';
  }
}

async function answerKeys(parts: ConsoleParts, visit: Visit, keys: readonly EntityKey[]): Promise<Answer> {
  const [only] = keys;
  if (only !== undefined && keys.length === 1) return { to: `/console/object/${formatKey(only)}` };
  const found = await Promise.all(keys.slice(0, FOUND_MAX).map((key) => look(parts, key, visit)));
  const sorted = found.sort((a, b) => startOf(b) - startOf(a));
  return searchPage({ found: sorted, hasMore: keys.length > FOUND_MAX }, visit);
}

/** Objects without a start come last. */
function startOf({ time }: FoundObject): number {
  return time?.starts.atMs ?? Number.NEGATIVE_INFINITY;
}

/** What a person typed into the search box. The search tries the id first and people second: an id may consist of digits only. */
interface Asked {
  readonly id?: string;
  readonly person?: PersonAsked;
  readonly row?: RowAsked;
}

type Unusable = 'long' | 'short';

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
  const row = readRowAddress(text);
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
