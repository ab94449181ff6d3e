import type { FeedLinks } from '../../ports/feeds.ts';
import { FEED_PATH, hashOfSecret, newSecret } from './secret.ts';

/** The addresses of feeds for an operator: each is shown once, and a hash of its secret is kept. */
export function feedLinksAt(links: FeedLinks, publicUrl: string | undefined) {
  return {
    /** Undefined when the feed has an address already. */
    async make(feed: string): Promise<string | undefined> {
      const secret = newSecret();
      const isNew = await links.add(feed, hashOfSecret(secret));
      return isNew ? `${publicUrl ?? ''}${FEED_PATH}/${feed}/${secret}.ics` : undefined;
    },
    revoke: (feed: string) => links.revoke(feed),
  };
}
