/** A turn that is held. Pass it to every write that nobody else must make: the step that writes asks whether it still stands. */
export interface Lease extends LeaseProof {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
}

export interface LeaseProof {
  readonly name: string;
  /** Who holds it, and on which Redis: worth nothing once somebody else holds it, or that Redis was wiped or started again. */
  readonly proof: string;
}

/** Exclusive turns across processes. */
export interface Leases {
  /**
   * Runs `work` while holding the lease `name`; undefined when somebody else holds it. The lease is renewed while `work` runs;
   * its signal aborts when it is lost.
   */
  hold<T>(
    name: string,
    work: (lease: Lease) => Promise<T>,
    /** How long a holder that was killed blocks the next one; longer where one that was only frozen would do harm. Default 6 s. */
    ttlMs?: number,
  ): Promise<{ result: T } | undefined>;
}
