// Plans that are played in every `npm test`, but for all seeds after the first, which are long tests: each has found something once, or
// plays a mix that the others do not.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Plan } from './act.ts';

export interface Fixed {
  /** What it found when it came here, in a few words. */
  readonly found: string;
  /** A whole plan; or only the seed of one, with its length. */
  readonly plan?: Plan;
  readonly seed?: number;
  readonly minutes?: number;
}

const FILE = new URL('fixed.json', import.meta.url).pathname;

export function fixedPlans(): readonly Fixed[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly Fixed[];
}

/** Returns the path of the file. */
export function addFixed(entry: Fixed): string {
  writeFileSync(FILE, `${JSON.stringify([...fixedPlans(), entry], undefined, 1)}\n`);
  return FILE;
}
