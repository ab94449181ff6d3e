/** Every alert name. The names are metric labels and appear in people's filters, so they must not change. */
export const ALERT_NAMES = [
  'lag',
  'stuck',
  'coverage',
  'hole',
  'hole-open',
  'dead-letters',
  'many-dead-letters',
  'platform-refused',
  'endpoint',
  'google-refused',
  'problem',
  'state-unreadable',
] as const;
export type AlertName = (typeof ALERT_NAMES)[number];

/** Something that is wrong right now. Its texts may be logged and sent: they contain no secret, phone, e-mail or name. */
export interface AlertCondition {
  readonly alert: AlertName;
  /** What the alert is about: the same in every check, and unique within the alert. */
  readonly subject: string;
  readonly text: string;
  /** What to do next. */
  readonly advice: string;
  /** Both in the language of the messages. Absent if that is English, as in the log. */
  readonly said?: { readonly text: string; readonly advice: string };
  /** How long the condition must last before people are notified, if longer than usual. */
  readonly toldAfterMs?: number;
  /** When it was last found, epoch milliseconds, if it is looked for again and again. Absent: it is so right now. */
  readonly foundAtMs?: number;
}

export interface StandingAlert extends AlertCondition {
  /** Start of the unbroken run of checks that saw it, epoch milliseconds. */
  readonly sinceMs: number;
  /** People have been notified, or are about to be. */
  readonly isRaised: boolean;
  /** When a check first no longer saw it; undefined while it is seen. */
  readonly goneSinceMs?: number;
}

/** A message to people: an alert was raised or cleared. */
export interface AlertNotice extends AlertCondition {
  readonly what: 'raised' | 'cleared';
  readonly atMs: number;
  /** How long the alert had lasted by then. */
  readonly stoodMs: number;
  readonly isLogged: boolean;
}

/** Everything the alerts remember, shared by all processes. */
export interface AlertBook {
  readonly standing: readonly StandingAlert[];
  /** Oldest first. */
  readonly unsent: readonly AlertNotice[];
  /** Notices dropped because too many waited. */
  readonly dropped: number;
  /** Failed posts to the webhook in a row, and the earliest time of the next try. */
  readonly failures: number;
  readonly nextPostMs: number;
  /** The last check. Absent in a book of an earlier version. */
  readonly lookedAtMs?: number;
  /** The pending work when it last changed. */
  readonly pace?: WorkPace;
}

/** How much work is pending, and since when that has not changed. */
export interface WorkPace {
  readonly objects: number;
  readonly rows: number;
  readonly oldestMs: number;
  readonly sinceMs: number;
}

export const EMPTY_BOOK: AlertBook = { standing: [], unsent: [], dropped: 0, failures: 0, nextPostMs: 0 };
