import type { Problem } from '../domain/work.ts';

/** What refuses everybody right now, shared by all processes and shown by `status`. */
export interface ProblemBoard {
  raise(problem: Omit<Problem, 'sinceMs' | 'lastAtMs'>): Promise<void>;
  clear(target: string): Promise<void>;
  list(): Promise<readonly Problem[]>;
  /**
   * True when the target may be called: it has no problem, or it is this caller's turn to see whether the problem has gone
   * (one caller per target every 15 s). False otherwise: defer instead of calling.
   */
  mayTry(target: string): Promise<boolean>;
}
