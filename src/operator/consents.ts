// The people whom the YAML lets agree in a browser, and the links that invite them.
import { accountsOf, accountUse } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { didYouMean } from '../config/suggest.ts';
import { TerminalError } from '../domain/errors.ts';
import { consentPage, consentSecret } from '../google/consent.ts';
import { type OAuthClient, readOAuthClientFile } from '../google/oauth-client-file.ts';
import type { ConsentLinks, ConsentOwner } from '../ports/consents.ts';
import type { Clock } from '../ports/runtime.ts';

/** How long a link stays valid: a colleague may be on leave over a weekend. */
const LINK_TTL_MS = 3 * 24 * 3_600_000;

export interface ConsentSettings {
  readonly client: OAuthClient;
  readonly redirectUri: string;
}

/**
 * Undefined if the YAML has no account of a person. `path`: where the browser returns to. Throws `TerminalError` `google-client-broken` for
 * an unusable client file.
 */
export function consentSettings({ google, platform }: Config, path: string): ConsentSettings | undefined {
  const { publicUrl } = platform.webhook;
  const isUsed = Object.values(google.accounts ?? {}).some(({ consent }) => consent !== undefined);
  if (!isUsed || google.consent === undefined || publicUrl === undefined) return undefined;
  const client = readOAuthClientFile(google.consent.client, 'web');
  return { client, redirectUri: `${publicUrl}${path}` };
}

export function consentOwner({ google }: Config, account: string): ConsentOwner | undefined {
  const address = google.accounts?.[account]?.consent?.toLowerCase();
  return address === undefined ? undefined : { account, address };
}

/** Makes a link for the person with this address, or for the account of the calendar with this address. */
export async function inviteToConsent(
  address: string,
  parts: {
    readonly config: Config;
    readonly settings: ConsentSettings;
    readonly links: Pick<ConsentLinks, 'add'>;
    readonly clock: Clock;
  },
) {
  const { config, settings, links, clock } = parts;
  const owner = findOwner(config, address);
  if (owner === undefined) throw noConsent(config, address);
  const [state, verifier] = [consentSecret(), consentSecret()];
  const { client, redirectUri } = settings;
  const use = accountUse(config, owner.account);
  const link = consentPage(client, { state, verifier, redirectUri, address: owner.address, use });
  await links.add(state, { ...owner, verifier }, LINK_TTL_MS);
  return { ...owner, link, expiresAtMs: clock.now() + LINK_TTL_MS };
}

export function noConsent({ google }: Config, address: string | undefined): TerminalError {
  const known = Object.values(google.accounts ?? {}).flatMap(({ consent }) => consent ?? []);
  const near = address === undefined ? '' : didYouMean(address, known);
  return new TerminalError('consent-unknown', 'the YAML has no account with the consent of this address', {
    target: 'mapping',
    advice: `${near}Add it below google.accounts, as colleague-1: { consent: anna@clinic.example }, and name that account at the calendar. See docs/google-accounts.md.`,
  });
}

function findOwner(config: Config, asked: string): ConsentOwner | undefined {
  const address = asked.trim().toLowerCase();
  const names = Object.keys(config.google.accounts ?? {});
  const own = names.find((name) => consentOwner(config, name)?.address === address);
  const account = own ?? accountsOf(config)(`calendar:${address}`);
  return account === undefined ? undefined : consentOwner(config, account);
}
