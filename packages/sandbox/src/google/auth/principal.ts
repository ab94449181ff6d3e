/** The caller, as the access token identifies it. */
export interface Principal {
  /** The user whose rights apply: the service account, the user it acts as, or the OAuth user. */
  email: string;
  /** Scopes without the https://www.googleapis.com/auth/ prefix. */
  scopes: ReadonlySet<string>;
  /** Whether a service account acts as itself. It then cannot invite attendees. */
  isServiceAccount: boolean;
}

export const scopePrefix = 'https://www.googleapis.com/auth/';
