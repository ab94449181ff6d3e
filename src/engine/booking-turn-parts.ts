import type { CalendarEvents, SeriesInstances } from './calendar-events.ts';
import type { AnswerPlace, BookingTemplates } from './carriers.ts';
import type { DirectoryKeeper } from './directory-keeper.ts';
import type { HeldRows } from './edit-guard.ts';
import type { History } from './history.ts';
import type { Intake } from './intake.ts';
import type { Ledger } from './ledger.ts';
import type { LinkStore } from './link-store.ts';
import type { BookingSource, CalendarBookings } from './outside-booking.ts';
import type { PlatformReader } from './platform.ts';
import type { Runtime } from './runtime.ts';
import type { BookingSubmitter } from './submitter.ts';

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
  readonly holds: HeldRows;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly links: LinkStore;
  readonly intake: Pick<Intake, 'observe'>;
  readonly directory: DirectoryKeeper;
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
  /** `upcoming`: number of the entry's rows that are still to come. */
  assertNoMassTicking(entry: string, key: string, upcoming: () => Promise<number>): Promise<void>;
  /** The tick cancels nothing, or no longer. */
  tickEnded(entry: string, key: string, about: { readonly isCancelled: boolean }): Promise<void>;
}
