// What people agreed to in a browser, and the links by which they are asked.

/** Refresh tokens of people, by the name of their account. They are secrets; wherever they are kept they are encrypted. */
export interface Consents {
  /**
   * The refresh token. `missing`: nobody with this address has agreed yet. `unreadable`: it was encrypted by a key that the YAML does not
   * have.
   */
  token(owner: ConsentOwner): Promise<{ readonly token: string } | 'missing' | 'unreadable'>;
  keep(owner: ConsentOwner, consent: { readonly token: string; readonly atMs: number }): Promise<void>;
  /** When somebody agreed last, epoch milliseconds; undefined: nobody has. */
  agreedAtMs(account: string): Promise<number | undefined>;
}

export interface ConsentOwner {
  /** Name in `google.accounts`. */
  readonly account: string;
  /** Address of the person, lower case. A token of somebody else is no token of this owner. */
  readonly address: string;
}

/** What has to be known again when the browser comes back. */
export interface ConsentLink extends ConsentOwner {
  /** PKCE. A secret. */
  readonly verifier: string;
}

export interface ConsentLinks {
  add(state: string, link: ConsentLink, forMs: number): Promise<void>;
  /** Once. Undefined: never made, used, expired, or encrypted by a key that is gone. */
  take(state: string): Promise<ConsentLink | undefined>;
}
