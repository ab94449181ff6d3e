import type { FoundObject } from '../found.ts';
import { html } from '../html.ts';
import type { Page, Visit } from '../visit.ts';
import { objectsTable } from './objects-table.ts';

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
