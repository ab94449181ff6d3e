// Keeps an appointment's event in the feed of a resource as the mapping shows it, or removes it. A feed is read-only, so an edit of the
// YAML takes effect immediately: a feed never shows more than the mapping.
import { DateTime } from 'luxon';
import { RetryableError } from '../../domain/errors.ts';
import type { Feed, FeedEvent } from '../../domain/feed.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { Claim } from '../../domain/work.ts';
import type { FeedStore } from '../../ports/feeds.ts';
import type { Handler } from '../../ports/handler.ts';
import type { Memory } from '../../ports/memory.ts';
import type { DirectorySource } from '../../ports/platform.ts';
import type { Clock } from '../../ports/runtime.ts';
import { cut, oneLine, withoutControls } from '../calendar/length.ts';
import type { CustomerOf } from '../filter/customers.ts';
import { type Judged, judgeAll } from '../filter/line.ts';
import { linesOf } from '../filter/lines.ts';
import { appointmentContext } from '../render/context.ts';
import { compileTemplate } from '../render/template.ts';
import { entersAtMs, isInTime } from '../route.ts';
import { FeedResource } from './resource.ts';

const TITLE_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 8_192;
const LOCATION_CHARS_MAX = 1_024;

export interface FeedHandlerParts {
  readonly feed: Feed;
  readonly store: Pick<FeedStore, 'put' | 'remove'>;
  readonly directory: DirectorySource;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  /** Absent where the filter does not look at the customer. */
  readonly customerOf?: CustomerOf | undefined;
  readonly clock: Clock;
}

export function createFeedHandler(parts: FeedHandlerParts): Handler {
  const { feed, store, directory, clock } = parts;
  const resource = new FeedResource(parts);
  const render = compileFeedEvent(feed);
  return {
    name: `feeds/${feed.name}`,
    from: 'appointment',
    async reconcile(claim) {
      const judged = await judge(parts, claim, resource);
      const { snapshot } = claim;
      const event = judged !== 'no' && snapshot ? render(snapshot, directory.current()) : undefined;
      const outcome =
        event === undefined
          ? await store.remove(claim, feed.name)
          : await store.put(claim, feed.name, {
              ...{ event, hash: contentHash(event), nowMs: clock.now() },
              onlyIfHeld: judged === 'unknown',
            });
      if (outcome === 'fenced') throw new RetryableError('fenced', 'another handler took the object over');
      if (outcome === 'same') return 'nothing';
      return event === undefined ? 'removed' : 'updated';
    },
    nextTurnAtMs({ snapshot, deleted }, nowMs) {
      if (snapshot === undefined || deleted) return undefined;
      const lists = directory.current();
      const subject = { kind: 'appointment', snapshot, directory: lists } as const;
      if (judgeAll(linesOf(resource.named), subject) === 'no') return undefined;
      const around = { nowMs, linked: false, directory: lists };
      const enters = entersAtMs(feed.where, snapshot, around);
      const leaves = Date.parse(String(snapshot['starts_at'])) + feed.where.sinceMs + 1;
      return enters ?? (leaves > nowMs ? leaves : undefined);
    },
  };
}

/** `unknown` neither adds nor removes an event. */
async function judge(
  { feed, directory, customerOf, clock }: FeedHandlerParts,
  claim: Claim,
  resource: FeedResource,
): Promise<Judged> {
  const { snapshot, deleted } = claim;
  // The platform has released the resources of a cancelled appointment, so the appointment leaves every feed.
  if (snapshot === undefined || deleted || snapshot['status'] === 'cancelled') return 'no';
  const lists = directory.current();
  const customer = await customerOf?.(snapshot);
  const subject = { kind: 'appointment', snapshot, directory: lists, customer } as const;
  const judged = judgeAll([...linesOf(await resource.line(lists)), ...linesOf(feed.where)], subject);
  const around = { nowMs: clock.now(), linked: false, directory: lists };
  return isInTime(feed.where, snapshot, around) ? judged : 'no';
}

/** Throws `TerminalError` for a template that does not parse. The renderer returns undefined for an appointment without times. */
function compileFeedEvent({ event }: Feed) {
  const title = compileTemplate(event.title);
  const description = event.description === undefined ? undefined : compileTemplate(event.description);
  const location = event.location === undefined ? undefined : compileTemplate(event.location);
  return (snapshot: Snapshot, lists: ReturnType<DirectorySource['current']>): FeedEvent | undefined => {
    const [startsAt, endsAt] = [wholeSecond(snapshot['starts_at']), wholeSecond(snapshot['ends_at'])];
    if (startsAt === undefined || endsAt === undefined) return undefined;
    const context = appointmentContext(snapshot, lists);
    return {
      startsAt,
      endsAt,
      isTentative: snapshot['status'] === 'pending',
      title: cut(oneLine(title.text(context)), TITLE_CHARS_MAX),
      ...(description && {
        description: cut(withoutControls(description.text(context)).trim(), DESCRIPTION_CHARS_MAX),
      }),
      ...(location && { location: cut(oneLine(location.text(context)), LOCATION_CHARS_MAX) }),
    };
  };
}

function wholeSecond(iso: unknown): string | undefined {
  const time = DateTime.fromISO(String(iso), { zone: 'utc' }).startOf('second');
  return time.toISO({ suppressMilliseconds: true }) ?? undefined;
}
