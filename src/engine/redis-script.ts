import { createHash } from 'node:crypto';
import { RetryableError } from './errors.ts';
import type { KeySpace } from './key-space.ts';
import { LATE, within } from './object.ts';
import { mastersOf, type RedisClient, redisRefusalOf } from './redis-client.ts';
import type { Clock } from './runtime.ts';

/**
 * For scripts that read JSON. `JSON.stringify` writes half a character as an escape, which cjson refuses. This code reads it as U+FFFD, so
 * that no stranger's text can stop a script. Text that is unreadable for another reason still fails.
 */
const READS_JSON = String.raw`
local cjson = { encode = cjson.encode, decode = function(text)
  local is_read, value = pcall(cjson.decode, text)
  if is_read then return value end
  -- A backslash that is text must not pass for the beginning of an escape.
  local whole = string.gsub(text, '\\\\', '\\u005c')
  whole = string.gsub(whole, '\\u[dD][89aAbB]%x%x\\u[dD][c-fC-F]%x%x', function(pair) return cjson.decode('["' .. pair .. '"]')[1] end)
  return cjson.decode((string.gsub(whole, '\\u[dD][89a-fA-F]%x%x', '\\ufffd')))
end }
`;

/** A Lua script, run by its digest. It is sent in full only when Redis does not know it: at first, or after a restart. */
export class Script {
  readonly #lua: string;
  readonly #sha: string;

  constructor(lua: string) {
    this.#lua = lua.includes('cjson.decode') ? READS_JSON + lua : lua;
    this.#sha = createHash('sha1').update(this.#lua).digest('hex');
  }

  /** All `keys` share one slot. Rejects with `RetryableError` `store-unavailable` when Redis does not answer within the deadline. */
  async run(
    redis: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return replyWithin(this.#send(redis, keys, args));
  }

  async #send(
    redis: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('NOSCRIPT')) throw error;
      return redis.eval(this.#lua, keys.length, ...keys, ...args);
    }
  }
}

interface Names<Key extends string, Arg extends string> {
  readonly keys: readonly Key[];
  readonly args: readonly Arg[];
}

interface Given<Key extends string, Arg extends string> {
  readonly keys: Readonly<Record<Key, string>>;
  readonly args: Readonly<Record<Arg, string | number>>;
}

/**
 * A script with named keys and arguments: each is a Lua local of that name. A script that takes a list also names the keys and arguments of
 * an item. In the Lua, `items` is the number of items, and the text `item` makes locals of the `nth`.
 */
export class NamedScript<
  Key extends string,
  Arg extends string,
  ItemKey extends string = never,
  ItemArg extends string = never,
