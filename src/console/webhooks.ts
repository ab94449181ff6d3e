// The newest webhooks as a list: when, what, by which secret verified, and what became of each.

import { formatKey } from '../engine/object.ts';
import type { RefusedDeliveries, SecretUsed, VerifiedDelivery } from '../platform/webhook-delivery.ts';
import { type FoundObject, lookAll } from './found.ts';
import { html, type Markup } from './html.ts';
import { exactTimeMarkup } from './pages/appointment-time.ts';
import { objectCell } from './pages/objects-table.ts';
import type { ConsoleParts } from './parts.ts';
import type { Answer, Visit } from './visit.ts';
import type { Words } from './words/en.ts';

/** Deliveries on the page; the object of each is one read of Redis. */
const SHOWN_MAX = 100;
const HOUR_MS = 3_600_000;

export const WEBHOOKS_SHOWN = ['repeated', 'refused'] as const;
type Only = (typeof WEBHOOKS_SHOWN)[number];

type Row = { readonly verified: VerifiedDelivery } | { readonly refused: RefusedDeliveries };

/** `GET /console/webhooks`, with `only=repeated` or `only=refused`. */
export async function answerWebhooks(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { verified, refused } = await parts.received.newest();
  const only = WEBHOOKS_SHOWN.find((each) => each === visit.query.get('only'));
  const rows: readonly Row[] = [
    ...(only === 'refused' ? [] : verified.filter((each) => only === undefined || isRepeated(each))).map(
      (each) => ({ verified: each }),
    ),
    ...refused
      .filter((each) => only === undefined || (only === 'refused' && !isWaker(each)))
      .map((each) => ({ refused: each })),
  ].toSorted((a, b) => timeOf(b) - timeOf(a));
  const shown = rows.slice(0, SHOWN_MAX);
  const keys = await keysOf(parts, shown);
  const objects = await lookAll(parts, [...keys.values()], visit);
  const { webhooks, home } = visit.words;
  return {
    title: webhooks.title,
    menu: 'webhooks',
    live: 'about=all',
    body: html`<h1>${webhooks.title}</h1><p class="lead">${webhooks.lead}</p><div data-region="webhooks">
${tiles({ verified, refused }, visit)}
<p class="row">${filterLinks(only, visit.words)}</p>
${
  rows.length === 0
    ? html`<p class="muted spaced">${webhooks.none}</p>`
    : html`<div class="scroll spaced"><table><thead><tr><th scope="col">${webhooks.when}</th><th scope="col">${webhooks.type}</th><th scope="col">${webhooks.object}</th><th scope="col">${webhooks.secret}</th><th scope="col">${webhooks.outcome}</th></tr></thead><tbody>
${shown.map((row) => tableRow(row, { keys, objects }, visit))}
</tbody></table></div>`
}${rows.length > shown.length && html`<p class="small">${home.more(rows.length - shown.length)}</p>`}</div>`,
  };
}

function timeOf(row: Row): number {
  return 'verified' in row ? row.verified.atMs : row.refused.atMs;
}

/** Without a secret nothing is verified and nothing refused. */
function isWaker({ outcome }: RefusedDeliveries): boolean {
  return outcome === 'doorbell';
}

function isRepeated({ outcome }: VerifiedDelivery): boolean {
  return outcome === 'duplicate';
}

/** Event id to `formatKey` of its object, for the events that the worker still knows. */
async function keysOf(
  { journal }: Pick<ConsoleParts, 'journal'>,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap((row) => ('verified' in row ? [row.verified.eventId] : [])));
  ids.delete('');
  const found = await Promise.all(
    [...ids].map(async (id) => {
      const key = await journal.objectOf(id);
      return key === undefined ? [] : [[id, formatKey(key)] as const];
    }),
  );
  return new Map(found.flat());
}

interface Lists {
  readonly verified: readonly VerifiedDelivery[];
  readonly refused: readonly RefusedDeliveries[];
}

function tiles({ verified, refused }: Lists, { words, nowMs }: Visit): Markup {
  const { webhooks, number } = words;
  const isLately = ({ atMs }: { readonly atMs: number }) => nowMs - atMs < HOUR_MS;
  const lately = verified.filter(isLately);
  // A full list says only that there were at least so many.
  const isCut = lately.length > 0 && lately.length === verified.length && verified.length >= 1_000;
  const timesOf = (some: readonly RefusedDeliveries[]) =>
    some.filter(isLately).reduce((sum, { times }) => sum + times, 0);
  const accepted = lately.length + timesOf(refused.filter(isWaker));
  const received = isCut ? words.places.atLeast(accepted) : number(accepted);
  const times = timesOf(refused.filter((each) => !isWaker(each)));
  const tile = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles">${tile(webhooks.received, received)}${tile(webhooks.repeated, number(lately.filter(isRepeated).length))}${tile(webhooks.refused, number(times))}</dl>`;
}

function filterLinks(only: Only | undefined, { webhooks }: Words): Markup {
  const link = (each: Only | undefined) =>
    html` <a href="/console/webhooks${each !== undefined && `?only=${each}`}"${each === only && html` aria-current="true"`}>${webhooks.only[each ?? 'all']}</a>`;
  return html`<span class="choice">${[undefined, ...WEBHOOKS_SHOWN].map(link)}</span>`;
}

function tableRow(
  row: Row,
  known: {
    readonly keys: ReadonlyMap<string, string>;
    readonly objects: ReadonlyMap<string, FoundObject>;
  },
  visit: Visit,
): Markup {
  const { words, nowMs } = visit;
  const { webhooks, number, home } = words;
  const when = exactTimeMarkup(new Date(timeOf(row)).toISOString(), new Date(nowMs).toISOString());
  if ('refused' in row) {
    const { outcome, times } = row.refused;
    const told = webhooks.outcomes[outcome] ?? outcome;
    return html`<tr><th scope="row">${when}</th><td>${home.none}</td><td>${home.none}</td><td data-label="${webhooks.secret}">${webhooks.noSecret}</td><td><span class="badge ${outcome === 'doorbell' ? '' : 'wrong'}">${told}</span>${times > 1 && ` × ${number(times)}`}</td></tr>`;
  }
  const { eventId, eventType, secret, outcome } = row.verified;
  const key = known.keys.get(eventId);
  const mood = outcome === 'quarantined' ? 'wrong' : isRepeated(row.verified) ? 'busy' : 'well';
  return html`<tr><th scope="row">${when}</th><td>${eventType || home.none}<br><span class="code small">${eventId}</span></td><td>${
    key === undefined ? home.none : objectCell(key, known.objects.get(key), visit)
  }</td><td data-label="${webhooks.secret}">${secretText(secret, words)}</td><td><span class="badge ${mood}">${webhooks.outcomes[outcome] ?? outcome}</span></td></tr>`;
}

function secretText({ from, nth }: SecretUsed, { webhooks }: Words): string {
  return webhooks.secrets[from](nth);
}
