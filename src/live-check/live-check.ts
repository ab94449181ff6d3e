// Asks both live sides, before a worker does, whether everything that the mapping needs is there. It leaves no traces: it only reads,
// and the one write request that proves the right to edit a spreadsheet has nothing to change.

import type { Config } from '../config/config.ts';
import type { LiveFinding, LiveReport } from '../domain/live-finding.ts';
import type { Clock } from '../ports/runtime.ts';
import { checkGoogle } from './google-side.ts';
import { checkPlatform } from './platform-side.ts';
import { spokenAccounts } from './spoken-accounts.ts';

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
