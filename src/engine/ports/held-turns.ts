// Which exclusive turns (leases) the running work belongs to. Known without passing them along, so that no write can forget to ask.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface HeldTurn {
  /** Read it at the last moment: reading notices that the turn's time is up, even right after a freeze. */
  readonly signal: AbortSignal;
}

const turns = new AsyncLocalStorage<readonly HeldTurn[]>();

/** Runs the work as part of this turn, besides those that the caller belongs to. */
export function inTurn<T>(turn: HeldTurn, work: () => Promise<T>): Promise<T> {
  return turns.run([...(turns.getStore() ?? []), turn], work);
}

/** False once a turn of the running work was lost, or has to end. */
export function areTurnsHeld(): boolean {
  return (turns.getStore() ?? []).every(({ signal }) => !signal.aborted);
}
