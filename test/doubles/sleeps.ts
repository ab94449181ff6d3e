import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** Every pause of `node:timers/promises` takes no time and is told, until the result is called. For `beforeEach`: files share modules. */
export function withoutSleep(told: (ms: number, signal: AbortSignal | undefined) => void): () => void {
  const { setTimeout: real } = timers;
  const put = (sleep: unknown) => {
    Object.assign(timers, { setTimeout: sleep });
    syncBuiltinESMExports();
  };
  put(async (ms: number, _: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => {
    signal?.throwIfAborted();
    told(ms, signal);
  });
  return () => put(real);
}
