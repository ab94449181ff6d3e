import { counted, grouped } from '../engine/counts.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import type { TimedProgress } from '../operate/audit.ts';
import { spokenEstimate } from '../operate/spoken-time.ts';
import type { Console } from './console.ts';

/** Shortest pause between two lines of progress elsewhere than on a terminal. */
const LINE_EVERY_MS = 5_000;

interface ProgressParts {
  readonly io: Pick<Console, 'stderr'>;
  /** A program reads the output: it gets no progress. */
  readonly isQuiet?: boolean;
  readonly steady?: Clock;
}

/**
 * Progress of long work, on standard error, because standard output holds the result. On a terminal one line is written again and again,
 * elsewhere each is a line of its own.
 */
export class Progress {
  readonly #parts: ProgressParts;
  readonly #steady: Clock;
  readonly #isTerminal: boolean;
  #shown = '';
  #lineAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
    this.#steady = parts.steady ?? steadyClock;
    this.#isTerminal = parts.io.stderr.isTTY === true;
  }

  show(line: string): void {
    if (this.#parts.isQuiet === true || line === this.#shown) return;
    const nowMs = this.#steady.now();
    if (this.#isTerminal) this.#parts.io.stderr.write(`\r\u001b[K${line}`);
    else if (nowMs - this.#lineAtMs < LINE_EVERY_MS) return;
    else this.#parts.io.stderr.write(`${line}\n`);
    [this.#shown, this.#lineAtMs] = [line, nowMs];
  }

  /** Such as `contact: 1,200 of 5,000 known objects compared, about 4 min left`. */
  showCount(
    { reading, objects, leftS }: TimedProgress,
    { known, done }: { readonly known: number; readonly done: string },
  ): void {
    const count =
      objects < known
        ? `${grouped(objects)} of ${counted(known, 'known object')}`
        : counted(objects, 'object');
    const left = leftS === undefined ? '' : `, about ${spokenEstimate(leftS)} left`;
    this.show(`${reading}: ${count} ${done}${left}`);
  }

  /** Removes the line from the terminal. */
  end(): void {
    if (this.#isTerminal && this.#shown !== '') this.#parts.io.stderr.write('\r\u001b[K');
    this.#shown = '';
  }
}
