import { type EntityKey, formatKey } from '../domain/entity.ts';
import { WorkerError } from '../domain/errors.ts';
import type { RowAsked } from '../ports/console.ts';
import { readAsked } from './asked.ts';
import { look } from './found.ts';
import { searchPage } from './pages/search.ts';
import type { ConsoleParts } from './parts.ts';
import type { Answer, Visit } from './visit.ts';

const FOUND_MAX = 50;

/**
 * `POST /console/search`: a form, so that a phone number appears in no address, no browser history and no proxy's log. A single result
 * opens immediately.
 */
export async function answerSearch(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const asked = readAsked(visit.form.get('q') ?? '', visit.nowMs);
  if (typeof asked === 'string') return searchPage(asked, visit);
  if (asked.row !== undefined) return answerRow(parts, visit, asked.row);
  const byId = asked.id === undefined ? [] : await parts.find('any', asked.id);
  // That a person is a customer at all is already personal.
  const mayMore = byId.length === 0 && asked.person !== undefined && visit.may('see-people');
  const keys =
    mayMore && asked.person !== undefined ? await parts.people.search(asked.person, FOUND_MAX + 1) : byId;
  return answerKeys(parts, visit, keys);
}

/** Finds the object in a row as it is now, for which it reads the tab. */
async function answerRow(parts: ConsoleParts, visit: Visit, asked: RowAsked): Promise<Answer> {
  try {
    const keys = await parts.rows.at(asked);
    return keys.length === 0 ? searchPage('noRow', visit) : answerKeys(parts, visit, keys);
  } catch (err) {
    if (!(err instanceof WorkerError)) throw err;
    parts.log.debug({ err }, 'row not read');
    return searchPage('unreadRow', visit);
  }
}

async function answerKeys(parts: ConsoleParts, visit: Visit, keys: readonly EntityKey[]): Promise<Answer> {
  const [only] = keys;
  if (only !== undefined && keys.length === 1) return { to: `/console/object/${formatKey(only)}` };
  const found = await Promise.all(keys.slice(0, FOUND_MAX).map((key) => look(parts, key, visit)));
  const sorted = found.sort((a, b) => b.startsAt.localeCompare(a.startsAt));
  return searchPage({ found: sorted, hasMore: keys.length > FOUND_MAX }, visit);
}
