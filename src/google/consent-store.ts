import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { CHANGE_FIELD } from '../engine/changes.ts';
import { hashOfSecret } from '../engine/ids.ts';
import type { KeySpace } from '../engine/key-space.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { replyWithin, Script, scanKeys } from '../engine/redis-script.ts';

// What people agreed to in a browser, and the links that ask them for it.

export interface ConsentOwner {
  /** Name in `google.accounts`. */
  readonly account: string;
  /** Address of the person, lower case. Another person's token does not count. */
  readonly address: string;
}

export interface StoredConsent {
  readonly account: string;
  /** Undefined: no key of the YAML opens it, or nobody knows whose it is. */
  readonly given: { readonly address: string; readonly token: string } | undefined;
  /** Since when no account of the YAML uses it, epoch milliseconds. */
  readonly leftAtMs: number | undefined;
  /** As it is stored. */
  readonly text: string;
}

/** What the worker must know when the browser returns. */
export interface ConsentLink extends ConsentOwner {
  /** PKCE. A secret. */
  readonly verifier: string;
}

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

/**
 * Refresh tokens of people, by the name of their account. They are secrets, and encrypted wherever they are stored. One that was sealed with
 * an old key is sealed again when it is read.
 */
export class Consents {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #seal: Seal;

  constructor({ redis, keys, seal }: Parts) {
    this.#redis = redis;
    this.#key = keys.googleConsents;
    this.#seal = seal;
  }

  /**
   * The refresh token. `missing`: the person with this address has not agreed yet. `unreadable`: it was encrypted with a key that the YAML
   * does not have.
   */
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

  /** When the person last agreed, epoch milliseconds; undefined: never. */
  async agreedAtMs(account: string): Promise<number | undefined> {
    const text = await replyWithin(this.#redis.hget(this.#key, account));
    return text === null ? undefined : ROW.parse(JSON.parse(text)).atMs;
  }

  /** Everything stored. `address`: of the person whose consent an earlier version may have stored without saying whose it is. */
  async all(address?: string): Promise<readonly StoredConsent[]> {
    const rows = await replyWithin(this.#redis.hgetall(this.#key));
    return Object.entries(rows).map(([account, text]) => {
      const { sealed, who, leftAtMs } = ROW.parse(JSON.parse(text));
      const stored = who === undefined ? address : this.#open(who, aboutPerson(account));
      const token = stored && this.#open(sealed, aboutOwner({ account, address: stored }));
      return { account, text, leftAtMs, given: token && stored ? { address: stored, token } : undefined };
    });
  }

  /** Notes since when no account of the YAML uses it; undefined: one does. Changes nothing if the person has agreed anew meanwhile. */
  async noteLeft(consent: StoredConsent, leftAtMs: number | undefined): Promise<void> {
    await this.#change(consent, { ...ROW.parse(JSON.parse(consent.text)), leftAtMs });
  }

  /** False if the person has agreed anew meanwhile: nothing was removed. */
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
export class ConsentLinks {
  readonly #redis: RedisClient;
  readonly #keys: KeySpace;
  readonly #seal: Seal;

  constructor({ redis, keys, seal }: Parts) {
    this.#redis = redis;
    this.#keys = keys;
    this.#seal = seal;
  }

  async add(state: string, link: ConsentLink, forMs: number): Promise<void> {
    const hash = hashOfSecret(state);
    const sealed = this.#seal.seal(JSON.stringify(link), `link ${hash}`);
    await replyWithin(this.#redis.set(this.#keys.googleConsentLink(hash), sealed, 'PX', forMs));
  }

  /** Works once. Undefined: never made, used, expired, or encrypted with a lost key. */
  async take(state: string): Promise<ConsentLink | undefined> {
    const hash = hashOfSecret(state);
    const sealed = await TAKE_LINK.run(this.#redis, [this.#keys.googleConsentLink(hash)], []);
    return typeof sealed === 'string' ? this.#open(sealed, hash) : undefined;
  }

  /** Removes every link that was sent to this person. Returns how many there were. */
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

const ALGORITHM = 'aes-256-gcm';
/** Length of a nonce: 96 bits, never twice with one key (NIST SP 800-38D). Random nonces suffice for far more than these few tokens. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1';

interface SealKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Encrypts with the first key and decrypts with any of them. `about` is bound to the text: moved elsewhere, the text does not open. */
export class Seal {
  readonly #keys: readonly SealKey[];

  /** `keys`: 32 bytes each, in base64. */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map((key) => {
      const bytes = Buffer.from(key, 'base64');
      return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
    });
  }

  seal(text: string, about: string): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no key to encrypt by');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const parts = [nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
    return [FORM, key.id, ...parts].join('.');
  }

  /** `foreign`: no key here has sealed it. `forged`: a key has, but not this text with this `about`. `isOld`: seal it again. */
  open(
    sealed: string,
    about: string,
  ): { readonly text: string; readonly isOld: boolean } | 'foreign' | 'forged' {
    const [form, id, ...rest] = sealed.split('.');
    const key = this.#keys.find((each) => each.id === id);
    if (form !== FORM || key === undefined) return 'foreign';
    const [nonce, body, tag] = rest.map((part) => Buffer.from(part, 'base64url'));
    if (nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || body === undefined) return 'forged';
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(about));
      decipher.setAuthTag(tag);
      const text = Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      return { text, isOld: key !== this.#keys[0] };
    } catch {
      return 'forged';
    }
  }
}
