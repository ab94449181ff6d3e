import type { CalendarCursor, OpenSync } from '../../engine/domain/calendar-cursor.ts';
import type { CalendarCursors, ListOf, SyncProof } from '../../engine/ports/calendars.ts';
import type { LeaseProof } from '../../engine/ports/leases.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import { fencedSet } from '../../engine/store/fenced-set.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { replyWithin } from '../../engine/store/script.ts';

/** How long Redis remembers an abandoned full list; afterwards the worker looks at its events again. */
const SHOWN_TTL_S = 24 * 3_600;

/** Calendar cursors in Redis: one hash per calendar, and one set of what a running full list has shown. */
export class RedisCalendarCursors implements CalendarCursors {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async read(calendarId: string): Promise<CalendarCursor> {
    const fields = await replyWithin(this.#redis.hgetall(this.#keys.calendar(calendarId)));
    return {
      syncToken: fields['sync'],
      open: fields['open'] === undefined ? undefined : toOpenSync(fields['open']),
      coveredUntilMs: toNumber(fields['covered']),
      provedAtMs: toNumber(fields['proved']),
      listedAtMs: toNumber(fields['listed']),
      changedAtMs: toNumber(fields['changed']),
      pingedAtMs: toNumber(fields['pinged']),
      pings: toNumber(fields['pings']) ?? 0,
      coveredPings: toNumber(fields['heard']),
      missedAtMs: toNumber(fields['missed']),
    };
  }

  async saveSync(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean> {
    return this.#set(calendarId, lease, ['open', JSON.stringify(open)]);
  }

  async startOver(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean> {
    return this.#set(calendarId, lease, ['sync', '', 'open', JSON.stringify(open)]);
  }

  async close(calendarId: string, proof: SyncProof, lease: LeaseProof): Promise<boolean> {
    const { syncToken, coveredUntilMs, coveredPings, provedAtMs, listedAtMs, changedAtMs, missedAtMs } =
      proof;
    return this.#set(calendarId, lease, [
      ...['sync', syncToken, 'open', ''],
      ...['covered', String(coveredUntilMs), 'proved', String(provedAtMs)],
      ...(coveredPings === undefined ? [] : ['heard', String(coveredPings)]),
      ...(listedAtMs === undefined ? [] : ['listed', String(listedAtMs)]),
      ...(changedAtMs === undefined ? [] : ['changed', String(changedAtMs)]),
      ...(missedAtMs === undefined ? [] : ['missed', String(missedAtMs)]),
    ]);
  }

  async pinged(calendarId: string, atMs: number): Promise<number> {
    const key = this.#keys.calendar(calendarId);
    const [, number] = await Promise.all([
      replyWithin(this.#redis.hset(key, 'pinged', String(atMs))),
      replyWithin(this.#redis.hincrby(key, 'pings', 1)),
    ]);
    return number;
  }

  async markShown(list: ListOf, eventIds: readonly string[]): Promise<void> {
    if (eventIds.length === 0) return;
    const key = this.#keys.calendarShown(list);
    await replyWithin(this.#redis.sadd(key, ...eventIds));
    await replyWithin(this.#redis.expire(key, SHOWN_TTL_S));
  }

  async shown(list: ListOf, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (eventIds.length === 0) return new Set();
    const flags = await replyWithin(this.#redis.smismember(this.#keys.calendarShown(list), ...eventIds));
    return new Set(eventIds.filter((_, at) => flags[at] === 1));
  }

  async #set(calendarId: string, lease: LeaseProof, pairs: readonly string[]): Promise<boolean> {
    const parts = { redis: this.#redis, keys: this.#keys };
    return fencedSet(parts, lease, { key: this.#keys.calendar(calendarId), pairs });
  }
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** JSON omits absent fields; the type requires them as undefined. */
function toOpenSync(text: string): OpenSync {
  const { pageToken, ...rest } = JSON.parse(text) as OpenSync;
  return { ...rest, pageToken };
}
