import type { GoogleWiring } from '../cli/google.ts';
import { Attempts, KnownAddresses, visitorAddresses } from '../console/attempts.ts';
import { TerminalError } from '../engine/errors.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { accountTarget, readOAuthClientFile } from '../google/auth.ts';
import { CONSENT_PATH, consentRoute, endLeftConsents, revokeConsent } from '../google/consent.ts';
import { assertLoginFileIsFree, beginLogin, keepLogin } from '../google/login.ts';
import { accountUse } from '../mapping/accounts.ts';
import type { Config } from '../mapping/config.ts';
import {
  consentOwner,
  consentSettings,
  forgetConsents,
  inviteToConsent,
  noConsent,
} from '../operate/consents.ts';
import type { StoredConsents } from '../operate/live-check/live-check.ts';
import type { Core } from './core.ts';
import { openStore } from './stores.ts';

/** The route where people give consent; empty when no account of the YAML belongs to a person. */
export function consentPlugins(core: Core): readonly ReturnType<typeof consentRoute>[] {
  const { config, store, clock, log } = core;
  const settings = consentSettings(config, CONSENT_PATH);
  if (settings === undefined) return [];
  const attempts = new Attempts({ clock: steadyClock, known: new KnownAddresses() });
  const addressOf = visitorAddresses(config.console.trustedProxies);
  return [
    consentRoute({
      ...{ ...settings, links: store.consentLinks, consents: store.consents },
      ownerOf: (account) => consentOwner(config, account),
      useOf: (account) => accountUse(config, account),
      // Clear the problem, so that work continues without waiting for the next probe.
      onKept: (account) => store.problems.clear(accountTarget(account)),
      mayTry: (request) => attempts.mayTry(addressOf(request)),
      ...{ clock, log, language: config.worker.language },
    }),
  ];
}

/** Ends stored consents of accounts that left the YAML. */
export function consentUpkeep({ config, store, clock, log }: Core): () => Promise<number> {
  const { consent } = config.google;
  return () =>
    endLeftConsents({
      consents: store.consents,
      ownerOf: (account) => consentOwner(config, account),
      revoke: consent && ((token) => revokeConsent(readOAuthClientFile(consent.client, 'web'), token)),
      keepMs: config.privacy.keep.snapshotsMs,
      nowMs: clock.now(),
      log,
    });
}

/** What `slotbridge google forget` works on. Also for accounts that left the YAML. */
export async function openConsentRemoval(config: Config, clock: Clock) {
  const { consent } = config.google;
  if (consent === undefined) {
    throw new TerminalError('consent-keys-missing', 'without google.consent no stored consent can be read', {
      target: 'mapping',
      advice:
        'Put google.consent back into the YAML for this command. Otherwise the worker removes the consents after privacy.keep.snapshots, and people remove the access at https://myaccount.google.com/connections',
    });
  }
  const client = readOAuthClientFile(consent.client, 'web');
  const { acts, consents, consentLinks: links, close } = await openStore(config, clock, { sharing: true });
  return {
    acts,
    close,
    forget: (address: string) => forgetConsents(address, { config, client, consents, links }),
  };
}

/** What `slotbridge google invite --consent` works on: the state in Redis, with or without a running worker. */
export async function openConsentSession(config: Config, clock: Clock) {
  const settings = consentSettings(config, CONSENT_PATH);
  if (settings === undefined) throw noConsent(config, undefined);
  const { acts, consents, consentLinks: links, close } = await openStore(config, clock, { sharing: true });
  return {
    acts,
    close,
    agreedAtMs: (account: string) => consents.agreedAtMs(account),
    invite: (address: string) => inviteToConsent(address, { config, settings, links, clock }),
  };
}

/** The stored consents, for `slotbridge check --live`. */
export async function openStoredConsents(config: Config, clock: Clock): Promise<StoredConsents> {
  const { consents, close } = await openStore(config, clock, { sharing: true });
  return { token: (owner) => consents.token(owner), close };
}

/** How long a person may take to sign in. */
const LOGIN_WITHIN_MS = 10 * 60_000;

/** What `slotbridge google` needs. */
export function googleCommandWiring(options: { loginWithinMs?: number } = {}): GoogleWiring {
  return {
    assertCredentialFileIsFree: async (file) => assertLoginFileIsFree(file),
    beginLogin: async (clientFile) => {
      const waitMs = options.loginWithinMs ?? LOGIN_WITHIN_MS;
      const { address, port, done } = await beginLogin({ client: readOAuthClientFile(clientFile), waitMs });
      return { address, port, keepIn: async (file) => keepLogin(file, await done) };
    },
  };
}
