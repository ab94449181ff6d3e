import { ACT_OBJECTS_MAX, noteAct } from '../operate/acts.ts';
// Dead letters, shown by cause. People retry or discard exactly what a filter shows, after a count and a reason.

import type { FailureReason, KeptLetter, LetterCause } from '../engine/work.ts';
import { type FoundObject, lookAll } from './found.ts';
import { html, type Markup } from './html.ts';
import { formTokenField } from './layout.ts';
import { codeTitle, toldCode } from './pages/advice.ts';
import { ago } from './pages/appointment-time.ts';
import { objectCell } from './pages/objects-table.ts';
import type { ConsoleParts } from './parts.ts';
import { textForEyes } from './person.ts';
import type { Answer, Page, Visit } from './visit.ts';
import type { Words } from './words/en.ts';

/** How many letters are sent to Redis in one step. */
const LETTERS_AT_ONCE = 50;

/** `GET /console/letters` */
export async function answerLetters(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const filter = readFilter(visit.query);
  const text = textForEyes(visit);
  const all = await parts.deadLetters.causes();
  const chosen = await chooseLetters(parts, { filter, untilMs: untilOf(filter, visit.nowMs), text });
  const { classes, more } = await readClasses(parts, chosen.causes, { limit: CAUSES_SHOWN_MAX, text });
  const reasons = all.flatMap((cause) =>
    cause.reasons.map(({ target, ...reason }) => ({
      ...reason,
      ...(target !== undefined && { target: text(target) }),
    })),
  );
  const letters = await chosen.newest(LETTERS_SHOWN_MAX);
  const objects = await lookAll(
    parts,
    letters.map(({ key }) => key),
    visit,
  );
  const shown = { total: total(all), reasons, count: chosen.count, classes, more, letters, objects };
  return lettersPage({ ...shown, filter, ended: endedIn(visit.query) }, visit);
}

/** `GET /console/letters/retry`, `…/discard`: shows how many letters the filter selects, and asks for a reason. */
export async function confirmLetters(
  parts: ConsoleParts,
  visit: Visit,
  action: LetterAction,
): Promise<Answer> {
  const filter = readFilter(visit.query);
  const untilMs = untilOf(filter, visit.nowMs);
  const chosen = await chooseLetters(parts, { filter, untilMs });
  return confirmPage({ action, filter, untilMs, ...(await named(parts, chosen, visit)) }, visit);
}

async function named(parts: ConsoleParts, chosen: ChosenLetters, visit: Visit) {
  const keys = (await chosen.newest(NAMES_SHOWN_MAX)).map(({ key }) => key);
  return { count: chosen.count, keys, objects: await lookAll(parts, keys, visit) };
}

/**
 * `POST /console/letters/retry`, `…/discard`. Acts only on letters that the page showed. Letters that another person has dealt with are
 * gone, so a repeated request changes nothing.
 */
export async function actOnLetters(parts: ConsoleParts, visit: Visit, action: LetterAction): Promise<Answer> {
  const { form, words } = visit;
  const filter = readFilter(form);
  const latestMs = untilOf(filter, visit.nowMs);
  const untilMs = Math.min(Number(form.get('until') || Number.NaN), latestMs);
  const shown = Number(form.get('count') || Number.NaN);
  const why = readWhy(form);
  const chosen = await chooseLetters(parts, { filter, untilMs });
  if (why === undefined || !(chosen.count <= shown)) {
    const notice = why === undefined ? words.letters.whyNeeded : words.letters.changed;
    const again = await chooseLetters(parts, { filter, untilMs: latestMs });
    return confirmPage(
      { action, filter, untilMs: latestMs, notice, ...(await named(parts, again, visit)) },
      visit,
    );
  }
  const what = action === 'retry' ? 'letters-retried' : 'letters-discarded';
  // Another person was faster. An act upon nothing would only fill the audit log.
  if (chosen.count === 0)
    return { to: `/console/letters?${endedQuery(filter, { action, done: 0, of: shown })}` };
  const { names, ...fields } = filter;
  const about = { ...fields, ...(names !== undefined && { ticked: names.join(', ') }) } as Record<
    string,
    string
  >;
  const objects = (await chosen.newest(ACT_OBJECTS_MAX)).map(({ key }) => key);
  const act = await noteAct(parts, visit.visitor, { what, why, about, objects, chosen: shown });
  let done = 0;
  for await (const letters of chosen.each()) done += await endLetters(parts, letters, { action, why });
  await parts.acts.note({ ...act, done });
  return { to: `/console/letters?${endedQuery(filter, { action, done, of: shown })}` };
}

