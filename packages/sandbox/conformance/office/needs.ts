/** What a test needs beyond one token, and so why it cannot run against a foreign server. */
export const NEEDS = {
  accounts: 'more than one account',
  clock: 'a clock that can be moved',
  faults: 'a server that fails when told to',
  guess: 'a server that shares a guess: Google says it nowhere',
  keys: 'service accounts and clients of its own',
  ownership: 'a calendar that is free to be shared and taken away',
  people: 'people who work in the calendar and the sheet',
  quotas: 'quotas that may be used up',
  receiver: 'a receiver of pings on this machine',
} as const;

export type Need = keyof typeof NEEDS;
