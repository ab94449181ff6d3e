// The calendars and tabs of the mapping: a list, and a page for each with what is there, what waits and what is wrong.

import type { Change } from '../engine/changes.ts';
import { spotsOf } from '../engine/link.ts';
import { parseKey } from '../engine/object.ts';
import type { Claim, KeptLetter, LetterCause } from '../engine/work.ts';
import { lastCalls, type PendingHere, type Place } from '../operate/places.ts';
import type { CoverageReport, ProblemReport, StatusReport } from '../operate/status-report.ts';
import { withClaims } from './changes.ts';
import { type FoundObject, lookAll } from './found.ts';
import { html, type Markup } from './html.ts';
import { codeTitle, toldCode } from './pages/advice.ts';
import { ago, exactTimeMarkup, timeMarkup } from './pages/appointment-time.ts';
import { objectCell } from './pages/objects-table.ts';
import { moodOf, toldEntry, troublePage } from './pages/timeline.ts';
import type { ConsoleParts } from './parts.ts';
import { forEyes, textForEyes } from './person.ts';
import type { Answer, Visit } from './visit.ts';
import type { Words } from './words/en.ts';

/** Most places of the list, and of Home. */
const LISTED_MAX = 500;
const LISTED_AT_HOME_MAX = 25;
/** Objects in each table of a place's page. */
const SHOWN_MAX = 50;
/** Changes among which those of a place are looked for. */
const CHANGES_READ_MAX = 1_000;

/** One place with what is known of it. */
export interface PlaceLine {
  readonly place: Place;
  readonly problems: readonly ProblemReport[];
  /** Dead letters that name the place. */
  readonly letters: number;
  /** How far it was read; undefined for a place that the workers only write. */
  readonly coverage: Omit<CoverageReport, 'walk_open'> | undefined;
  readonly writtenAtMs: number | undefined;
  readonly readAtMs: number | undefined;
}

/** `report`: unmasked, because it names places by their ids. Those that need a person come first, then those read longest ago. */
export async function readPlaces(
  { places, deadLetters }: Pick<ConsoleParts, 'places' | 'deadLetters'>,
  report: StatusReport,
): Promise<readonly PlaceLine[]> {
  const [reached, causes] = await Promise.all([places.store.reached(), deadLetters.causes()]);
  const lines = places.all.map((place): PlaceLine => {
    const letters = causes.filter((cause) => isOf(place, cause)).reduce((sum, { count }) => sum + count, 0);
    return {
      ...{ place, letters, problems: report.problems.filter(({ target }) => isAt(place, target)) },
      ...{ coverage: coverageOf(place, report), ...lastCalls(place, reached) },
    };
  });
  const readAgo = ({ coverage }: PlaceLine) =>
    coverage === undefined ? -1 : (coverage.proved_ago_s ?? Number.MAX_SAFE_INTEGER);
  return lines.toSorted((a, b) => Number(isWrong(b)) - Number(isWrong(a)) || readAgo(b) - readAgo(a));
}

function coverageOf(place: Place, { coverage }: StatusReport): PlaceLine['coverage'] {
  return place.kind === 'calendar'
    ? coverage.calendars.find(({ calendar }) => calendar === place.calendarId)
    : coverage.intake_sheets.find(({ entry }) => place.entries.includes(entry));
}

/** A problem of a whole spreadsheet is one of each of its tabs. */
function isAt(place: Place, target: string): boolean {
  return target === place.target || (place.kind === 'tab' && target === `spreadsheet:${place.spreadsheetId}`);
}

function isOf(place: Place, { reasons }: Pick<LetterCause, 'reasons'>): boolean {
  return reasons.some(({ target }) => target !== undefined && isAt(place, target));
}

function isWrong({ problems, letters, coverage }: PlaceLine): boolean {
  return problems.length + letters > 0 || coverage?.reading === 'unread';
}

function moodOfPlace(line: PlaceLine): 'wrong' | 'busy' | 'well' {
  if (isWrong(line)) return 'wrong';
  return line.coverage === undefined || line.coverage.reading === 'proved' ? 'well' : 'busy';
}

/** `GET /console/places` */
export async function answerPlaces(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const { places } = visit.words;
  const report = await parts.status.read();
  const lines = await readPlaces(parts, report);
  const table = await placesTable(parts, lines.slice(0, LISTED_MAX), { report, visit });
  return {
    title: places.title,
    menu: 'home',
    live: 'about=all',
    body: html`<h1>${places.title}</h1><p class="lead">${places.lead}</p><div data-region="places">${
      lines.length === 0 ? html`<p class="muted">${places.none}</p>` : table
    }${lines.length > LISTED_MAX && html`<p class="small">${visit.words.home.more(lines.length - LISTED_MAX)}</p>`}</div>`,
  };
}

