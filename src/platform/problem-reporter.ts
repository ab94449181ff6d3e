import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '../domain/work.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { PlatformClient } from './client.ts';
import type { PlatformState } from './http/breaker.ts';

type Problems = Pick<ProblemBoard, 'clear'> & {
  raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void>;
};

/** Pause before the board is written again, when a write has failed. Redis is usually back within seconds. */
const TELL_AGAIN_MS = 5_000;

/**
 * Raises the platform's refusals on the problem board, and clears them when the platform accepts the key again. One write at a time, and
 * again until it succeeds: otherwise an older state would stand on the board until the next change.
 */
export function reportProblems(
  platform: Pick<PlatformClient, 'onState'>,
  problems: Problems,
  againMs = TELL_AGAIN_MS,
): void {
  let newest: PlatformState | undefined;
  let told: PlatformState | undefined;
  let isTelling = false;
  const tellNewest = async () => {
    isTelling = true;
    while (newest !== undefined && newest !== told) {
      const state = newest;
      try {
        await tell(problems, state);
        told = state;
      } catch {
        await sleep(againMs, undefined, { ref: false });
      }
    }
    isTelling = false;
  };
  platform.onState((state) => {
    newest = state;
    if (!isTelling) void tellNewest();
  });
}

function tell(problems: Problems, state: PlatformState): Promise<void> {
  if (state.state === 'ok') return problems.clear('platform');
  const { code, message, advice } = state;
  return problems.raise({
    target: 'platform',
    code,
    message,
    ...(advice === undefined ? {} : { advice }),
  });
}
