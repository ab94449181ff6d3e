import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { credentialName } from '../engine/domain/credential-name.ts';
import { type Clock, steadyClock } from '../engine/ports/runtime.ts';
import type { GoogleAuthClient } from './auth-client.ts';
import { type CredentialFile, readCredentialFile } from './credential-file.ts';
import { accountTarget, type GoogleCredential } from './credentials.ts';
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

/** How soon a replaced credential file is noticed. */
const LOOK_EVERY_MS = 2_000;

/** A client and the name of its credential. */
interface OpenedFile {
  readonly client: GoogleAuthClient;
  readonly name: string;
}

/**
 * A credential whose file may be replaced while the worker runs: by `slotbridge google login`, or when a key is rotated. An unusable file
 * is reported once, and the previous credential stays in use.
 */
class RereadAuth {
  /** Target of problems with the credential. */
  readonly problems: string;
  readonly #path: string;
  readonly #open: () => OpenedFile;
  readonly #clock: Clock;
  readonly #onUnusable: (error: unknown) => void;
  #opened: OpenedFile;
  #stamp: string;
  #lookedAtMs: number;

  /** Throws what `open` throws. */
  constructor(parts: {
    path: string;
    problems: string;
    open: () => OpenedFile;
    /** A monotonic clock. */
    clock: Clock;
    onUnusable: (error: unknown) => void;
  }) {
    this.problems = parts.problems;
    this.#path = parts.path;
    this.#open = parts.open;
    this.#clock = parts.clock;
    this.#onUnusable = parts.onUnusable;
    // Taken before the file is read, so that a write in between counts as a change.
    this.#stamp = stampOf(parts.path);
    this.#lookedAtMs = parts.clock.now();
    this.#opened = parts.open();
  }

  get name(): string {
    return this.#opened.name;
  }

  /** googleapis calls only `request` of its `auth`. */
  get auth(): GoogleAuthClient {
    const request = (options: never) => this.#current().request(options);
    return { request } as unknown as GoogleAuthClient;
  }

  #current(): { request(options: never): unknown } {
    const nowMs = this.#clock.now();
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      this.#look();
    }
    return this.#opened.client;
  }

  #look(): void {
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#opened = this.#open();
    } catch (error) {
      this.#onUnusable(error);
    }
  }
}

/** Empty for a missing file. That counts as a change: `open` fails, and the previous credential stays in use until a new file appears. */
function stampOf(path: string): string {
  try {
    // The change time also moves when only the owner or mode is corrected.
    const { ino, ctimeMs, size } = statSync(path);
    return `${ino} ${ctimeMs} ${size}`;
  } catch {
    return '';
  }
}
