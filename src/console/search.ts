import { WorkerError } from '../engine/errors.ts';
import { type EntityKey, formatKey, isId, isShortId } from '../engine/object.ts';
import type { RowAsked } from '../operate/mirrored-rows.ts';
import type { PersonAsked } from '../operate/people-index.ts';
import { readRowAddress } from '../operate/row-address.ts';
import { type FoundObject, look } from './found.ts';
import { html } from './html.ts';
import { objectsList, objectsTable } from './pages/objects-table.ts';
import type { ConsoleParts } from './parts.ts';
import type { CountedSearches } from './search-limit.ts';
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
  const text = visit.form.get('q') ?? '';
  const asked = readAsked(text, visit.nowMs);
  if (typeof asked === 'string') return searchPage(asked, visit);
  const isCounted = visit.may('see-people');
  const search = isCounted ? await trace.begin(visit.visitor, text.trim(), { isTyped: false }) : undefined;
  if (isCounted && search === undefined) return searchPage('tooMany', visit);
  const keys =
    asked.row === undefined
      ? await keysOf(parts, visit, { ...asked, most: FOUND_MAX })
      : await keysInRow(parts, asked.row);
  if (typeof keys === 'string') return searchPage(keys, visit);
  // A trace that cannot be written shows nothing.
  if (search !== undefined) await trace.note(visit.visitor, search, keys.slice(0, FOUND_MAX));
  return answerKeys(parts, visit, keys);
}

/** Most results shown while a person types. More are not shown at all: what they see counts, and they have only begun. */
const TYPED_FOUND_MAX = 8;

/**
 * `POST /console/search/typed`: what a person has typed so far, as a part of a page. Rows and beginnings of ids wait for the whole search:
 * they cost a request to Google, or a walk through all keys.
 */
export async function answerTyped(
  parts: ConsoleParts,
  visit: Visit,
  trace: CountedSearches,
): Promise<Answer> {
  const { search: words } = visit.words;
  const text = (visit.form.get('q') ?? '').trim();
  const asked = readAsked(text, visit.nowMs);
  const seesPeople = visit.may('see-people');
  const isSearched = typeof asked !== 'string' && asked.row === undefined && (seesPeople || !isShortId(text));
  if (!isSearched) return { part: html`<p class="small">${words.enter}</p>` };
  const search = seesPeople ? await trace.begin(visit.visitor, text, { isTyped: true }) : undefined;
  if (seesPeople && search === undefined)
    return { part: html`<p class="small">${words.tooMany}</p>`, status: 429 };
  const { person, id } = asked;
  const whole = id === undefined || isShortId(id) ? {} : { id };
  const keys = await keysOf(parts, visit, { ...whole, ...(person && { person }), most: TYPED_FOUND_MAX });
  const shown = keys.length > TYPED_FOUND_MAX ? [] : keys;
  if (search !== undefined) await trace.note(visit.visitor, search, shown);
  if (shown.length === 0)
    return { part: html`<p class="small">${keys.length === 0 ? words.enter : words.more}</p>` };
  const found = await Promise.all(shown.map((key) => look(parts, key, visit)));
  return { part: objectsList(found.sort(latestFirst), visit) };
}

async function keysOf(
  parts: ConsoleParts,
  visit: Visit,
  { id, person, most }: Asked & { readonly most: number },
): Promise<readonly EntityKey[]> {
  const byId = id === undefined ? [] : await parts.find('any', id);
  // That a person is a customer at all is already personal.
  const mayMore = byId.length === 0 && visit.may('see-people');
  return mayMore && person !== undefined ? parts.people.search(person, most + 1) : byId;
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
  return searchPage({ found: found.sort(latestFirst), hasMore: keys.length > FOUND_MAX }, visit);
}

function latestFirst(a: FoundObject, b: FoundObject): number {
  return startOf(b) - startOf(a);
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
