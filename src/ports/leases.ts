/** A turn that is held. Pass it to every write that nobody else must make: the step that writes asks whether it still stands. */
export interface Lease extends LeaseProof {
  /** Aborts when the lease is lost, or the work is to stop. */
  readonly signal: AbortSignal;
}

export interface LeaseProof {
  readonly name: string;
  /** Who holds it, and on which Redis: worth nothing once somebody else holds it, or that Redis was wiped or started again. */
  readonly proof: string;
}

export interface HoldOptions {
  /** How long a holder that was killed blocks the next one; longer where one that was only frozen would do harm. Default 6 s. */
  readonly ttlMs?: number;
  /** Aborts when the work is to stop. The lease is held until it has. */
  readonly until?: AbortSignal;
}

/** Exclusive turns across processes. */
export interface Leases {
  /**
   * Runs `work` while holding the lease `name`; undefined when somebody else holds it. The lease is renewed while `work` runs;
   * its signal aborts when it is lost, or before when it is not to go on.
   */
  hold<T>(
    name: string,
    work: (lease: Lease) => Promise<T>,
    options?: HoldOptions,
  ): Promise<{ result: T } | undefined>;
}
