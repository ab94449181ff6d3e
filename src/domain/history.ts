/** One line of an object's history: what was received, done or refused, and when. Ids and codes only, nothing personal. */
export type HistoryEntry = SeenEntry | MirroredEntry | FailedEntry | ActedEntry;

/** A hint came in. Repetitions of what is known leave no entry. */
export interface SeenEntry {
  readonly what: 'seen';
  readonly atMs: number;
  /** `webhook`, `feed`, `list`, `operator`, … */
  readonly via: string;
  readonly eventId?: string;
  readonly eventType?: string;
  /** When the change happened, by the event. */
  readonly occurredAtMs: number;
  /** `fresh`, `verify`, `deleted`, `stale`. */
  readonly outcome: string;
}

/** A handler brought the mirrors to a revision. */
export interface MirroredEntry {
  readonly what: 'mirrored';
  readonly atMs: number;
  readonly rev: number;
  /** Mirror to what was done there; mirrors with nothing to do are left out. */
  readonly actions: Readonly<Record<string, string>>;
}

/** A handler could not. The same failure again and again is one entry. */
export interface FailedEntry {
  readonly what: 'failed';
  /** The last time. */
  readonly atMs: number;
  /** The first time, when there were several. */
  readonly firstAtMs?: number;
  readonly times?: number;
  readonly attempt: number;
  readonly reasons: readonly { readonly mirror: string; readonly code: string }[];
  /** `retry`, `defer`, or `done` for a dead letter. */
  readonly next: string;
}

/** Something was decided about what people did outside, or an operator stepped in. */
export interface ActedEntry {
  readonly what: 'acted';
  readonly atMs: number;
  /** `staff-edit`, `booking`, `operator`. */
  readonly by: string;
  /** A code: `moved`, `put-back`, `booked`, `refused`, `retried`, … */
  readonly code: string;
  /** The rule of the YAML that decided: `mirrors.staff-calendars.staff_edits.moved`. */
  readonly rule?: string;
  /** Ids: of a calendar, an event, an appointment, an intent. */
  readonly ids?: Readonly<Record<string, string>>;
}
