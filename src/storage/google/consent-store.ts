import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ConsentLink, ConsentLinks, ConsentOwner, Consents } from '../../ports/consents.ts';
import type { KeySpace } from '../core/key-space.ts';
import { replyWithin, Script } from '../core/script.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { Seal } from './seal.ts';

/** KEYS: the consents. ARGV: account, old text, new text. The person may have given consent again meanwhile. */
const RESEAL = new Script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`);

/** KEYS: a link. Reads and deletes it in one step, so that two browsers with one link are not both served. */
const TAKE_LINK = new Script(`
local link = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return link
`);

const ROW = z.object({ sealed: z.string(), atMs: z.number() });
const LINK = z.object({ account: z.string(), address: z.string(), verifier: z.string() });

type Parts = { readonly redis: RedisClient; readonly keys: KeySpace; readonly seal: Seal };

/** Refresh tokens in Redis, encrypted. A token that was sealed with an old key is sealed again when it is read. */
export class RedisConsents implements Consents {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #seal: Seal;

  constructor({ redis, keys, seal }: Parts) {
    this.#redis = redis;
    this.#key = keys.googleConsents;
    this.#seal = seal;
  }

  async token(owner: ConsentOwner): Promise<{ token: string } | 'missing' | 'unreadable'> {
    const text = await replyWithin(this.#redis.hget(this.#key, owner.account));
    if (text === null) return 'missing';
    const row = ROW.parse(JSON.parse(text));
    const opened = this.#seal.open(row.sealed, aboutOwner(owner));
    if (opened === 'foreign') return 'unreadable';
    // Sealed for another address: the YAML names another person now.
    if (opened === 'forged') return 'missing';
    if (opened.isOld) {
      const anew = { ...row, sealed: this.#seal.seal(opened.text, aboutOwner(owner)) };
      await RESEAL.run(this.#redis, [this.#key], [owner.account, text, JSON.stringify(anew)]);
    }
    return { token: opened.text };
  }

  async keep(owner: ConsentOwner, { token, atMs }: { token: string; atMs: number }): Promise<void> {
    const row = { sealed: this.#seal.seal(token, aboutOwner(owner)), atMs };
    await replyWithin(this.#redis.hset(this.#key, owner.account, JSON.stringify(row)));
  }

  async agreedAtMs(account: string): Promise<number | undefined> {
    const text = await replyWithin(this.#redis.hget(this.#key, account));
    return text === null ? undefined : ROW.parse(JSON.parse(text)).atMs;
  }
}

/** Links in Redis, by the hash of their state, so that a reader of Redis cannot rebuild the link. */
export class RedisConsentLinks implements ConsentLinks {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #seal: Seal;

  constructor({ redis, keys, seal }: Parts) {
    this.#redis = redis;
    this.#keys = keys;
    this.#seal = seal;
  }

  async add(state: string, link: ConsentLink, forMs: number): Promise<void> {
    const hash = hashOf(state);
    const sealed = this.#seal.seal(JSON.stringify(link), `link ${hash}`);
    await replyWithin(this.#redis.set(this.#keys.googleConsentLink(hash), sealed, 'PX', forMs));
  }

  async take(state: string): Promise<ConsentLink | undefined> {
    const hash = hashOf(state);
    const sealed = await TAKE_LINK.run(this.#redis, [this.#keys.googleConsentLink(hash)], []);
    if (typeof sealed !== 'string') return undefined;
    const opened = this.#seal.open(sealed, `link ${hash}`);
    return typeof opened === 'string' ? undefined : LINK.parse(JSON.parse(opened.text));
  }
}

function aboutOwner({ account, address }: ConsentOwner): string {
  return `consent ${account} ${address}`;
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
