import { createHash, randomBytes } from 'node:crypto';
import type { ErasureOrder, ErasureReceipt } from '../../domain/erasure.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { ErasureStore } from '../../ports/erasure.ts';
import { FORGOTTEN, madeFor, SALT_FACT } from '../core/forgotten.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import { eraseKeys } from './erase-keys.ts';
import { rewriteFile } from './rewrite-file.ts';

/**
 * Stores the order and the tombstones in one step: from then on, no late event writes what is about to be erased. A person who came back is
 * erased up to the later moment. ARGV from 5: names of objects.
 */
const BEGIN = new Script(`
local forgotten, forgetting, memory = KEYS[1], KEYS[2], KEYS[3]
local new_salt, person, order, moment = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
redis.call('HSETNX', memory, '${SALT_FACT}', new_salt)
local salt = redis.call('HGET', memory, '${SALT_FACT}')
local added = redis.call('HSET', forgetting, redis.sha1hex(salt .. ' ' .. person), order)
for i = 5, #ARGV do
  local name = redis.sha1hex(salt .. ' ' .. ARGV[i])
  local before = tonumber(redis.call('HGET', forgotten, name) or '0')
  if moment > before then redis.call('HSET', forgotten, name, ARGV[4]) end
end
return added
`);

/**
 * Stores the receipt and removes the order in one step, so that what identifies the person goes once the erasure is proved. 0: neither is
 * known.
 */
const END = new Script(`
local was_open = redis.call('HDEL', KEYS[1], ARGV[1])
if was_open == 0 then return redis.call('HEXISTS', KEYS[2], ARGV[1]) end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1
`);

/** ARGV, per object: its name, its contact, and when it was made. */
const AMONG = new Script(`${FORGOTTEN}
local told = {}
for i = 1, #ARGV, 3 do
  told[#told + 1] = is_forgotten(KEYS[1], KEYS[2], ARGV[i], ARGV[i + 1], ARGV[i + 2]) and 1 or 0
end
return told
`);
/** Appointments per call, which blocks Redis for about a millisecond. */
const ASKED_AT_ONCE = 250;

const SALT_BYTES = 16;

/** Erasures in Redis: the orders, the tombstones and the proofs. */
export class RedisErasureStore implements ErasureStore {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;

  constructor(parts: { redis: RedisClient; keys: KeySpace }) {
    this.#redis = parts.redis;
    this.#keys = parts.keys;
  }

  async begin(order: ErasureOrder): Promise<boolean> {
    const { forgotten, forgetting, memory } = this.#keys;
    const added = await BEGIN.run(
      this.#redis,
      [forgotten, forgetting, memory],
      [...[newSalt(), personOf(order.contactId), JSON.stringify(order)], ...[order.begunAtMs, ...order.keys]],
    );
    return added === 0;
  }

  async among(appointments: readonly Snapshot[]): Promise<ReadonlySet<string>> {
    const { forgotten, memory } = this.#keys;
    const erased = new Set<string>();
    for (let from = 0; from < appointments.length; from += ASKED_AT_ONCE) {
      const part = appointments.slice(from, from + ASKED_AT_ONCE);
      const args = part.flatMap((each) => [`appointment/${each.id}`, ...madeFor(each)]);
      const told = (await AMONG.run(this.#redis, [forgotten, memory], args)) as readonly number[];
      for (const [at, each] of part.entries()) if (told[at] === 1) erased.add(each.id);
    }
    return erased;
  }

  async open(): Promise<readonly ErasureOrder[]> {
    const orders = await replyWithin(this.#redis.hvals(this.#keys.forgetting));
    return orders.map((text) => JSON.parse(text) as ErasureOrder).sort((a, b) => a.begunAtMs - b.begunAtMs);
  }

  async end(order: ErasureOrder, receipt: ErasureReceipt): Promise<boolean> {
    const { forgetting, receipts } = this.#keys;
    const ended = await END.run(
      this.#redis,
      [forgetting, receipts],
      [await this.hashOf(personOf(order.contactId)), JSON.stringify(receipt)],
    );
    if (ended !== 1) return false;
    await rewriteFile(this.#redis);
    return true;
  }

  async receipt(contactId: string): Promise<ErasureReceipt | undefined> {
    const text = await replyWithin(
      this.#redis.hget(this.#keys.receipts, await this.hashOf(personOf(contactId))),
    );
    return text === null ? undefined : (JSON.parse(text) as ErasureReceipt);
  }

  async hashOf(text: string): Promise<string> {
    const { memory } = this.#keys;
    // Without a salt, a hash would reveal the person.
    await replyWithin(this.#redis.hsetnx(memory, SALT_FACT, newSalt()));
    const salt = await replyWithin(this.#redis.hget(memory, SALT_FACT));
    return createHash('sha1').update(`${salt} ${text}`).digest('hex');
  }

  eraseState(order: ErasureOrder): Promise<Readonly<Record<string, number>>> {
    return eraseKeys({ redis: this.#redis, keys: this.#keys }, order);
  }
}

function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex');
}

function personOf(contactId: string): string {
  return `contact/${contactId}`;
}
