// Keeps an appointment's event in the feed of a resource as the mapping shows it, or removes it. A feed is read-only, so an edit of the
// YAML takes effect immediately: a feed never shows more than the mapping.

import { DateTime } from 'luxon';
import type { ClassNow, ClassRule } from '../engine/class-slot.ts';
import { unbroken } from '../engine/counts.ts';
import { RetryableError } from '../engine/errors.ts';
import type { Feed, FeedEvent, KeptFeedEvent } from '../engine/feed.ts';
import type { Action, Handler } from '../engine/handler.ts';
import { hashOfSecret, newSecret } from '../engine/ids.ts';
import type { Memory } from '../engine/memory.ts';
import type { Directory } from '../engine/mirror.ts';
import { contentHash, type Snapshot } from '../engine/object.ts';
import { namedAlike } from '../engine/plain-text.ts';
import type { DirectorySource } from '../engine/platform.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import { type CustomerOf, isUuid, type Judged, judgeAll, linesOf } from '../mapping/filter-lines.ts';
import { entersAtMs, isInTime, isOfClass, learnedName } from '../mapping/route.ts';
import { appointmentContext, compileTemplate } from '../mapping/template.ts';
import { classOf, classShown } from './class-target.ts';
import { FEED_PATH, type FeedLinks, type FeedStore } from './stores.ts';
import { cut, withLineFeeds } from './wanted.ts';

// Renders events as an iCalendar file (RFC 5545). Pure: the same events give the same bytes, whatever their order.

/** Most octets of a line without its break (RFC 5545, 3.1). */
const LINE_OCTETS_MAX = 75;
/** How often a reader should look again (RFC 7986, 5.7, and its predecessor). */
const LOOK_AGAIN = 'PT15M';

/** Whatever the feed is called, and however often it is read, the same entry. */
const EMPTY_FEED = {
  ...{ id: 'empty', sequence: 0, stampMs: Date.UTC(2000, 0, 1) },
  ...{ startsAt: '2000-01-01T00:00:00Z', endsAt: '2000-01-01T00:01:00Z', isTentative: false },
};

/**
 * A feed without appointments has one entry in the past that occupies no time. A calendar needs a component (RFC 5545, 3.6), and some
 * programs keep their last appointment when a feed becomes empty.
 */
