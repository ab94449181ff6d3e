/** A destination for text: a terminal, a file, a test's list. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

const BAR_CELLS = 30;
const PLAIN_STEPS = 4;

/**
 * Prints one line per phase and a bar for countable work. A terminal redraws the bar; other sinks get a plain line every
 * quarter.
 */
export class Progress {
  readonly #sink: Sink;
  readonly #startedAtMs = performance.now();
  #isBarDrawn = false;
  #stepsTold = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  phase(words: string): void {
    this.#clear();
    this.#stepsTold = 0;
    const seconds = ((performance.now() - this.#startedAtMs) / 1_000).toFixed(1).padStart(5);
    this.#sink.write(`${seconds} s  ${words}\n`);
  }

  bar(done: number, total: number, words: string): void {
    const share = total <= 0 ? 1 : Math.min(1, done / total);
    if (this.#sink.isTTY === true) {
      const full = Math.round(share * BAR_CELLS);
      this.#sink.write(`\r\x1b[K         [${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${words}`);
      this.#isBarDrawn = true;
      return;
    }
    const steps = Math.floor(share * PLAIN_STEPS);
    if (steps <= this.#stepsTold) return;
    this.#stepsTold = steps;
    this.#sink.write(`         ${words}\n`);
  }

  /** Removes the bar. */
  done(): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#isBarDrawn) this.#sink.write('\r\x1b[K');
    this.#isBarDrawn = false;
  }
}
