import type { Memory } from '../ports/memory.ts';

/** Fact about a calendar: the account beside the default one by which the worker has reached it last. */
const FACT = 'google-account ';

/** Calendar id to account. A calendar that has left the YAML keeps its events, and they still have to be reached. */
export async function readRememberedAccounts(
  memory: Pick<Memory, 'all'>,
): Promise<ReadonlyMap<string, string>> {
  return memory.all(FACT);
}

/**
 * What the YAML says now goes over what is remembered; undefined stands for the default account. Run it when the worker starts, before Google
 * is called.
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
