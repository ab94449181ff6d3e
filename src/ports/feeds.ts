// Events of the feeds, and who may read them.
import type { FeedEvent, KeptFeedEvent } from '../domain/feed.ts';
import type { Claim } from '../domain/work.ts';

export interface FeedStore {
  /** `same`: it is kept so already. `fenced`: another handler holds the appointment; nothing was written. */
  put(
    claim: Claim,
    feed: string,
    about: { readonly event: FeedEvent; readonly hash: string; readonly nowMs: number },
  ): Promise<'written' | 'same' | 'fenced'>;
  remove(claim: Claim, feed: string): Promise<'written' | 'same' | 'fenced'>;
  events(feed: string): Promise<readonly KeptFeedEvent[]>;
  /** What nobody keeps is forgotten five weeks later: events of a feed that the YAML names no more. */
  keep(feeds: readonly string[]): Promise<void>;
}

/** The secret addresses of feeds. Only a hash of each secret is kept. */
export interface FeedLinks {
  /** False when the feed has an address already: nothing was changed. */
  add(feed: string, secretHash: string): Promise<boolean>;
  /** False when it had none. */
  revoke(feed: string): Promise<boolean>;
  hashOf(feed: string): Promise<string | undefined>;
}
