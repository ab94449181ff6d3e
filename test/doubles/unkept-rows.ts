import type { UnkeptRows } from '../../src/engine/sheet-rows.ts';
import type { DeadLetter } from '../../src/engine/work.ts';

/** Counts in memory, and keeps what was told. */
export class MemoryUnkeptRows implements Pick<UnkeptRows, keyof UnkeptRows> {
  readonly letters: DeadLetter[] = [];
  readonly #missed = new Map<string, { hash: string; tries: number }>();
  readonly #told = new Set<string>();
  readonly #found = new Map<string, { hash: string; tries: number }>();
  /** Confirmations of the row when it was last counted. */
  readonly #counted = new Map<string, number>();
  readonly #confirmations: ReadonlyMap<string, number>;

  /** `confirmations`: of a `MemoryOutbox`. */
  constructor(confirmations: ReadonlyMap<string, number>) {
    this.#confirmations = confirmations;
  }

  async missed({ mirror, key, hash }: { mirror: string; key: string; hash: string }): Promise<number> {
    return count(this.#missed, `${mirror} ${key}`, hash);
  }

  async found(
    mirror: string,
    { edited, right }: { readonly edited: ReadonlyMap<string, string>; readonly right: readonly string[] },
  ): Promise<ReadonlyMap<string, number>> {
    for (const key of right) this.#found.delete(`${mirror} ${key}`);
    return new Map(
      [...edited].map(([key, hash]) => {
        const name = `${mirror} ${key}`;
        const isTold = this.#found.get(name)?.hash === hash && this.#told.has(name);
        if (isTold || this.#missed.has(name)) return [key, Number.POSITIVE_INFINITY];
        this.#told.delete(name);
        const known = this.#found.get(name);
        const confirmed = this.#confirmations.get(name) ?? 0;
        if (known?.hash === hash && this.#counted.get(name) === confirmed) return [key, known.tries];
        this.#counted.set(name, confirmed);
        return [key, count(this.#found, name, hash)];
      }),
    );
  }

  async tell(mirror: string, letter: DeadLetter): Promise<void> {
    this.letters.push(letter);
    this.#told.add(`${mirror} ${letter.key}`);
  }
}

function count(counts: Map<string, { hash: string; tries: number }>, name: string, hash: string): number {
  const known = counts.get(name);
  const tries = known?.hash === hash ? known.tries + 1 : 1;
  counts.set(name, { hash, tries });
  return tries;
}
