import type { Problem } from '../domain/work.ts';

/** Nobody is told of a problem without what to do about it. */
export type RaisedProblem = Omit<Problem, 'sinceMs' | 'lastAtMs'> & { readonly advice: string };

/** What refuses everybody right now, shared by all processes and shown by `status`. */
export interface ProblemBoard {
  raise(problem: RaisedProblem): Promise<void>;
  clear(target: string): Promise<void>;
  list(): Promise<readonly Problem[]>;
  /**
   * True when the target may be called: it has no problem, or it is this caller's turn to see whether the problem has gone
   * (one caller per target every 15 s). False otherwise: defer instead of calling.
   */
  mayTry(target: string): Promise<boolean>;
}
