import { html } from '../html.ts';
import { formTokenField } from '../layout.ts';
import type { LetterAction } from '../letter-action.ts';
import { type LetterFilter, toQuery } from '../letter-filter.ts';
import type { Page, Visit } from '../visit.ts';

/** Letters that the confirmation names. */
export const NAMES_SHOWN_MAX = 10;

interface Chosen {
  readonly action: LetterAction;
  readonly filter: LetterFilter;
  readonly count: number;
  /** The newest of them. */
  readonly names: readonly string[];
  /** Letters that arrive after this page was made are excluded. */
  readonly untilMs: number;
  readonly notice?: string;
}

/** Shows how many letters and which, and asks for a reason before anything is done. */
export function confirmPage({ action, filter, count, names, untilMs, notice }: Chosen, visit: Visit): Page {
  const { letters, home, frame } = visit.words;
  const title = letters[action](count);
  const back = html`<a href="/console/letters?${toQuery(filter)}">${frame.back}</a>`;
  if (count === 0) {
    return {
      title: letters.none,
      menu: 'letters',
      body: html`<section class="message"><h1>${letters.none}</h1><p>${letters.noneText}</p><p>${back}</p></section>`,
    };
  }
  const hidden = { ...filter, until: String(untilMs), count: String(count) };
  const rest = count - names.length;
  return {
    title,
    menu: 'letters',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<section class="message"><h1>${title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
<p>${letters.means[action]}</p>
<ul class="plain small">${names.map((name) => html`<li class="code">${name}</li>`)}${
      rest > 0 && html`<li>${home.more(rest)}</li>`
    }</ul>
<form method="post" action="/console/letters/${action}" class="stack">${formTokenField(visit)}
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="why">${letters.why}</label>
<input id="why" name="why" required maxlength="500" autocomplete="off">
<p class="row"><button type="submit"${action === 'discard' && html` class="danger"`}>${title}</button> ${back}</p>
</form></section>`,
  };
}
