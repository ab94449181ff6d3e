import type { Problem } from '../domain/work.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { PlatformClient } from './client.ts';

/** Raises the platform's refusals on the problem board, and clears them when the platform accepts the key again. */
export function tellProblems(
  platform: Pick<PlatformClient, 'onState'>,
  problems: Pick<ProblemBoard, 'clear'> & {
    raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void>;
  },
): void {
  platform.onState((state) => {
    const told =
      state.state === 'refused'
        ? problems.raise({
            target: 'platform',
            code: state.code,
            message: state.message,
            ...(state.advice === undefined ? {} : { advice: state.advice }),
          })
        : problems.clear('platform');
    // The board only informs people. A failed write is ignored; the next change of state writes again.
    told.catch(() => undefined);
  });
}
