// Changes of objects as they happen: the newest as a page, the following ones as server-sent events.

import type { Change } from '../engine/changes.ts';
import type { HistoryEntry } from '../engine/history.ts';
import { ENTITY_KINDS, type EntityKind, parseKey } from '../engine/object.ts';
import {
  CHANGES_HELD_MAX,
  ChangeReader,
  changeAtIn,
  changeAtText,
  type KnownChange,
  type News,
} from './change-hub.ts';
import { foundObject, knownClaims } from './found.ts';
import { html, type Markup } from './html.ts';
import { exactTimeMarkup } from './pages/appointment-time.ts';
import { objectCell } from './pages/objects-table.ts';
import { moodOf, toldEntry } from './pages/timeline.ts';
import type { ConsoleParts } from './parts.ts';
import { forEyes } from './person.ts';
import type { PageStream } from './stream.ts';
import type { Answer, Page, Visit } from './visit.ts';

/** Most changes that are read to find those that a filter shows. */
const READ_MAX = 1_000;

/** `GET /console/changes` */
export async function answerChanges(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const newest = await parts.changes.newest(READ_MAX);
  const filter = readChangeFilter(visit.query);
  const seen = newest.flatMap((change) => seenBy(visit, change) ?? []).slice(-CHANGES_HELD_MAX);
  const shown = await withClaims(parts, seen);
  const after = changeAtText(newest.at(-1)?.at ?? { id: '0-0', nth: 0 });
  return changesPage(parts, { shown, filter, after }, visit);
}

/** The changes with what the worker knows of their objects. */
export async function withClaims(
  parts: Pick<ConsoleParts, 'story'>,
  changes: readonly Change[],
): Promise<readonly KnownChange[]> {
  // A bounded number is looked up, so the newest come first.
  const claims = await knownClaims(parts, changes.map(({ key }) => key).toReversed());
  return changes.map((change) => ({ ...change, claim: claims.get(change.key) }));
}

/**
 * A reader for the same query. It starts after the last change that the page shows: `after`, or the last event of a browser that
 * reconnects.
 */
export function changeReader(
  parts: Parts,
  visit: Visit,
  about: { readonly stream: PageStream; readonly lastEvent: string | undefined },
): ChangeReader {
  return new ChangeReader(about.stream, {
    after: changeAtIn(about.lastEvent ?? visit.query.getAll('after').at(-1) ?? ''),
    see: (change) => seenBy(visit, change),
    frame: (news) => frameOf(parts, news, { ...visit, nowMs: parts.clock.now() }),
  });
}

type Parts = Pick<ConsoleParts, 'clock' | 'directory' | 'zoneOf'>;

/** A person without the right to see people searches masked texts, so a filter reveals no more than the list. */
function seenBy<C extends Change>(visit: Visit, change: C): C | undefined {
  const seen = { ...change, ...forEyes(visit, { key: change.key, entry: change.entry }) };
  return isWanted(seen, readChangeFilter(visit.query)) ? seen : undefined;
}

