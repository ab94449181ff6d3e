import { randomUUID } from 'node:crypto';
import { WorkerError } from '../engine/errors.ts';
import { type EntityKey, formatKey, isId } from '../engine/object.ts';
import type { Act, ActLog, Visitor } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { RowAsked } from '../operate/mirrored-rows.ts';
import type { PersonAsked } from '../operate/people-index.ts';
import { readRowAddress } from '../operate/row-address.ts';
import { type FoundObject, look } from './found.ts';
import { html } from './html.ts';
import { objectsTable } from './pages/objects-table.ts';
import type { ConsoleParts } from './parts.ts';
import type { Answer, Page, Visit } from './visit.ts';

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

type Outcome =
  | 'ask'
  | 'long'
  | 'short'
  | 'noRow'
  | 'unreadRow'
  | 'tooMany'
  | { readonly found: readonly FoundObject[]; readonly hasMore: boolean };

/** Shows what was found, or why nothing was searched. The page does not repeat what the person typed. */
export function searchPage(outcome: Outcome, visit: Visit): Page {
  const { search, frame } = visit.words;
  const isAsked = typeof outcome !== 'string';
  const isEmpty = isAsked && outcome.found.length === 0;
  const status = outcome === 'tooMany' ? 429 : outcome === 'long' || outcome === 'short' ? 400 : 200;
  return {
    title: frame.search,
    status,
    body: html`<h1>${frame.search}</h1>
${!isAsked && html`<p class="spaced"${status >= 400 && html` role="alert"`}>${search[outcome]}</p>`}
${isEmpty && html`<p class="spaced" role="status">${visit.may('see-people') ? search.none : search.noneById}</p>`}
${isAsked && !isEmpty && objectsTable(outcome.found, visit)}
${isAsked && outcome.hasMore && html`<p class="small">${search.more}</p>`}`,
  };
}

// Searches of people by those who may see them: each leaves a trace in the audit log, and nobody lists all customers. The log has ids and
// counts, never what was typed.

/** Most searches of one person within a minute: more than anybody types. */
const SEARCHES_PER_MINUTE_MAX = 20;
/** Most objects that searches show to one person within an hour. A reception looks up a tenth. */
const OBJECTS_PER_HOUR_MAX = 500;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Most ids in an entry of the audit log. */
const IDS_MAX = 100;
/** Entries of the audit log among which the current one is: the others are newer. */
const NEWEST_READ = 200;

interface Hour {
  readonly act: Pick<Act, 'id' | 'atMs'>;
  minuteMs: number;
  inMinute: number;
  searches: number;
  objects: number;
  /** Entries are written one after another. */
  written: Promise<unknown>;
}

export class CountedSearches {
  readonly #parts: { readonly acts: ActLog; readonly clock: Clock };
  readonly #hours = new Map<string, Hour>();

  constructor(parts: { readonly acts: ActLog; readonly clock: Clock }) {
    this.#parts = parts;
  }

  /** Counts one search; false when it exceeds a limit. */
  mayTry({ who }: Visitor): boolean {
    const hour = this.#hourOf(who);
    const nowMs = this.#parts.clock.now();
    if (!isWithin(hour.minuteMs, MINUTE_MS, nowMs)) {
      hour.minuteMs = nowMs;
      hour.inMinute = 0;
    }
    if (hour.inMinute >= SEARCHES_PER_MINUTE_MAX || hour.objects >= OBJECTS_PER_HOUR_MAX) return false;
    hour.inMinute += 1;
    return true;
  }

  /** Notes what a search is about to show: one entry for each person and hour. Rejects when it cannot be written. */
  async note(visitor: Visitor, shown: readonly EntityKey[]): Promise<void> {
    const hour = this.#hourOf(visitor.who);
    hour.searches += 1;
    hour.objects += shown.length;
    if (shown.length === 0) return;
    const writing = hour.written.catch(() => undefined).then(() => this.#write(visitor, hour, shown));
    hour.written = writing;
    await writing;
  }

  /** Ids are kept in the log alone, from which an erasure takes them. */
  async #write({ role, who }: Visitor, hour: Hour, shown: readonly EntityKey[]): Promise<void> {
    const { acts } = this.#parts;
    const before = (await acts.newest(NEWEST_READ)).find(({ id }) => id === hour.act.id);
    const known = (before?.about['objects'] ?? '').split(', ').filter((each) => each !== '');
    const ids = [...new Set([...shown.map(formatKey), ...known])].slice(0, IDS_MAX);
    const about = {
      searches: String(hour.searches),
      found: String(hour.objects),
      objects: ids.join(', '),
    };
    await acts.note({ ...hour.act, role, who, what: 'searched', why: '', about });
  }

  #hourOf(who: string): Hour {
    const nowMs = this.#parts.clock.now();
    for (const [each, { act }] of this.#hours)
      if (!isWithin(act.atMs, HOUR_MS, nowMs)) this.#hours.delete(each);
    const hour = this.#hours.get(who) ?? {
      act: { id: randomUUID(), atMs: nowMs },
      ...{ minuteMs: nowMs, inMinute: 0, searches: 0, objects: 0, written: Promise.resolve() },
    };
    this.#hours.set(who, hour);
    return hour;
  }
}

/** Begins anew also when the clock was set back. */
function isWithin(sinceMs: number, forMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < forMs;
}
