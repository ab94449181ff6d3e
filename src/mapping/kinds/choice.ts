import * as z from 'zod';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { didYouMean } from '../suggest.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs, WITH_VARIABLE } from './reading.ts';

/** One of a closed list of words. */
export function choice<const Word extends string>(words: readonly [Word, ...Word[]], what: string) {
  return readAs(
    () => choiceAsWritten(words, what),
    (seen) => readChoice(seen, words, what),
  );
}

/** The word as the file may contain it, for editors: one of the list, or a text with a variable. */
export function choiceAsWritten(words: readonly [string, ...string[]], what: string) {
  return z
    .union(
      [z.enum(words), z.string().meta({ pattern: WITH_VARIABLE })],
      complain(wrongChoice('', words, what)),
    )
    .meta(ofType(words.join(', ')));
}

export function readChoice<Word extends string>(
  seen: string,
  words: readonly Word[],
  what: string,
): Reading<Word> {
  const value = words.find((word) => word === seen.trim());
  return value === undefined ? { complaint: wrongChoice(seen, words, what) } : { value };
}

function wrongChoice(seen: string, words: readonly string[], what: string): string {
  return complaint(
    `${AS_WRITTEN} is not a valid ${what}`,
    `${didYouMean(seen, words)}write one of: ${words.join(', ')}`,
  );
}
