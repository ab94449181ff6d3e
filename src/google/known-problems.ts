import type { Problem } from '../domain/work.ts';
import type { ProblemBoard, RaisedProblem } from '../ports/operator.ts';
import type { Clock } from '../ports/runtime.ts';

/** How old this process's knowledge of the shared board may be. */
const BOARD_AGE_MS_MAX = 10_000;

/**
 * A problem board that is cheap enough for every call: it calls the real board only for targets with a known problem. It also knows
 * problems of other processes, because the process that raised one may be dead, and any caller that succeeds must clear it. It reads the
 * board at most every 10 s; until then, a problem that another process raised costs one refused call.
 */
export class KnownProblems implements ProblemBoard {
  readonly #board: ProblemBoard;
  readonly #clock: Clock;
  #targets = new Set<string>();
  #readAtMs = Number.NEGATIVE_INFINITY;

  /** `clock`: monotonic. */
  constructor(board: ProblemBoard, clock: Clock) {
    this.#board = board;
    this.#clock = clock;
  }

  /** True when the target has a known problem. */
  async has(target: string): Promise<boolean> {
    if (this.#clock.now() - this.#readAtMs >= BOARD_AGE_MS_MAX) await this.list();
    return this.#targets.has(target);
  }

  async raise(problem: RaisedProblem): Promise<void> {
    this.#targets.add(problem.target);
    await this.#board.raise(problem);
  }

  async clear(target: string): Promise<void> {
    if (!(await this.has(target))) return;
    await this.#board.clear(target);
    this.#targets.delete(target);
  }

  async list(): Promise<readonly Problem[]> {
    // Set before the answer, so that concurrent callers do not read again.
    this.#readAtMs = this.#clock.now();
    const problems = await this.#board.list();
    this.#targets = new Set(problems.map((problem) => problem.target));
    return problems;
  }

  async mayTry(target: string): Promise<'free' | 'turn' | false> {
    return (await this.has(target)) ? this.#board.mayTry(target) : 'free';
  }

  async giveBack(target: string): Promise<void> {
    await this.#board.giveBack(target);
  }
}
