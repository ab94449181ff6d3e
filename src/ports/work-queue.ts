/** The engine behind the dirty set: carries keys, promises nothing by itself. */
export interface WorkQueue {
  /** Never rejects and never waits: what is not added here is added by the sweep. */
  add(keys: readonly string[]): void;
}
