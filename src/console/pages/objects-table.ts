import { type EntityKind, formatKey, parseKey } from '../../engine/object.ts';
import type { FoundObject } from '../found.ts';
import { html, type Markup } from '../html.ts';
import type { Visit } from '../visit.ts';
import type { Words } from '../words/en.ts';
import { appointmentTimeMarkup, shortTimeMarkup } from './appointment-time.ts';

/** Objects, each with a link to its story. */
export function objectsTable(found: readonly FoundObject[], { words }: Visit): Markup {
  const { search, story } = words;
  return html`<div class="scroll spaced"><table><thead><tr><th scope="col">${search.object}</th><th scope="col">${story.person}</th><th scope="col">${search.when}</th><th scope="col">${search.service}</th><th scope="col">${search.state}</th></tr></thead><tbody>
${found.map(
  ({
    key,
    person,
    state,
    service,
    time,
  }) => html`<tr><th scope="row"><a href="/console/object/${formatKey(key)}">${story.kinds[key.kind]} <span class="code small">${key.id.slice(0, 8)}</span></a></th>
<td>${person?.name}${person !== undefined && person.phone !== '' && html`<br><span class="small">${person.phone}</span>`}</td><td>${time !== undefined && appointmentTimeMarkup(time)}</td><td>${service}</td><td>${stateWord(key.kind, state, words)}</td></tr>`,
)}
</tbody></table></div>`;
}

/** An object in a cell of a list: what it is, whose and when, and the beginning of its id. `name`: `formatKey`'s. */
export function objectCell(name: string, found: FoundObject | undefined, { words }: Visit): Markup {
  const { kind, id } = parseKey(name) ?? { kind: undefined, id: name };
  const { person, time } = found ?? {};
  const who = person?.name || person?.phone || person?.email;
  return html`<a href="/console/object/${name}">${kind === undefined ? name : words.story.kinds[kind]}${who !== undefined && `, ${who}`}</a><br><span class="small">${
    time !== undefined && html`${shortTimeMarkup(time)} `
  }<span class="code">${id.slice(0, 8)}</span></span>`;
}

/** The same below the search box, while a person types. */
export function objectsList(found: readonly FoundObject[], { words }: Visit): Markup {
  const { search, story } = words;
  return html`<p class="small" role="status">${search.found(found.length)}</p><ul>
${found.map(
  ({ key, person, state, service, time }) =>
    html`<li><a href="/console/object/${formatKey(key)}"><strong>${person?.name ?? story.kinds[key.kind]}</strong> ${[
      ...(person === undefined ? [] : [story.kinds[key.kind]]),
      ...[service, stateWord(key.kind, state, words), person?.phone ?? ''],
    ]
      .filter((told) => told !== '')
      .join(', ')} <span class="code small">${key.id.slice(0, 8)}</span>${
      time !== undefined && html`<br><span class="small">${appointmentTimeMarkup(time)}</span>`
    }</a></li>`,
)}
</ul>`;
}

/** The state of an object in words. States of contacts, leads and conversations are the platform's own words. */
export function stateWord(kind: EntityKind, state: string, { story }: Words): string {
  if (kind === 'appointment') return story.statuses[state] ?? state;
  return kind === 'booking' ? (story.bookingStates[state] ?? state) : state;
}
