import { randomUUID } from 'node:crypto';
import { seriesOfInstance } from '../engine/ids.ts';
import { RedisStore, replyWithin } from '../engine/redis-script.ts';

/** One object of a calendar, as last read. */
export interface IndexEntry {
  /** The server's version; empty if it gave none. */
  readonly etag: string;
  /** Ids of its events. Empty for an object without events, and for one that cannot be read. */
  readonly ids: readonly string[];
  /** Ids that it had before, until a sync has told of their end. */
  readonly lost?: readonly string[];
  /** Appointments whose mark it carries under another id than theirs: it may be a copy of their event. */
  readonly marked?: readonly string[];
  /** A search has read a change of it that no sync has told. */
  readonly isUntold?: boolean;
  /** Names the search or write that has read it; absent after a sync. */
  readonly noted?: string;
  /** Why it cannot be read or does not count. */
  readonly odd?: 'unreadable' | 'too-large' | 'doubled' | 'unfollowed';
}

/** A sync between its pages. */
export interface OpenChanges {
  /** Which of several syncs it is. */
  readonly at: string;
  /** Token of the server at which it ends; absent where the server knows no tokens. */
  readonly next?: string | undefined;
  readonly changed: readonly string[];
  /** Versions of what changed, as the sync told them. */
  readonly versions?: Readonly<Record<string, string>>;
  readonly gone: readonly string[];
  /** `noted` of what was there, by address that is gone. */
  readonly left?: Readonly<Record<string, string>>;
}

export interface LastWrite {
  /** Another one for each write. */
  readonly name: string;
  /** Empty if the worker removed something. */
  readonly href: string;
}

const HREF = 'h ';
const ID = 'i ';
const OPEN = 'open';
const MISSED = 'm ';
const WROTE = 'wrote';
const REFUSED = 'refused';
const RESTORED = 'restored';
const EXPIRES_S = 35 * 86_400;

/**
 * What is known of the objects of CalDAV calendars: address to version and events, and event to address. A server tells deletions by address
 * only. Losing it costs a full list.
 */
export class CalendarIndex extends RedisStore {
  async all(calendarId: string): Promise<ReadonlyMap<string, IndexEntry>> {
    const fields = await replyWithin(this.redis.hgetall(this.keys.caldav(calendarId)));
    const entries = Object.entries(fields).filter(([field]) => field.startsWith(HREF));
    return new Map(entries.map(([field, row]) => [field.slice(HREF.length), JSON.parse(row) as IndexEntry]));
  }

  async entry(calendarId: string, href: string): Promise<IndexEntry | undefined> {
    const row = await replyWithin(this.redis.hget(this.keys.caldav(calendarId), HREF + href));
    return row === null ? undefined : (JSON.parse(row) as IndexEntry);
  }

  async hrefOf(calendarId: string, eventId: string): Promise<string | undefined> {
    return (await replyWithin(this.redis.hget(this.keys.caldav(calendarId), ID + eventId))) ?? undefined;
  }

  /** `owned`: those of its ids whose events are at this address, and at no older one. */
  async put(
    calendarId: string,
    href: string,
    entry: IndexEntry & { readonly owned: readonly string[] },
  ): Promise<void> {
    const { owned, ...row } = entry;
    const key = this.keys.caldav(calendarId);
    const pairs = [HREF + href, JSON.stringify(row), ...owned.flatMap((id) => [ID + id, href])];
    await replyWithin(
      this.redis
        .multi()
        .hset(key, ...pairs)
        // Redis refuses an empty list of fields.
        .hdel(key, MISSED, ...owned.map((id) => MISSED + id))
        .expire(key, EXPIRES_S)
        .exec(),
    );
  }

  /** Removes the objects that a sync has told as gone, and the ids that lead to them. One that was written since stays. */
  async drop(calendarId: string, { gone, left = {} }: Pick<OpenChanges, 'gone' | 'left'>): Promise<void> {
    for (const href of gone) {
      const { ids = [], noted } = (await this.entry(calendarId, href)) ?? {};
      if (noted !== left[href]) continue;
      const own: string[] = [];
      for (const id of ids) if ((await this.hrefOf(calendarId, id)) === href) own.push(ID + id);
      await replyWithin(this.redis.hdel(this.keys.caldav(calendarId), HREF + href, ...own));
    }
  }

  /** The calendar was made anew: that these events are not in it is nobody's wish, until they are there again. */
  async miss(calendarId: string, ids: readonly string[]): Promise<void> {
    const pairs = ids.flatMap((id) => [MISSED + id, '1']);
    if (pairs.length > 0) await replyWithin(this.redis.hset(this.keys.caldav(calendarId), ...pairs));
  }

  /** The server does not know the token that it gave. Its next list is of an earlier state, as far as anybody can tell. */
  async noteRefused(calendarId: string): Promise<void> {
    const key = this.keys.caldav(calendarId);
    await replyWithin(this.redis.multi().hset(key, REFUSED, '1').expire(key, EXPIRES_S).exec());
  }

  async isRefused(calendarId: string): Promise<boolean> {
    return (await replyWithin(this.redis.hexists(this.keys.caldav(calendarId), REFUSED))) === 1;
  }

  /** The list after a refused token: what it shows at these addresses is nobody's wish, as long as it shows these versions. */
  async noteRestored(calendarId: string, versions: Readonly<Record<string, string>>): Promise<void> {
    const key = this.keys.caldav(calendarId);
    await replyWithin(
      this.redis.multi().hset(key, RESTORED, JSON.stringify(versions)).hdel(key, REFUSED).exec(),
    );
  }

  /** Whether what the calendar shows of the event is nobody's wish: it was made anew, or put back to an earlier state. */
  async isNobodys(calendarId: string, eventId: string): Promise<boolean> {
    const key = this.keys.caldav(calendarId);
    const [missed, restored] = await replyWithin(this.redis.hmget(key, MISSED + eventId, RESTORED));
    if (missed !== null) return true;
    if (typeof restored !== 'string') return false;
    const href = await this.hrefOf(calendarId, seriesOfInstance(eventId) ?? eventId);
    const versions = JSON.parse(restored) as Readonly<Record<string, string>>;
    if (href === undefined || versions[href] === undefined) return false;
    return (await this.entry(calendarId, href))?.etag === versions[href];
  }

  /** The worker itself has changed the calendar. `href`: of what it stored. */
  async noteWrite(calendarId: string, href = ''): Promise<void> {
    const key = this.keys.caldav(calendarId);
    const row = `${randomUUID()} ${href}`;
    await replyWithin(this.redis.multi().hset(key, WROTE, row).expire(key, EXPIRES_S).exec());
  }

  async lastWrite(calendarId: string): Promise<LastWrite | undefined> {
    const row = await replyWithin(this.redis.hget(this.keys.caldav(calendarId), WROTE));
    const [name = '', href = ''] = row?.split(' ') ?? [];
    return row === null ? undefined : { name, href };
  }

  async open(calendarId: string): Promise<OpenChanges | undefined> {
    const row = await replyWithin(this.redis.hget(this.keys.caldav(calendarId), OPEN));
    return row === null ? undefined : (JSON.parse(row) as OpenChanges);
  }

  async setOpen(calendarId: string, open: OpenChanges): Promise<void> {
    const key = this.keys.caldav(calendarId);
    const row = JSON.stringify(open);
    await replyWithin(this.redis.multi().hset(key, OPEN, row).expire(key, EXPIRES_S).exec());
  }
}
