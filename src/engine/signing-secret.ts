import { TerminalError } from './errors.ts';

/** How deliveries are signed. The platform's document names the header and `v1`, but not the formula, so it is a setting. */
export type SignedScheme = 'timestamped' | 'body' | 'standard';

/** Smallest accepted secrets. Standard Webhooks 1.0, Signature scheme: keys have between 24 and 64 bytes. */
export const STANDARD_KEY_BYTES_MIN = 24;
export const SECRET_CHARS_MIN = 16;

/**
 * The HMAC key for a secret; undefined if anyone could guess it or it does not fit the scheme. An empty key would let anyone sign. So a
 * secret is decoded strictly: a lenient decoder skips characters and makes a shorter key than intended.
 */
export function signingKey(scheme: SignedScheme, secret: string): Buffer | undefined {
  if (scheme === 'standard') return standardKey(secret);
  return secret.length < SECRET_CHARS_MIN ? undefined : Buffer.from(secret, 'utf8');
}

/** What a secret must look like, for messages; never its value. */
export function secretRule(scheme: SignedScheme): string {
  return scheme === 'standard'
    ? `with signature: standard a secret is whsec_ and base64 of at least ${STANDARD_KEY_BYTES_MIN} bytes`
    : `a secret has at least ${SECRET_CHARS_MIN} characters`;
}

/** `source` says whose secret it is, as in "the secret that the platform gave". Throws `TerminalError` `webhook-secret-weak`. */
export function assertStrong(scheme: SignedScheme | 'doorbell', secret: string, source: string): void {
  if (scheme === 'doorbell' || signingKey(scheme, secret) !== undefined) return;
  throw new TerminalError('webhook-secret-weak', `${source} is too weak: ${secretRule(scheme)}`, {
    advice:
      'Remove it, or correct platform.webhook.signature. `slotbridge webhook roll-secret` gets another secret.',
    target: 'mapping',
  });
}

function standardKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  const isExact = key.toString('base64') === text || key.toString('base64').replace(/(?<!=)=+$/, '') === text;
  return isExact && key.length >= STANDARD_KEY_BYTES_MIN ? key : undefined;
}

/** How the worker judged a test delivery signed with one of its secrets, under any scheme. */
export interface TestedDelivery {
  readonly eventId: string;
  readonly atMs: number;
  /** The scheme in the YAML. */
  readonly configured: string;
  /** Scheme to verdict: `valid`, `wrong`, `missing`, `malformed` or `too-old`; one of them is `valid` or `too-old`. */
  readonly verdicts: Readonly<Record<string, string>>;
}

/** The name of a credential identifies its budgets: `<hash>` for the default account, `<account>~<hash>` for another one. */
export function credentialName(account: string | undefined, hash: string): string {
  return account === undefined ? hash : `${account}~${hash}`;
}

/** Account names contain no `~`. Undefined: the default account. */
export function accountOfCredential(name: string): string | undefined {
  const at = name.indexOf('~');
  return at < 0 ? undefined : name.slice(0, at);
}

/** The same for one key under any account. */
export function hashOfCredential(name: string): string {
  return name.slice(name.indexOf('~') + 1);
}