/** A letter can be ended only once. Returns how many of them this call ended. */
export async function endLetters(
  { deadLetters, queue }: Pick<ConsoleParts, 'deadLetters' | 'queue'>,
  letters: readonly KeptLetter[],
  { action, why }: { readonly action: LetterAction; readonly why: string },
): Promise<number> {
  let done = 0;
  for (let at = 0; at < letters.length; at += LETTERS_AT_ONCE) {
    const some = letters.slice(at, at + LETTERS_AT_ONCE);
    const ended = await Promise.all(
      some.map((letter) =>
        action === 'retry' ? deadLetters.retry(letter) : deadLetters.discard(letter, why),
      ),
    );
    const mine = some.filter((_, nth) => ended[nth]);
    if (action === 'retry') queue.add(mine.map(({ key }) => key));
    done += mine.length;
  }
  return done;
}

// The letters that a filter selects, without reading them all: their causes say how many there are.

interface ChosenLetters {
  readonly count: number;
  readonly causes: readonly LetterCause[];
  newest(limit: number): Promise<readonly KeptLetter[]>;
  each(): AsyncIterable<readonly KeptLetter[]>;
}

interface Asked {
  readonly filter: LetterFilter;
  /** Letters written later are excluded; NaN excludes all. */
  readonly untilMs: number;
  /** What the visitor sees of a text: a filter names what its page showed. */
  readonly text?: (text: string) => string;
}

export async function chooseLetters(
  { deadLetters }: Pick<ConsoleParts, 'deadLetters'>,
  { filter, untilMs, text = (told) => told }: Asked,
): Promise<ChosenLetters> {
  if (Number.isNaN(untilMs)) return { count: 0, causes: [], newest: async () => [], each: () => inParts([]) };
  if (filter.key === undefined && filter.names === undefined) {
    const causes = (await deadLetters.causes(untilMs)).filter((cause) => isOfFilter(filter, cause, text));
    return {
      ...{ count: total(causes), causes },
      newest: (limit) => deadLetters.newest({ causes, untilMs }, limit),
      each: () => deadLetters.each({ causes, untilMs }),
    };
  }
  const { key, names } = filter;
  const found = names === undefined ? deadLetters.ofObject(key ?? '') : deadLetters.named(names);
  const letters = (await found).filter(
    (letter) =>
      letter.atMs <= untilMs && (key === undefined || letter.key === key) && isOfFilter(filter, letter, text),
  );
  return {
    ...{ count: letters.length, causes: letters.map(causeOf) },
    newest: async (limit) => letters.slice(0, limit),
    each: () => inParts([letters]),
  };
}

function total(causes: readonly LetterCause[]): number {
  return causes.reduce((sum, { count }) => sum + count, 0);
}

function causeOf({ name, atMs, reasons }: KeptLetter): LetterCause {
  return { id: '', reasons, count: 1, newest: name, newestAtMs: atMs, oldestAtMs: atMs };
}

async function* inParts<T>(parts: readonly T[]): AsyncIterable<T> {
  yield* parts;
}

/** Letters that the confirmation names. */
const NAMES_SHOWN_MAX = 10;

interface Chosen {
  readonly action: LetterAction;
  readonly filter: LetterFilter;
  readonly count: number;
  /** The objects of the newest of them. */
  readonly keys: readonly string[];
  readonly objects: ReadonlyMap<string, FoundObject>;
  /** Letters that arrive after this page was made are excluded. */
  readonly untilMs: number;
  readonly notice?: string;
}

/** Shows how many letters and which, and asks for a reason before anything is done. */
function confirmPage({ action, filter, count, keys, objects, untilMs, notice }: Chosen, visit: Visit): Page {
  const { letters, home, frame } = visit.words;
  const title = letters[action](count);
  const { names: _, ...all } = filter;
  const back = html`<a href="/console/letters?${toQuery(all)}">${frame.back}</a>`;
  if (count === 0) {
    return {
      title: letters.none,
      menu: 'letters',
      body: html`<section class="message"><h1>${letters.none}</h1><p>${letters.noneText}</p><p>${back}</p></section>`,
    };
  }
  const hidden = [...entriesOf(filter), ['until', String(untilMs)], ['count', String(count)]] as const;
  const rest = count - keys.length;
  return {
    title,
    menu: 'letters',
    ...(notice === undefined ? {} : { status: 409 }),
    body: html`<section class="message"><h1>${title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
<p>${letters.means[action]}</p>
<ul class="plain small">${keys.map((key) => html`<li>${objectCell(key, objects.get(key), visit)}</li>`)}${
      rest > 0 && html`<li>${home.more(rest)}</li>`
    }</ul>
<form method="post" action="/console/letters/${action}" class="stack">${formTokenField(visit)}
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="why">${letters.why}</label>
<input id="why" name="why" required maxlength="500" autocomplete="off">
<p class="row"><button type="submit"${action === 'discard' && html` class="danger"`}>${title}</button> ${back}</p>
</form></section>`,
  };
}