/** The event feed, and the first of the calendars and tabs. */
export async function placesAtHome(parts: ConsoleParts, report: StatusReport, visit: Visit): Promise<Markup> {
  const lines = await readPlaces(parts, report);
  const table = await placesTable(parts, lines.slice(0, LISTED_AT_HOME_MAX), {
    ...{ report, visit, feed: report.coverage.feed },
  });
  const hasMore = lines.length > LISTED_AT_HOME_MAX;
  return html`${table}${hasMore && html`<p><a href="/console/places">${visit.words.places.all(lines.length)}</a></p>`}`;
}

interface Around {
  readonly report: StatusReport;
  readonly visit: Visit;
  readonly feed?: CoverageReport;
}

async function placesTable(
  { places: { store } }: Pick<ConsoleParts, 'places'>,
  lines: readonly PlaceLine[],
  { report: { at }, visit, feed }: Around,
): Promise<Markup> {
  const { words } = visit;
  const { places, home } = words;
  const sizes = await Promise.all(lines.map(({ place }) => store.size(place)));
  const upTo = (coverage: PlaceLine['coverage']) =>
    coverage?.covered_until ? timeMarkup(coverage.covered_until, at) : home.none;
  return html`<div class="scroll"><table><thead><tr><th scope="col">${places.place}</th><th scope="col">${home.state}</th><th scope="col">${home.until}</th><th scope="col">${places.read}</th><th scope="col">${places.written}</th><th scope="col" class="n">${places.size}</th></tr></thead><tbody>
${
  feed !== undefined &&
  html`<tr><th scope="row">${home.feed}</th><td>${readingBadge(feed, words)}</td><td data-label="${home.until}">${upTo(feed)}</td><td data-label="${places.read}">${provedAgo(feed, words)}</td><td data-label="${places.written}">${home.none}</td><td class="n" data-label="${places.size}">${home.none}</td></tr>`
}
${lines.map(
  (
    line,
    nth,
  ) => html`<tr><th scope="row"><a href="/console/place/${line.place.id}">${titleOf(line.place, visit)}</a>${subtitle(line.place, visit)}</th>
<td>${badges(line, words)}</td><td data-label="${home.until}">${upTo(line.coverage)}</td><td data-label="${places.read}">${lastRead(line, at, words)}</td>
<td data-label="${places.written}">${agoOrNever(line.writtenAtMs, at, words)}</td><td class="n" data-label="${places.size}">${sizeText(sizes[nth], words)}</td></tr>`,
)}
</tbody></table></div>`;
}

/** By its name in the YAML for those who may read of colleagues, else by a masked id. */
function titleOf(place: Place, visit: Visit): string {
  if (place.kind === 'tab') return textForEyes(visit)(place.tab);
  const named = visit.may('see-people') ? place.names.join(', ') : '';
  return named || textForEyes(visit)(place.calendarId);
}

function subtitle(place: Place, visit: Visit): Markup {
  const { places } = visit.words;
  const isNamed = place.kind === 'calendar' && visit.may('see-people') && place.names.length > 0;
  const told = [
    ...(isNamed ? [place.calendarId] : []),
    ...(place.mirrors.length > 0 ? [places.mirrors(place.mirrors.join(', '))] : []),
    ...(place.entries.length > 0 ? [places.entries(place.entries.join(', '))] : []),
  ];
  return html`<br><span class="small">${places.kinds[place.kind]}${told.map((each) => `, ${each}`)}</span>`;
}

function badges({ problems, letters, coverage }: PlaceLine, words: Words): Markup {
  const { places, home } = words;
  return html`${problems.length > 0 && html`<span class="badge wrong">${places.problems(problems.length)}</span> `}${
    letters > 0 && html`<span class="badge wrong">${home.lettersOf(letters)}</span> `
  }${
    coverage !== undefined
      ? readingBadge(coverage, words)
      : problems.length + letters === 0 && html`<span class="badge well">${places.inOrder}</span>`
  }`;
}

function readingBadge({ reading }: Pick<CoverageReport, 'reading'>, { home }: Words): Markup {
  return html`<span class="badge ${reading}">${home.readings[reading]}</span>`;
}

function provedAgo({ proved_ago_s }: Pick<CoverageReport, 'proved_ago_s'>, words: Words): string {
  return proved_ago_s === null ? words.home.never : words.ago(proved_ago_s);
}

