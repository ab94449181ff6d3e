// Checks on the platform and Google, before a worker starts, whether everything that the mapping needs is there. It leaves no traces: most
// calls only read. The write requests that prove a right change nothing.

import type { Config } from '../config/config.ts';
import { WorkerError } from '../domain/errors.ts';
import type { LiveFinding, LiveReport } from '../domain/live-finding.ts';
import type { Consents } from '../ports/consents.ts';
import type { Clock } from '../ports/runtime.ts';
import { accountDescriptions } from './account-descriptions.ts';
import { checkGoogle } from './google-side.ts';
import { checkPlatform } from './platform-side.ts';

/** People's stored consents. */
export type StoredConsents = Pick<Consents, 'token'> & { close(): Promise<void> };

/**
 * `openConsents` is called only if the YAML has accounts of people; it rejects with one of the three families when Redis is unusable.
 * Throws `TerminalError` for an unusable credential file or API key; everything else is a finding.
 */
export async function checkLive(
  config: Config,
  clock: Clock,
  openConsents: () => Promise<StoredConsents>,
): Promise<LiveReport> {
  const accounts = accountDescriptions(config);
  const shareWith = (account: string | undefined) => accounts.get(account)?.shareWith ?? 'the worker';
  const consents = await readConsents(config, openConsents);
  const [platform, google] = await Promise.all([
    checkPlatform(config, clock),
    checkGoogle(config, { clock, shareWith, consents }),
  ]).finally(() => (consents instanceof WorkerError ? undefined : consents?.close()));
  const findings: readonly LiveFinding[] = [...platform, ...google];
  const ok = findings.every(({ verdict }) => verdict === 'ok' || verdict === 'notice');
  return { ok, account: [...accounts.values()].map(({ spoken }) => spoken).join('; '), findings };
}

/** Undefined if the YAML has no account of a person. */
async function readConsents(
  { google }: Config,
  open: () => Promise<StoredConsents>,
): Promise<StoredConsents | WorkerError | undefined> {
  if (!Object.values(google.accounts ?? {}).some(({ consent }) => consent !== undefined)) return undefined;
  try {
    return await open();
  } catch (error) {
    if (error instanceof WorkerError) return error;
    throw error;
  }
}
