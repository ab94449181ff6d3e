/** An exclusive turn that is held. Pass it to every write that only the holder may make: the writing step checks whether it still holds. */
export interface Lease extends LeaseProof {
  /**
   * Aborts when the lease is lost, or when the work must stop. Read it from the lease right before a write: a frozen process learns of the
   * loss only then.
   */
  readonly signal: AbortSignal;
}

export interface LeaseProof {
  readonly name: string;
  /** Who holds it, and on which Redis. It is worthless once someone else holds it, or that Redis was wiped or restarted. */
  readonly proof: string;
}

export interface HoldOptions {
  /** How long a holder that was killed blocks the next one; longer if a holder that was only frozen would do harm. Default 6 s. */
  readonly ttlMs?: number;
  /** Aborts when the work must stop. The lease is held until the work has ended. */
  readonly until?: AbortSignal;
}

/** Exclusive turns across processes. */
export interface Leases {
  /**
   * Runs `work` while holding the lease `name`; undefined if someone else holds it. Renews the lease while `work` runs. Its signal aborts
   * when the lease is lost, or earlier if the work must stop.
   */
  hold<T>(
    name: string,
    work: (lease: Lease) => Promise<T>,
    options?: HoldOptions,
  ): Promise<{ result: T } | undefined>;
}
