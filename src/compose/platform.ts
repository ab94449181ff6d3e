import type { Config } from '../config/config.ts';
import { createPlatformClient } from '../platform/client.ts';
import type { Exchange } from '../platform/http/answer.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Store } from './stores.ts';

/** The platform, with what it refuses on the problem board. Nothing is called yet. */
export function openPlatform(
  parts: Runtime & { readonly config: Config; readonly store: Store; readonly exchange?: Exchange },
) {
  const { config, store, clock, log, meter } = parts;
  const platform = createPlatformClient({
    baseUrl: config.platform.baseUrl,
    apiKey: config.platform.apiKey,
    timeoutMs: config.platform.timeoutMs,
    pause: store.platformPause,
    clock,
    log,
    meter,
    ...(parts.exchange && { exchange: parts.exchange }),
  });
  platform.onState((state) => {
    const told =
      state.state === 'refused'
        ? store.problems.raise({
            target: 'platform',
            code: state.code,
            message: state.message,
            ...(state.advice === undefined ? {} : { advice: state.advice }),
          })
        : store.problems.clear('platform');
    // The board is a notice, not the breaker itself: when it cannot be written, the next change of state is told again.
    told.catch(() => undefined);
  });
  return platform;
}
