import { createHash } from 'node:crypto';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { credentialName } from '../domain/credential-name.ts';
import { type Clock, steadyClock } from '../ports/runtime.ts';
import type { GoogleAuthClient } from './auth-client.ts';
import { type CredentialFile, readCredentialFile } from './credential-file.ts';
import { accountTarget, type GoogleCredential } from './credentials.ts';
import { RereadAuth } from './reread-auth.ts';
import { createTransporter, renewOn401 } from './transporter.ts';

/** The narrowest scopes that let the worker write events and rows (Google, OAuth 2.0 scopes). */
export const GOOGLE_SCOPES = [
  'https://www.googleapis.com/auth/calendar.events',
  'https://www.googleapis.com/auth/spreadsheets',
];

export interface GoogleAuthOptions {
  /** Service-account key, authorized-user file or external account. Absent: application default credentials. */
  readonly credentialsPath?: string | undefined;
  /** User to impersonate through domain-wide delegation; only a service account can. */
  readonly actAs?: string | undefined;
  /** Its name in `google.accounts`; absent: the default account. */
  readonly account?: string | undefined;
  readonly tokenUrl: string;
  /** Deadline of each request, token requests included. */
  readonly timeoutMs: number;
  /** A monotonic clock. */
  readonly clock?: Clock;
  /** Default: what the worker needs. A person's sign-in always has the scopes that the person granted, whatever is given here. */
  readonly scopes?: readonly string[];
  /** Called when the file was replaced by an unusable one; the previous credential stays in use. */
  readonly onUnusable?: (error: unknown) => void;
}

/**
 * Sends no request yet: the first call fetches a token. If Google refuses a token (401), it is replaced and the call is made once more. A
 * replaced file is read again, so that a new sign-in or key needs no restart. Throws `TerminalError` (`google-credentials-missing`,
 * `google-credentials-broken`) for a file that cannot work.
 */
export function createGoogleAuth(options: GoogleAuthOptions): GoogleCredential {
  const path = options.credentialsPath;
  const problems = accountTarget(options.account);
  const open = () => {
    const file = readCredentialFile(path, options.actAs);
    return {
      client: createClient(file, options),
      name: credentialName(options.account, hashOf(file, options.actAs)),
    };
  };
  if (path === undefined || path === '') {
    const { client, name } = open();
    return { auth: client, name, problems };
  }
  const { clock = steadyClock, onUnusable = () => {} } = options;
  return new RereadAuth({ path, problems, open, clock, onUnusable });
}

function createClient(file: CredentialFile, options: GoogleAuthOptions): GoogleAuthClient {
  const transporter = createTransporter(options);
  const scopes = [...(options.scopes ?? GOOGLE_SCOPES)];
  switch (file.type) {
    case 'service_account': {
      const subject = options.actAs ? { subject: options.actAs } : {};
      const client = new library.JWT({
        email: file.clientEmail,
        key: file.privateKey,
        scopes,
        transporter,
        ...subject,
      });
      // The library caches the token twice; the inner cache would return the refused token again.
      return renewOn401(client, options.tokenUrl, () => {
        delete client.gtoken;
      });
    }
    case 'authorized_user': {
      const client = new library.OAuth2({
        clientId: file.clientId,
        clientSecret: file.clientSecret,
        endpoints: { oauth2TokenUrl: options.tokenUrl },
        transporter,
      });
      client.setCredentials({ refresh_token: file.refreshToken });
      return renewOn401(client, options.tokenUrl, () => {});
    }
    case 'other': {
      const keyFile = file.path === undefined ? {} : { keyFilename: file.path };
      return new library.GoogleAuth({ scopes, clientOptions: { transporter }, ...keyFile });
    }
  }
}

function hashOf(file: CredentialFile, actAs: string | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([...identity(file), actAs ?? '']))
    .digest('hex')
    .slice(0, 12);
}

function identity(file: CredentialFile): readonly string[] {
  switch (file.type) {
    case 'service_account':
      return [file.clientEmail];
    case 'authorized_user':
      return [file.clientId, file.refreshToken];
    case 'other':
      return [file.path ?? 'application-default'];
  }
}
