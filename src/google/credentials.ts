import type { GoogleAuthClient } from './auth-client.ts';

export interface GoogleCredential {
  readonly auth: GoogleAuthClient;
  /** Names the credential's budgets. Reveals nothing, and stays the same for the life of the credential. */
  readonly name: string;
  /** Target of problems with the credential as a whole: `google`, or `google:<account>`. Default `google`. */
  readonly problems?: string;
}

/** One credential for everything, or a function from the target (`calendar:<id>`, `spreadsheet:<id>`) to its credential. */
export type CredentialChoice = GoogleCredential | ((target: string) => GoogleCredential);

/** The credential and client for calls to one target. */
export interface Access<Client> {
  readonly credential: GoogleCredential;
  readonly client: Client;
}

/** Opens one client of the library per credential, on first use. */
export function accessBy<Client>(
  choice: CredentialChoice,
  open: (auth: GoogleAuthClient) => Client,
): (target: string) => Access<Client> {
  const opened = new Map<GoogleCredential, Client>();
  return (target) => {
    const credential = typeof choice === 'function' ? choice(target) : choice;
    const client = opened.get(credential) ?? open(credential.auth);
    opened.set(credential, client);
    return { credential, client };
  };
}

/** Target of problems with one account as a whole; undefined means the default account. */
export function accountTarget(account: string | undefined): string {
  return account === undefined ? 'google' : `google:${account}`;
}
