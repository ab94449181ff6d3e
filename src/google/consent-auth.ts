import { createHash } from 'node:crypto';
import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { credentialName } from '../domain/credential-name.ts';
import { DeferredError } from '../domain/errors.ts';
import type { ConsentOwner, Consents } from '../ports/consents.ts';
import type { Clock } from '../ports/runtime.ts';
import type { GoogleAuthClient } from './auth-client.ts';
import { accountTarget, type GoogleCredential } from './credentials.ts';
import { GoogleFailure } from './failure.ts';
import type { OAuthClient } from './oauth-client-file.ts';
import { createTransporter, renewOn401 } from './transporter.ts';

/** How soon a replaced or removed consent is noticed. */
const LOOK_EVERY_MS = 2_000;
/** Wait for a person to act; a new consent is noticed sooner. */
const WAIT_MS = 20_000;

export interface ConsentAuthParts {
  readonly owner: ConsentOwner;
  readonly client: OAuthClient;
  readonly consents: Pick<Consents, 'token'>;
  readonly timeoutMs: number;
  /** A monotonic clock. */
  readonly clock: Clock;
}

/**
 * The credential of a person who consents in a browser. Calls are deferred until the person has consented, and again after the consent was
 * withdrawn: `google-consent-missing`, `google-consent-ended`, `google-consent-unreadable`. None of these codes says anything about a
 * calendar.
 */
export function createConsentAuth(parts: ConsentAuthParts): GoogleCredential {
  const { owner, client, consents, timeoutMs, clock } = parts;
  let known: { readonly token: string; readonly client: GoogleAuthClient } | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const current = async (): Promise<GoogleAuthClient> => {
    const nowMs = clock.now();
    if (known !== undefined && nowMs - lookedAtMs < LOOK_EVERY_MS) return known.client;
    const found = await consents.token(owner);
    if (typeof found === 'string') {
      known = undefined;
      throw found === 'missing' ? missing(owner) : unreadable(owner);
    }
    lookedAtMs = nowMs;
    if (known?.token !== found.token)
      known = { token: found.token, client: open(client, { token: found.token, timeoutMs }) };
    return known.client;
  };
  const request = async (options: never): Promise<unknown> => {
    const opened = await current();
    try {
      return await opened.request(options);
    } catch (thrown) {
      const failure = new GoogleFailure(thrown);
      if (failure.ofToken && failure.reason === 'invalid_grant') throw ended(owner, failure);
      throw thrown;
    }
  };
  const hash = createHash('sha256').update(JSON.stringify([client.clientId, owner.address]));
  return {
    // The library calls only `request`.
    auth: { request } as unknown as GoogleAuthClient,
    name: credentialName(owner.account, hash.digest('hex').slice(0, 12)),
    problems: accountTarget(owner.account),
  };
}

function open(client: OAuthClient, about: { readonly token: string; readonly timeoutMs: number }) {
  const { token, timeoutMs } = about;
  const oauth = new library.OAuth2({
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    endpoints: { oauth2TokenUrl: client.tokenUri },
    transporter: createTransporter({ tokenUrl: client.tokenUri, timeoutMs }),
  });
  oauth.setCredentials({ refresh_token: token });
  return renewOn401(oauth, client.tokenUri, () => {});
}

function missing({ account }: ConsentOwner): DeferredError {
  return new DeferredError('google-consent-missing', 'the person of this account has not consented yet', {
    target: accountTarget(account),
    retryAfterMs: WAIT_MS,
    advice: `Run \`slotbridge google invite <address> --consent\` with the address of google.accounts.${account}.consent, and send that person the link.`,
  });
}

function ended({ account }: ConsentOwner, cause: GoogleFailure): DeferredError {
  return new DeferredError('google-consent-ended', "Google no longer accepts this account's consent", {
    target: accountTarget(account),
    retryAfterMs: WAIT_MS,
    cause,
    advice: `Run \`slotbridge google invite <address> --consent\` with the address of google.accounts.${account}.consent, and send that person the link. While the consent screen is in "Testing", Google ends every consent after seven days.`,
  });
}

function unreadable({ account }: ConsentOwner): DeferredError {
  return new DeferredError(
    'google-consent-unreadable',
    'the consent was encrypted with a key that is not in google.consent.keys',
    {
      target: accountTarget(account),
      retryAfterMs: WAIT_MS,
      advice: `Add the former key as the second entry of google.consent.keys and restart, or ask the person of google.accounts.${account} again with \`slotbridge google invite <address> --consent\`.`,
    },
  );
}
