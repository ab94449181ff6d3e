// Events of the feeds, and who may read them.
import type { FeedEvent, KeptFeedEvent } from '../domain/feed.ts';
import type { Claim } from '../domain/work.ts';

export interface FeedStore {
  /**
   * `same`: it is already stored like this, or it is absent and `onlyIfHeld` adds none. `fenced`: another handler holds the appointment;
   * nothing was written.
   */
  put(
    claim: Claim,
    feed: string,
    about: {
      readonly event: FeedEvent;
      readonly hash: string;
      readonly nowMs: number;
      readonly onlyIfHeld?: boolean;
    },
  ): Promise<'written' | 'same' | 'fenced'>;
  remove(claim: Claim, feed: string): Promise<'written' | 'same' | 'fenced'>;
  events(feed: string): Promise<readonly KeptFeedEvent[]>;
  /** Forgets the events of feeds that the YAML no longer names, five weeks later. */
  keep(feeds: readonly string[]): Promise<void>;
}

/** The secret addresses of feeds. Only a hash of each secret is stored. */
export interface FeedLinks {
  /** False if the feed already has an address: nothing was changed. */
  add(feed: string, secretHash: string): Promise<boolean>;
  /** False if it had none. */
  revoke(feed: string): Promise<boolean>;
  /** One hash for each feed that has an address. */
  hashes(): Promise<ReadonlyMap<string, string>>;
}
