import type { FailureReason } from '../../engine/domain/work.ts';
import type { KeptLetter } from '../../engine/ports/work.ts';
import { html, type Markup } from '../html.ts';
import type { Ended } from '../letter-action.ts';
import type { ShownClass } from '../letter-classes.ts';
import { AGES, type LetterFilter, toQuery } from '../letter-filter.ts';
import type { Page, Visit } from '../visit.ts';
import type { Words } from '../words/en.ts';
import { codeTitle, toldCode } from './advice.ts';
import { ago } from './times.ts';

/** Causes on the page. */
export const CAUSES_SHOWN_MAX = 12;
/** Letters in the table of the page. */
export const LETTERS_SHOWN_MAX = 100;
/** Most entries of one drop-down. */
const CHOICES_MAX = 200;

interface Shown {
  /** All letters, and the reasons among them. */
  readonly total: number;
  readonly reasons: readonly Pick<FailureReason, 'code' | 'mirror' | 'target'>[];
  /** Letters that the filter selects, their most frequent classes, and how many classes are left out. */
  readonly count: number;
  readonly classes: readonly ShownClass[];
  readonly more: number;
  /** The newest of them. */
  readonly letters: readonly KeptLetter[];
  readonly filter: LetterFilter;
  readonly ended: Ended | undefined;
}

export function lettersPage(shown: Shown, visit: Visit): Page {
  const { total, reasons, filter, ended } = shown;
  const { letters } = visit.words;
  return {
    title: letters.title,
    menu: 'letters',
    live: 'about=all',
    body: html`<h1>${letters.title}</h1>
${ended !== undefined && html`<p class="notice good" role="status">${letters.ended[ended.action](ended.done, ended.of)}</p>`}
${filterForm(reasons, filter, visit.words)}
<div data-region="letters">${
      total === 0 && Object.keys(filter).length === 0
        ? html`<section class="hero well"><h2>${letters.nothing}</h2></section>`
        : list(shown, visit)
    }</div>`,
  };
}

function list(shown: Shown, visit: Visit): Markup {
  const { total, count, filter } = shown;
  return html`<div class="row"><p><strong>${visit.words.letters.count(count, total)}</strong></p>${actions(count, filter, visit)}</div>
${causes(shown, visit)}
${table(shown, visit)}`;
}

function filterForm(
  reasons: Shown['reasons'],
  filter: LetterFilter,
  { letters, frame, codes }: Words,
): Markup {
  const choice = (name: 'mirror' | 'code' | 'place', values: readonly (string | undefined)[]) => {
    const nameOf = { code: codes.failure, place: codes.target, mirror: (mirror: string) => mirror }[name];
    const known = [...new Set([...values, filter[name]])].flatMap((value) => value ?? []).sort();
    return select(
      { name, label: letters.fields[name], any: letters.any, chosen: filter[name] },
      known.slice(0, CHOICES_MAX).map((value) => [value, nameOf(value)]),
    );
  };
  const ages = Object.keys(AGES).map((age) => [age, letters.ages[age as keyof typeof AGES]] as const);
  return html`<form method="get" action="/console/letters" class="filter" aria-label="${letters.filter}">
${choice(
  'code',
  reasons.map((reason) => reason.code),
)}
${choice(
  'mirror',
  reasons.map((reason) => reason.mirror),
)}
${choice(
  'place',
  reasons.map((reason) => reason.target),
)}
${select({ name: 'age', label: letters.fields.age, any: letters.any, chosen: filter.age }, ages)}
${filter.key !== undefined && html`<input type="hidden" name="key" value="${filter.key}">`}
<button type="submit" class="second">${letters.filter}</button>
${Object.keys(filter).length > 0 && html`<a href="/console/letters">${frame.clear}</a>`}
</form>`;
}

interface Choice {
  readonly name: string;
  readonly label: string;
  /** Text of the option that chooses nothing. */
  readonly any: string;
  readonly chosen: string | undefined;
}

function select(
  { name, label, any, chosen }: Choice,
  options: readonly (readonly [string, string])[],
): Markup {
  return html`<label>${label}<select name="${name}"><option value="">${any}</option>${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;
}

function actions(count: number, filter: LetterFilter, { words, may }: Visit): Markup | undefined {
  const { letters } = words;
  if (count === 0 || !may('act')) return undefined;
  const query = toQuery(filter);
  return html`<p class="row"><a class="button" href="/console/letters/retry?${query}">${letters.retry(count)}</a>
<a class="button second" href="/console/letters/discard?${query}">${letters.discard(count)}</a></p>`;
}

function causes({ classes, more }: Shown, { words, nowMs }: Visit): Markup | undefined {
  const { letters } = words;
  if (classes.length === 0) return html`<p class="muted">${letters.none}</p>`;
  const now = new Date(nowMs).toISOString();
  const card = ({ code, mirror, count, newest, ...said }: ShownClass) => html`<li class="card wrong">
<h2 class="h3"><a href="/console/letters?${toQuery({ code, mirror })}">${codeTitle(code, words)}</a> <span class="badge">${words.number(count)}</span></h2>
<p class="small">${letters.inMirror(mirror)}, ${letters.newest(ago(newest, now, words))}</p>
${toldCode(code, said, words)}</li>`;
  return html`<ul class="cards">${classes.map(card)}</ul>${
    more > 0 && html`<p class="small">${words.home.more(more)}</p>`
  }`;
}

function table({ count, letters: shown }: Shown, { words, nowMs }: Visit): Markup | undefined {
  const { letters } = words;
  if (shown.length === 0) return undefined;
  const now = new Date(nowMs).toISOString();
  const rest = count - shown.length;
  return html`<h2>${letters.objects}</h2><div class="scroll"><table><thead><tr><th scope="col">${letters.object}</th><th scope="col">${letters.fields.code}</th><th scope="col">${letters.since}</th><th scope="col" class="n">${letters.attempts}</th></tr></thead><tbody>
${shown.map(
  ({
    key,
    reasons,
    atMs,
    attempts,
  }) => html`<tr><th scope="row"><a class="code" href="/console/object/${key}">${key}</a></th>
<td>${reasons.map(({ mirror, code }) => `${words.codes.failure(code)}, ${mirror}`).join('; ')}</td><td data-label="${letters.since}">${ago(new Date(atMs).toISOString(), now, words)}</td><td class="n" data-label="${letters.attempts}">${words.number(attempts)}</td></tr>`,
)}
</tbody></table></div>${rest > 0 && html`<p class="small">${words.home.more(rest)}</p>`}`;
}
