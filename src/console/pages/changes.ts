import { ENTITY_KINDS, parseKey } from '../../engine/domain/object.ts';
import type { Change } from '../../engine/ports/console.ts';
import { type ChangeFilter, OUTCOMES, outcomeOf } from '../change-filter.ts';
import { html, type Markup } from '../html.ts';
import type { Page, Visit } from '../visit.ts';
import { moodOf, toldEntry } from './timeline.ts';
import { timeMarkup } from './times.ts';

interface Shown {
  /** Oldest first. */
  readonly shown: readonly Change[];
  readonly filter: ChangeFilter;
  /** The newest change at the time the page was made. */
  readonly after: string;
  readonly mirrors: readonly string[];
}

/** The list of changes; the script adds new ones at the top. */
export function changesPage({ shown, filter, after, mirrors }: Shown, visit: Visit): Page {
  const { changes, frame, letters } = visit.words;
  const live = new URLSearchParams({ about: 'changes', ...filter, after });
  return {
    title: changes.title,
    menu: 'changes',
    live: live.toString(),
    body: html`<h1>${changes.title}</h1><p class="lead">${changes.lead}</p>
<form method="get" action="/console/changes" class="filter" aria-label="${letters.filter}">
${select('kind', visit, { chosen: filter.kind, label: changes.fields.kind, options: ENTITY_KINDS.map((kind) => [kind, visit.words.story.kinds[kind]]) })}
${select('mirror', visit, { chosen: filter.mirror, label: changes.fields.mirror, options: mirrors.map((name) => [name, name]) })}
${select('outcome', visit, { chosen: filter.outcome, label: changes.fields.outcome, options: OUTCOMES.map((name) => [name, changes.outcomes[name]]) })}
<label>${changes.fields.text}<input type="search" name="text" maxlength="200" autocomplete="off" spellcheck="false" value="${filter.text ?? ''}"></label>
<button type="submit" class="second">${letters.filter}</button>
${Object.keys(filter).length > 0 && html`<a href="/console/changes">${frame.clear}</a>`}
</form>
<p class="notice" role="status" data-missed hidden></p>
<div class="scroll"><table><thead><tr><th scope="col">${changes.when}</th><th scope="col">${letters.object}</th><th scope="col">${changes.outcome}</th><th scope="col">${changes.what}</th></tr></thead><tbody data-rows>${
      shown.length === 0
        ? html`<tr data-none><td colspan="4" class="muted">${changes.none}</td></tr>`
        : changeRows(shown, visit)
    }</tbody></table></div>`,
  };
}

/** Newest first. */
export function changeRows(changes: readonly Change[], visit: Visit): Markup {
  const { words, nowMs } = visit;
  const now = new Date(nowMs).toISOString();
  const row = ({ key, entry }: Change) => {
    const { kind, id } = parseKey(key) ?? { kind: undefined, id: key };
    const outcome = outcomeOf(entry);
    return html`<tr><td>${timeMarkup(new Date(entry.atMs).toISOString(), now)}</td><th scope="row"><a href="/console/object/${key}">${
      kind === undefined ? '' : words.story.kinds[kind]
    } <span class="code small">${id.slice(0, 8)}</span></a></th><td><span class="badge ${moodOf(entry)}">${
      (words.changes.outcomes as Readonly<Record<string, string>>)[outcome] ?? outcome
    }</span></td><td>${toldEntry(entry, visit)}</td></tr>`;
  };
  return html`${changes.toReversed().map(row)}`;
}

function select(
  name: string,
  { words }: Visit,
  {
    chosen,
    label,
    options,
  }: {
    readonly chosen: string | undefined;
    readonly label: string;
    readonly options: readonly (readonly [string, string])[];
  },
): Markup {
  return html`<label>${label}<select name="${name}"><option value="">${words.letters.any}</option>${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;
}
