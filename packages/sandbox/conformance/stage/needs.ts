/** What a test needs beyond one key, and so why it cannot run against a foreign server. */
export const NEEDS = {
  keys: 'several keys of the company',
  clock: 'a clock that can be moved',
  dashboard: 'a hand on the dashboard',
  receiver: 'a receiver of webhooks on this machine',
  faults: 'a server that fails when told to',
  company: 'a company that is free to be filled and emptied',
} as const;

export type Need = keyof typeof NEEDS;
