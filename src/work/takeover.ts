import type { Log } from '../ports/runtime.ts';
import { repeat } from './loops.ts';

/** Between two looks whether a process that held turns has died. */
const LOOK_EVERY_MS = 2_000;

/**
 * Frees what dead processes held: once before it resolves, unless Redis does not answer, then again and again in `rest`, until the signal
 * aborts.
 */
export async function inheritTurns(
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
  // Without a look where the signal has aborted before.
  rest.then(looked, looked);
  await first;
  return { rest };
}
