import { type CodeText, type CodeTexts, ownCodes, tellIn } from './code-text.ts';
import { MIRRORS_RU } from './mirrors-ru.ts';
import { NEXT_RU, REMOTES_RU } from './remotes-ru.ts';
import { WISHES_RU } from './wishes-ru.ts';

export const CODES_RU: CodeTexts = { ...REMOTES_RU, ...ownCodes('ru', NEXT_RU), ...MIRRORS_RU, ...WISHES_RU };

export const PLATFORM_REFUSAL_RU: CodeText = [
  'Платформа отказала',
  'Платформа отклонила запрос со своим собственным кодом.',
  NEXT_RU.refused,
];

export const tellRu = tellIn(CODES_RU, PLATFORM_REFUSAL_RU);
