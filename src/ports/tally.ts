/** Counts what happened lately, over all processes. */
export interface Tally {
  /** Notes `mark` under `name` once, however often it is told, and returns how many marks of the last `windowMs` there are. */
  count(name: string, mark: string, windowMs: number): Promise<number>;
  /** It did not happen after all. */
  forget(name: string, mark: string): Promise<void>;
}
