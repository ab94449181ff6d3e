import type { GoogleAuthClient } from './auth-client.ts';

export interface GoogleCredential {
  readonly auth: GoogleAuthClient;
  /** Tells nothing; the same for as long as the credential is: names its budgets. */
  readonly name: string;
  /** Target of what is wrong with the credential as a whole: `google`, or `google:<account>`. Default `google`. */
  readonly problems?: string;
}

/** One credential for everything, or a function from the target (`calendar:<id>`, `spreadsheet:<id>`) to its credential. */
export type CredentialChoice = GoogleCredential | ((target: string) => GoogleCredential);

/** What a call to a target needs. */
export interface Access<Client> {
  readonly credential: GoogleCredential;
  readonly client: Client;
}

/** Opens one client of the library per credential, when it is first needed. */
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

/** Target of the problems of one account as a whole; undefined: of the default one. */
export function accountTarget(account: string | undefined): string {
  return account === undefined ? 'google' : `google:${account}`;
}