/** Causes on the page. */
const CAUSES_SHOWN_MAX = 12;
/** Letters in the table of the page. */
const LETTERS_SHOWN_MAX = 100;
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
  readonly objects: ReadonlyMap<string, FoundObject>;
  readonly filter: LetterFilter;
  readonly ended: Ended | undefined;
}

function lettersPage(shown: Shown, visit: Visit): Page {
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

function table({ count, letters: shown, objects }: Shown, visit: Visit): Markup | undefined {
  const { words, nowMs, may } = visit;
  const { letters } = words;
  if (shown.length === 0) return undefined;
  const mayTick = may('act');
  const now = new Date(nowMs).toISOString();
  const rest = count - shown.length;
  const list = html`<div class="scroll"><table><thead><tr>${mayTick && html`<th scope="col">${letters.tick}</th>`}<th scope="col">${letters.object}</th><th scope="col">${letters.fields.code}</th><th scope="col">${letters.since}</th><th scope="col" class="n">${letters.attempts}</th></tr></thead><tbody>
${shown.map(
  ({ name, key, reasons, atMs, attempts }) => html`<tr>${
    mayTick &&
    html`<td class="check"><input type="checkbox" name="name" value="${name}" id="tick ${name}" aria-label="${letters.tick} ${name}"></td>`
  }<th scope="row">${objectCell(key, objects.get(key), visit)}</th>
<td>${reasons.map(({ mirror, code }) => `${words.codes.failure(code)}, ${mirror}`).join('; ')}</td><td data-label="${letters.since}">${ago(new Date(atMs).toISOString(), now, words)}</td><td class="n" data-label="${letters.attempts}">${words.number(attempts)}</td></tr>`,
)}
</tbody></table></div>`;
  return html`<h2>${letters.objects}</h2>${
    mayTick
      ? html`<form method="get" action="/console/letters/retry"><input type="hidden" name="ticked" value="1">${list}<p class="row"><button type="submit">${letters.ticked.retry}</button> <button type="submit" class="second" formaction="/console/letters/discard">${letters.ticked.discard}</button></p></form>`
      : list
  }${rest > 0 && html`<p class="small">${words.home.more(rest)}</p>`}`;
}

/** Letters with the same reason code in the same mirror. `message` and `advice` are those of the newest. */
interface ShownClass {
  readonly code: string;
  readonly mirror: string;
  readonly message: string;
  readonly advice?: string;
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly newest: string;
}

interface Counted {
  readonly code: string;
  readonly mirror: string;
  readonly count: number;
  readonly newest: string;
  readonly newestAtMs: number;
}

/** By code and mirror, the most frequent first. Only the newest letter of each class is read. `more`: how many classes are left out. */
async function readClasses(
  { deadLetters }: Pick<ConsoleParts, 'deadLetters'>,
  causes: readonly LetterCause[],
  { limit, text }: { readonly limit: number; readonly text: (text: string) => string },
): Promise<{ readonly classes: readonly ShownClass[]; readonly more: number }> {
  const counted = countClasses(causes);
  const shown = counted.slice(0, limit);
  const letters = await deadLetters.named(shown.map(({ newest }) => newest));
  const byName = new Map(letters.map((letter) => [letter.name, letter]));
  const classes = shown.map(({ code, mirror, count, newest, newestAtMs }): ShownClass => {
    // The letter may have been ended meanwhile.
    const reasons = byName.get(newest)?.reasons ?? [];
    const { message = '', advice } =
      reasons.find((each) => each.code === code && each.mirror === mirror) ?? {};
    return {
      ...{ code, mirror, count, newest: new Date(newestAtMs).toISOString() },
      message: text(message),
      ...(advice === undefined ? {} : { advice: text(advice) }),
    };
  });
  return { classes, more: counted.length - shown.length };
}

function countClasses(causes: readonly LetterCause[]): readonly Counted[] {
  const classes = new Map<string, Counted>();
  for (const { reasons, count, newest, newestAtMs } of causes) {
    for (const { code, mirror } of reasons) {
      const name = JSON.stringify([code, mirror]);
      const known = classes.get(name) ?? { code, mirror, count: 0, newest, newestAtMs };
      const last = newestAtMs > known.newestAtMs ? { newest, newestAtMs } : {};
      classes.set(name, { ...known, ...last, count: known.count + count });
    }
  }
  return [...classes.values()].sort((a, b) => b.count - a.count);
}

const CHARS_MAX = 500;

/** Why a person does what they are about to do. Undefined when the reason is missing or too long. */
export function readWhy(form: URLSearchParams): string | undefined {
  const why = (form.get('why') ?? '').trim();
  return why === '' || why.length > CHARS_MAX ? undefined : why;
}

export const LETTER_ACTIONS = ['retry', 'discard'] as const;
type LetterAction = (typeof LETTER_ACTIONS)[number];

/** The result of an action that has just ended. A reload of the page shows it again. */
interface Ended {
  readonly action: LetterAction;
  readonly done: number;
  readonly of: number;
}

function endedQuery({ names: _, ...filter }: LetterFilter, { action, done, of }: Ended): string {
  const query = new URLSearchParams(toQuery(filter));
  for (const [name, value] of Object.entries({ ended: action, done, of })) query.set(name, String(value));
  return query.toString();
}

function endedIn(query: URLSearchParams): Ended | undefined {
  const action = LETTER_ACTIONS.find((each) => each === query.get('ended'));
  const [done, of] = [Number(query.get('done')), Number(query.get('of'))];
  return action === undefined || !Number.isSafeInteger(done) || !Number.isSafeInteger(of)
    ? undefined
    : { action, done, of };
}

// Which dead letters are meant. What the page shows, counts and acts on goes by the same filter.

export interface LetterFilter {
  readonly mirror?: string;
  readonly code?: string;
  /** The target of a reason: `calendar:<id>`, `spreadsheet:<id>/<tab>`. */
  readonly place?: string;
  /** The object: `appointment/<id>`. */
  readonly key?: string;
  readonly age?: string;
  /** The letters that a person has ticked; none of them is not all of them. */
  readonly names?: readonly string[];
}

export const AGES = { '1h': 3_600_000, '1d': 86_400_000, '7d': 7 * 86_400_000 } as const;

const FIELDS = ['mirror', 'code', 'place', 'key', 'age'] as const;
/** Most letters that a person ticks: as many as the page has. */
const TICKED_MAX = LETTERS_SHOWN_MAX;
const VALUE_CHARS_MAX = 300;

/**
 * Reads the query of an address or the fields of a form. Values that it does not know stay and match nothing: they must never widen an
 * action.
 */
export function readFilter(fields: URLSearchParams): LetterFilter {
  const given = FIELDS.flatMap((name) => {
    const value = (fields.get(name) ?? '').slice(0, VALUE_CHARS_MAX);
    return value === '' ? [] : [[name, value] as const];
  });
  const names = fields.getAll('name').filter((name) => name !== '');
  return {
    ...Object.fromEntries(given),
    ...(fields.has('ticked') && { names: [...new Set(names)].slice(0, TICKED_MAX) }),
  };
}

function entriesOf({ names, ...fields }: LetterFilter): [string, string][] {
  const ticked = names?.map((name): [string, string] => ['name', name]) ?? [];
  return [
    ...Object.entries(fields),
    ...(names === undefined ? [] : [['ticked', '1'] as [string, string]]),
    ...ticked,
  ];
}

export function toQuery(filter: LetterFilter): string {
  return new URLSearchParams(entriesOf(filter)).toString();
}

/** The latest moment at which a letter may have been written, to be old enough for the filter. */
export function untilOf({ age }: LetterFilter, nowMs: number): number {
  if (age === undefined) return nowMs;
  const ageMs = (AGES as Readonly<Record<string, number>>)[age];
  return ageMs === undefined ? Number.NEGATIVE_INFINITY : nowMs - ageMs;
}

/** One reason must match all parts of the filter that concern reasons. `text`: what the visitor sees of a place. */
function isOfFilter(
  { mirror, code, place }: LetterFilter,
  { reasons }: { readonly reasons: readonly Pick<FailureReason, 'mirror' | 'code' | 'target'>[] },
  text: (text: string) => string,
): boolean {
  return reasons.some(
    (reason) =>
      (mirror === undefined || reason.mirror === mirror) &&
      (code === undefined || reason.code === code) &&
      (place === undefined || (reason.target !== undefined && text(reason.target) === place)),
  );
}
