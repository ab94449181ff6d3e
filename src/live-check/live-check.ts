// Asks both live sides, before a worker does, whether everything that the mapping needs is there. It leaves no traces: it only reads,
// and the one write request that proves the right to edit a spreadsheet has nothing to change.

import { usesDefaultAccount } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import type { LiveFinding, LiveReport } from '../domain/live-finding.ts';
import { googleAccount } from '../google/account.ts';
import type { Clock } from '../ports/runtime.ts';
import { checkGoogle } from './google-side.ts';
import { checkPlatform } from './platform-side.ts';

/** Throws `TerminalError` for a credential file or an API key that cannot be used at all; everything else is a finding. */
export async function checkLive(config: Config, clock: Clock): Promise<LiveReport> {
  const accounts = spokenAccounts(config);
  const [platform, google] = await Promise.all([
    checkPlatform(config, clock),
    checkGoogle(config, { clock, shareWith: (account) => accounts.get(account)?.shareWith ?? 'the worker' }),
  ]);
  const findings: readonly LiveFinding[] = [...platform, ...google];
  const ok = findings.every(({ verdict }) => verdict === 'ok' || verdict === 'notice');
  return { ok, account: [...accounts.values()].map(({ spoken }) => spoken).join('; '), findings };
}

/** Every account of the YAML; the default one only where it is used. */
function spokenAccounts(config: Config) {
  const { google } = config;
  const spoken = new Map<string | undefined, ReturnType<typeof googleAccount>>();
  const say = ({ credentials, actAs }: { credentials?: string; actAs?: string }) =>
    googleAccount({ credentialsPath: credentials, actAs });
  if (usesDefaultAccount(config)) spoken.set(undefined, say(google));
  for (const [name, account] of Object.entries(google.accounts ?? {})) spoken.set(name, say(account));
  return spoken;
}
