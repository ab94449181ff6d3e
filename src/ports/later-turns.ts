/** Objects that have to have a turn at a moment although nothing happens to them. `WorkStore.settle` sets the moments. */
export interface LaterTurns {
  /** Gives a turn to those whose moment has come, the earliest first, at most `limit`; each once. Returns their keys (`formatKey`). */
  wake(nowMs: number, limit: number): Promise<readonly string[]>;
}
