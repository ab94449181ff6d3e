import type { ActedEntry, HistoryEntry } from '../../engine/history.ts';
import type { Role } from '../../engine/role.ts';
import type { Explanation } from '../../operate/explain.ts';
import { html, type Markup } from '../html.ts';
import type { Page, Visit } from '../visit.ts';
import type { Words } from '../words/en.ts';
import { withCode } from './advice.ts';
import { exactTimeMarkup } from './appointment-time.ts';
import { idValue } from './id-value.ts';

/** The history, newest first. */
export function timeline({ history, at }: Pick<Explanation, 'history' | 'at'>, visit: Visit): Markup {
  const { words } = visit;
  if (history.length === 0) return html`<p class="muted">${words.story.noHistory}</p>`;
  return html`<ol class="timeline" reversed>
${history.toReversed().map((entry) => html`<li class="${moodOf(entry)}">${exactTimeMarkup(new Date(entry.atMs).toISOString(), at)} <div>${toldEntry(entry, visit)}${meaning(entry, visit)}</div></li>`)}
</ol>`;
}

export function moodOf(entry: HistoryEntry): string {
  if (entry.what === 'mirrored') return 'well';
  if (entry.what === 'failed') return entry.next === 'done' ? 'wrong' : 'busy';
  return entry.what === 'acted' ? 'acted' : '';
}

export function toldEntry(entry: HistoryEntry, { words, may }: Visit): Markup {
  const { story, codes } = words;
  switch (entry.what) {
    case 'seen':
      return html`<strong>${story.seen(story.vias[entry.via] ?? entry.via)}</strong>: ${story.outcomes[entry.outcome] ?? entry.outcome}${
        entry.eventId !== undefined &&
        html`<br><span class="code small">${entry.eventType ?? ''} ${entry.eventId}</span>`
      }`;
    case 'mirrored': {
      const actions = Object.entries(entry.actions).map(
        ([mirror, action]) => `${mirror} ${codes.actions[action] ?? action}`,
      );
      return html`<strong>${story.mirrored(entry.rev)}</strong>: ${actions.join(', ') || story.nothingToWrite}`;
    }
    case 'failed': {
      const reasons = entry.reasons.map(({ mirror, code }) => `${codes.failure(code)}, ${mirror}`).join(', ');
      return html`<strong>${reasons}</strong>${entry.times !== undefined && `, ${story.times(entry.times)}`}: ${
        story.ends[entry.next] ?? entry.next
      }`;
    }
    case 'acted':
      return html`<strong>${codes.by(entry.by)}: ${codes.decision(entry.code)}</strong>${
        entry.rule !== undefined && html` <span class="code small">${entry.rule}</span>`
      }${idsOf(entry, may('see-people')).map(
        ([name, id]) =>
          html`<br><span class="small">${codes.idNames[name] ?? name}: ${idValue(name, id, words)}</span>`,
      )}`;
  }
}

/** What the codes mean. A failure that is retried by itself needs no advice. */
function meaning(entry: HistoryEntry, { words: { codes } }: Visit): Markup | undefined {
  const acted = entry.what === 'acted' ? [entry.code, ...(entry.ids?.['reason']?.split(', ') ?? [])] : [];
  const failed = entry.what === 'failed' ? entry.reasons.map(({ code }) => code) : [];
  const withAdvice = entry.what === 'acted' || (entry.what === 'failed' && entry.next === 'done');
  const texts = [...new Set([...acted, ...failed])].map((code) => {
    const { message, advice } = codes.tell(code);
    return withAdvice && advice !== codes.nothingToDo ? `${message} ${advice}` : message;
  });
  if (texts.length === 0) return undefined;
  return html`${texts.map((text) => html`<p class="small muted">${withCode(text)}</p>`)}`;
}

/** Hides why a person gave an object up: their own words may name somebody. */
function idsOf({ ids = {} }: ActedEntry, withWords: boolean): readonly (readonly [string, string])[] {
  return Object.entries(ids).filter(([name]) => withWords || name !== 'why');
}

/** Why a person does not get what they asked for. The page repeats nothing of the request. */
type Trouble = 'forbidden' | 'missing' | 'form' | 'large' | 'away' | 'failed';

const STATUS: Readonly<Record<Trouble, number>> = {
  forbidden: 403,
  missing: 404,
  form: 403,
  large: 413,
  away: 503,
  failed: 500,
};

export function troublePage(trouble: Trouble, words: Words, role: Role | undefined): Page {
  const { errors } = words;
  const text =
    trouble === 'forbidden'
      ? errors.forbiddenText(role === undefined ? '–' : words.roles[role])
      : errors[`${trouble}Text`];
  return {
    title: errors[trouble],
    status: STATUS[trouble],
    body: html`<section class="message"><h1>${errors[trouble]}</h1><p>${text}</p>
<p><a class="button" href="/console">${errors.back}</a></p></section>`,
  };
}
