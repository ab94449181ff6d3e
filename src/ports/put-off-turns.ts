/** Objects that are dirty and were put off to a moment of the clock. */
export interface PutOffTurns {
  /** Makes those due at `nowMs` that were put off to a moment after `beyondMs`. Returns how many. */
  recall(nowMs: number, beyondMs: number): Promise<number>;
}
