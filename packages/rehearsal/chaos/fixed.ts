// Plans that each have found something once, or play a mix that the others do not. The long tests play some of the short ones and the first
// seed, the soak tests all.
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

const SHORT_ACTS_MAX = 20;
const FILE = new URL('fixed.json', import.meta.url).pathname;

export function fixedPlans(): readonly Fixed[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly Fixed[];
}

export function shortOnes(): readonly Fixed[] {
  return fixedPlans().filter(({ plan }) => plan !== undefined && plan.acts.length <= SHORT_ACTS_MAX);
}

export function firstSeed(): readonly Fixed[] {
  return fixedPlans()
    .filter(({ plan }) => plan === undefined)
    .slice(0, 1);
}

/** Returns the path of the file. */
export function addFixed(entry: Fixed): string {
  writeFileSync(FILE, `${JSON.stringify([...fixedPlans(), entry], undefined, 1)}\n`);
  return FILE;
}
