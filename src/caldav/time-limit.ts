// Runs foreign data through a library within a limit. Some rules make ical.js search for ever, and anybody may send one in an invitation.
import { createContext, Script } from 'node:vm';

const WITHIN_MS = 1_000;

const context = createContext({ work: undefined });
const script = new Script('work()');

/** Undefined if it takes too long. Rejects nothing else: what `work` throws, this throws. */
export function bounded<T>(work: () => T): T | undefined {
  let answer: { readonly is: T } | undefined;
  const outer = context['work'] as unknown;
  context['work'] = () => {
    answer = { is: work() };
  };
  try {
    script.runInContext(context, { timeout: WITHIN_MS });
    return answer?.is;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    context['work'] = outer;
  }
}
