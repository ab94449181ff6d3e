import { isProblemOver, type ProblemBoard } from '../../src/engine/problem-board.ts';
import type { Problem } from '../../src/engine/work.ts';

/** A board in memory. `isTurn` is what `mayTry` says of targets that have a problem. */
export class MemoryProblemBoard implements ProblemBoard {
  isTurn = true;
  reads = 0;
  now = () => 0;
  readonly #problems = new Map<string, Problem>();

  async raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void> {
    const known = this.#problems.get(problem.target);
    const sinceMs = known?.code === problem.code ? known.sinceMs : this.now();
    this.#problems.set(problem.target, { ...problem, sinceMs, lastAtMs: this.now() });
  }

  async clear(target: string): Promise<void> {
    this.#problems.delete(target);
  }

  async list(): Promise<readonly Problem[]> {
    this.reads += 1;
    return this.#standing();
  }

  async mayTry(target: string): Promise<'free' | 'turn' | false> {
    if (!this.#problems.has(target)) return 'free';
    return this.isTurn && 'turn';
  }

  async giveBack(): Promise<void> {}

  /** Target to code. */
  codes(): Record<string, string> {
    return Object.fromEntries(this.#standing().map(({ target, code }) => [target, code]));
  }

  #standing(): readonly Problem[] {
    return [...this.#problems.values()].filter((problem) => !isProblemOver(problem, this.now()));
  }
}
