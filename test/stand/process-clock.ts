import { renameSync, writeFileSync } from 'node:fs';

const PRELOAD = new URL('set-clock.mjs', import.meta.url).href;

/** The wall clock of a machine on which processes run: those that are started with `args` and `env`. It stays as set when they end. */
export class ProcessClock {
  readonly #file: string;
  #settings = 0;

  /** `file`: where it is kept. */
  constructor(file: string) {
    this.#file = file;
    this.put(0);
  }

  get args(): readonly string[] {
    return ['--import', PRELOAD];
  }

  get env(): Readonly<Record<string, string>> {
    return { SLOTBRIDGE_TEST_CLOCK: this.#file };
  }

  /**
   * So far ahead of the real clock; behind if negative. A process follows within a moment. Returns what sets it right again, unless it was
   * set anew meanwhile.
   */
  put(aheadMs: number): () => void {
    // Renamed: nobody reads half of it.
    writeFileSync(`${this.#file}.new`, String(Math.round(aheadMs)));
    renameSync(`${this.#file}.new`, this.#file);
    this.#settings += 1;
    const setting = this.#settings;
    return () => {
      if (this.#settings === setting) this.put(0);
    };
  }

  /** The clock shows this moment, epoch milliseconds. */
  set(toMs: number): () => void {
    return this.put(toMs - Date.now());
  }
}
