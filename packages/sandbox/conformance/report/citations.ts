/** The suite's tests as stated in their source. They are read, not run, so the coverage page is cheap. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Suite } from './suite.ts';

const home = fileURLToPath(new URL('..', import.meta.url));
const STATEMENT =
  /^(reading|writing|needing)\(\s*(?:'(\w+)',\s*)?(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/gm;
const ANY_STATEMENT = /^\s*(reading|writing|needing)\(/gm;
const RULE_ID = /\[([a-z_]+(?:\.[a-z_]+)*\.\d+)\]/g;

export interface Citation {
  readonly file: string;
  /** The test's name without the rule ids. */
  readonly fact: string;
  readonly ruleIds: readonly string[];
  /** Where the test can run: `ANYWHERE`, `WRITING`, or what it needs. */
  readonly runs: string;
}

export const ANYWHERE = 'anywhere';
export const WRITING = 'where one may write';

/** Throws when a test cannot be parsed, because its rules would otherwise be lost silently. */
export function readCitations(suite: Pick<Suite, 'folder' | 'needs'>): Citation[] {
  return readdirSync(`${home}${suite.folder}`)
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .flatMap((file) => citationsOf(suite, file));
}

/** The rule ids at the start of a test's name. */
export function ruleIdsOf(name: string): string[] {
  return [...name.matchAll(RULE_ID)].map(([, id = '']) => id);
}

function citationsOf({ folder, needs }: Pick<Suite, 'folder' | 'needs'>, file: string): Citation[] {
  const source = readFileSync(`${home}${folder}/${file}`, 'utf8');
  const found = [...source.matchAll(STATEMENT)];
  const stated = [...source.matchAll(ANY_STATEMENT)].length;
  if (found.length !== stated)
    throw new Error(
      `${file}: ${stated - found.length} tests do not stand at the margin with a plain text as name`,
    );
  return found.map(([, kind = '', need = '', single, double]) => {
    const name = (single ?? double ?? '').replaceAll(/\\(.)/g, '$1');
    const fact = name.replaceAll(RULE_ID, '').trim();
    return { file, fact, ruleIds: ruleIdsOf(name), runs: placeOf(needs, kind, need) };
  });
}

function placeOf(needs: Suite['needs'], kind: string, need: string): string {
  if (kind === 'reading') return ANYWHERE;
  return kind === 'writing' ? WRITING : `needs ${needs[need] ?? need}`;
}
