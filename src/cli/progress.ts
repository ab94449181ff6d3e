import { counted, grouped } from '../engine/counts.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import { spokenDuration } from '../operate/spoken-time.ts';
import type { Console } from './console.ts';

/** Shortest pause between two lines of progress elsewhere than on a terminal. */
const LINE_EVERY_MS = 5_000;
/** Shortest time from which a rate is taken: the first requests also open connections. */
const RATE_AFTER_MS = 5_000;

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
  #last: { readonly reading: string; readonly objects: number; readonly atMs: number } | undefined;
  /** Sum of the steps within one reading: the time between two readings belongs to no object. */
  #pace = { ms: 0, objects: 0 };

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

  /**
   * Such as `contact: 1,200 of 5,000 known objects compared, at most 4 min left`. `perMinute`: objects that the platform's limit lets through.
   * A window's worth of them comes at once, so the pace so far is no measure.
   */
  showCount(
    { reading, objects }: { readonly reading: string; readonly objects: number },
    {
      known,
      done,
      perMinute,
    }: { readonly known: number; readonly done: string; readonly perMinute?: number | undefined },
  ): void {
    const nowMs = this.#steady.now();
    const last = this.#last;
    if (last?.reading === reading) {
      const { ms, objects: before } = this.#pace;
      this.#pace = { ms: ms + nowMs - last.atMs, objects: before + objects - last.objects };
    }
    this.#last = { reading, objects, atMs: nowMs };
    const { ms: tookMs, objects: took } = this.#pace;
    const hasRate = tookMs >= RATE_AFTER_MS && took > 0 && objects < known;
    const byPaceS = ((known - objects) * tookMs) / took / 1_000;
    const windows = perMinute === undefined ? 0 : Math.floor((known - objects) / perMinute);
    const leftS = Math.max(byPaceS, windows * 60);
    const count =
      objects < known
        ? `${grouped(objects)} of ${counted(known, 'known object')}`
        : counted(objects, 'object');
    this.show(`${reading}: ${count} ${done}${hasRate ? `, at most ${spokenDuration(leftS)} left` : ''}`);
  }

  /** Removes the line from the terminal. */
  end(): void {
    if (this.#isTerminal && this.#shown !== '') this.#parts.io.stderr.write('\r\u001b[K');
    this.#shown = '';
  }
}
