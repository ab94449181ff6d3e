import type { ActedEntry } from '../../domain/history.ts';
import type { Keep } from '../../domain/keep.ts';
import type { DeadLetter } from '../../domain/work.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { DeadLetters, KeptLetter } from '../../ports/work.ts';
import type { KeySpace } from '../core/key-space.ts';
import { AWAITED, LET_GO, MARK_DIRTY } from '../core/object-life.ts';
import { NamedScript, replyWithin } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { foundField, missedField } from '../rows/unkept-rows.ts';
import { HISTORY_ENTRIES_MAX, historyTtlS, NOTE_ENTRY } from './history.ts';
import { linkField } from './work-store.ts';

/**
 * Removes the letter and marks the object dirty in one step: no crash can leave it neither dead nor pending. For a refused row, it also
 * forgets the hash last written, so that the row goes into the outbox again.
 */
const RETRY = new NamedScript(
  {
    keys: ['dead', 'object', 'dirty', 'since', 'history', 'changes', 'unkept'],
    args: [
      ...(['name', 'key', 'link_field', 'now', 'entry', 'entries_max'] as const),
      ...(['history_ttl', 'missed', 'found'] as const),
    ],
  },
  `${MARK_DIRTY}${AWAITED}${NOTE_ENTRY}
if redis.call('HDEL', dead, name) == 0 then return 0 end
redis.call('HDEL', unkept, missed, found)
if link_field ~= '' then redis.call('HDEL', object, awaited_field(link_field)) end
local link = link_field ~= '' and redis.call('HGET', object, link_field)
if link then
  local decoded = cjson.decode(link)
  if decoded.sheet then decoded.sheet.hash = '' end
  redis.call('HSET', object, link_field, cjson.encode(decoded))
end
mark_dirty(object, dirty, since, key, now)
note_entry(history, changes, key, entry, entry, entries_max, history_ttl)
return 1
`,
);

/** The operator's reason may name a person, so only the object's history stores it. */
const DISCARD = new NamedScript(
  {
    keys: ['dead', 'history', 'changes', 'object', 'dirty', 'later'],
    args: ['name', 'key', 'link_field', 'entry', 'told', 'entries_max', 'history_ttl'],
  },
  `${AWAITED}${LET_GO}${NOTE_ENTRY}
if redis.call('HDEL', dead, name) == 0 then return 0 end
note_entry(history, changes, key, entry, told, entries_max, history_ttl)
if link_field ~= '' then redis.call('HDEL', object, awaited_field(link_field)) end
let_go(object, key, dirty, later, dead)
return 1
`,
);

/** Dead letters in Redis: one hash, name to letter. */
export class RedisDeadLetters implements DeadLetters {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #clock: Clock;
  readonly #historyTtlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; keep: Keep }) {
    this.#redis = parts.redis;
    this.#historyTtlS = historyTtlS(parts.keep);
    this.#keys = parts.keys;
    this.#clock = parts.clock;
  }

  async all(): Promise<readonly KeptLetter[]> {
    const letters = Object.entries(await replyWithin(this.#redis.hgetall(this.#keys.dead)));
    return letters
      .map(([name, text]): KeptLetter => ({ ...(JSON.parse(text) as DeadLetter), name }))
      .sort((a, b) => b.atMs - a.atMs);
  }

  async retry(letter: KeptLetter): Promise<boolean> {
    const { name, key } = letter;
    const retried = await RETRY.run(this.#redis, {
      keys: {
        ...{ dead: this.#keys.dead, object: this.#keys.object(key), history: this.#keys.history(key) },
        ...{ dirty: this.#keys.dirty, since: this.#keys.dirtySince, unkept: this.#keys.unkept },
        changes: this.#keys.changes,
      },
      args: {
        ...{ name, key, link_field: linksOf(letter), now: this.#clock.now() },
        ...{ entry: this.#entry('retried', letter) },
        ...{ entries_max: HISTORY_ENTRIES_MAX, history_ttl: this.#historyTtlS },
        ...{ missed: missedField(name), found: foundField(name) },
      },
    });
    return retried === 1;
  }

  async discard(letter: KeptLetter, why: string): Promise<boolean> {
    const { name, key } = letter;
    const { dead, changes, dirty, later } = this.#keys;
    const discarded = await DISCARD.run(this.#redis, {
      keys: {
        ...{ dead, changes, dirty, later },
        ...{ object: this.#keys.object(key), history: this.#keys.history(key) },
      },
      args: {
        ...{ name, key, link_field: linksOf(letter) },
        ...{ entry: this.#entry('discarded', letter, why), told: this.#entry('discarded', letter) },
        ...{ entries_max: HISTORY_ENTRIES_MAX, history_ttl: this.#historyTtlS },
      },
    });
    return discarded === 1;
  }

  #entry(code: string, letter: KeptLetter, why?: string): string {
    const entry: ActedEntry = {
      what: 'acted',
      atMs: this.#clock.now(),
      by: 'operator',
      code,
      ids: {
        reasons: letter.reasons.map((reason) => reason.code).join(', '),
        ...(why === undefined ? {} : { why }),
      },
    };
    return JSON.stringify(entry);
  }
}

/** The link field of the mirror whose row was refused; empty for the object's own letter. */
function linksOf({ name, key }: KeptLetter): string {
  return name.endsWith(` ${key}`) ? linkField(name.slice(0, -key.length - 1)) : '';
}
