import { CHANGES_MAX, type HistoryEntry, readEntry } from './history.ts';
import { NamedScript, RedisStore, replyWithin } from './redis-script.ts';

/** Compare and set; an empty text is no field. Returns 0 if the field no longer has the value `was`. */
export const CHANGE_FIELD = new NamedScript(
  { keys: ['hash'], args: ['field', 'was', 'next'] },
  `
if (redis.call('HGET', hash, field) or '') ~= was then return 0 end
if next == '' then return redis.call('HDEL', hash, field) end
redis.call('HSET', hash, field, next)
return 1
`,
);

/** What happened to an object. Ids and codes only. */
export interface Change {
  readonly at: ChangeAt;
  /** `formatKey`'s. */
  readonly key: string;
  readonly entry: HistoryEntry;
}

export interface ChangeAt {
  /** Id in the Redis stream: milliseconds and a number, `1763900000000-0`. */
  readonly id: string;
  /** One more than that of the previous change, so that a gap can be counted. */
  readonly nth: number;
}

/** Entries per read. Redis trims a stream by whole nodes of a hundred entries. */
const READ_MAX = CHANGES_MAX + 200;

/** Changes to any object, about the last thousand: a stream to which the scripts that write histories append. */
export class Changes extends RedisStore {
  /** Oldest first. */
  async newest(limit: number): Promise<readonly Change[]> {
    const found = await replyWithin(this.redis.xrevrange(this.keys.changes, '+', '-', 'COUNT', limit));
    return found.reverse().flatMap(toChange);
  }

  async after(id: string): Promise<readonly Change[]> {
    const found = await replyWithin(this.redis.xrange(this.keys.changes, `(${id}`, '+', 'COUNT', READ_MAX));
    return found.flatMap(toChange);
  }
}

function toChange([id, flat]: readonly [string, readonly string[]]): readonly Change[] {
  const [, nth, , key = '', , entry] = flat;
  return entry === undefined ? [] : [{ at: { id, nth: Number(nth) }, key, entry: readEntry(entry) }];
}
