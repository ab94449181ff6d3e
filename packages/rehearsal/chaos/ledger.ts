// What was really done in a run, and what may follow from it. Each act writes down its permitted consequences; the judge allows no others.

/** A value of Google's or the platform's JSON. */
export type Wire = Readonly<Record<string, unknown>>;
export type Cell = string | number | boolean;

export type Source = 'platform' | 'calendar' | 'row';

export interface Wish {
  readonly by: Source;
  /** ISO 8601 in UTC; absent: the hour was not changed. */
  readonly start?: string;
  /** Id of the resource on the platform; absent: it was not changed. */
  readonly resource?: string;
}

/** Somebody's booking, wherever it was made. Each has a phone number that nobody else has. */
export interface Subject {
  readonly name: string;
  readonly origin: Source;
  /** E.164. */
  readonly phone: string;
  /** Bookings made on the platform only. */
  readonly appointmentId?: string;
  /** Bookings made in a calendar only: the id of the event that people created. */
  readonly eventId?: string;
  /** In the order in which they were made; the first one is the booking itself. */
  readonly wishes: Wish[];
  /** By whom it may have been cancelled. */
  readonly cancels: Source[];
  /** Nobody has finished it yet: there must be no appointment. */
  isHalfTyped: boolean;
  /** Taken back before it was known to be booked: with or without an appointment, both is right. */
  isTakenBack: boolean;
  /** It asks for an hour that may be taken: it may be refused. */
  isClash: boolean;
  /** Copied, typed over, or its id emptied: its row may ask a person instead of doing anything. */
  isMuddled: boolean;
  /** Its row was deleted. */
  isRowGone: boolean;
  /** Somebody brought its deleted event back: it may stand there although the appointment is cancelled. */
  isRestored: boolean;
  /** Its event was deleted, taken home or made all-day: an hour that it showed before may never have been read. */
  isDragLost: boolean;
  /** A person's event was taken to the room. */
  isInRoom?: true;
  /** Moved in two of its calendars, an hour may have given way to the other, and the word about that may be gone. */
  draggedIn?: 'people' | 'team';
  /** Every cancel tick that still stands is a wish that has to be heard. */
  isTicked: boolean;
  /** What people set in its event, as long as that event cannot have been replaced. */
  own: { color?: string; minutes?: number[]; at?: EventAt };
}

export interface EventAt {
  readonly calendarId: string;
  readonly eventId: string;
}

export function newSubject(
  about: Pick<Subject, 'name' | 'origin' | 'phone'> &
    Partial<Pick<Subject, 'appointmentId' | 'eventId' | 'isHalfTyped' | 'isClash' | 'isMuddled'>>,
  wish: Wish,
): Subject {
  return {
    ...{ isHalfTyped: false, isTakenBack: false, isClash: false, isMuddled: false, isRowGone: false },
    ...{ isRestored: false, isDragLost: false, isTicked: false, own: {}, cancels: [] },
    ...about,
    wishes: [wish],
  };
}

/** An event that is people's alone: nothing in it may ever change. */
export interface PeoplesEvent extends EventAt {
  readonly kind: 'own' | 'copy' | 'invitation' | 'taken home';
  readonly name: string;
  readonly picture: string;
}

/** What an appointment was seen as at some moment of the run. */
export interface Sight {
  readonly id: string;
  readonly start: string;
  readonly resource: string;
  readonly status: string;
  readonly cancelledBy: string;
}

export class Ledger {
  readonly subjects = new Map<string, Subject>();
  /** Contacts made on the platform, by name of the act. */
  readonly contacts = new Map<string, string>();
  readonly peoples: PeoplesEvent[] = [];
  /** The hours of strangers' invitations, by name of the act: nobody may ever be booked for them. */
  readonly strangers = new Map<string, string>();
  /** Words in people's own column of the tab Appointments, by appointment id. */
  readonly notes = new Map<string, string>();
  /** What was ever to be the name or phone of a contact of the plan, by its id. */
  readonly cells = new Map<string, Set<string>>();
  /** Every state in which an appointment was ever seen. */
  readonly sights: Sight[] = [];
  /** People's own cells of the booking rows, in any order; as they were after the last hand. */
  peoplesCells: readonly string[] = [];
  /** What was found wrong while the run went on. */
  readonly caught: string[] = [];
  /** When lists were due that no worker has read, ISO 8601. */
  readonly missed: string[] = [];
  /** Cells of single columns were sorted, filled or cut in the tab Visits: what was typed there may be gone. */
  isTorn = false;
  /** Starts that were typed into the tab Visits and then cut: who typed them for whom, and into whose row they were pasted. */
  readonly cutStarts = new Map<Subject, { readonly into: Subject; readonly start: string }>();
  /** Appointments of which somebody deleted the row. */
  readonly goneLines = new Set<string>();
  /** State was really lost: moves that nobody had read yet may be put back (docs/staff-edits.md, E46). */
  isRedisLost = false;

  subject(name: string): Subject {
    const found = this.subjects.get(name);
    if (found === undefined) throw new Skipped(`there is no ${name}`);
    return found;
  }

  wishCell(contactId: string, wished: string): void {
    this.cells.set(contactId, (this.cells.get(contactId) ?? new Set()).add(wished));
  }

  add(subject: Subject): Subject {
    this.subjects.set(subject.name, subject);
    return subject;
  }
}

/** An act could not be done, as people now and then find: nothing has happened. */
export class Skipped extends Error {}

/** An event without what Google changes by itself. */
export function pictureOf(event: Wire): string {
  const { etag: _, updated: __, sequence: ___, ...rest } = event;
  return JSON.stringify(rest);
}
