import type { Log } from '../ports/runtime.ts';
import { repeat } from './loops.ts';

/** How often to check whether a process that held turns has died. */
const LOOK_EVERY_MS = 2_000;

/**
 * Frees what dead processes held: once before it resolves, unless Redis does not answer, then repeatedly in `rest`, until the signal
 * aborts.
 */
export async function startTakeover(
  parts: {
    readonly processes: { register(): Promise<void> };
    readonly queues: { takeOver(): Promise<void> };
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<{ readonly rest: Promise<void> }> {
  const { processes, queues, log } = parts;
  let looked = () => {};
  const first = new Promise<void>((done) => {
    looked = done;
  });
  const rest = repeat({ name: 'takeover', everyMs: LOOK_EVERY_MS, signal, log }, async () => {
    try {
      await processes.register();
      await queues.takeOver();
    } finally {
      looked();
    }
    return undefined;
  });
  // No check runs if the signal had already aborted.
  rest.then(looked, looked);
  await first;
  return { rest };
}
