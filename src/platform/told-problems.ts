import type { Problem } from '../domain/work.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { PlatformClient } from './client.ts';

/** Keeps what the platform refuses on the problem board, and takes it away when the platform is well. */
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
    // The board is a notice, not the breaker itself: when it cannot be written, the next change of state is told again.
    told.catch(() => undefined);
  });
}
