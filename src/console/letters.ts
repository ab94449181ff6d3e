// Dead letters, shown by cause. People retry or discard exactly what a filter shows, after a count and a reason.
import type { KeptLetter, LetterCause } from '../engine/ports/work.ts';
import { noteAct } from './acts.ts';
import { textForEyes } from './eyes.ts';
import { endedIn, endedQuery, type LetterAction } from './letter-action.ts';
import { readClasses } from './letter-classes.ts';
import { isOfFilter, type LetterFilter, readFilter, untilOf } from './letter-filter.ts';
import { confirmPage, NAMES_SHOWN_MAX } from './pages/confirm-letters.ts';
import { CAUSES_SHOWN_MAX, LETTERS_SHOWN_MAX, lettersPage } from './pages/letters.ts';
import type { ConsoleParts } from './parts.ts';
import { readWhy } from './reason.ts';
import type { Answer, Visit } from './visit.ts';

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
  const shown = { total: total(all), reasons, count: chosen.count, classes, more, letters };
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
  return confirmPage({ action, filter, untilMs, ...(await named(chosen)) }, visit);
}

async function named(chosen: ChosenLetters) {
  const names = (await chosen.newest(NAMES_SHOWN_MAX)).map(({ name }) => name);
  return { count: chosen.count, names };
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
    return confirmPage({ action, filter, untilMs: latestMs, notice, ...(await named(again)) }, visit);
  }
  const what = action === 'retry' ? 'letters-retried' : 'letters-discarded';
  // Another person was faster. An act upon nothing would only fill the audit log.
  if (chosen.count === 0)
    return { to: `/console/letters?${endedQuery(filter, { action, done: 0, of: shown })}` };
  const about = { ...filter } as Record<string, string>;
  const act = await noteAct(parts, visit.visitor, { what, why, about, chosen: shown });
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
  if (filter.key === undefined) {
    const causes = (await deadLetters.causes(untilMs)).filter((cause) => isOfFilter(filter, cause, text));
    return {
      ...{ count: total(causes), causes },
      newest: (limit) => deadLetters.newest({ causes, untilMs }, limit),
      each: () => deadLetters.each({ causes, untilMs }),
    };
  }
  const letters = (await deadLetters.ofObject(filter.key)).filter(
    (letter) => letter.atMs <= untilMs && isOfFilter(filter, letter, text),
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
