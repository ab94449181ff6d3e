import { digestOf, mayDecline, type Waiting } from '../../operate/approvals.ts';
import type { FoundObject } from '../found.ts';
import { html, type Markup } from '../html.ts';
import { formTokenField } from '../layout.ts';
import type { Page, Visit } from '../visit.ts';
import { withCode } from './advice.ts';
import { objectsTable } from './objects-table.ts';
import { ago, timeMarkup } from './times.ts';

/** What waits for a person, each with its consequence. `untilMs`: a person has just approved something until then. */
export function approvalsPage(waiting: readonly Waiting[], visit: Visit, untilMs: number | undefined): Page {
  const { words, nowMs } = visit;
  const { approvals } = words;
  const now = new Date(nowMs).toISOString();
  return {
    title: approvals.title,
    menu: 'approvals',
    live: 'about=all',
    body: html`<h1>${approvals.title}</h1><p class="lead">${approvals.lead}</p>
${untilMs !== undefined && html`<p class="notice good" role="status">${approvals.done}${timeMarkup(new Date(untilMs).toISOString(), now)}</p>`}
<div data-region="approvals">${
      waiting.length === 0
        ? html`<section class="hero well"><h2>${approvals.none}</h2></section>`
        : html`<ul class="cards">${waiting.map((each) => card(each, visit, now))}</ul>`
    }</div>`,
  };
}

function card(waiting: Waiting, visit: Visit, now: string): Markup {
  const { words } = visit;
  const { approvals } = words;
  const { kind, name, place, count, sinceMs, approvedUntilMs, letters } = waiting;
  return html`<li class="card wrong"><h2 class="h3">${approvals.titles[kind](count)}</h2>
${place !== '' && html`<p class="code small">${place}</p>`}
${sinceMs !== undefined && html`<p class="small">${approvals.since(ago(new Date(sinceMs).toISOString(), now, words))}</p>`}
<p>${withCode(approvals.means[kind](waiting))}</p>
${approvedUntilMs !== undefined && html`<p><span class="badge busy">${approvals.approvedUntil}${timeMarkup(new Date(approvedUntilMs).toISOString(), now)}</span></p>`}
<p class="row">${visit.may('act') && html`<a class="button" href="/console/approvals/allow?${new URLSearchParams({ name, kind }).toString()}">${approvals.look}</a>`}
${letters.length > 0 && visit.may('see-people') && html`<a class="button second" href="/console/letters?${lettersOf(waiting)}">${words.story.showLetters}</a>`}</p></li>`;
}

/** The query for the letters that wait, so that people can discard them too. */
function lettersOf({ kind, place, letters }: Waiting): string {
  const code = kind === 'mails' ? 'mail-storm' : 'mass-deletion';
  const targets = letters.flatMap(({ reasons }) => reasons.map((reason) => reason.target ?? ''));
  const target = targets.find((each) => place !== '' && each.endsWith(`:${place}`));
  return new URLSearchParams({ code, ...(target !== undefined && { place: target }) }).toString();
}

interface Asked {
  /** Undefined: it no longer waits. */
  readonly waiting: Waiting | undefined;
  /** Some of the objects that it concerns. */
  readonly objects: readonly FoundObject[];
  /** Keys of all others that it concerns. */
  readonly others: readonly string[];
  readonly notice: string | undefined;
}

/** Shows how many, which, and what would happen, and asks for a reason before anything is done. */
export function confirmApproval({ waiting, objects, others, notice }: Asked, visit: Visit): Page {
  const { approvals, letters, frame, home } = visit.words;
  const back = html`<a href="/console/approvals">${frame.back}</a>`;
  if (waiting === undefined) {
    return {
      title: approvals.gone,
      menu: 'approvals',
      body: html`<section class="message"><h1>${approvals.gone}</h1><p>${approvals.goneText}</p><p>${back}</p></section>`,
    };
  }
  const { kind, name, place, count } = waiting;
  const title = approvals.titles[kind](count);
  return {
    title,
    menu: 'approvals',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<section class="message wide"><h1>${title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
${place !== '' && html`<p class="code small">${place}</p>`}
<p>${withCode(approvals.means[kind](waiting))}</p><p>${approvals.hour[kind]}</p>
${objects.length > 0 && objectsTable(objects, visit)}${others.length > 0 && html`<details><summary>${home.more(others.length)}</summary><ul class="plain small">${others.map((key) => html`<li><a class="code" href="/console/object/${key}">${key}</a></li>`)}</ul></details>`}
<form method="post" action="/console/approvals/allow" class="stack">${formTokenField(visit)}
<input type="hidden" name="name" value="${name}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="count" value="${count}"><input type="hidden" name="digest" value="${digestOf(waiting)}">
<label for="why">${letters.why}</label>
<input id="why" name="why" required maxlength="500" autocomplete="off">
<p class="row"><button type="submit" class="danger">${approvals.button}</button> ${mayDecline(waiting) && html`<button type="submit" name="verdict" value="decline" class="second">${approvals.decline}</button> `}${back}</p>
</form></section>`,
  };
}
