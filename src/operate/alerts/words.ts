import type { Language } from '../../mapping/config.ts';
import type { AlertTold, AlertWords } from '../codes/alert-words.ts';
import { ALERTS_EN } from '../codes/alerts-en.ts';
import { ALERTS_RU } from '../codes/alerts-ru.ts';

export const ALERT_WORDS: Readonly<Record<Language, AlertWords>> = { en: ALERTS_EN, ru: ALERTS_RU };

/** The texts of a condition: in English for the log, and in the language of the messages if that is another. */
export function toldIn(
  language: Language | undefined,
  tell: (words: AlertWords) => AlertTold,
): AlertTold & { readonly said?: AlertTold } {
  return {
    ...tell(ALERTS_EN),
    ...(language !== undefined && language !== 'en' && { said: tell(ALERT_WORDS[language]) }),
  };
}
