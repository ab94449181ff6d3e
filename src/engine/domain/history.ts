/** One line of an object's history: what was received, done or refused, and when. Ids and codes only, nothing personal. */
export type HistoryEntry = SeenEntry | MirroredEntry | FailedEntry | ActedEntry;

/** A hint arrived. Repeats of known content leave no entry. */
export interface SeenEntry {
  readonly what: 'seen';
  readonly atMs: number;
  /** `webhook`, `feed`, `list`, `operator`, … */
  readonly via: string;
  readonly eventId?: string;
  readonly eventType?: string;
  /** When the change happened, according to the event. */
  readonly occurredAtMs: number;
  /** `fresh`, `verify`, `deleted`, `stale`. */
  readonly outcome: string;
}

/** A handler brought the mirrors to a revision. */
export interface MirroredEntry {
  readonly what: 'mirrored';
  readonly atMs: number;
  readonly rev: number;
  /** Mirror to the action there; mirrors with nothing to do are omitted. */
  readonly actions: Readonly<Record<string, string>>;
}

/** A handler failed. Repeats of the same failure share one entry. */
export interface FailedEntry {
  readonly what: 'failed';
  /** Time of the last failure. */
  readonly atMs: number;
  /** Time of the first failure, if there were several. */
  readonly firstAtMs?: number;
  readonly times?: number;
  readonly attempt: number;
  readonly reasons: readonly { readonly mirror: string; readonly code: string }[];
  /** `retry`, `defer`, or `done` for a dead letter. */
  readonly next: string;
}

/** The worker decided about a change made outside, or an operator intervened. */
export interface ActedEntry {
  readonly what: 'acted';
  readonly atMs: number;
  /** `staff-edit`, `booking`, `operator`. */
  readonly by: string;
  /** A code: `moved`, `put-back`, `booked`, `refused`, `retried`, … */
  readonly code: string;
  /** The YAML rule that decided: `mirrors.staff-calendars.staff_edits.moved`. */
  readonly rule?: string;
  /** Ids of a calendar, an event, an appointment or an intent. */
  readonly ids?: Readonly<Record<string, string>>;
}
