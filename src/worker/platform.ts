import type { Runtime } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import type { Limits } from '../operate/waiting.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { Exchange } from '../platform/http-answer.ts';
import { reportOutages, reportProblems } from '../platform/problem-reporter.ts';
import type { Store } from './stores.ts';

/** The platform client, which reports refusals to the problem board. It makes no call yet. */
export function openPlatform(
  parts: Runtime & {
    readonly config: Config;
    readonly store: Store;
    readonly exchange?: Exchange;
    /** Lets requests outlast the platform's limit. */
    readonly limits?: Limits | undefined;
  },
) {
  const { config, store, clock, log, meter, exchange, limits } = parts;
  const { baseUrl, apiKey, timeoutMs } = config.platform;
  const platform = createPlatformClient({
    ...{ baseUrl, apiKey, timeoutMs, pause: store.platformPause, clock, log, meter },
    ...(exchange && { exchange }),
    ...(limits && { outlast: (request, about) => limits.outlast(request, about) }),
  });
  reportProblems(platform, store.problems);
  reportOutages(platform, store.problems);
  return platform;
}
