/** An event as a person reads and writes it. Times are what a clock in `zone` shows; a day without a time is all-day. */
export interface PlainEvent {
  readonly title: string;
  /** `2026-11-03T10:00`, or `2026-11-03`. */
  readonly start: string;
  /** An all-day event ends on the day after its last one. */
  readonly end: string;
  /** IANA; default `Europe/Berlin`. */
  readonly zone?: string;
  readonly text?: string;
  readonly place?: string;
  /** An RRULE's value. */
  readonly repeats?: string;
  readonly isFree?: boolean;
  readonly isTentative?: boolean;
}

export const STAFF_ZONE = 'Europe/Berlin';

/** What people do in a calendar program, which knows events by their titles. Each title is unique in a test's calendar. */
export interface Staff {
  add(calendar: string, event: PlainEvent): Promise<void>;
  edit(calendar: string, title: string, changes: Partial<PlainEvent>): Promise<void>;
  remove(calendar: string, title: string): Promise<void>;
  /** Drags the event to another calendar. */
  hand(calendar: string, title: string, other: string): Promise<void>;
  /** Moves one occurrence of a series, or deletes it. `at`: its start by the rule. */
  shift(
    calendar: string,
    title: string,
    occurrence: { readonly at: string; readonly to: string | undefined },
  ): Promise<void>;
  /** Adds what only people give: an alarm, and whatever else the program knows. */
  decorate(calendar: string, title: string): Promise<void>;
  /** All that `decorate` added and that is still there, in a form that can be compared. */
  decorations(calendar: string, title: string): Promise<readonly string[]>;
  /** In the order of their titles. */
  see(calendar: string): Promise<readonly PlainEvent[]>;
  /** The server forgets its sync tokens. Undefined: this one cannot be made to. */
  readonly loseTokens?: (calendar: string) => Promise<void>;
}