/** A read that proves something counts before a call that looked at something there. */
function lastRead({ coverage, readAtMs }: PlaceLine, at: string, words: Words): string {
  return coverage === undefined ? agoOrNever(readAtMs, at, words) : provedAgo(coverage, words);
}

function agoOrNever(atMs: number | undefined, at: string, words: Words): string {
  return atMs === undefined ? words.places.notYet : ago(new Date(atMs).toISOString(), at, words);
}

function sizeText(size: number | undefined, { home, number }: Words): string {
  return size === undefined ? home.none : number(size);
}

/** `GET /console/place/<id>` */
export async function answerPlace(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const place = parts.places.all.find(({ id }) => id === visit.rest);
  if (place === undefined) return troublePage('missing', visit.words, visit.visitor.role);
  const report = await parts.status.read();
  const [lines, size, pending, letters, changes, link] = await Promise.all([
    readPlaces({ ...parts, places: { ...parts.places, all: [place] } }, report),
    parts.places.store.size(place),
    parts.places.pendingIn(place),
    lettersAt(parts, place),
    changesAt(parts, place),
    linkTo(parts, place, visit),
  ]);
  const [line] = lines;
  if (line === undefined) throw new Error('one place has one line');
  const waiting = pending.keys.slice(0, SHOWN_MAX);
  const keys = [letters, changes].flatMap((some) => some.map(({ key }) => key));
  const objects = await lookAll(parts, [...waiting, ...keys], visit);
  return placePage({ line, size, pending, letters, changes, link, objects, at: report.at }, visit);
}

async function lettersAt(
  { deadLetters }: Pick<ConsoleParts, 'deadLetters'>,
  place: Place,
): Promise<readonly KeptLetter[]> {
  const causes = (await deadLetters.causes()).filter((cause) => isOf(place, cause));
  return deadLetters.newest({ causes }, SHOWN_MAX);
}

/** The newest changes of objects that are in this place now, each object once. */
async function changesAt(parts: ConsoleParts, place: Place): Promise<readonly Change[]> {
  const concerns = ({ key, entry }: Change) =>
    entry.what === 'mirrored'
      ? place.mirrors.some((mirror) => entry.actions[mirror] !== undefined)
      : entry.what !== 'seen' && (place.entries.length > 0 || parseKey(key)?.kind !== 'booking');
  const all = (await parts.changes.newest(CHANGES_READ_MAX)).filter(concerns);
  const newestOfEach = new Map(all.map((change) => [change.key, change]));
  const known = await withClaims(
    parts,
    [...newestOfEach.values()].sort((a, b) => a.at.nth - b.at.nth),
  );
  const here = known.filter(({ claim }) => claim !== undefined && isIn(place, claim));
  return here.toReversed().slice(0, SHOWN_MAX);
}

/** Whether an event or a row of the object is there, or people booked it there. */
function isIn(place: Place, { links, snapshot }: Claim): boolean {
  if (spotsOf(links).some((spot) => spot.place === place.target)) return true;
  const isBooked = place.entries.includes(String(snapshot?.['mapping']));
  return isBooked && (place.kind === 'tab' || snapshot?.['calendar_id'] === place.calendarId);
}

/** Into Google, for those who may read the id of a calendar. */
async function linkTo(
  { hasGoogle, places }: Pick<ConsoleParts, 'hasGoogle' | 'places'>,
  place: Place,
  visit: Visit,
): Promise<string | undefined> {
  if (!hasGoogle || !visit.may('see-people')) return undefined;
  if (place.kind === 'calendar') {
    const cid = Buffer.from(place.calendarId).toString('base64').replaceAll('=', '');
    return `https://calendar.google.com/calendar/u/0?cid=${encodeURIComponent(cid)}`;
  }
  const tabId = await places.tabId(place.spreadsheetId, place.tab);
  const book = `https://docs.google.com/spreadsheets/d/${encodeURIComponent(place.spreadsheetId)}/edit`;
  return tabId === undefined ? book : `${book}#gid=${tabId}`;
}

interface Shown {
  readonly line: PlaceLine;
  readonly size: number | undefined;
  readonly pending: PendingHere;
  readonly letters: readonly KeptLetter[];
  readonly changes: readonly Change[];
  readonly link: string | undefined;
  readonly objects: ReadonlyMap<string, FoundObject>;
  readonly at: string;
}

