// Reads for a person who waits at a terminal. While a server is unavailable, it tries again for half a minute and says so. It reports a
// refusal immediately.
import { setTimeout as sleep } from 'node:timers/promises';
import { DeferredError, TerminalError, type WorkerError } from '../engine/errors.ts';
import { backoffMs } from '../engine/work.ts';

const TRIES_MAX = 6;
const PAUSE_MS_MAX = 30_000;
/** Codes of a server that is absent or too busy. With any other code, asking again does not help. */
const PASSING = [
  ...['platform-unreachable', 'platform-timeout', 'platform-unavailable', 'platform-rate-limited'],
  ...['google-unreachable', 'google-timeout', 'google-unavailable', 'google-quota'],
];

export interface Waiting {
  /** The name of the server, for people. */
  readonly who: string;
  readonly say: (line: string) => void;
  /** Aborts on Ctrl-C. */
  readonly signal?: AbortSignal | undefined;
  /** Rejects when the signal aborts. */
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/** Rejects with the last error. Rejects with `TerminalError` `interrupted` as soon as the signal aborts, even while a read is running. */
export async function readPatiently<T>(read: () => Promise<T>, waiting: Waiting): Promise<T> {
  const { who, say, signal, pause = pauseFor } = waiting;
  for (let tries = 1; ; tries += 1) {
    try {
      return await unlessStopped(read(), signal);
    } catch (error) {
      if (!isPassing(error) || tries === TRIES_MAX) throw error;
      const waitMs = Math.max(backoffMs(tries), error instanceof DeferredError ? error.retryAfterMs : 0);
      if (waitMs > PAUSE_MS_MAX) throw error;
      const left = TRIES_MAX - tries;
      const times = left === 1 ? 'once more' : `up to ${left} more times`;
      say(`Waiting for ${who}: ${error.message} (${error.code}). Trying ${times}.\n`);
      await unlessStopped(pause(waitMs, signal), signal);
    }
  }
}

export function interrupted(): TerminalError {
  return new TerminalError('interrupted', 'stopped before it was finished', {
    advice: 'Run the command again. With --yes or --answers it does not ask.',
  });
}

function isPassing(error: unknown): error is WorkerError {
  return PASSING.includes((error as { code?: unknown }).code as string);
}

function pauseFor(ms: number, signal?: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, signal === undefined ? {} : { signal });
}

/** The abandoned work is a read whose answer is not needed. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((done, fail) => {
    const stop = () => fail(interrupted());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(done, fail).finally(() => signal.removeEventListener('abort', stop));
  });
}
