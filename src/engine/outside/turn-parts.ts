import type { BookingSource, CalendarBookings } from '../domain/outside-booking.ts';
import type { AnswerPlace, BookingSubmitter, BookingTemplates } from '../ports/bookings.ts';
import type { CalendarEvents, LinkStore, SeriesInstances } from '../ports/calendars.ts';
import type { RowHolds } from '../ports/held-rows.ts';
import type { Intake } from '../ports/intake.ts';
import type { History } from '../ports/operator.ts';
import type { FreshDirectory, PlatformReader } from '../ports/platform.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { ObjectView } from '../ports/work.ts';

/** What carrying the bookings of one entry depends on. */
export interface BookingTurnParts extends Runtime {
  readonly mapping: BookingSource;
  /** All calendar entries, in the order of the YAML. */
  readonly entries: readonly CalendarBookings[];
  readonly templates: BookingTemplates;
  readonly place: AnswerPlace;
  /** Calendars only. */
  readonly instances?: SeriesInstances;
  readonly events?: Pick<CalendarEvents, 'read'>;
  readonly submitter: BookingSubmitter;
  readonly guard: BookingGuard;
  readonly holds: RowHolds;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly links: LinkStore;
  readonly intake: Pick<Intake, 'observe'>;
  readonly directory: FreshDirectory;
  /** Id of the calendar's resource, as the mapping resolves it right now. */
  readonly resourceAt: (calendarId: string) => string | undefined;
  readonly history: History;
}

/** Stops what no single decision can see. The `assert` methods reject with a `TerminalError`. */
export interface BookingGuard {
  assertNoLoop(key: string, mark: string, paceMs?: number): Promise<void>;
  /** False: this organizer has booked enough by invitations in this hour. Each booking counts once. */
  mayBeBooked(organizer: string, key: string): Promise<boolean>;
  assertMayMail(key: string, mark: string): Promise<void>;
}
