/** Exclusive turns across processes. */
export interface Leases {
  /**
   * Runs `work` while holding the lease `name`; undefined when somebody else holds it. The lease is renewed while `work` runs;
   * its signal aborts when it is lost. `token` grows with every holder: pass it to every write that a stale holder must not make.
   */
  hold<T>(
    name: string,
    work: (lease: { token: number; signal: AbortSignal }) => Promise<T>,
    /** How long a holder that was killed blocks the next one; longer where one that was only frozen would do harm. Default 6 s. */
    ttlMs?: number,
  ): Promise<{ result: T } | undefined>;
}
