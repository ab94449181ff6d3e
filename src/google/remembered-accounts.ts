import type { Memory } from '../engine/ports/memory.ts';

/** Fact about a calendar: the non-default account by which the worker last reached it. */
const FACT = 'google-account ';

/** Calendar id to account. A calendar that was removed from the YAML keeps its events, and the worker must still reach them. */
export async function readRememberedAccounts(
  memory: Pick<Memory, 'all'>,
): Promise<ReadonlyMap<string, string>> {
  return memory.all(FACT);
}

/**
 * Updates the remembered accounts from the YAML, which wins; undefined means the default account. Run it when the worker starts, before any
 * call to Google.
 */
export async function rememberAccounts(
  accounts: Iterable<readonly [calendarId: string, account: string | undefined]>,
  memory: Pick<Memory, 'all' | 'set' | 'forget'>,
): Promise<ReadonlyMap<string, string>> {
  const remembered = new Map(await readRememberedAccounts(memory));
  for (const [calendarId, account] of accounts) {
    if (remembered.get(calendarId) === account) continue;
    if (account === undefined) {
      await memory.forget(FACT + calendarId);
      remembered.delete(calendarId);
    } else {
      await memory.set(FACT + calendarId, account);
      remembered.set(calendarId, account);
    }
  }
  return remembered;
}
