import { accountUse } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { accountTarget } from '../google/credentials.ts';
import type { StoredConsents } from '../live-check/live-check.ts';
import { consentOwner, consentSettings, inviteToConsent, noConsent } from '../operator/consents.ts';
import type { Clock } from '../ports/runtime.ts';
import { CONSENT_PATH, consentRoute } from '../sources/google-consent/route.ts';
import type { Core } from './core.ts';
import { openStore } from './stores.ts';

/** The route where people give consent; empty when no account of the YAML belongs to a person. */
export function consentPlugins(core: Core): readonly ReturnType<typeof consentRoute>[] {
  const { config, store, clock, log } = core;
  const settings = consentSettings(config, CONSENT_PATH);
  if (settings === undefined) return [];
  return [
    consentRoute({
      ...{ ...settings, links: store.consentLinks, consents: store.consents },
      ownerOf: (account) => consentOwner(config, account),
      useOf: (account) => accountUse(config, account),
      // Clear the problem, so that work continues without waiting for the next probe.
      onKept: (account) => store.problems.clear(accountTarget(account)),
      ...{ clock, log },
    }),
  ];
}

/** What `slotbridge google invite --consent` works on: the state in Redis, with or without a running worker. */
export async function openConsentSession(config: Config, clock: Clock) {
  const settings = consentSettings(config, CONSENT_PATH);
  if (settings === undefined) throw noConsent(config, undefined);
  const { consents, consentLinks: links, close } = await openStore(config, clock, { sharing: true });
  return {
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
