// A browser comes back from Google's consent page. The result is a stored consent, or a sentence for the person.
import { TerminalError } from '../../engine/domain/errors.ts';
import type { ConsentLinks, ConsentOwner, Consents } from '../../engine/ports/consents.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import { type Agreement, exchangeConsent } from '../consent.ts';
import type { OAuthClient } from '../oauth-client-file.ts';

export interface CompletionParts {
  readonly client: OAuthClient;
  /** Where Google sends browsers back. */
  readonly redirectUri: string;
  readonly links: Pick<ConsentLinks, 'take'>;
  readonly consents: Pick<Consents, 'keep'>;
  /** As the YAML has it now; undefined when the account is gone. */
  readonly ownerOf: (account: string) => ConsentOwner | undefined;
  readonly useOf: (account: string) => { readonly calendars: boolean; readonly spreadsheets: boolean };
  readonly clock: Clock;
}

/** The result. Only `kept` has stored anything. */
export type ConsentOutcome =
  | 'kept'
  | 'not-asked'
  | 'refused-by-person'
  | 'link-gone'
  | 'wrong-person'
  | 'incomplete'
  | 'refused-by-google';

/** 32 random bytes; anything else is not looked up. */
const STATE = /^[\w-]{43}$/;
const CODE_CHARS_MAX = 2_048;

/**
 * Uses up the link before it asks Google, so that the link works once, whatever happens afterwards. Only a caller with its state gets that
 * far: a code of another person or link is useless. Rejects when Redis does not answer.
 */
export async function completeConsent(
  parts: CompletionParts,
  query: URLSearchParams,
): Promise<{ readonly outcome: ConsentOutcome; readonly account?: string }> {
  const [state, code] = [query.get('state') ?? '', query.get('code') ?? ''];
  if (!STATE.test(state)) return { outcome: 'not-asked' };
  // The link stays: the person may reconsider.
  if (query.get('error') === 'access_denied') return { outcome: 'refused-by-person' };
  if (code === '' || code.length > CODE_CHARS_MAX) return { outcome: 'not-asked' };
  const link = await parts.links.take(state);
  if (link === undefined) return { outcome: 'link-gone' };
  const { account, address, verifier } = link;
  const owner = parts.ownerOf(account);
  if (owner?.address !== address) return { outcome: 'link-gone' };
  let agreed: Agreement;
  try {
    const { client, redirectUri, clock } = parts;
    const use = parts.useOf(account);
    agreed = await exchangeConsent(client, { code, verifier, redirectUri, use, nowMs: clock.now() });
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    const outcome = error.code === 'google-consent-incomplete' ? 'incomplete' : 'refused-by-google';
    return { outcome, account };
  }
  if (agreed.address !== owner.address) return { outcome: 'wrong-person', account };
  await parts.consents.keep(owner, { token: agreed.refreshToken, atMs: parts.clock.now() });
  return { outcome: 'kept', account };
}
