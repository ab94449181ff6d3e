import { isId } from '../domain/bounds.ts';
import type { PersonAsked } from '../ports/console.ts';

/** What somebody typed into the search box. Ids and people are looked for one after the other: an id may consist of digits alone. */
export interface Asked {
  readonly id?: string;
  readonly person?: PersonAsked;
}

export type Unusable = 'long' | 'short';

const CHARS_MAX = 200;
/** Fewer letters and digits stand in half of all objects. */
const SIGNS_MIN = 3;
const ID_CHARS_MIN = 6;
const PHONE_DIGITS_MIN = 7;
const WORDS_MAX = 8;

/** Linear in what was typed, which is looked at up to its bound only. */
export function readAsked(typed: string): Asked | Unusable {
  if (typed.length > CHARS_MAX) return 'long';
  const text = typed.trim();
  const signs = text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (signs.length < SIGNS_MIN) return 'short';
  const digits = text.replaceAll(/\D/g, '');
  const isPhone = digits.length >= PHONE_DIGITS_MIN && /^[+\d ().\-\u00a0]+$/.test(text);
  const words = text.toLowerCase().split(/\s+/).slice(0, WORDS_MAX);
  return {
    ...(isId(text) && text.length >= ID_CHARS_MIN ? { id: text } : {}),
    person: isPhone ? { digits } : { words },
  };
}
