import type { LiveFinding } from '../../engine/domain/live-finding.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import { accountsOf } from '../../mapping/accounts.ts';
import type { Config } from '../../mapping/config.ts';
import { accountDescriptions } from './account-descriptions.ts';
import { calendarFinding, openApis } from './google-side.ts';

/** Checks one calendar, as often as the caller wants. */
export interface CalendarAccess {
  /** Name of the account that accesses it; undefined means the default account. */
  readonly account: string | undefined;
  /** The address with which the calendar must be shared. */
  readonly shareWith: string;
  look(): Promise<LiveFinding>;
}

/** `account`: for a calendar that the YAML does not name yet. Throws `TerminalError` for a key that cannot work. */
export function openCalendarAccess(
  config: Config,
  { calendarId, account: chosen }: { readonly calendarId: string; readonly account?: string | undefined },
  clock: Clock,
): CalendarAccess {
  const account = chosen ?? accountsOf(config)(`calendar:${calendarId}`);
  const spoken = accountDescriptions(config, [account]);
  const shareWith = spoken.get(account)?.shareWith ?? 'the worker';
  const { calendar } = openApis(config, { accountOf: () => account, clock });
  return {
    account,
    shareWith,
    look: () => calendarFinding(calendarId, { calendar, shareWith }),
  };
}
