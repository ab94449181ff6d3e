import type { ProblemBoard, RaisedProblem } from '../engine/ports/operator.ts';
import type { Clock } from '../engine/ports/runtime.ts';

/** How old this process's knowledge of the shared board may be. */
const BOARD_AGE_MS_MAX = 10_000;

export type Direction = 'read' | 'write';

/** What a call to Google needs of the problem board. Where only writes are refused, reads go freely and clear nothing. */
export interface TargetProblems extends Pick<ProblemBoard, 'raise' | 'giveBack'> {
  mayTry(target: string, direction: Direction): ReturnType<ProblemBoard['mayTry']>;
  clear(target: string, direction: Direction): Promise<void>;
}

/**
 * A problem board that is cheap enough for every call: it calls the real board only for targets with a known problem. It also knows
 * problems of other processes, because the process that raised one may be dead, and any caller that succeeds must clear it. It reads the
 * board at most every 10 s; until then, a problem that another process raised costs one refused call.
 */
export class KnownProblems implements TargetProblems {
  readonly #board: ProblemBoard;
  readonly #clock: Clock;
  #known = new Map<string, Pick<RaisedProblem, 'refuses'>>();
  /** Raised since the last read began, which may not show them. */
  #raised = new Map<string, Pick<RaisedProblem, 'refuses'>>();
  #readAtMs = Number.NEGATIVE_INFINITY;

  /** `clock`: monotonic. */
  constructor(board: ProblemBoard, clock: Clock) {
    this.#board = board;
    this.#clock = clock;
  }

  async raise(problem: RaisedProblem): Promise<void> {
    this.#known.set(problem.target, problem);
    this.#raised.set(problem.target, problem);
    await this.#board.raise(problem);
  }

  async clear(target: string, direction: Direction): Promise<void> {
    if (!(await this.#stands(target, direction))) return;
    await this.#board.clear(target);
    this.#known.delete(target);
    this.#raised.delete(target);
  }

  /**
   * For calls whose outcome says nothing about the target or its account: they raise and clear nothing. They wait while a problem exists,
   * and leave its retries to other calls.
   */
  asBystander(): TargetProblems {
    return {
      raise: async () => {},
      clear: async () => {},
      giveBack: async () => {},
      mayTry: async (target, direction) => ((await this.#stands(target, direction)) ? false : 'free'),
    };
  }

  async mayTry(target: string, direction: Direction): Promise<'free' | 'turn' | false> {
    return (await this.#stands(target, direction)) ? this.#board.mayTry(target) : 'free';
  }

  async giveBack(target: string): Promise<void> {
    await this.#board.giveBack(target);
  }

  /** True when the target has a known problem that concerns this direction. */
  async #stands(target: string, direction: Direction): Promise<boolean> {
    if (this.#clock.now() - this.#readAtMs >= BOARD_AGE_MS_MAX) await this.#read();
    const known = this.#known.get(target);
    return known !== undefined && (known.refuses === undefined || direction === 'write');
  }

  async #read(): Promise<void> {
    // Set before the answer, so that concurrent callers do not read again.
    this.#readAtMs = this.#clock.now();
    this.#raised = new Map();
    try {
      const problems = await this.#board.list();
      this.#known = new Map([
        ...problems.map((problem) => [problem.target, problem] as const),
        ...this.#raised,
      ]);
    } catch (error) {
      this.#readAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }
}
