import { feedWithoutBlocks } from '../blocks/hidden.ts';
import { filtersByCustomer } from '../domain/mirror.ts';
import { createFeedHandler } from '../mirrors/feed/handler.ts';
import { icalendar } from '../mirrors/feed/icalendar.ts';
import { FEED_PATH, isFeedSecret, isSameSecret } from '../mirrors/feed/secret.ts';
import type { CustomerOf } from '../mirrors/filter/customers.ts';
import { feedRoute } from '../ops/feed-route.ts';
import type { Handler } from '../ports/handler.ts';
import { steadyClock } from '../ports/runtime.ts';
import { every } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import type { Core } from './core.ts';

/** How often the worker renews the expiry of the feeds in the YAML. */
const KEEP_EVERY_MS = 3_600_000;

export function feedHandlers(core: Core, customerOf: CustomerOf): readonly Handler[] {
  const { config, store, directory, clock } = core;
  return config.feeds.map((feed) => {
    const asks = filtersByCustomer([feed]);
    return feedWithoutBlocks(
      createFeedHandler({
        ...{ feed, store: store.feeds, directory, memory: store.memory, clock },
        ...(asks && { customerOf }),
      }),
    );
  });
}

/** The route of all feeds; empty when the YAML has no feed. */
export function feedRoutes({ config, store }: Core) {
  if (config.feeds.length === 0) return [];
  const feeds = config.feeds.map(({ name }) => name);
  return [
    feedRoute({
      ...{ path: FEED_PATH, feeds, isSecret: isFeedSecret, isSameSecret },
      hashOf: (feed) => store.feedLinks.hashOf(feed),
      write: async (feed) => icalendar(feed, await store.feeds.events(feed)),
      nowMs: () => steadyClock.now(),
    }),
  ];
}

export function feedUpkeep({ config, store, log }: Core): Part {
  const names = config.feeds.map(({ name }) => name);
  return every({ name: 'feeds', everyMs: KEEP_EVERY_MS, log }, () => store.feeds.keep(names));
}
