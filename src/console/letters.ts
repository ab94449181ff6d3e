// Dead letters, shown by cause. People retry or discard exactly what a filter shows, after a count and a reason.
import type { KeptLetter } from '../ports/work.ts';
import { noteAct } from './acts.ts';
import { textForEyes } from './eyes.ts';
import { endedIn, endedQuery, type LetterAction } from './letter-action.ts';
import { chosenBy, readFilter, untilOf } from './letter-filter.ts';
import { confirmPage } from './pages/confirm-letters.ts';
import { lettersPage } from './pages/letters.ts';
import type { ConsoleParts } from './parts.ts';
import { readWhy } from './reason.ts';
import type { Answer, Visit } from './visit.ts';

/** How many letters are sent to Redis in one step. */
const LETTERS_AT_ONCE = 50;

/** `GET /console/letters` */
export async function answerLetters(parts: ConsoleParts, visit: Visit): Promise<Answer> {
  const filter = readFilter(visit.query);
  const all = forEyes(visit, await parts.deadLetters.all());
  const chosen = chosenBy(filter, all, untilOf(filter, visit.nowMs));
  return lettersPage({ all, chosen, filter, ended: endedIn(visit.query) }, visit);
}

/** `GET /console/letters/retry`, `…/discard`: shows how many letters the filter selects, and asks for a reason. */
export async function confirmLetters(
  parts: ConsoleParts,
  visit: Visit,
  action: LetterAction,
): Promise<Answer> {
  const filter = readFilter(visit.query);
  const untilMs = untilOf(filter, visit.nowMs);
  const chosen = chosenBy(filter, await parts.deadLetters.all(), untilMs);
  return confirmPage({ action, filter, chosen, untilMs }, visit);
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
  const chosen = chosenBy(filter, await parts.deadLetters.all(), untilMs);
  if (why === undefined || !(chosen.length <= shown)) {
    const notice = why === undefined ? words.letters.whyNeeded : words.letters.changed;
    const again = chosenBy(filter, await parts.deadLetters.all(), latestMs);
    return confirmPage({ action, filter, chosen: again, untilMs: latestMs, notice }, visit);
  }
  const what = action === 'retry' ? 'letters-retried' : 'letters-discarded';
  const about = { ...filter } as Record<string, string>;
  const act = await noteAct(parts, visit.visitor, { what, why, about, chosen: shown });
  const done = await endLetters(parts, chosen, { action, why });
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

/** Thousands of letters share few reasons, so each text is masked only once. */
function forEyes(visit: Visit, letters: readonly KeptLetter[]): readonly KeptLetter[] {
  if (visit.may('see-people')) return letters;
  const text = textForEyes(visit);
  return letters.map((letter) => ({
    ...letter,
    reasons: letter.reasons.map(({ mirror, code, message, advice, target }) => ({
      ...{ mirror, code, message: text(message) },
      ...(advice === undefined ? {} : { advice: text(advice) }),
      ...(target === undefined ? {} : { target: text(target) }),
    })),
  }));
}
