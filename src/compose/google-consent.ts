import { accountsOf, accountUse } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { didYouMean } from '../config/suggest.ts';
import { TerminalError } from '../domain/errors.ts';
import { consentPage, consentSecret } from '../google/consent.ts';
import { accountTarget } from '../google/credentials.ts';
import { type OAuthClient, readOAuthClientFile } from '../google/oauth-client-file.ts';
import type { StoredConsents } from '../live-check/live-check.ts';
import type { ConsentOwner } from '../ports/consents.ts';
import type { Clock } from '../ports/runtime.ts';
import { CONSENT_PATH, consentRoute } from '../sources/google-consent/route.ts';
import type { Core } from './core.ts';
import { openStore } from './stores.ts';

/** A colleague may be on leave over a weekend. */
const LINK_TTL_MS = 3 * 24 * 3_600_000;

/** The route of people who agree; none where the YAML has no account of a person. */
export function consentPlugins(core: Core): readonly ReturnType<typeof consentRoute>[] {
  const { config, store, clock, log } = core;
  const settings = consentSettings(config);
  if (settings === undefined) return [];
  return [
    consentRoute({
      ...{ ...settings, links: store.consentLinks, consents: store.consents },
      ownerOf: (account) => ownerOf(config, account),
      useOf: (account) => accountUse(config, account),
      // Whoever waits need not wait for the next probe.
      onKept: (account) => store.problems.clear(accountTarget(account)),
      ...{ clock, log },
    }),
  ];
}

/** What `slotbridge google invite --consent` works on: the state in Redis, beside a running worker or without one. */
export async function openConsentSession(config: Config, clock: Clock) {
  const settings = consentSettings(config);
  if (settings === undefined) throw noConsent(config, undefined);
  const store = await openStore(config, clock, { sharing: true });
  return {
    close: () => store.close(),
    agreedAtMs: (account: string) => store.consents.agreedAtMs(account),
    /** A link for the person of `address`, or of the account that the calendar of that address has. */
    async invite(address: string) {
      const owner = findOwner(config, address);
      if (owner === undefined) throw noConsent(config, address);
      const [state, verifier] = [consentSecret(), consentSecret()];
      const { client, redirectUri } = settings;
      const use = accountUse(config, owner.account);
      const link = consentPage(client, { state, verifier, redirectUri, address: owner.address, use });
      await store.consentLinks.add(state, { ...owner, verifier }, LINK_TTL_MS);
      return { ...owner, link, expiresAtMs: clock.now() + LINK_TTL_MS };
    },
  };
}

/** What people agreed to, for `slotbridge check --live`. */
export async function openStoredConsents(config: Config, clock: Clock): Promise<StoredConsents> {
  const { consents, close } = await openStore(config, clock, { sharing: true });
  return { token: (owner) => consents.token(owner), close };
}

/** Throws `TerminalError` `google-client-broken` for a client file that cannot be used. */
function consentSettings({
  google,
  platform,
}: Config): { readonly client: OAuthClient; readonly redirectUri: string } | undefined {
  const { publicUrl } = platform.webhook;
  const isUsed = Object.values(google.accounts ?? {}).some(({ consent }) => consent !== undefined);
  if (!isUsed || google.consent === undefined || publicUrl === undefined) return undefined;
  const client = readOAuthClientFile(google.consent.client, 'web');
  return { client, redirectUri: `${publicUrl}${CONSENT_PATH}` };
}

function ownerOf({ google }: Config, account: string): ConsentOwner | undefined {
  const address = google.accounts?.[account]?.consent?.toLowerCase();
  return address === undefined ? undefined : { account, address };
}

function findOwner(config: Config, asked: string): ConsentOwner | undefined {
  const address = asked.trim().toLowerCase();
  const names = Object.keys(config.google.accounts ?? {});
  const own = names.find((name) => ownerOf(config, name)?.address === address);
  const account = own ?? accountsOf(config)(`calendar:${address}`);
  return account === undefined ? undefined : ownerOf(config, account);
}

function noConsent({ google }: Config, address: string | undefined): TerminalError {
  const known = Object.values(google.accounts ?? {}).flatMap(({ consent }) => consent ?? []);
  const near = address === undefined ? '' : didYouMean(address, known);
  return new TerminalError('consent-unknown', 'the YAML has no account by consent for that address', {
    target: 'mapping',
    advice: `${near}Add it below google.accounts, as colleague-1: { consent: anna@clinic.example }, and name that account at the calendar. See docs/google-accounts.md.`,
  });
}
