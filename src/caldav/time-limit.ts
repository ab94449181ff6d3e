// Runs foreign data through a library within a limit. Some rules make ical.js search for ever, and anybody may send one in an invitation.
import { createContext, Script } from 'node:vm';

const WITHIN_MS = 1_000;
/** A run that got less processor time than this was not given up for its data: the machine stood still or was busy. */
const FAIR_MS = WITHIN_MS / 4;
/** Each run may take twice as long as the one before. */
const RUNS_MAX = 3;

const context = createContext({ work: undefined });
const script = new Script('work()');

/** Undefined if it takes too long. Rejects nothing else: what `work` throws, this throws. `work` may run again, from its beginning. */
export function bounded<T>(work: () => T): T | undefined {
  for (let run = 0; run < RUNS_MAX; run += 1) {
    const before = process.cpuUsage();
    const ended = within(work, WITHIN_MS * 2 ** run);
    if (ended !== undefined) return ended.is;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= FAIR_MS * 1_000) return undefined;
  }
  return undefined;
}

function within<T>(work: () => T, timeout: number): { readonly is: T } | undefined {
  let answer: { readonly is: T } | undefined;
  const outer = context['work'] as unknown;
  context['work'] = () => {
    answer = { is: work() };
  };
  try {
    script.runInContext(context, { timeout });
    return answer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    context['work'] = outer;
  }
}
