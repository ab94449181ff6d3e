import type { Command } from 'commander';
import { TerminalError } from '../engine/errors.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import {
  inAuditLog,
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
  readonly acts: ActLog;
  close(): Promise<void>;
}

type Parts = OperatorParts<FeedSession> & { readonly clock: Clock };

/** `slotbridge feeds link`, `slotbridge feeds revoke`: the secret addresses of the feeds of the YAML. */
export function addFeeds(program: Command, parts: Parts): void {
  const feeds = program.command('feeds').description('create or revoke secret addresses of calendar feeds');
  operatorCommand(
    feeds.command('link <feed>').description('create the secret address of a feed and print it, once'),
  ).action((feed: string, options: OperatorOptions) =>
    inSession(parts, options, async (session, config) => {
      assertNamed(config, feed);
      const act = { what: 'feed-linked', about: { feed } };
      const address = await inAuditLog({ ...parts, acts: session.acts }, act, {
        run: () => session.feedLinks.make(feed),
        done: (made) => (made === undefined ? 0 : 1),
      });
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
      const act = { what: 'feed-revoked', about: { feed } };
      const revoked = await inAuditLog({ ...parts, acts: session.acts }, act, {
        run: () => session.feedLinks.revoke(feed),
        done: (isRevoked) => (isRevoked ? 1 : 0),
      });
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
