import { createHash } from 'node:crypto';
import { RetryableError } from '../../domain/errors.ts';
import { LATE, within } from '../../domain/within.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** A Lua script, run by its digest; sent whole only when Redis does not know it (yet, or after a restart). */
export class Script {
  readonly #lua: string;
  readonly #sha: string;

  constructor(lua: string) {
    this.#lua = lua;
    this.#sha = createHash('sha1').update(lua).digest('hex');
  }

  /** All `keys` share one slot. Rejects with `RetryableError` `store-unavailable` when Redis gives no answer within the deadline. */
  async run(
    redis: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return answered(this.#send(redis, keys, args));
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

/** A script whose keys and arguments are given by name: each is a local variable of that name in the Lua. */
export class NamedScript<Key extends string, Arg extends string> {
  readonly #keys: readonly Key[];
  readonly #args: readonly Arg[];
  readonly #script: Script;

  constructor(names: { readonly keys: readonly Key[]; readonly args: readonly Arg[] }, lua: string) {
    this.#keys = names.keys;
    this.#args = names.args;
    this.#script = new Script(`${locals(names.keys, 'KEYS')}${locals(names.args, 'ARGV')}${lua}`);
  }

  /** As `Script.run`. `more`: keys and arguments behind those that have names. */
  async run(
    redis: RedisClient,
    { keys, args }: { readonly keys: Record<Key, string>; readonly args: Record<Arg, string | number> },
    more: { readonly keys: readonly string[]; readonly args: readonly string[] } = { keys: [], args: [] },
  ): Promise<unknown> {
    const keysInOrder = [...this.#keys.map((name) => keys[name]), ...more.keys];
    return this.#script.run(redis, keysInOrder, [...this.#args.map((name) => args[name]), ...more.args]);
  }
}

function locals(names: readonly string[], table: 'KEYS' | 'ARGV'): string {
  return `local ${names.join(', ')} = ${names.map((_, at) => `${table}[${at + 1}]`).join(', ')}\n`;
}

/** A Redis call hangs for as long as a connection is being made anew; nobody who waits for an answer may. */
const ANSWER_WITHIN_MS = 3_000;

/** The answer of Redis, or `RetryableError` `store-unavailable`: the call may or may not have been carried out. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    const answer = await within(ANSWER_WITHIN_MS, call);
    if (answer === LATE) throw new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
    return answer;
  } catch (cause) {
    throw new RetryableError('store-unavailable', 'Redis did not carry out a command', {
      target: 'redis',
      advice: 'See that Redis runs and has memory and disk left.',
      cause,
    });
  }
}
