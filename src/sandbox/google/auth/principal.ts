/** Who is calling, as the access token says. */
export interface Principal {
  /** The user whose rights count: the service account, the user it acts as, or the OAuth user. */
  email: string;
  /** Scopes without the https://www.googleapis.com/auth/ prefix. */
  scopes: ReadonlySet<string>;
  /** A service account that acts as itself; it cannot invite attendees. */
  isServiceAccount: boolean;
}

export const scopePrefix = 'https://www.googleapis.com/auth/';
