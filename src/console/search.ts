import { formatKey } from '../domain/entity.ts';
import { readAsked } from './asked.ts';
import { look } from './found.ts';
import { searchPage } from './pages/search.ts';
import type { ConsoleParts } from './parts.ts';
import type { Answer, Visit } from './visit.ts';

const FOUND_MAX = 50;

/**
 * `POST /console/search`: a form, so that a phone number stands in no address, no history of a browser and no log of a proxy. One result is
 * opened at once.
 */
export async function answerSearch(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const asked = readAsked(visit.form.get('q') ?? '', visit.nowMs);
  if (typeof asked === 'string') return searchPage(asked, visit);
  const byId = asked.id === undefined ? [] : await parts.find('any', asked.id);
  // Also that somebody is a customer at all is personal.
  const mayMore = byId.length === 0 && asked.person !== undefined && visit.may('see-people');
  const keys =
    mayMore && asked.person !== undefined ? await parts.people.search(asked.person, FOUND_MAX + 1) : byId;
  const [only] = keys;
  if (only !== undefined && keys.length === 1) return { to: `/console/object/${formatKey(only)}` };
  const found = await Promise.all(keys.slice(0, FOUND_MAX).map((key) => look(parts, key, visit)));
  const sorted = found.sort((a, b) => b.startsAt.localeCompare(a.startsAt));
  return searchPage({ found: sorted, hasMore: keys.length > FOUND_MAX }, visit);
}