export function icalendar(name: string, events: readonly KeptFeedEvent[]): string {
  const inOrder = events.toSorted((a, b) => compare(a.startsAt, b.startsAt) || compare(a.id, b.id));
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//slotbridge//feed//EN',
    'CALSCALE:GREGORIAN',
    ...textLine('X-WR-CALNAME', name),
    `REFRESH-INTERVAL;VALUE=DURATION:${LOOK_AGAIN}`,
    `X-PUBLISHED-TTL:${LOOK_AGAIN}`,
    ...inOrder.flatMap((event) => eventLines(event, 'OPAQUE')),
    ...(events.length === 0 ? eventLines({ ...EMPTY_FEED, title: name }, 'TRANSPARENT') : []),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function eventLines(event: KeptFeedEvent, transparency: 'OPAQUE' | 'TRANSPARENT'): string[] {
  const stamp = utc(event.stampMs);
  return [
    'BEGIN:VEVENT',
    // The platform's id never changes, so a moved appointment stays the same event in every reader.
    `UID:${escapeText(event.id)}@slotbridge`,
    // vdirsyncer looks neither at the UID nor at stamps: two appointments that look the same were one there.
    `X-SLOTBRIDGE-ID:${escapeText(event.id)}`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    `SEQUENCE:${event.sequence}`,
    `DTSTART:${utc(Date.parse(event.startsAt))}`,
    `DTEND:${utc(Date.parse(event.endsAt))}`,
    ...textLine('SUMMARY', event.title),
    ...textLine('DESCRIPTION', event.description),
    ...textLine('LOCATION', event.location),
    `STATUS:${event.isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
    `TRANSP:${transparency}`,
    'END:VEVENT',
  ];
}

/** `20261103T090000Z`: an instant in UTC needs no time zone in the file. */
function utc(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

/** Readers complain about a property without a value. */
function textLine(name: string, text = ''): string[] {
  const isEmpty = unbroken(text).trim() === '';
  return isEmpty ? [] : [`${name}:${escapeText(text)}`];
}

/** RFC 5545, 3.3.11. Some readers split lines at any line break of Unicode, so no control character leaves the feed. */
function escapeText(text: string): string {
  return withLineFeeds(text)
    .split('\n')
    .map((line) => unbroken(line).replaceAll(/[\\;,]/g, (character) => `\\${character}`))
    .join('\\n');
}

/** Folds by octets, and never within a character. A continuation begins with a space, which counts. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= LINE_OCTETS_MAX) return line;
  const parts: string[] = [];
  let part = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS_MAX) {
      parts.push(part);
      part = ' ';
      octets = 1;
    }
    part += character;
    octets += size;
  }
  return [...parts, part].join('\r\n');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const TITLE_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 8_192;
const LOCATION_CHARS_MAX = 1_024;

export interface FeedHandlerParts {
  readonly feed: Feed;
  /** What the calendars show as a class is one event of the feed. */
  readonly classes: readonly ClassRule[];
  readonly store: Pick<FeedStore, 'put' | 'remove'>;
  readonly directory: DirectorySource;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  /** Absent where the filter does not look at the customer. */
  readonly customerOf?: CustomerOf | undefined;
  readonly clock: Clock;
}

/** What the feed shows of an object now. `unknown` neither adds nor removes an event. */
interface Shown {
  readonly judged: Judged;
  readonly event?: FeedEvent | undefined;
}
const NOTHING: Shown = { judged: 'no' };

/** Shows single appointments. */
export function createFeedHandler(parts: FeedHandlerParts): Handler {
  const { feed, classes, directory, clock } = parts;
  const resource = new FeedResource(parts);
  const render = compileFeedEvent(feed.event);
  return {
    ...{ name: `feeds/${feed.name}`, from: 'appointment' },
    async reconcile(claim) {
      const { snapshot, deleted } = claim;
      const lists = directory.current();
      // The platform has released the resources of a cancelled appointment, so the appointment leaves every feed.
      const isGone = snapshot === undefined || deleted || snapshot['status'] === 'cancelled';
      if (isGone || classOf(classes, claim, lists) !== undefined) return write(parts, claim, NOTHING);
      const judged = await judge(parts, snapshot, resource);
      const around = { nowMs: clock.now(), linked: false, directory: lists };
      if (judged === 'no' || !isInTime(feed.where, snapshot, around)) return write(parts, claim, NOTHING);
      return write(parts, claim, { judged, event: render(snapshot, lists) });
    },
    nextTurnAtMs({ snapshot, deleted }, nowMs) {
      if (snapshot === undefined || deleted) return undefined;
      const lists = directory.current();
      const subject = { kind: 'appointment', snapshot, directory: lists } as const;
      if (judgeAll(linesOf(resource.named), subject) === 'no') return undefined;
      return turnAtMs(feed.where, snapshot, { nowMs, directory: lists });
    },
  };
}

/** Shows classes, as the class reader reads them. The texts are those of `classes`, without guests. */
export function createClassFeedHandler(parts: FeedHandlerParts): Handler {
  const { feed, classes, directory, clock } = parts;
  const resource = new FeedResource(parts);
  const rendered = classes.map((rule) => {
    const { title, description } = rule;
    return { rule, render: compileFeedEvent({ title, description, location: feed.event.location }) };
  });
  const { sinceMs, untilMs } = feed.where;
  // The rest of `where` filters the appointments.
  const where = { sinceMs, ...(untilMs !== undefined && { untilMs }) };
  return {
    ...{ name: `feeds/${feed.name}`, from: 'class' },
    async reconcile(claim) {
      const { snapshot } = claim;
      const lists = directory.current();
      if (snapshot?.['members'] === undefined)
        throw new RetryableError('snapshot-missing', 'the class was not read');
      const now = snapshot as ClassNow;
      // A class that was shown stays one while a name in the YAML matches nothing.
      const shown = rendered.find(({ rule }) => isOfClass(rule, now, { directory: lists, isKnown: true }));
      const around = { nowMs: clock.now(), linked: false, directory: lists };
      if (shown === undefined || !isInTime(where, now, around)) return write(parts, claim, NOTHING);
      const judged = await Promise.all(now.members.map((member) => judge(parts, member, resource)));
      const members = now.members.filter((_, at) => judged[at] !== 'no');
      if (members.length === 0) return write(parts, claim, NOTHING);
      const event = shown.render(classShown(shown.rule, now, { members, directory: lists }), lists);
      return write(parts, claim, { judged: judged.includes('yes') ? 'yes' : 'unknown', event });
    },
    nextTurnAtMs({ snapshot }, nowMs) {
      if (classes.length === 0 || snapshot === undefined) return undefined;
      return turnAtMs(where, snapshot, { nowMs, directory: directory.current() });
    },
  };
}

async function write({ feed, store, clock }: FeedHandlerParts, claim: Claim, shown: Shown): Promise<Action> {
  const { judged, event } = shown;
  const outcome =
    event === undefined
      ? await store.remove(claim, feed.name)
      : await store.put(claim, feed.name, {
          ...{ event, hash: contentHash(event), nowMs: clock.now() },
          onlyIfHeld: judged === 'unknown',
        });
  if (outcome === 'same') return 'nothing';
  return event === undefined ? 'removed' : 'updated';
}

async function judge(
  { feed, directory, customerOf }: FeedHandlerParts,
  snapshot: Snapshot,
  resource: FeedResource,
): Promise<Judged> {
  const lists = directory.current();
  const customer = await customerOf?.(snapshot);
  const subject = { kind: 'appointment', snapshot, directory: lists, customer } as const;
  return judgeAll([...linesOf(await resource.line(lists)), ...linesOf(feed.where)], subject);
}

/** When it enters or leaves the feed. */
function turnAtMs(
  where: Feed['where'],
  snapshot: Snapshot,
  { nowMs, directory }: { readonly nowMs: number; readonly directory: Directory },
): number | undefined {
  const enters = entersAtMs(where, snapshot, { nowMs, linked: false, directory });
  const leaves = Date.parse(String(snapshot['starts_at'])) + where.sinceMs + 1;
  return enters ?? (leaves > nowMs ? leaves : undefined);
}

/** Throws `TerminalError` for a template that does not parse. The renderer returns undefined for an appointment without times. */
function compileFeedEvent(event: Feed['event']) {
  const title = compileTemplate(event.title);
  const description = event.description === undefined ? undefined : compileTemplate(event.description);
  const location = event.location === undefined ? undefined : compileTemplate(event.location);
  return (snapshot: Snapshot, lists: Directory): FeedEvent | undefined => {
    const [startsAt, endsAt] = [wholeSecond(snapshot['starts_at']), wholeSecond(snapshot['ends_at'])];
    if (startsAt === undefined || endsAt === undefined) return undefined;
    const context = appointmentContext(snapshot, lists);
    return {
      startsAt,
      endsAt,
      isTentative: snapshot['status'] === 'pending',
      title: cut(oneLine(title.text(context)), TITLE_CHARS_MAX),
      ...(description && { description: cut(inLines(description.text(context)), DESCRIPTION_CHARS_MAX) }),
      ...(location && { location: cut(oneLine(location.text(context)), LOCATION_CHARS_MAX) }),
    };
  };
}

function oneLine(text: string): string {
  return unbroken(text).replaceAll(/\s+/g, ' ').trim();
}

function inLines(text: string): string {
  return withLineFeeds(text).split('\n').map(unbroken).join('\n').trim();
}

function wholeSecond(iso: unknown): string | undefined {
  const time = DateTime.fromISO(String(iso), { zone: 'utc' }).startOf('second');
  return time.toISO({ suppressMilliseconds: true }) ?? undefined;
}

type Line = { readonly resources: readonly string[] };

/**
 * The resource of a feed as a line of a filter. A known name that the platform no longer lists keeps its meaning, because renaming or
 * deactivating a resource must not freeze its feed.
 */
class FeedResource {
  readonly #memory: Pick<Memory, 'get' | 'set'>;
  readonly #byName: Line;
  readonly #name: string;
  #learned: string | undefined;
  /** Always the same object, because `linesOf` caches by object. */
  #byId: Line | undefined;
  /** The last answer and the lists that it is about. New lists are a new object. */
  #found: { readonly directory: Directory; readonly line: Line } | undefined;

  constructor({ feed, memory }: { feed: Feed; memory: Pick<Memory, 'get' | 'set'> }) {
    this.#memory = memory;
    this.#byName = { resources: [feed.resource] };
    this.#name = feed.resource;
  }

  /** The line with the resource exactly as the feed names it. */
  get named(): Line {
    return this.#byName;
  }

  async line(directory: Directory): Promise<Line> {
    if (this.#found?.directory === directory) return this.#found.line;
    const line = await this.#find(directory);
    this.#found = { directory, line };
    return line;
  }

  async #find({ resources }: Directory): Promise<Line> {
    if (isUuid(this.#name) || resources.has(this.#name)) return this.#byName;
    const ids = namedAlike(resources, this.#name, ([, { name }]) => name).map(([id]) => id);
    const [only, ...others] = ids;
    if (only === undefined) return (await this.#recalled()) ?? this.#byName;
    if (others.length === 0 && only !== this.#learned) {
      await this.#memory.set(this.#memoryName(), only);
      this.#note(only);
    }
    return this.#byName;
  }

  async #recalled(): Promise<Line | undefined> {
    const known = this.#learned ?? (await this.#memory.get(this.#memoryName()));
    if (known !== undefined && known !== this.#learned) this.#note(known);
    return this.#byId;
  }

  #note(id: string): void {
    this.#learned = id;
    this.#byId = { resources: [id] };
  }

  #memoryName(): string {
    return learnedName({ by: 'resource', name: this.#name });
  }
}

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
