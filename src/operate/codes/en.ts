import { type CodeText, type CodeTexts, ownCodes, tellIn } from './code-text.ts';
import { MIRRORS_EN } from './mirrors-en.ts';
import { NEXT_EN, REMOTES_EN } from './remotes-en.ts';
import { WISHES_EN } from './wishes-en.ts';

export const CODES_EN: CodeTexts = { ...REMOTES_EN, ...ownCodes('en', NEXT_EN), ...MIRRORS_EN, ...WISHES_EN };

export const PLATFORM_REFUSAL_EN: CodeText = [
  'The platform refuses it',
  'The platform refused the request with a code of its own.',
  NEXT_EN.refused,
];

export const tellEn = tellIn(CODES_EN, PLATFORM_REFUSAL_EN);
