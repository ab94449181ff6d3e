// The people whom the YAML lets agree in a browser, and the links that invite them.

import { TerminalError } from '../engine/errors.ts';
import { newSecret } from '../engine/ids.ts';
import type { Clock } from '../engine/runtime.ts';
import { type OAuthClient, readOAuthClientFile } from '../google/auth.ts';
import { consentPage, revokeConsent } from '../google/consent.ts';
import type { ConsentLinks, ConsentOwner, Consents } from '../google/consent-store.ts';
import { accountsOf, accountUse } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import { didYouMean } from '../mapping/problem.ts';

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
  // A state and a PKCE verifier.
  const [state, verifier] = [newSecret(), newSecret()];
  const { client, redirectUri } = settings;
  const use = accountUse(config, owner.account);
  const link = consentPage(client, { state, verifier, redirectUri, address: owner.address, use });
  await links.add(state, { ...owner, verifier }, LINK_TTL_MS);
  return { ...owner, link, expiresAtMs: clock.now() + LINK_TTL_MS };
}

/** What `google forget` did for one person. */
export interface ForgottenConsents {
  readonly address: string;
  /** Accounts whose stored consent was removed. `revoked`: Google still knew it, and ended it. */
  readonly removed: readonly { readonly account: string; readonly revoked: boolean }[];
  /** Links that were sent and not used. */
  readonly links: number;
  /** Accounts of which no key of the YAML tells whose consent is stored. */
  readonly unreadable: readonly string[];
  /** Accounts of the YAML that need this consent. */
  readonly named: readonly string[];
}

/** Revokes a person's consents at Google, and removes them here. Again it finds nothing. Rejects when Google does not answer. */
export async function forgetConsents(
  asked: string,
  parts: {
    readonly config: Config;
    readonly client: OAuthClient;
    readonly consents: Pick<Consents, 'all' | 'remove'>;
    readonly links: Pick<ConsentLinks, 'forget'>;
  },
): Promise<ForgottenConsents> {
  const { config, client, consents } = parts;
  const address = asked.trim().toLowerCase();
  // First the links: nobody can agree anew by one meanwhile.
  const links = await parts.links.forget(address);
  const named = Object.keys(config.google.accounts ?? {}).filter(
    (account) => consentOwner(config, account)?.address === address,
  );
  /** Account to whether Google still knew its consent. */
  const removed = new Map<string, boolean>();
  // A consent that changes during the call to Google stays: a worker seals it anew, or the person agreed by a link used just before.
  for (;;) {
    const stored = await consents.all(address);
    const theirs = stored.filter(({ account, given }) =>
      given === undefined ? named.includes(account) : given.address === address,
    );
    for (const consent of theirs) {
      const { account, given } = consent;
      const revoked = given !== undefined && (await revokeConsent(client, given.token));
      removed.set(account, revoked || removed.get(account) === true);
      await consents.remove(consent);
    }
    if (theirs.length > 0) continue;
    const unreadable = stored.filter(({ given }) => given === undefined).map(({ account }) => account);
    return {
      ...{ address, links, unreadable, named },
      removed: [...removed].map(([account, revoked]) => ({ account, revoked })),
    };
  }
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
