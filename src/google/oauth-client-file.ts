import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { TerminalError } from '../engine/domain/errors.ts';

/** An OAuth client as the Google Cloud console downloads it. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** URL of the consent page. */
  readonly authUri: string;
  readonly tokenUri: string;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** Codes and secrets must not travel unencrypted, except to a sandbox on this machine. */
const address = z.url().refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
});
const text = z.string().min(1);
const CLIENT = z.object({
  client_id: text,
  client_secret: text,
  auth_uri: address.default('https://accounts.google.com/o/oauth2/v2/auth'),
  token_uri: address.default('https://oauth2.googleapis.com/token'),
});
const FILES = {
  /** Google redirects its consent to loopback. */
  installed: { schema: z.object({ installed: CLIENT }), type: 'Desktop app', place: 'give it with --client' },
  /** Google redirects its consent to a URL of the worker. */
  web: {
    schema: z.object({ web: CLIENT }),
    type: 'Web application',
    place: 'set google.consent.client to its path',
  },
} as const;

/** Throws `TerminalError` `google-client-broken`, which never shows the file's contents. */
export function readOAuthClientFile(path: string, kind: keyof typeof FILES = 'installed'): OAuthClient {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    // The parser's message may quote the secret.
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not JSON';
    throw broken(path, `cannot be read (${code})`, kind);
  }
  const parsed = FILES[kind].schema.safeParse(content);
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file').join(', ');
    throw broken(
      path,
      `is not an OAuth client of type "${FILES[kind].type}"; missing or invalid fields: ${where}`,
      kind,
    );
  }
  const { client_id, client_secret, auth_uri, token_uri } =
    'installed' in parsed.data ? parsed.data.installed : parsed.data.web;
  return { clientId: client_id, clientSecret: client_secret, authUri: auth_uri, tokenUri: token_uri };
}

function broken(path: string, what: string, kind: keyof typeof FILES): TerminalError {
  const { type, place } = FILES[kind];
  return new TerminalError('google-client-broken', `the OAuth client file ${path} ${what}`, {
    target: 'google',
    advice: `Create an OAuth client of type "${type}" (Google Cloud console, APIs and services, Credentials), download its JSON and ${place}.`,
  });
}
