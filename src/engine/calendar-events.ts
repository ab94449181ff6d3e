import type { ClassSlot } from './class-slot.ts';
import type { NoteCode } from './decide-edit.ts';
import type { CalendarLink } from './link.ts';
import type { SeenEvent } from './outside-booking.ts';

/** Single events, as their calendars show them now. Rejects with the three error families. */
export interface CalendarEvents {
  /** `absent` is proof: the calendar itself answered, and the event is not in it. */
  read(calendarId: string, eventId: string): Promise<SeenEvent | 'absent'>;
  /** Whether what the calendar shows of the event is nobody's wish: it was made anew, or its server put back to an earlier state. */
  isNobodys(calendarId: string, eventId: string): Promise<boolean>;
  /**
   * Why an event that none of these calendars has under its id was deleted by nobody (rule 14 of decision 0050). It stands in another one
   * of its account, of an earlier YAML, or in one of these under another id. Undefined if in none.
   */
  keptElsewhere(calendarId: string, eventId: string, search: KeptSearch): Promise<KeptBecause | undefined>;
  /** How many live events of the worker end after this moment; counts one page at most. Epoch milliseconds. */
  upcoming(calendarId: string, fromMs: number): Promise<number>;
}

export interface KeptSearch {
  readonly searched: readonly string[];
  readonly appointment: { readonly id: string; readonly startMs: number };
}

export type KeptBecause = Extract<NoteCode, 'nobodys-calendar' | 'copy-stands'>;

/** The events in a calendar that carry the worker's mark. */
export interface MarkedEvents {
  in(calendarId: string): AsyncIterable<MarkedEvent>;
}

export interface MarkedEvent {
  /** Id of the appointment or of the class. */
  readonly appointmentId: string;
  /** Classes only. */
  readonly slot?: ClassSlot;
  /** Name of the mirror that wrote it. */
  readonly mirror: string;
  /** The content of the event is not known. */
  readonly link: CalendarLink;
  /** Epoch milliseconds; undefined for an all-day event. */
  readonly startMs: number | undefined;
  /** The private properties. */
  readonly marks: Readonly<Record<string, string>>;
}

/** The events of a series, and single ones, as their calendar shows them now. Rejects with the three error families. */
export interface SeriesInstances {
  /**
   * Those that end after now and begin before `untilMs`, in their order: moved ones at their new time, no deleted ones. Empty if the series
   * no longer exists. `too-many`: more than the worker takes from one series.
   */
  list(series: SeriesPlace, untilMs: number): Promise<readonly SeriesInstance[] | 'too-many'>;
  /** Those of the events that no longer exist, each noted as gone wherever it is known. The effects are durable. */
  gone(calendarId: string, eventIds: readonly string[], how?: GoneLook): Promise<readonly GoneInstance[]>;
  /** Notes the master of a series as an outside booking, if it continues one by which people book. */
  takeMaster(series: SeriesPlace): Promise<void>;
}

/** How missing events of a series are looked for. */
export interface GoneLook {
  /** Age up to which a look at their series is recent enough. Absent: each is read now. */
  readonly withinMs?: number;
  /** Told of each event that belongs to another master now: people have split the series. */
  readonly onOther?: (eventId: string, masterId: string) => void;
}

export interface SeriesPlace {
  readonly calendarId: string;
  readonly masterId: string;
}

export interface SeriesInstance {
  readonly eventId: string;
  /** Epoch milliseconds; undefined for an all-day event. */
  readonly startMs: number | undefined;
  /** Notes it as an outside booking of its own, if a rule takes it or it was one. Repeating it changes nothing. */
  readonly take: () => Promise<void>;
}

export interface GoneInstance {
  readonly eventId: string;
  /** Id of the booking that it was, or would have been. */
  readonly bookingId: string;
  /** The appointment whose mirror it was. */
  readonly appointmentId?: string;
}
