/** Every alert there is. The names are labels of a metric and stand in people's filters: they do not change. */
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

/** Something that is wrong at this moment. Texts may be logged and sent: no secret, phone, e-mail or name in them. */
export interface AlertCondition {
  readonly alert: AlertName;
  /** What it is about: the same thing has the same subject in every look. Unique within the alert. */
  readonly subject: string;
  readonly text: string;
  /** What to do next. */
  readonly advice: string;
  /** How long it may stand before people are told, where that is longer than usual. */
  readonly toldAfterMs?: number;
}

/** A condition over time. */
export interface StandingAlert extends AlertCondition {
  /** Since when it has been seen at every look, epoch milliseconds. */
  readonly sinceMs: number;
  /** People were told, or are about to be. */
  readonly isRaised: boolean;
  /** Since when it has not been seen any more; undefined while it is. */
  readonly goneSinceMs?: number;
}

/** A message to people: an alert has begun, or is over. */
export interface AlertNotice extends AlertCondition {
  readonly what: 'raised' | 'cleared';
  readonly atMs: number;
  /** How long it had stood by then. */
  readonly stoodMs: number;
  readonly isLogged: boolean;
}

/** All that the alerts remember. Shared by all processes. */
export interface AlertBook {
  readonly standing: readonly StandingAlert[];
  /** Oldest first. */
  readonly unsent: readonly AlertNotice[];
  /** Notices that were given up because too many waited. */
  readonly dropped: number;
  /** Posts to the webhook that have failed in a row, and before when it is not tried again. */
  readonly failures: number;
  readonly nextPostMs: number;
  /** The pending work as it was when it last moved. */
  readonly pace?: WorkPace;
}

/** How the pending work stood, and since when it has stood like that. */
export interface WorkPace {
  readonly objects: number;
  readonly rows: number;
  readonly oldestMs: number;
  readonly sinceMs: number;
}

export const EMPTY_BOOK: AlertBook = { standing: [], unsent: [], dropped: 0, failures: 0, nextPostMs: 0 };
