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
}

export interface ConsentOwner {
  /** Name in `google.accounts`. */
  readonly account: string;
  /** Address of the person, lower case. Another person's token does not count. */
  readonly address: string;
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
}
