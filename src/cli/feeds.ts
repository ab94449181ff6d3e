import type { Command } from 'commander';
import { TerminalError } from '../engine/errors.ts';
import type { Config } from '../mapping/config.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface FeedSession {
  readonly feedLinks: {
    /** The new secret address; undefined when the feed already has one. */
    readonly make: (feed: string) => Promise<string | undefined>;
    /** False when the feed had no address. */
    readonly revoke: (feed: string) => Promise<boolean>;
  };
  close(): Promise<void>;
}

/** `slotbridge feeds link`, `slotbridge feeds revoke`: the secret addresses of the feeds of the YAML. */
export function addFeeds(program: Command, parts: OperatorParts<FeedSession>): void {
  const feeds = program.command('feeds').description('create or revoke secret addresses of calendar feeds');
  operatorCommand(
    feeds.command('link <feed>').description('create the secret address of a feed and print it, once'),
  ).action((feed: string, options: OperatorOptions) =>
    inSession(parts, options, async (session, config) => {
      assertNamed(config, feed);
      const address = await session.feedLinks.make(feed);
      if (address === undefined) {
        throw new TerminalError('feed-linked', `the feed ${feed} already has an address`, {
          advice: `The address is not stored, so it cannot be shown again. For a new one, run slotbridge feeds revoke ${feed}, then link.`,
        });
      }
      say(parts.io, options, { text: address, json: { feed, address } });
    }),
  );
  operatorCommand(
    feeds.command('revoke <feed>').description('revoke the secret address of a feed within 5 s'),
  ).action((feed: string, options: OperatorOptions) =>
    inSession(parts, options, async (session) => {
      // Also for a feed that left the YAML.
      const revoked = await session.feedLinks.revoke(feed);
      const text = revoked ? `The address of ${feed} is revoked.` : `${feed} had no address.`;
      say(parts.io, options, { text, json: { feed, revoked } });
    }),
  );
}

function assertNamed(config: Config, feed: string): void {
  if (config.feeds.some(({ name }) => name === feed)) return;
  const names = config.feeds.map(({ name }) => name).join(', ');
  throw new TerminalError('feed-unknown', `the YAML has no feed ${feed}`, {
    advice: names === '' ? 'Add one below feeds: (docs/feeds.md).' : `Known: ${names}.`,
  });
}
