import { noteAct } from '../operate/acts.ts';
// `slotbridge audit` as a page: ops start it, everybody reads it, and the result can be downloaded.

import { DIFFERENCES, type Difference, type DifferenceKind } from '../engine/finding.ts';
import type { Healed } from '../operate/audit/fix.ts';
import { toCsv } from '../operate/audit-text.ts';
import type { Compared, Comparison } from './comparison.ts';
import { type FoundObject, lookAll } from './found.ts';
import { html, type Markup } from './html.ts';
import { formTokenField } from './layout.ts';
import { readWhy } from './letters.ts';
import { ago } from './pages/appointment-time.ts';
import { objectCell } from './pages/objects-table.ts';
import type { ConsoleParts } from './parts.ts';
import { forEyes } from './person.ts';
import type { Answer, Page, Visit } from './visit.ts';
import type { Words } from './words/en.ts';

type Parts = ConsoleParts & { readonly comparison: Comparison };

/** `GET /console/compare` */
export async function answerCompare(parts: Parts, visit: Visit, notice?: string): Promise<Answer> {
  const { current } = parts.comparison;
  if (current === undefined) return comparePage(undefined, visit, notice);
  const { summary, ...shown } = current;
  const read = summary && { ...summary, unread: Object.fromEntries(summary.unread) };
  const keys = current.differences.slice(0, SHOWN_MAX).map(({ key }) => key);
  const found = await lookAll(parts, keys, visit);
  return comparePage({ ...forEyes(visit, { ...shown, summary: read }), found }, visit, notice);
}

/** `POST /console/compare`. One comparison runs at a time: a second request shows the first one. */
export async function startCompare(parts: Parts, visit: Visit): Promise<Answer> {
  const why = readWhy(visit.form);
  if (why === undefined) return answerCompare(parts, visit, visit.words.letters.whyNeeded);
  await parts.comparison.start(visit.visitor, () => noteAct(parts, visit.visitor, { what: 'compared', why }));
  return { to: '/console/compare' };
}

/**
 * `POST /console/compare/heal`: compares once more and heals what is found again, of the kinds that a person ticked. Only differences that the
 * page knew are meant.
 */
export async function healDifferences(parts: Parts, visit: Visit): Promise<Answer> {
  const { form, words } = visit;
  const { current } = parts.comparison;
  const why = readWhy(form);
  const kinds = DIFFERENCES.filter((kind) => form.getAll('what').includes(kind));
  if (why === undefined) return answerCompare(parts, visit, words.letters.whyNeeded);
  if (kinds.length === 0) return answerCompare(parts, visit, words.compare.noneTicked);
  if (current?.endedAtMs === undefined || form.get('at') !== String(current.atMs))
    return answerCompare(parts, visit, words.compare.changed);
  const chosen = current.differences.filter((each) => kinds.includes(each.what) && mayHeal(each));
  const about = { differences: kinds.join(', ') };
  await parts.comparison.start(
    visit.visitor,
    () =>
      noteAct(parts, visit.visitor, {
        what: 'healed',
        why,
        about,
        objects: chosen.map(({ key }) => key),
        chosen: chosen.length,
      }),
    chosen,
  );
  return { to: '/console/compare' };
}

/** What is pending heals by itself. */
function mayHeal({ why }: Difference): boolean {
  return why !== 'pending';
}

/** `GET /console/compare.csv`: all differences that were kept. */
export function downloadCompare(comparison: Comparison, visit: Visit): Answer {
  const differences = forEyes(visit, comparison.current?.differences ?? []);
  return { file: 'differences.csv', type: 'text/csv; charset=utf-8', text: `${toCsv(differences)}\r\n` };
}

const SHOWN_MAX = 200;

interface Shown extends Omit<Compared, 'summary'> {
  /** The objects of the differences that are shown, by key. */
  readonly found: ReadonlyMap<string, FoundObject>;
  readonly summary:
    | { readonly standing: number; readonly unread: Readonly<Record<string, string>> }
    | undefined;
}

