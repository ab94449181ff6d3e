/** Objects that a replay hands over in one batch; more when most are worked off, so that live work is not delayed. */
export const REPLAY_AT_ONCE = 200;
/** How long a replay waits without progress. Then the objects that wait are not its own to wait for, or the worker does not run. */
const PATIENCE_MS = 30_000;

/** When the next batch of a replay may follow. One for each batch. */
export class ReplayPace {
  #least = Number.POSITIVE_INFINITY;
  #sinceMs = 0;

  /** `pending`: objects that have not been mirrored yet, of whatever origin. */
  mayGoOn(pending: number, nowMs: number): boolean {
    if (pending < this.#least) [this.#least, this.#sinceMs] = [pending, nowMs];
    return pending < REPLAY_AT_ONCE / 2 || nowMs - this.#sinceMs > PATIENCE_MS;
  }
}
