import { type EntityKey, isId, parseKey } from '../engine/object.ts';
import { type Explanation, explain, type MirrorExplanation } from '../operate/explain.ts';
import { type AppointmentTime, appointmentTimeOf } from './appointment-time.ts';
import { html, type Markup } from './html.ts';
import { codeTitle, toldCode } from './pages/advice.ts';
import { ago, appointmentTimeMarkup, timeMarkup } from './pages/appointment-time.ts';
import { stateWord } from './pages/objects-table.ts';
import { timeline, troublePage } from './pages/timeline.ts';
import type { ConsoleParts } from './parts.ts';
import { forEyes, type Person, personOf } from './person.ts';
import type { Answer, Page, Visit } from './visit.ts';
import type { Words } from './words/en.ts';

/** `/console/object/<kind>/<id>`: the story of one object. */
export async function answerStory(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const key = keyIn(visit.rest);
  if (key === undefined) return troublePage('missing', visit.words, visit.visitor.role);
  const [told, claim] = await Promise.all([
    explain(parts.story, key, visit.words.code),
    parts.story.view.peek(key),
  ]);
  const person = visit.may('see-people') ? personOf(claim) : undefined;
  const links = parts.hasGoogle && visit.may('see-people');
  const time = appointmentTimeOf(parts, claim?.snapshot, visit);
  return storyPage(forEyes(visit, told), visit, { person, links, time });
}

export function keyIn(text: string): EntityKey | undefined {
  const key = parseKey(text);
  return key !== undefined && isId(key.id) ? key : undefined;
}

// One object: what it is, where it is mirrored, by which line of the YAML, and what is pending. Then its history, newest first.

interface Shown {
  readonly person: Person | undefined;
  /** Whether to show links to Google. */
  readonly links: boolean;
  readonly time: AppointmentTime | undefined;
}

function storyPage(told: Explanation, visit: Visit, { person, links, time }: Shown): Page {
  const { words } = visit;
  const { story } = words;
  const { kind, id } = parseKey(told.key) ?? { kind: 'appointment' as const, id: '' };
  const history = html`<section aria-labelledby="history"><h2 id="history">${story.history}</h2>${timeline(told, visit)}</section>`;
  if (!told.known) {
    return {
      title: story.unknown,
      status: 404,
      body: html`<div data-region="story"><section class="hero busy"><h1>${story.unknown}</h1><p>${story.unknownText}</p><p class="code">${told.key}</p></section>${told.history.length > 0 && history}</div>`,
    };
  }
  return {
    title: `${story.kinds[kind]} ${id.slice(0, 8)}`,
    live: new URLSearchParams({ key: told.key }).toString(),
    body: html`<div data-region="story">
${head(told, { kind, id, time }, words)}
${person !== undefined && personCard(person, words)}
${letters(told, words)}
${told.mirrors.length > 0 && html`<section aria-labelledby="mirrors"><h2 id="mirrors">${story.mirrors}</h2><ul class="cards">${told.mirrors.map((mirror) => mirrorCard(mirror, words, { links, key: told.key }))}</ul></section>`}
${history}
</div>`,
  };
}

