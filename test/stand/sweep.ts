/**
 * A sweep lets a worker die at every call of some work, in several variants of what else happens. The soak tests run it whole.
 * The long tests run a share of it: the calls are dealt out among the variants, so that every call still dies in some of them.
 * `npm test` runs a third of that, spread over all variants and calls.
 */
import { strideOf } from './runs.ts';

export type Chosen = (variant: number, call: number) => boolean;

export const EVERY_CALL: Chosen = () => true;

/** Has no factor in common with the ways that are in use. */
const SPREAD = 11;

/** Each scenario has two variants, a death before and one after its calls: nothing happens between two calls. */
export const MOMENTS = ['before', 'after'] as const;

export function variantOf(scenario: number, moment: (typeof MOMENTS)[number]): number {
  return scenario * MOMENTS.length + MOMENTS.indexOf(moment);
}

/** With more variants than ways, each call dies in more than one variant. */
export function dealtOut(ways: number): Chosen {
  const every = strideOf(ways);
  // Neighbours among the variants begin far from each other, so that few deaths are spread as well.
  return (variant, call) => call % every === (SPREAD * variant) % every;
}

/** Which of so many calls are one variant's. */
export type Deal = (variant: number, calls: number) => readonly number[];

export const ALL_CALLS: Deal = (_, calls) => Array.from({ length: calls }, (_, at) => at + 1);

/** As `dealtOut`, of work whose calls have been counted: each variant has at least one of them. */
export function dealt(ways: number): Deal {
  return (variant, calls) => {
    const every = Math.min(strideOf(ways), calls);
    return ALL_CALLS(variant, calls).filter((call) => call % every === (SPREAD * variant) % every);
  };
}

/**
 * Runs `life` with each chosen call as its last. It says whether the death came; the first work that ends before its call ends the sweep.
 * Returns that call, which is beyond all that the work makes. Rejects when the work never ends.
 */
export async function sweepCalls(
  { chosen, variant, callsMax }: { chosen: Chosen; variant: number; callsMax: number },
  life: (call: number) => Promise<boolean>,
): Promise<number> {
  for (let call = 1; call < callsMax; call += 1) {
    if (!chosen(variant, call)) continue;
    if (!(await life(call))) return call;
  }
  throw new Error(`the work does not end within ${callsMax} calls`);
}
