import type { Language } from '../../mapping/config.ts';
import { EN, type Words } from './en.ts';
import { RU } from './ru.ts';

const ALL: Readonly<Record<Language, Words>> = { en: EN, ru: RU };

export function wordsOf(language: Language): Words {
  return ALL[language];
}

/** The browser's first choice among the available languages. */
export function preferred(acceptLanguage: string | undefined): Language | undefined {
  const asked = (acceptLanguage ?? '').slice(0, 200).toLowerCase().split(',');
  for (const one of asked) {
    const tag = one.trim();
    if (tag.startsWith('ru')) return 'ru';
    if (tag.startsWith('en')) return 'en';
  }
  return undefined;
}
