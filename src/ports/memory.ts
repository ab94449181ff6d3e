/** Small facts about this installation that outlive a restart. */
export interface Memory {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  forget(name: string): Promise<void>;
  /** Names that begin with `prefix`, without it. */
  all(prefix: string): Promise<ReadonlyMap<string, string>>;
}
