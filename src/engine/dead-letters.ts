import { type ActedEntry, HISTORY_ENTRIES_MAX, historyTtlS, NOTE_ENTRY } from './history.ts';
import type { Keep } from './keep.ts';
import type { KeySpace } from './key-space.ts';
import { LETTERS } from './letter-index.ts';
import { inParts } from './object.ts';
import type { RedisClient } from './redis-client.ts';
import { NamedScript, replyWithin, Script, scanned, TimedStore } from './redis-script.ts';
import type { Clock } from './runtime.ts';
import { foundField, missedField } from './sheet-rows.ts';
import type { DeadLetter, KeptLetter, LetterCause, LettersMeant } from './work.ts';
import { AWAITED, LET_GO, linkField, MARK_DIRTY } from './work-store.ts';

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
  `${MARK_DIRTY}${AWAITED}${NOTE_ENTRY}${LETTERS}
if drop_letter(dead, name) == 0 then return 0 end
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
  `${AWAITED}${LET_GO}${NOTE_ENTRY}${LETTERS}
if drop_letter(dead, name) == 0 then return 0 end
note_entry(history, changes, key, entry, told, entries_max, history_ttl)
if link_field ~= '' then redis.call('HDEL', object, awaited_field(link_field)) end
let_go(object, key, dirty, later, dead)
return 1
`,
);

/** Letters per command when many are read. */
const NAMES_PER_READ = 500;

/**
 * What an operator does about dead letters: one hash, name to letter, and the sets of `LETTERS` beside it. Only `all` holds all letters at
 * once; use it outside the worker.
 */
export class DeadLetters extends TimedStore {
  readonly #historyTtlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; clock: Clock; keep: Keep }) {
    super(parts);
    this.#historyTtlS = historyTtlS(parts.keep);
  }

  /** Newest first. */
  async all(): Promise<readonly KeptLetter[]> {
    const letters: KeptLetter[] = [];
    for await (const some of this.each({ causes: await this.causes() })) letters.push(...some);
    return [...new Map(letters.map((letter) => [letter.name, letter])).values()].sort(newestFirst);
  }

  /** Costs the same for few letters and many. `untilMs`: epoch milliseconds. */
  async causes(untilMs?: number): Promise<readonly LetterCause[]> {
    return readCauses(this.parts, untilMs);
  }

  /** The newest of the letters that are meant, at most `limit`. */
  async newest({ causes, untilMs }: LettersMeant, limit: number): Promise<readonly KeptLetter[]> {
    // A cause whose newest letter is older than those of `limit` others has none of the newest.
    const some = causes.toSorted((a, b) => b.newestAtMs - a.newestAtMs).slice(0, limit);
    const found = await Promise.all(
      some.map(async ({ id }) => {
        const set = this.keys.deadCause(id);
        const bounds = [untilMs ?? '+inf', '-inf'] as const;
        return scored(
          await replyWithin(this.redis.zrevrangebyscore(set, ...bounds, 'WITHSCORES', 'LIMIT', 0, limit)),
        );
      }),
    );
    const names = found
      .flat()
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, limit);
    return this.named(names.map(({ name }) => name));
  }

  /** All letters that are meant, in parts and in no order. Letters may be ended meanwhile. */
  async *each(meant: LettersMeant): AsyncIterable<readonly KeptLetter[]> {
    for await (const names of this.namesOf(meant))
      for (const some of inParts(names, NAMES_PER_READ)) yield await this.named(some);
  }

  async *namesOf({
    causes,
    untilMs = Number.POSITIVE_INFINITY,
  }: LettersMeant): AsyncIterable<readonly string[]> {
    for (const set of causes.map(({ id }) => this.keys.deadCause(id)))
      for await (const flat of scanned((at) => this.redis.zscan(set, at, 'COUNT', NAMES_PER_READ)))
        yield scored(flat)
          .filter(({ atMs }) => atMs <= untilMs)
          .map(({ name }) => name);
  }

  /** Those of these names that still stand. */
  async named(names: readonly string[]): Promise<readonly KeptLetter[]> {
    if (names.length === 0) return [];
    const texts = await replyWithin(this.redis.hmget(this.keys.dead, ...names));
    return names.flatMap((name, at): readonly KeptLetter[] => {
      const text = texts[at];
      return text ? [{ ...(JSON.parse(text) as DeadLetter), name }] : [];
    });
  }

  /** Its own, and those of its rows; newest first. */
  async ofObject(key: string): Promise<readonly KeptLetter[]> {
    const mirrors = (await this.causes()).flatMap(({ reasons }) => reasons.map(({ mirror }) => mirror));
    const names = [key, ...[...new Set(mirrors)].map((mirror) => `${mirror} ${key}`)];
    return [...(await this.named(names))].sort(newestFirst);
  }

  async names(): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for await (const some of this.namesOf({ causes: await this.causes() }))
      for (const name of some) names.add(name);
    return names;
  }

  /** Gives the object a turn again, from its first attempt. False if the letter was already gone. */
  async retry(letter: KeptLetter): Promise<boolean> {
    const { name, key } = letter;
    const retried = await RETRY.run(this.redis, {
      keys: {
        ...{ dead: this.keys.dead, object: this.keys.object(key), history: this.keys.history(key) },
        ...{ dirty: this.keys.dirty, since: this.keys.dirtySince, unkept: this.keys.unkept },
        changes: this.keys.changes,
      },
      args: {
        ...{ name, key, link_field: linksOf(letter), now: this.clock.now() },
        ...{ entry: this.#entry('retried', letter) },
        ...{ entries_max: HISTORY_ENTRIES_MAX, history_ttl: this.#historyTtlS },
        ...{ missed: missedField(name), found: foundField(name) },
      },
    });
    return retried === 1;
  }

  /** Gives up for good, with a reason that stays in the object's history. The object's next change starts again. */
  async discard(letter: KeptLetter, why: string): Promise<boolean> {
    const { name, key } = letter;
    const { dead, changes, dirty, later } = this.keys;
    const discarded = await DISCARD.run(this.redis, {
      keys: {
        ...{ dead, changes, dirty, later },
        ...{ object: this.keys.object(key), history: this.keys.history(key) },
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
      atMs: this.clock.now(),
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

interface Scored {
  readonly name: string;
  readonly atMs: number;
}

/** `flat`: names and scores, as Redis returns them. */
function scored(flat: readonly string[]): readonly Scored[] {
  const found: Scored[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2)
    found.push({ name: flat[at] ?? '', atMs: Number(flat[at + 1]) });
  return found;
}

function newestFirst(a: DeadLetter, b: DeadLetter): number {
  return b.atMs - a.atMs;
}

/** The link field of the mirror whose row was refused; empty for the object's own letter. */
function linksOf({ name, key }: KeptLetter): string {
  return name.endsWith(` ${key}`) ? linkField(name.slice(0, -key.length - 1)) : '';
}

/** Letters per step while the sets are built; a step blocks Redis for a few milliseconds. */
const LETTERS_PER_STEP = 250;
/** Rounds in which the sets are built, while an earlier version may still write letters without them. */
const BUILD_ROUNDS_MAX = 3;

/** ARGV[1]: the latest moment, as a bound of ZCOUNT. Values per cause: its digest, itself, its letters, those until then, newest and oldest. */
const COUNTS = new Script(`
local dead, untl = KEYS[1], ARGV[1]
local told = { redis.call('HLEN', dead) }
local causes = redis.call('HGETALL', dead .. '-causes')
for nth = 1, #causes, 2 do
  local set = dead .. '-cause:' .. causes[nth]
  local newest = redis.call('ZREVRANGEBYSCORE', set, untl, '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
  local oldest = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
  for _, value in ipairs({ causes[nth], causes[nth + 1], redis.call('ZCARD', set), redis.call('ZCOUNT', set, '-inf', untl) }) do
    told[#told + 1] = value
  end
  told[#told + 1] = newest[1] or ''
  told[#told + 1] = newest[2] or '0'
  told[#told + 1] = oldest[2] or '0'
end
return told
`);
const VALUES_PER_CAUSE = 7;

/** ARGV: names of letters. */
const LIST = new Script(`${LETTERS}
for nth = 1, #ARGV do
  local text = redis.call('HGET', KEYS[1], ARGV[nth])
  if text then list_letter(KEYS[1], ARGV[nth], text) end
end
`);

interface Parts {
  readonly redis: RedisClient;
  readonly keys: KeySpace;
}

/**
 * The causes with letters from not after `untilMs`, in one command whatever the number of letters. Letters that an earlier version stored
 * are listed first, once, in bounded steps.
 */
async function readCauses(parts: Parts, untilMs?: number): Promise<readonly LetterCause[]> {
  for (let round = 0; ; round += 1) {
    const { stored, listed, causes } = await counted(parts, untilMs);
    if (stored === listed || round === BUILD_ROUNDS_MAX) return causes;
    // Sets that say more than the hash are of an earlier state: begin anew.
    if (listed > stored) await clear(parts);
    await build(parts);
  }
}

async function counted({ redis, keys }: Parts, untilMs: number | undefined) {
  const until = untilMs === undefined || untilMs === Number.POSITIVE_INFINITY ? '+inf' : String(untilMs);
  const bound = untilMs === Number.NEGATIVE_INFINITY ? '-inf' : until;
  const [stored = 0, ...told] = (await COUNTS.run(redis, [keys.dead], [bound])) as (string | number)[];
  const causes: LetterCause[] = [];
  let listed = 0;
  for (let at = 0; at < told.length; at += VALUES_PER_CAUSE) {
    const [id, text, all, count, newest, newestAtMs, oldestAtMs] = told.slice(at, at + VALUES_PER_CAUSE);
    listed += Number(all);
    if (Number(count) === 0) continue;
    const reasons = (JSON.parse(String(text)) as [string, string, string][]).map(
      ([code, mirror, target]) => ({
        ...{ code, mirror },
        ...(target !== '' && { target }),
      }),
    );
    causes.push({
      ...{ id: String(id), reasons, count: Number(count), newest: String(newest) },
      ...{ newestAtMs: Number(newestAtMs), oldestAtMs: Number(oldestAtMs) },
    });
  }
  return { stored: Number(stored), listed, causes };
}

async function clear({ redis, keys }: Parts): Promise<void> {
  for (const digest of await replyWithin(redis.hkeys(keys.deadCauses)))
    await replyWithin(redis.unlink(keys.deadCause(digest)));
  await replyWithin(redis.unlink(keys.deadCauses));
}

async function build({ redis, keys }: Parts): Promise<void> {
  for await (const flat of scanned((at) => redis.hscan(keys.dead, at, 'COUNT', LETTERS_PER_STEP))) {
    const names = flat.filter((_, nth) => nth % 2 === 0);
    for (const some of inParts(names, LETTERS_PER_STEP)) await LIST.run(redis, [keys.dead], some);
  }
}
