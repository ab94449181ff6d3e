// Erasures that were begun and not ended: their command was killed, a place could not be written, or nobody but the worker has asked.
import type { ProblemBoard } from '../../ports/operator.ts';
import type { Log } from '../../ports/runtime.ts';
import { type ForgetParts, resumeForget } from './forget.ts';

const TARGET = 'erasure';

/** Places that cannot be read or written are told until they can. */
export async function resumeErasures(
  parts: ForgetParts,
  {
    problems,
    log,
    signal,
  }: { readonly problems: ProblemBoard; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  if ((await parts.erasures.open()).length === 0) {
    if ((await problems.list()).some(({ target }) => target === TARGET)) await problems.clear(TARGET);
    return;
  }
  const outcomes = (await resumeForget(parts, signal)) ?? [];
  for (const outcome of outcomes) {
    if (outcome.state === 'erased') {
      const { events, rewritten, cells } = outcome.receipt.erased;
      log.info({ events, rewritten, cells, left: outcome.left.length }, 'a person was erased');
      continue;
    }
    const [first] = outcome.unread;
    const problem = {
      code: 'erasure-unfinished',
      message: `a person is not erased everywhere: ${outcome.unread.length} places cannot be reached`,
      advice: `Mend ${first?.place} (${first?.code}): the worker then goes on by itself.`,
    };
    await problems.raise({ target: TARGET, ...problem });
    log.warn(
      { places: outcome.unread.length, codes: outcome.unread.map(({ code }) => code) },
      'erasure not finished',
    );
  }
}
