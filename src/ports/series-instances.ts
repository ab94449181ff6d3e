/** The events of one series, and single ones, as their calendar shows them now. Rejects with the three error families. */
export interface SeriesInstances {
  /**
   * Those that end after now and begin before `untilMs`, in their order; moved ones where they are, deleted ones not. None of a series
   * that is not there any more. `too-many`: more than the worker takes from one series.
   */
  list(series: SeriesPlace, untilMs: number): Promise<readonly SeriesInstance[] | 'too-many'>;
  /** Those of the events that are not there any more, each noted as gone wherever it is known. What was done is durable. */
  gone(calendarId: string, eventIds: readonly string[]): Promise<readonly GoneInstance[]>;
}

export interface SeriesPlace {
  readonly calendarId: string;
  readonly masterId: string;
}

export interface SeriesInstance {
  readonly eventId: string;
  /** Epoch milliseconds; an event of whole days has none. */
  readonly startMs: number | undefined;
  /** Notes it as an outside booking of its own, where a rule takes it or it was one. Again changes nothing. */
  readonly take: () => Promise<void>;
}

export interface GoneInstance {
  readonly eventId: string;
  /** Id of the booking that it was, or would have been. */
  readonly bookingId: string;
  /** The appointment whose mirror it was. */
  readonly appointmentId?: string;
}
