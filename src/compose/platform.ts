import type { Config } from '../config/config.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { Exchange } from '../platform/http/answer.ts';
import { reportProblems } from '../platform/problem-reporter.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Store } from './stores.ts';

/** The platform client, which reports refusals to the problem board. It makes no call yet. */
export function openPlatform(
  parts: Runtime & { readonly config: Config; readonly store: Store; readonly exchange?: Exchange },
) {
  const { config, store, clock, log, meter, exchange } = parts;
  const { baseUrl, apiKey, timeoutMs } = config.platform;
  const platform = createPlatformClient({
    ...{ baseUrl, apiKey, timeoutMs, pause: store.platformPause, clock, log, meter },
    ...(exchange && { exchange }),
  });
  reportProblems(platform, store.problems);
  return platform;
}
