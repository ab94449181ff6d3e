import type { FeedLinks } from '../../engine/ports/feeds.ts';
import { FEED_PATH, hashOfSecret, newSecret } from './secret.ts';

/** Feed addresses for an operator. Each address is shown once, and only a hash of its secret is kept. */
export function feedLinksAt(links: FeedLinks, publicUrl: string | undefined) {
  return {
    /** Undefined when the feed already has an address. */
    async make(feed: string): Promise<string | undefined> {
      const secret = newSecret();
      const isNew = await links.add(feed, hashOfSecret(secret));
      return isNew ? `${publicUrl ?? ''}${FEED_PATH}/${feed}/${secret}.ics` : undefined;
    },
    revoke: (feed: string) => links.revoke(feed),
  };
}