/** The comparison of the platform with calendars and sheets: its progress, or what it found. */
function comparePage(shown: Shown | undefined, visit: Visit, notice?: string): Page {
  const { compare } = visit.words;
  const isOpen = shown !== undefined && shown.endedAtMs === undefined;
  return {
    title: compare.title,
    menu: 'compare',
    live: 'about=runs',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<h1>${compare.title}</h1><p class="lead">${compare.lead}</p>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
<div data-region="compare">${shown === undefined ? html`<p class="spaced">${compare.none}</p>` : result(shown, visit)}
${!isOpen && visit.may('act') && startForm(visit)}</div>`,
  };
}

function startForm(visit: Visit): Markup {
  const { compare, letters } = visit.words;
  return html`<form method="post" action="/console/compare" class="card stack spaced">${formTokenField(visit)}
<p>${compare.cost}</p><label for="why">${letters.why}</label>
<input id="why" name="why" required maxlength="500" autocomplete="off"><p><button type="submit">${compare.button}</button></p></form>`;
}

function result(shown: Shown, visit: Visit): Markup {
  const { words, nowMs, may } = visit;
  const { compare } = words;
  const { who, atMs, endedAtMs, failed, reading, objects, count, summary, cost, waits } = shown;
  const waitS = Math.ceil(((waits?.untilMs ?? 0) - nowMs) / 1000);
  const now = new Date(nowMs).toISOString();
  const begun = html`<p class="small">${may('see-people') && `${who}, `}${ago(new Date(atMs).toISOString(), now, words)}</p>`;
  if (endedAtMs === undefined) {
    return html`<section class="hero busy" aria-busy="true"><h2>${compare.runs}</h2>${begun}
<progress aria-label="${compare.runs}"></progress><p>${compare.read(objects, readingWord(reading, words))}</p>
${cost !== undefined && html`<p class="small">${compare.estimate(cost.platform, words.duration(cost.minutes * 60))}</p>`}
${waits !== undefined && waitS > 0 && html`<p class="small">${compare.waits[waits.whose](words.duration(waitS))}</p>`}</section>`;
  }
  if (failed !== undefined || summary === undefined) {
    return html`<section class="hero wrong"><h2>${compare.failed}</h2>${begun}<p>${failed === 'busy' || failed === 'other-mapping' ? compare[failed] : compare.failedText(words.codes.failure(failed ?? 'unexpected'))}</p></section>`;
  }
  const unread = Object.entries(summary.unread);
  return html`<section class="hero ${count === 0 && unread.length === 0 ? 'well' : 'wrong'}"><h2>${compare.found(count)}</h2>${begun}
<p>${compare.compared(objects, summary.standing)}</p>${unread.map(([place, code]) => html`<p class="small">${compare.unread(words.codes.target(place), words.codes.failure(code))}</p>`)}</section>
${shown.healed !== undefined && healedText(shown.healed, words)}
${count > 0 && table(shown, visit)}`;
}

function healedText({ counts, parked }: Healed, { compare, codes, frame }: Words): Markup {
  const done = Object.entries(counts) as [keyof typeof compare.healed, number][];
  return html`<section class="card spaced" role="status"><h2 class="h3">${compare.healedTitle}</h2><ul class="plain">
${done.length === 0 ? html`<li>${compare.nothingFound}</li>` : done.map(([what, count]) => html`<li>${compare.healed[what](count)}</li>`)}</ul>
${parked.length > 0 && html`<p>${parked.map(codes.target).join(', ')}: <a href="/console/approvals">${frame.approvals}</a></p>`}
<p class="small">${compare.healedAfter}</p></section>`;
}

function healForm({ differences, atMs }: Shown, visit: Visit): Markup | undefined {
  const { compare, letters, codes, number } = visit.words;
  const box = (kind: DifferenceKind, count: number) =>
    html`<label class="check"><input type="checkbox" name="what" value="${kind}" id="heal-${kind}">${codes.differences[kind]}: ${number(count)} <span class="small">${compare.heals[kind]}</span></label>`;
  const counts = DIFFERENCES.map((kind) => {
    return [kind, differences.filter((each) => each.what === kind && mayHeal(each)).length] as const;
  }).filter(([, count]) => count > 0);
  if (counts.length === 0) return undefined;
  return html`<form method="post" action="/console/compare/heal" class="card stack spaced">${formTokenField(visit)}<input type="hidden" name="at" value="${atMs}">
<fieldset><legend>${compare.heal}</legend>${counts.map(([kind, count]) => box(kind, count))}</fieldset>
<p class="small">${compare.healMeans}</p><label for="heal-why">${letters.why}</label>
<input id="heal-why" name="why" required maxlength="500" autocomplete="off"><p><button type="submit">${compare.healButton}</button></p></form>`;
}

/** `reading`: a kind of objects, or a place. */
function readingWord(reading: string, { again, codes }: Words): string {
  return (again.lists as Readonly<Record<string, string>>)[reading] ?? codes.target(reading);
}

function table(shown: Shown, visit: Visit): Markup {
  const { differences, count, found } = shown;
  const { words } = visit;
  const { compare, home, letters, codes } = words;
  const counts = differences.reduce((counted, { what, why }) => {
    const name = `${codes.differences[what]}, ${codes.reasons[why]}`;
    return counted.set(name, (counted.get(name) ?? 0) + 1);
  }, new Map<string, number>());
  const rest = count - Math.min(differences.length, SHOWN_MAX);
  return html`<ul class="plain row">${[...counts].map(([name, some]) => html`<li><span class="badge">${words.number(some)}</span> ${name}</li>`)}</ul>
<p><a class="button second" href="/console/compare.csv" download>${words.acts.download}</a></p>
<div class="scroll spaced"><table><thead><tr><th scope="col">${letters.object}</th><th scope="col">${compare.what}</th><th scope="col">${compare.why}</th><th scope="col">${compare.where}</th></tr></thead><tbody>
${differences
  .slice(0, SHOWN_MAX)
  .map(
    ({ key, what, why, mirror, place, name }) =>
      html`<tr><th scope="row">${objectCell(key, found.get(key), visit)}</th><td>${codes.differences[what]}</td><td>${codes.reasons[why]}</td><td>${mirror}<br><span class="small">${codes.target(place)}${name !== undefined && `, ${name}`}</span></td></tr>`,
  )}
</tbody></table></div>${rest > 0 && html`<p class="small">${home.more(rest)}</p>`}${visit.may('act') && healForm(shown, visit)}`;
}
