/** What somebody may do in the web console: each sees and does what the ones before it do, and more. */
export const ROLES = ['viewer', 'desk', 'ops'] as const;
export type Role = (typeof ROLES)[number];

/** Somebody who was given a link. */
export interface Visitor {
  readonly role: Role;
  /** The name in the audit log, as given when the link was made. */
  readonly who: string;
}

/** One thing that somebody did in the console. */
export interface Act extends Visitor {
  readonly id: string;
  readonly atMs: number;
  /** `link-made`, `signed-in`, `signed-out`, `letters-retried`, `letters-discarded`, `approved`, `resync`, `replayed`, `replay-stopped`, `compared`; the list may grow. */
  readonly what: string;
  /** In their own words; empty where nobody asks. */
  readonly why: string;
  /** What it was about: the filter of a list, the key of an object. */
  readonly about: Readonly<Record<string, string>>;
  /** How many were chosen, and how many of them it was done to. An act that was begun and cut off has no `done`. */
  readonly chosen?: number;
  readonly done?: number;
}
