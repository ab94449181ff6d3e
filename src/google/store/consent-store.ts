import { createHash } from 'node:crypto';
import * as z from 'zod';
import type {
  ConsentLink,
  ConsentLinks,
  ConsentOwner,
  Consents,
  StoredConsent,
} from '../../engine/ports/consents.ts';
import type { RedisClient } from '../../engine/redis/redis-client.ts';
import { CHANGE_FIELD } from '../../engine/store/change-field.ts';
import type { KeySpace } from '../../engine/store/key-space.ts';
import { scanKeys } from '../../engine/store/scan-keys.ts';
import { replyWithin, Script } from '../../engine/store/script.ts';
import type { Seal } from './seal.ts';

/** KEYS: a link. Reads and deletes it in one step, so that two browsers with one link are not both served. */
const TAKE_LINK = new Script(`
local link = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return link
`);

/** `who`: the person's address, sealed. Earlier versions did not store it. */
const ROW = z.object({
  sealed: z.string(),
  atMs: z.number(),
  who: z.string().optional(),
  leftAtMs: z.number().optional(),
});
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
    if (opened.isOld || row.who === undefined)
      await this.#change({ account: owner.account, text }, { ...row, ...this.#sealed(owner, opened.text) });
    return { token: opened.text };
  }

  async keep(owner: ConsentOwner, { token, atMs }: { token: string; atMs: number }): Promise<void> {
    const row = { ...this.#sealed(owner, token), atMs };
    await replyWithin(this.#redis.hset(this.#key, owner.account, JSON.stringify(row)));
  }

  async agreedAtMs(account: string): Promise<number | undefined> {
    const text = await replyWithin(this.#redis.hget(this.#key, account));
    return text === null ? undefined : ROW.parse(JSON.parse(text)).atMs;
  }

  async all(address?: string): Promise<readonly StoredConsent[]> {
    const rows = await replyWithin(this.#redis.hgetall(this.#key));
    return Object.entries(rows).map(([account, text]) => {
      const { sealed, who, leftAtMs } = ROW.parse(JSON.parse(text));
      const stored = who === undefined ? address : this.#open(who, aboutPerson(account));
      const token = stored && this.#open(sealed, aboutOwner({ account, address: stored }));
      return { account, text, leftAtMs, given: token && stored ? { address: stored, token } : undefined };
    });
  }

  async noteLeft(consent: StoredConsent, leftAtMs: number | undefined): Promise<void> {
    await this.#change(consent, { ...ROW.parse(JSON.parse(consent.text)), leftAtMs });
  }

  async remove(consent: StoredConsent): Promise<boolean> {
    return this.#change(consent, undefined);
  }

  /** The person may have given consent again meanwhile: then nothing is changed. Undefined removes. */
  async #change(
    { account, text }: Pick<StoredConsent, 'account' | 'text'>,
    next: z.infer<typeof ROW> | undefined,
  ): Promise<boolean> {
    const args = { field: account, was: text, next: next === undefined ? '' : JSON.stringify(next) };
    return (await CHANGE_FIELD.run(this.#redis, { keys: { hash: this.#key }, args })) === 1;
  }

  #sealed(owner: ConsentOwner, token: string): { readonly sealed: string; readonly who: string } {
    const who = this.#seal.seal(owner.address, aboutPerson(owner.account));
    return { sealed: this.#seal.seal(token, aboutOwner(owner)), who };
  }

  #open(sealed: string, about: string): string | undefined {
    const opened = this.#seal.open(sealed, about);
    return typeof opened === 'string' ? undefined : opened.text;
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
    return typeof sealed === 'string' ? this.#open(sealed, hash) : undefined;
  }

  async forget(address: string): Promise<number> {
    let forgotten = 0;
    const beginning = this.#keys.googleConsentLink('');
    for await (const names of scanKeys(this.#redis, beginning)) {
      for (const name of names) {
        const sealed = await replyWithin(this.#redis.get(name));
        const link = sealed === null ? undefined : this.#open(sealed, name.slice(beginning.length));
        if (link?.address === address) forgotten += await replyWithin(this.#redis.del(name));
      }
    }
    return forgotten;
  }

  #open(sealed: string, hash: string): ConsentLink | undefined {
    const opened = this.#seal.open(sealed, `link ${hash}`);
    return typeof opened === 'string' ? undefined : LINK.parse(JSON.parse(opened.text));
  }
}

function aboutPerson(account: string): string {
  return `person of ${account}`;
}

function aboutOwner({ account, address }: ConsentOwner): string {
  return `consent ${account} ${address}`;
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
