/** What a user may do in the web console. Each role sees and does everything that the earlier ones do, and more. */
export const ROLES = ['viewer', 'desk', 'ops'] as const;
export type Role = (typeof ROLES)[number];

/** A user who was given a link. */
export interface Visitor {
  readonly role: Role;
  /** The name in the audit log, as given when the link was made. */
  readonly who: string;
}

/** One action of a user, in the console or by a command. */
export interface Act extends Visitor {
  readonly id: string;
  readonly atMs: number;
  /**
   * `link-made`, `access-revoked`, `signed-in`, `signed-out`, `letters-retried`, `letters-discarded`,
   * `approved`, `declined`, `resync`, `replayed`, `replay-stopped`, `compared`, `healed`, `applied`, `searched`, `forgotten`. Also
   * `consent-asked`, `consent-revoked`, `secret-rolled`, `endpoint-made`, `endpoint-changed`, `endpoint-enabled`, `blocks-cleared`,
   * `cursor-reset`, `feed-linked`, `feed-revoked`, `reloaded`, `entries-dropped`. The list may grow.
   */
  readonly what: string;
  /** The user's own words; empty if the console does not ask. */
  readonly why: string;
  /** What it concerned: the filter of a list, the key of an object. `objects`: ids, which the log line has too. */
  readonly about: Readonly<Record<string, string>>;
  /** How many were chosen, and for how many it was done. An act that was cut off has no `done`. */
  readonly chosen?: number;
  readonly done?: number;
}

/** What users did in the console; bounded, and forgotten after `ACTS_KEPT_MS`. */
export interface ActLog {
  /** Noting an act again, by its id, replaces it: it is noted before it is done, and again with its result. */
  note(act: Act): Promise<void>;
  /** Newest first. */
  newest(limit: number): Promise<readonly Act[]>;
}
