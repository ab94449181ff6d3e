/** One change, waiting until the mirror shows its state or a later one. */
interface Open<T> {
  readonly atMs: number;
  readonly wanted: T;
  isLost: boolean;
}

export interface LagSamples {
  /** Milliseconds from the change to the write that showed it, for every change that needed a write. */
  readonly all: readonly number[];
  /** Only the changes whose webhook was not lost. */
  readonly delivered: readonly number[];
  /** Changes that no write has shown yet. */
  readonly open: number;
}

/**
 * Measures from outside: a change starts the watch, and the first write after which the mirror shows that state or a later one stops
 * it. A change that the mirror already shows (the mapping omits the changed field) needs no write and is no sample.
 */
export class Stopwatch<T> {
  readonly #open = new Map<string, Open<T>[]>();
  readonly #all: number[] = [];
  readonly #delivered: number[] = [];

  changed(
    id: string,
    change: { readonly atMs: number; readonly wanted: T; readonly isShown: boolean },
  ): void {
    if (change.isShown) this.#open.delete(id);
    else this.#open.set(id, [...(this.#open.get(id) ?? []), { ...change, isLost: false }]);
  }

  /** The platform has lost the webhook of the change made at that moment. */
  lost(id: string, atMs: number): void {
    for (const change of this.#open.get(id) ?? []) if (change.atMs === atMs) change.isLost = true;
  }

  written(id: string, write: { readonly atMs: number; readonly shows: (wanted: T) => boolean }): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    const newest = open.findLastIndex((change) => write.shows(change.wanted));
    for (const change of open.slice(0, newest + 1)) {
      this.#all.push(write.atMs - change.atMs);
      if (!change.isLost) this.#delivered.push(write.atMs - change.atMs);
    }
    if (newest + 1 === open.length) this.#open.delete(id);
    else this.#open.set(id, open.slice(newest + 1));
  }

  /** Ids with changes that no write has shown yet. */
  waiting(): string[] {
    return [...this.#open.keys()];
  }

  samples(): LagSamples {
    const open = [...this.#open.values()].reduce((sum, changes) => sum + changes.length, 0);
    return { all: this.#all, delivered: this.#delivered, open };
  }
}
