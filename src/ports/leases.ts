/** Exclusive turns across processes. */
export interface Leases {
  /**
   * Runs `work` while holding the lease `name`; undefined when somebody else holds it. The lease is renewed while `work` runs;
   * its signal aborts when it is lost. `token` grows with every holder: pass it to every write that a stale holder must not make.
   */
  hold<T>(
    name: string,
    work: (lease: { token: number; signal: AbortSignal }) => Promise<T>,
  ): Promise<{ result: T } | undefined>;
}