> {
  readonly #names: Names<Key, Arg>;
  readonly #items: Names<ItemKey, ItemArg>;
  readonly #script: Script;

  constructor(
    {
      items = { keys: [], args: [] },
      ...names
    }: Names<Key, Arg> & { readonly items?: Names<ItemKey, ItemArg> },
    lua: string | ((item: string) => string),
  ) {
    this.#names = names;
    this.#items = items;
    const { keys, args } = names;
    const own = locals(keys, 'KEYS') + locals(args, 'ARGV');
    if (typeof lua === 'string') {
      this.#script = new Script(own + lua);
      return;
    }
    const item =
      locals(items.keys, 'KEYS', `${keys.length} + (nth - 1) * ${items.keys.length}`) +
      locals(items.args, 'ARGV', `${args.length} + (nth - 1) * ${items.args.length}`);
    this.#script = new Script(
      `${own}local items = (#ARGV - ${args.length}) / ${items.args.length}\n${lua(item)}`,
    );
  }

  /** As `Script.run`. */
  run(
    redis: RedisClient,
    given: Given<Key, Arg>,
    items: readonly Given<ItemKey, ItemArg>[] = [],
  ): Promise<unknown> {
    const keys = this.#names.keys.map((name) => given.keys[name]);
    const args = this.#names.args.map((name) => given.args[name]);
    for (const item of items) {
      for (const name of this.#items.keys) keys.push(item.keys[name]);
      for (const name of this.#items.args) args.push(item.args[name]);
    }
    return this.#script.run(redis, keys, args);
  }
}

/** `before`: how many entries precede them, as Lua. */
function locals(names: readonly string[], table: 'KEYS' | 'ARGV', before = '0'): string {
  if (names.length === 0) return '';
  return `local ${names.join(', ')} = unpack(${table}, ${before} + 1, ${before} + ${names.length})\n`;
}

/** A part of what an installation stores: the connection, and the names of its keys. */
export class RedisStore {
  protected readonly redis: RedisClient;
  protected readonly keys: KeySpace;
  protected readonly parts: { readonly redis: RedisClient; readonly keys: KeySpace };

  constructor(parts: { readonly redis: RedisClient; readonly keys: KeySpace }) {
    this.redis = parts.redis;
    this.keys = parts.keys;
    this.parts = { redis: parts.redis, keys: parts.keys };
  }
}

/** The same, with the clock by which its entries are dated. */
export class TimedStore extends RedisStore {
  protected readonly clock: Clock;

  constructor(parts: { readonly redis: RedisClient; readonly keys: KeySpace; readonly clock: Clock }) {
    super(parts);
    this.clock = parts.clock;
  }
}

/** How long a caller waits for Redis. A call hangs while ioredis reconnects. */
const ANSWER_WITHIN_MS = 3_000;

/** Returns the answer of Redis. Rejects with `RetryableError` `store-unavailable`; Redis may or may not have executed the call. */
export async function replyWithin<T>(call: Promise<T>): Promise<T> {
  try {
    const answer = await within(ANSWER_WITHIN_MS, call);
    if (answer === LATE) throw new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
    return answer;
  } catch (cause) {
    const refusal = redisRefusalOf(cause);
    const said = refusal === undefined ? '' : `: ${refusal.answer}`;
    throw new RetryableError('store-unavailable', `Redis did not carry out a command${said}`, {
      target: 'redis',
      advice: refusal?.advice ?? 'See that Redis runs and has memory and disk left.',
      cause,
    });
  }
}

/** Collects the items of one turn of the event loop into one call. Each caller gets the answer to its own item. */
export class Batch<Item, Answer> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #atOnceMax: number;
  #waiting: Waiting<Item, Answer>[] = [];

  /** `run` answers in the order of its items. It gets at most `atOnceMax` of them. */
  constructor(parts: {
    readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>;
    readonly atOnceMax: number;
  }) {
    this.#run = parts.run;
    this.#atOnceMax = parts.atOnceMax;
  }

  /** Rejects when the shared call rejects. */
  ask(item: Item): Promise<Answer> {
    return new Promise((done, fail) => {
      this.#waiting.push({ item, done, fail });
      if (this.#waiting.length === 1) setImmediate(() => this.#leave());
    });
  }

  #leave(): void {
    const leaving = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < leaving.length; at += this.#atOnceMax)
      void this.#answer(leaving.slice(at, at + this.#atOnceMax));
  }

  async #answer(asked: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#run(asked.map(({ item }) => item));
      if (answers.length !== asked.length) throw new Error('a batch was not answered whole');
      for (const [nth, { done }] of asked.entries()) done(answers[nth] as Answer);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly done: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * For scripts: names the Redis process that runs them (`run_id` of INFO); in a cluster, the node that holds the keys. The name changes
 * after a restart, or when a replica is promoted. The latest writes may then be missing.
 */
export const RUN = `
local function run() return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unnamed' end
`;

const RUN_ID = new Script(`${RUN}
return run()
`);

/** The same, outside of scripts. */
export async function redisRun(redis: RedisClient, keys: KeySpace): Promise<string> {
  return String(await RUN_ID.run(redis, [keys.memory], []));
}

/** For scripts: `now`, epoch milliseconds by the clock of the Redis process that holds the keys. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const READ_NOW = new Script(`${NOW}
return now
`);

/** The same, outside of scripts. All hosts share this clock. */
export async function redisNowMs(redis: RedisClient, keys: KeySpace): Promise<number> {
  return Number(await READ_NOW.run(redis, [keys.memory], []));
}

/** A field of a hash that is a number; undefined if there is none. */
export function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** What a scan finds, in parts. `page`: sends one SCAN, HSCAN, SSCAN or ZSCAN from a cursor. */
export async function* scanned(
  page: (cursor: string) => Promise<[next: string, part: string[]]>,
): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, part] = await replyWithin(page(cursor));
    yield part;
    cursor = next;
  } while (cursor !== '0');
}

const SCAN_COUNT = 500;

/**
 * All keys with this prefix, in parts, so that Redis is never blocked. Rejects when Redis does not answer. The stream of ioredis would wait
 * forever for an answer that was lost with its connection.
 */
export async function* scanKeys(redis: RedisClient, beginning: string): AsyncGenerator<readonly string[]> {
  const match = `${beginning.replaceAll(/[[\]*?\\]/g, '\\$&')}*`;
  for (const node of mastersOf(redis))
    yield* scanned((cursor) => node.scan(cursor, 'MATCH', match, 'COUNT', SCAN_COUNT));
}