function frameOf(parts: Parts, { changes, missed, at }: News, visit: Visit): string {
  const data = {
    rows: String(changeRows(parts, changes, visit)),
    now: new Date(visit.nowMs).toISOString(),
    missed: missed === 0 ? '' : visit.words.changes.missed(missed),
  };
  return `id: ${changeAtText(at)}\nevent: rows\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Shown {
  /** Oldest first. */
  readonly shown: readonly KnownChange[];
  readonly filter: ChangeFilter;
  /** The newest change at the time the page was made. */
  readonly after: string;
}

/** The list of changes; the script adds new ones at the top. */
function changesPage(parts: ConsoleParts, { shown, filter, after }: Shown, visit: Visit): Page {
  const { changes, frame, letters } = visit.words;
  const live = new URLSearchParams({ about: 'changes', ...filter, after });
  return {
    title: changes.title,
    menu: 'changes',
    live: live.toString(),
    body: html`<h1>${changes.title}</h1><p class="lead">${changes.lead}</p>
<form method="get" action="/console/changes" class="filter" aria-label="${letters.filter}">
${select('kind', visit, { chosen: filter.kind, label: changes.fields.kind, options: ENTITY_KINDS.map((kind) => [kind, visit.words.story.kinds[kind]]) })}
${select('mirror', visit, { chosen: filter.mirror, label: changes.fields.mirror, options: parts.mirrors.map((name) => [name, name]) })}
${select('outcome', visit, { chosen: filter.outcome, label: changes.fields.outcome, options: OUTCOMES.map((name) => [name, changes.outcomes[name]]) })}
<label>${changes.fields.text}<input type="search" name="text" maxlength="200" autocomplete="off" spellcheck="false" value="${filter.text ?? ''}"></label>
<button type="submit" class="second">${letters.filter}</button>
${Object.keys(filter).length > 0 && html`<a href="/console/changes">${frame.clear}</a>`}
</form>
<p class="notice" role="status" data-missed hidden></p>
<div class="scroll"><table><thead><tr><th scope="col">${changes.when}</th><th scope="col">${letters.object}</th><th scope="col">${changes.outcome}</th><th scope="col">${changes.what}</th></tr></thead><tbody data-rows>${
      shown.length === 0
        ? html`<tr data-none><td colspan="4" class="muted">${changes.none}</td></tr>`
        : changeRows(parts, shown, visit)
    }</tbody></table></div>`,
  };
}

/** Newest first. A name is never stored with a change: it is that of now, for those who may see it. */
function changeRows(parts: Parts, changes: readonly KnownChange[], visit: Visit): Markup {
  const { words, nowMs } = visit;
  const now = new Date(nowMs).toISOString();
  const row = ({ key, claim, entry }: KnownChange) => {
    const found = claim && foundObject(parts, { key: claim.key, claim }, visit);
    const outcome = outcomeOf(entry);
    return html`<tr><td>${exactTimeMarkup(new Date(entry.atMs).toISOString(), now)}</td><th scope="row">${objectCell(key, found, visit)}</th><td><span class="badge ${moodOf(entry)}">${
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

// Which changes a person wants to see in the list: by mirror, kind, outcome, and any text in them.

interface ChangeFilter {
  readonly kind?: string;
  readonly mirror?: string;
  readonly outcome?: string;
  /** An id, a code, the type of an event, or a part of one. */
  readonly text?: string;
}

const OUTCOMES = ['seen', 'mirrored', 'retry', 'defer', 'done', 'acted'] as const;

const FIELDS = ['kind', 'mirror', 'outcome', 'text'] as const;
const VALUE_CHARS_MAX = 200;

/** Keeps values that it does not know; they match nothing. */
function readChangeFilter(query: URLSearchParams): ChangeFilter {
  const given = FIELDS.flatMap((name) => {
    const value = (query.get(name) ?? '').trim().slice(0, VALUE_CHARS_MAX);
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** Filters what the reader may see: whoever sees masked texts searches masked texts. */
function isWanted({ key, entry }: Change, { kind, mirror, outcome, text }: ChangeFilter): boolean {
  return (
    (kind === undefined || kindOf(key) === kind) &&
    (outcome === undefined || outcomeOf(entry) === outcome) &&
    (mirror === undefined || mirrorsOf(entry).includes(mirror)) &&
    (text === undefined || `${key} ${JSON.stringify(entry)}`.toLowerCase().includes(text.toLowerCase()))
  );
}

function kindOf(key: string): EntityKind | undefined {
  return parseKey(key)?.kind;
}

/** The outcome of a failure is its consequence. */
function outcomeOf(entry: HistoryEntry): string {
  return entry.what === 'failed' ? entry.next : entry.what;
}

/** A change that was only seen concerns no mirror yet. */
function mirrorsOf(entry: HistoryEntry): readonly string[] {
  switch (entry.what) {
    case 'seen':
      return [];
    case 'mirrored':
      return Object.keys(entry.actions);
    case 'failed':
      return entry.reasons.map(({ mirror }) => mirror);
    case 'acted': {
      const named = /^mirrors\.([^.]+)/.exec(entry.rule ?? '')?.[1];
      return [named, entry.ids?.['mirror']].flatMap((name) => name ?? []);
    }
  }
}
