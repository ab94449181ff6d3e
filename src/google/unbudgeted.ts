import type { Budget } from '../engine/quotas.ts';

/** For commands that run apart from a worker: they call Google once, and neither count calls nor raise problems. */
export const UNLIMITED: Budget = {
  spend: async (budget, { target } = {}) => ({ budget, target, turn: 0, atMs: 0 }),
  refused: async ({ budget }) => ({ quota: budget, waitMs: 0 }),
  answered: async () => {},
};

export const NO_BOARD = {
  raise: async () => {},
  clear: async () => {},
  list: async () => [],
  mayTry: async () => 'free' as const,
  giveBack: async () => {},
};
