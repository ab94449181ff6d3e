/** What an alert says, and what to do next. */
export interface AlertTold {
  readonly text: string;
  readonly advice: string;
}

interface Stretch {
  /** The cause of a hole, a code. */
  readonly cause: string;
  /** ISO 8601. `from`: null for the beginning of time. `to`: null while the hole grows. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A source that is not read, with a name that identifies no person. `entry`: of `bookings` or `blocks`. */
export type UnreadSource =
  | { readonly is: 'feed' }
  | { readonly is: 'calendar'; readonly calendar: string; readonly place: string | undefined }
  | { readonly is: 'booking-sheet'; readonly entry: string }
  | { readonly is: 'blocks'; readonly entry: string };

/** A problem whose texts may be shown: they name no person. */
export interface AlertedProblem {
  readonly target: string;
  readonly place: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly advice: string | undefined;
  /** As in `Problem`. */
  readonly names: readonly string[];
}

/** The alerts in one language. Durations are in seconds. */
export interface AlertWords {
  readonly lag: (objects: number, oldestS: number) => AlertTold;
  readonly stuck: (about: { readonly objects: number; readonly rows: number; forS: number }) => AlertTold;
  /** `ageS`: undefined when the last proof lies in the future. */
  readonly coverage: (source: UnreadSource, ageS: number | undefined) => AlertTold;
  readonly hole: (stretch: Stretch) => AlertTold;
  readonly holeOpen: (stretch: Stretch, openS: number) => AlertTold;
  readonly resyncHangs: (cause: string, openS: number) => AlertTold;
  readonly deadLetters: (code: string, count: number) => AlertTold;
  readonly manyDeadLetters: (count: number, bound: number) => AlertTold;
  /** `code` and `advice`: of what failed; absent for a defect of the worker. */
  readonly stateUnreadable: (failed: { readonly code?: string; readonly advice?: string }) => AlertTold;
  readonly problem: (problem: AlertedProblem) => AlertTold;
  /** A name of the mapping, which may be a colleague's, means nothing or too much. */
  readonly mappedName: (mirror: string, code: string) => AlertTold;
  /** Places of the mapping, as its owner knows them. */
  readonly places: {
    readonly calendarOfMirror: (mirror: string) => string;
    readonly calendarOfBookings: (entry: string) => string;
    readonly tab: (title: string) => string;
    readonly spreadsheet: (titles: readonly string[]) => string;
  };
  readonly message: {
    readonly installation: (prefix: string, host: string) => string;
    readonly raised: (alert: string, text: string) => string;
    readonly cleared: (alert: string, text: string, stoodS: number) => string;
    readonly dropped: (count: number) => string;
    readonly console: (address: string) => string;
    readonly runbook: (section: string) => string;
  };
}