function head(
  told: Explanation,
  { kind, id, time }: NonNullable<ReturnType<typeof parseKey>> & Pick<Shown, 'time'>,
  words: Words,
): Markup {
  const { story } = words;
  const { state, at, revision, pending } = told;
  const behind = revision.wanted - revision.mirrored;
  const mood = told.dead_letters.length > 0 ? 'wrong' : behind > 0 || pending !== null ? 'busy' : 'well';
  const { status, lifecycle, service_name } = state;
  const spoken = stateWord(kind, String(status ?? ''), words);
  const facts = [spoken || lifecycle, service_name].flatMap((fact) =>
    typeof fact === 'string' && fact !== '' ? [fact] : [],
  );
  return html`<section class="hero ${mood}"><h1>${story.kinds[kind]}${facts.length > 0 && `, ${facts.join(', ')}`}</h1>
${time !== undefined && html`<p>${appointmentTimeMarkup(time)}</p>`}
<p><span class="badge ${behind > 0 ? 'busy' : 'well'}">${behind > 0 ? story.behind(behind) : story.level}</span>
${told.deleted && html`<span class="badge wrong">${story.deleted}</span>`}
${pending !== null && html`<span class="badge busy">${pending.next_attempt <= at ? story.dueNow : html`${story.next}${timeMarkup(pending.next_attempt, at)}`}</span>`}
${told.in_doubt && html`<span class="badge">${story.doubt}</span>`}</p>
${told.sightings.map(({ calendar, seen_at }) => html`<p class="small">${story.people(calendar, ago(seen_at, at, words))}</p>`)}
<p class="code small">${kind}/${id}</p></section>`;
}

function personCard({ name, phone, email }: Person, { story }: Words): Markup {
  const field = (title: string, value: string) =>
    value !== '' && html`<div><dt>${title}</dt><dd class="text">${value}</dd></div>`;
  return html`<section aria-labelledby="person"><h2 id="person">${story.person}</h2><dl class="tiles">
${field(story.fields.name, name)}${field(story.fields.phone, phone)}${field(story.fields.email, email)}
</dl></section>`;
}

function letters({ dead_letters, key }: Explanation, words: Words): Markup | undefined {
  const { story } = words;
  if (dead_letters.length === 0) return undefined;
  const reasons = dead_letters.flatMap((letter) => letter.reasons);
  return html`<section aria-labelledby="given-up"><h2 id="given-up">${story.givenUp}</h2><ul class="cards">
${reasons.map(
  (reason) =>
    html`<li class="card wrong"><h3>${reason.mirror}: ${codeTitle(reason.code, words)}</h3>${toldCode(reason.code, reason, words)}</li>`,
)}
</ul><p><a class="button second" href="/console/letters?${new URLSearchParams({ key }).toString()}">${story.showLetters}</a></p></section>`;
}

function mirrorCard(
  mirror: MirrorExplanation,
  words: Words,
  { links, key }: { readonly links: boolean; readonly key: string },
): Markup {
  const { story } = words;
  const { events, row, row_waits } = mirror;
  const isEmpty = events.length === 0 && row === null && !row_waits;
  return html`<li class="card"><h3>${mirror.mirror} <span class="badge ${mirror.taken ? 'well' : ''}">${mirror.taken ? story.takes : story.leaves}</span></h3>
<p>${mirror.because}</p>
<p class="small">${story.rule}: <span class="code">${mirror.rule}</span></p>
<ul class="plain small">
${events.map(
  ({ calendar, event, in_doubt }) =>
    html`<li>${story.event} ${calendar}${in_doubt && `, ${story.inDoubt}`}${
      links &&
      html` <a href="${eventAddress(calendar, event)}" rel="noreferrer noopener" target="_blank">${story.open}</a>`
    }</li>`,
)}
${
  row !== null &&
  html`<li>${story.row} ${row.tab}${row.cleared && `, ${story.cleared}`}${
    links &&
    html` <a href="/console/row/${encodeURIComponent(mirror.mirror)}/${key}" rel="noreferrer noopener" target="_blank">${story.openRow}</a>`
  }</li>`
}
${row_waits && html`<li>${story.rowWaits}</li>`}
${isEmpty && html`<li>${story.nothingThere}</li>`}
</ul></li>`;
}

/** Google Calendar's own links name an event by its id and its calendar, in base64. */
function eventAddress(calendar: string, event: string): string {
  const named = calendar.replace(/@group\.calendar\.google\.com$/, '@g').replace(/@gmail\.com$/, '@m');
  const eid = Buffer.from(`${event} ${named}`).toString('base64').replaceAll('=', '');
  return `https://calendar.google.com/calendar/event?eid=${eid}`;
}
