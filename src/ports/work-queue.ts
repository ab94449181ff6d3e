/** The engine behind the dirty set: carries keys, promises nothing by itself. */
export interface WorkQueue {
  /** Never rejects and never waits: what is not added here is added by the sweep. */
  add(keys: readonly string[]): void;
}

/** A queue that also brings a key later. */
export interface LaterQueue extends WorkQueue {
  /** The key is not held meanwhile: whoever adds it gets it a turn at once. */
  addLater(key: string, afterMs: number): void;
}
