import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { TerminalError } from '../engine/errors.ts';

/** A Google credential, validated as far as possible without calling Google. */
export type CredentialFile =
  | { readonly type: 'service_account'; readonly clientEmail: string; readonly privateKey: string }
  | {
      readonly type: 'authorized_user';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
    }
  /** Application default credentials, or a kind of file that the library reads itself (external accounts). */
  | { readonly type: 'other'; readonly path: string | undefined };

const text = z.string().min(1);
const FILE = z.discriminatedUnion('type', [
  z.object({ type: z.literal('service_account'), client_email: text, private_key: text }),
  z.object({ type: z.literal('authorized_user'), client_id: text, client_secret: text, refresh_token: text }),
  z.object({ type: z.literal('external_account') }),
  z.object({ type: z.literal('external_account_authorized_user') }),
  z.object({ type: z.literal('impersonated_service_account') }),
]);

const KEY_ADVICE =
  'Download a new JSON key of the service account (Google Cloud console, IAM, Service accounts, Keys) and set google.credentials to its path.';

/** Throws a `TerminalError` that says what is wrong with the file and never shows its contents. */
export function readCredentialFile(path: string | undefined, actAs: string | undefined): CredentialFile {
  if (path === undefined || path === '') return delegable({ type: 'other', path: undefined }, actAs);
  const parsed = FILE.safeParse(readJson(path));
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file').join(', ');
    throw broken(path, `is not a Google credential; missing or invalid fields: ${where}`);
  }
  const file = parsed.data;
  switch (file.type) {
    case 'service_account':
      assertPrivateKey(path, file.private_key);
      return { type: file.type, clientEmail: file.client_email, privateKey: file.private_key };
    case 'authorized_user':
      return delegable(
        {
          type: file.type,
          clientId: file.client_id,
          clientSecret: file.client_secret,
          refreshToken: file.refresh_token,
        },
        actAs,
      );
    default:
      return delegable({ type: 'other', path }, actAs);
  }
}

function readJson(path: string): unknown {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new TerminalError(
      'google-credentials-missing',
      `the Google credential file ${path} cannot be read (${reason})`,
      {
        target: 'google',
        advice: `Put the key file there, or correct google.credentials. ${KEY_ADVICE}`,
      },
    );
  }
  try {
    return JSON.parse(source);
  } catch {
    // The parser's message is not passed on: it quotes the text where it failed, which may be the key.
    throw broken(path, 'is not JSON');
  }
}

function assertPrivateKey(path: string, key: string): void {
  try {
    createPrivateKey(key);
  } catch {
    throw broken(path, 'contains a private_key that is not a PEM private key');
  }
}

/** Only a service account's key can act as another user (Google, domain-wide delegation). */
function delegable(file: CredentialFile, actAs: string | undefined): CredentialFile {
  if (actAs === undefined || actAs === '') return file;
  throw new TerminalError(
    'google-credentials-broken',
    'google.act_as is set, but the credential is not a service-account key',
    {
      target: 'google',
      advice: 'Remove google.act_as, or set google.credentials to the key file of a service account.',
    },
  );
}

function broken(path: string, what: string): TerminalError {
  return new TerminalError('google-credentials-broken', `the Google credential file ${path} ${what}`, {
    target: 'google',
    advice: KEY_ADVICE,
  });
}
