// What a code of a problem, a dead letter or a history means, and what to do about it: one dictionary for each language.

import type { WhyWords } from '../../engine/domain/why-words.ts';
import type { Language } from '../../mapping/config.ts';
import type { ToldCode } from './code-text.ts';
import { tellEn } from './en.ts';
import { tellRu } from './ru.ts';
import { WHY_EN } from './why-en.ts';
import { WHY_RU } from './why-ru.ts';

const TELL = { en: tellEn, ru: tellRu };

export function tellCode(code: string, language: Language): ToldCode {
  return TELL[language](code);
}

/** Why a mirror takes an object or not. */
export const WHY: Readonly<Record<Language, WhyWords>> = { en: WHY_EN, ru: WHY_RU };