function placePage(shown: Shown, visit: Visit): Answer {
  const { line, link, pending } = shown;
  const { words } = visit;
  const { places } = words;
  const { place } = line;
  const title = titleOf(place, visit);
  return {
    title,
    menu: 'home',
    live: 'about=all',
    body: html`<div data-region="place"><section class="hero ${moodOfPlace(line)}"><h1>${title}</h1><p>${badges(line, words)}${subtitle(place, visit)}</p>
${link !== undefined && html`<p><a class="button second" href="${link}" rel="noreferrer noopener" target="_blank">${places.open[place.kind]}</a></p>`}</section>
${tiles(shown, words)}
${wrongs(shown, visit)}
<section aria-labelledby="waiting"><h2 id="waiting">${places.waiting}</h2>${pendingTable(pending, shown, visit)}</section>
<section aria-labelledby="latest"><h2 id="latest">${places.latest}</h2>${changesTable(shown, visit)}</section>
<p class="spaced"><a href="/console/places">${places.title}</a></p></div>`,
  };
}

function tiles({ line, size, pending, at }: Shown, words: Words): Markup {
  const { places, home } = words;
  const { place, coverage, writtenAtMs } = line;
  const tile = (name: string, value: Markup | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles spaced">
${tile(places.sizes[place.kind], sizeText(size, words))}
${tile(places.waits, pending.isWhole ? words.number(pending.keys.length) : places.atLeast(pending.keys.length))}
${tile(places.written, agoOrNever(writtenAtMs, at, words))}
${tile(places.read, lastRead(line, at, words))}
${typeof coverage?.covered_until === 'string' && tile(home.until, timeMarkup(coverage.covered_until, at))}
</dl>`;
}

function wrongs({ line, letters, objects, at }: Shown, visit: Visit): Markup | undefined {
  const { words } = visit;
  const { home, story } = words;
  const { place, problems } = line;
  if (problems.length + letters.length === 0) return undefined;
  const text = textForEyes(visit);
  const query = new URLSearchParams({ place: text(place.target) }).toString();
  return html`<section aria-labelledby="needs"><h2 id="needs">${home.needs}</h2><ul class="cards">
${forEyes(visit, problems).map(
  ({ code, since, ...said }) => html`<li class="card wrong"><h3>${codeTitle(code, words)}</h3>
<p class="small">${home.since(words.duration((Date.parse(at) - Date.parse(since)) / 1_000))}</p>${toldCode(code, said, words)}</li>`,
)}</ul>
${
  letters.length > 0 &&
  html`<p class="row"><strong>${home.lettersOf(line.letters)}</strong> <a class="button second" href="/console/letters?${query}">${story.showLetters}</a></p>
<div class="scroll"><table><thead><tr><th scope="col">${words.letters.object}</th><th scope="col">${words.letters.fields.code}</th><th scope="col">${words.letters.since}</th></tr></thead><tbody>
${letters.map(
  ({ key, reasons, atMs }) =>
    html`<tr><th scope="row">${objectCell(key, objects.get(key), visit)}</th><td>${reasons.map(({ code }) => words.codes.failure(code)).join('; ')}</td><td data-label="${words.letters.since}">${ago(new Date(atMs).toISOString(), at, words)}</td></tr>`,
)}</tbody></table></div>`
}</section>`;
}

function pendingTable({ keys, isWhole }: PendingHere, { objects }: Shown, visit: Visit): Markup {
  const { places, home } = visit.words;
  const rest = keys.length - SHOWN_MAX;
  return html`${
    keys.length === 0
      ? html`<p class="muted">${places.nothingWaits}</p>`
      : html`<ul class="plain">${keys.slice(0, SHOWN_MAX).map((key) => html`<li>${objectCell(key, objects.get(key), visit)}</li>`)}</ul>`
  }${rest > 0 && html`<p class="small">${home.more(rest)}</p>`}${!isWhole && html`<p class="small">${places.notAll}</p>`}`;
}

function changesTable({ changes, objects, at }: Shown, visit: Visit): Markup {
  const { places, changes: words, letters } = visit.words;
  if (changes.length === 0) return html`<p class="muted">${places.nothingLately}</p>`;
  return html`<div class="scroll"><table><thead><tr><th scope="col">${words.when}</th><th scope="col">${letters.object}</th><th scope="col">${words.what}</th></tr></thead><tbody>
${forEyes(visit, changes).map(
  ({ key, entry }) =>
    html`<tr class="${moodOf(entry)}"><td>${exactTimeMarkup(new Date(entry.atMs).toISOString(), at)}</td><th scope="row">${objectCell(key, objects.get(key), visit)}</th><td>${toldEntry(entry, visit)}</td></tr>`,
)}</tbody></table></div>`;
}
