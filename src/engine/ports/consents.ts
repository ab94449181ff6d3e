// What people agreed to in a browser, and the links that ask them for it.

/** Refresh tokens of people, by the name of their account. They are secrets, and encrypted wherever they are stored. */
export interface Consents {
  /**
   * The refresh token. `missing`: the person with this address has not agreed yet. `unreadable`: it was encrypted with a key that the YAML
   * does not have.
   */
  token(owner: ConsentOwner): Promise<{ readonly token: string } | 'missing' | 'unreadable'>;
  keep(owner: ConsentOwner, consent: { readonly token: string; readonly atMs: number }): Promise<void>;
  /** When the person last agreed, epoch milliseconds; undefined: never. */
  agreedAtMs(account: string): Promise<number | undefined>;
  /** Everything stored. `address`: of the person whose consent an earlier version may have stored without saying whose it is. */
  all(address?: string): Promise<readonly StoredConsent[]>;
  /** Notes since when no account of the YAML uses it; undefined: one does. Changes nothing if the person has agreed anew meanwhile. */
  noteLeft(consent: StoredConsent, atMs: number | undefined): Promise<void>;
  /** False if the person has agreed anew meanwhile: nothing was removed. */
  remove(consent: StoredConsent): Promise<boolean>;
}

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

export interface ConsentLinks {
  add(state: string, link: ConsentLink, forMs: number): Promise<void>;
  /** Works once. Undefined: never made, used, expired, or encrypted with a lost key. */
  take(state: string): Promise<ConsentLink | undefined>;
  /** Removes every link that was sent to this person. Returns how many there were. */
  forget(address: string): Promise<number>;
}
