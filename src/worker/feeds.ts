import { feedWithoutBlocks } from '../calendar/blocks/hidden.ts';
import { createClassFeedHandler, createFeedHandler } from '../calendar/feed/handler.ts';
import { icalendar } from '../calendar/feed/icalendar.ts';
import { FEED_PATH, isFeedSecret, isSameSecret } from '../calendar/feed/secret.ts';
import { filtersByCustomer } from '../engine/domain/mirror.ts';
import { every } from '../engine/loops.ts';
import type { Handler } from '../engine/ports/handler.ts';
import { steadyClock } from '../engine/ports/runtime.ts';
import type { Part } from '../engine/supervisor.ts';
import type { CustomerOf } from '../mapping/filter/customers.ts';
import { feedRoute } from '../operate/feed-route.ts';
import { classRules } from './class-rules.ts';
import type { Core } from './core.ts';

/** How often the worker renews the expiry of the feeds in the YAML. */
const KEEP_EVERY_MS = 3_600_000;

export function feedHandlers(core: Core, customerOf: CustomerOf): readonly Handler[] {
  const { config, store, directory, clock } = core;
  const classes = classRules(config);
  return config.feeds.flatMap((feed) => {
    const asks = filtersByCustomer([feed]);
    const parts = {
      ...{ feed, classes, store: store.feeds, directory, memory: store.memory, clock },
      ...(asks && { customerOf }),
    };
    return [feedWithoutBlocks(createFeedHandler(parts)), createClassFeedHandler(parts)];
  });
}

/** The route of all feeds; empty when the YAML has no feed. */
export function feedRoutes({ config, store }: Core) {
  if (config.feeds.length === 0) return [];
  const feeds = config.feeds.map(({ name }) => name);
  return [
    feedRoute({
      ...{ path: FEED_PATH, feeds, isSecret: isFeedSecret, isSameSecret },
      hashes: () => store.feedLinks.hashes(),
      write: async (feed) => icalendar(feed, await store.feeds.events(feed)),
      nowMs: () => steadyClock.now(),
    }),
  ];
}

export function feedUpkeep({ config, store, log }: Core): Part {
  const names = config.feeds.map(({ name }) => name);
  return every({ name: 'feeds', everyMs: KEEP_EVERY_MS, log }, () => store.feeds.keep(names));
}
