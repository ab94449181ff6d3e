import { type EntityKey, formatKey } from '../../domain/entity.ts';
import { html, type Markup } from '../html.ts';
import type { Person } from '../person.ts';
import type { Page, Visit } from '../visit.ts';
import { moment } from './times.ts';

export interface FoundObject {
  readonly key: EntityKey;
  readonly person: Person | undefined;
  readonly state: string;
  /** ISO 8601, or empty. */
  readonly startsAt: string;
}

type Outcome =
  | 'ask'
  | 'long'
  | 'short'
  | { readonly found: readonly FoundObject[]; readonly hasMore: boolean };

/** What was found, or why nothing was looked for. What was typed is not repeated. */
export function searchPage(outcome: Outcome, visit: Visit): Page {
  const { search, frame } = visit.words;
  const isAsked = typeof outcome !== 'string';
  const isEmpty = isAsked && outcome.found.length === 0;
  const status = outcome === 'long' || outcome === 'short' ? 400 : 200;
  return {
    title: frame.search,
    status,
    body: html`<h1>${frame.search}</h1>
${!isAsked && html`<p class="spaced"${status === 400 && html` role="alert"`}>${search[outcome]}</p>`}
${isEmpty && html`<p class="spaced" role="status">${visit.may('see-people') ? search.none : search.noneById}</p>`}
${isAsked && !isEmpty && table(outcome.found, visit)}
${isAsked && outcome.hasMore && html`<p class="small">${search.more}</p>`}`,
  };
}

function table(found: readonly FoundObject[], { words, nowMs }: Visit): Markup {
  const { search, story } = words;
  const now = new Date(nowMs).toISOString();
  return html`<div class="scroll spaced"><table><thead><tr><th scope="col">${search.object}</th><th scope="col">${story.person}</th><th scope="col">${search.when}</th><th scope="col">${search.state}</th></tr></thead><tbody>
${found.map(
  ({
    key,
    person,
    state,
    startsAt,
  }) => html`<tr><th scope="row"><a href="/console/object/${formatKey(key)}">${story.kinds[key.kind]} <span class="code small">${key.id.slice(0, 8)}</span></a></th>
<td>${person?.name}${person !== undefined && person.phone !== '' && html`<br><span class="small">${person.phone}</span>`}</td><td>${
    Number.isNaN(Date.parse(startsAt)) ? '' : moment(new Date(startsAt).toISOString(), now)
  }</td><td>${state}</td></tr>`,
)}
</tbody></table></div>`;
}
