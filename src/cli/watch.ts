import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats the step until SIGINT or SIGTERM: Ctrl-C is how a person ends it, and no failure. */
export async function untilInterrupted(step: () => Promise<void>, everyMs: number): Promise<void> {
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const end = () => interrupted.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
  try {
    while (!signal.aborted) {
      await step();
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.removeListener(name, end);
  }
}
