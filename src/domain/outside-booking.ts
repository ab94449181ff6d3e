import type { CustomerMarks } from './customer.ts';
import type { StaffEdits } from './mirror.ts';
import type { Cell } from './sheet-row.ts';

/**
 * What was seen of a booking that somebody made outside: the snapshot of an object of kind `booking`. It holds what people wrote and
 * nothing that the worker writes there itself, so that its own answers are no news. Fields are named as templates name them.
 */
export type SeenBooking = SeenEventBooking | SeenRowBooking;

interface SeenBase {
  /** For an event, `bookingIdOf` its origin. For a row, its row id, by which it is found in its tab. */
  readonly id: string;
  /** Names its place for ever: `calendarOrigin`, `rowOrigin`. */
  readonly origin: string;
  /** Name of the entry of `bookings` that takes it. */
  readonly mapping: string;
  /** When this content was first seen, ISO 8601; orders what was seen. Not part of the content. */
  readonly seen_at: string;
  /** `gone`: the event was deleted, or the row is gone. The other fields are as they were last seen, or missing. */
  readonly state: 'live' | 'gone';
}

/** An event in a calendar (Calendar API, Events resource). */
export interface SeenEventBooking extends SeenBase {
  readonly place: 'calendar';
  readonly calendar_id: string;
  readonly event_id: string;
  /** Google's status: `confirmed`, `tentative`, `cancelled`. */
  readonly status?: string;
  readonly event_type?: string;
  readonly title?: string;
  /** Plain text, without what the worker has answered below it. */
  readonly description?: string;
  readonly location?: string;
  /** RFC 3339 with offset; absent for events of whole days. */
  readonly starts_at?: string;
  readonly ends_at?: string;
  /** First day of an event of whole days. */
  readonly date?: string;
  /** IANA; as the event says it. */
  readonly timezone?: string;
  /** Lines of a series' master. */
  readonly recurrence?: readonly string[];
  /** Instances only: the master's id. */
  readonly recurring_event_id?: string;
  readonly creator?: string;
  readonly organizer?: string;
  /** Addresses. */
  readonly attendees?: readonly string[];
  /**
   * It is the copy that a guest has of another calendar's event. `colleague`: people book in that calendar, too, by the same entry.
   * Else somebody else organises it. `writable`: its guests may change it. `read-only`: only its organizer may.
   */
  readonly guest_copy?: 'colleague' | 'writable' | 'read-only';
  /** It was written before its hour, and could be read only after it. */
  readonly read_late?: true;
  /** It was written after its hour or day, since the calendar is read. */
  readonly written_late?: true;
  /** What the owner of the calendar answered: `accepted`, `declined`, … */
  readonly response?: string;
  /** Private properties, without the worker's own. */
  readonly properties?: Readonly<Record<string, string>>;
  /** False: no entry takes it. */
  readonly is_matching: boolean;
  /** It carries the worker's marks without being its event: "Duplicate" in Google Calendar copies them. */
  readonly is_copy: boolean;
}

/** Somebody else organises the event, and reads whatever is written into it. It never becomes the mirror of its appointment. */
export function isInvitation(seen: SeenBooking): boolean {
  return seen.place === 'calendar' && (seen.guest_copy === 'writable' || seen.guest_copy === 'read-only');
}

/** Fields that somebody has filled in and sent, or typed into cells. */
interface SeenTyped extends SeenBase {
  /** By what the field means, not by its header; as people typed it, times aside. Only people's own columns. */
  readonly cells: Readonly<Partial<Record<RowInput, Cell>>>;
  /** `starts_at` of the cells as an instant, RFC 3339 with offset; absent when it cannot be read as a time. */
  readonly starts_at?: string;
  /** False while its author says that it is not ready. True where that cannot be said. */
  readonly ready: boolean;
  /** It asks for its appointment to be cancelled. */
  readonly cancel: boolean;
  /** What the worker itself once wrote there: its appointment. Not part of the content; it counts after Redis was lost. */
  readonly known_appointment?: string;
}

/** A row of a booking sheet. */
export interface SeenRowBooking extends SeenTyped {
  readonly place: 'row';
  readonly spreadsheet_id: string;
  readonly tab: string;
  /** The id that the worker has written into the row. */
  readonly row_id: string;
}

/** What is no event: every field of it is people's word, and its author reads the answer where it was typed. */
export type SeenTypedBooking = Exclude<SeenBooking, SeenEventBooking>;

/** Columns that people fill. */
export const ROW_INPUTS = [
  ...['service', 'starts_at', 'duration', 'resource', 'branch', 'guests'],
  ...['contact_id', 'name', 'phone', 'email', 'comment', 'ready', 'cancel'],
] as const satisfies readonly string[];
export type RowInput =
  | 'service'
  | 'starts_at'
  | 'duration'
  | 'resource'
  | 'branch'
  | 'guests'
  | 'contact_id'
  | 'name'
  | 'phone'
  | 'email'
  | 'comment'
  | 'ready'
  | 'cancel';

/** Columns that the worker fills: the id by which the row is found again, what has become of it, and its appointment. */
export type RowOutput = 'id' | 'status' | 'appointment' | 'booked_at';
export const ROW_OUTPUTS = ['id', 'status', 'appointment', 'booked_at'] as const satisfies RowOutput[];

/** Columns of people's that can have a drop-down. */
export const DROP_DOWNS = ['service', 'resource', 'branch', 'starts_at'] as const;
export type DropDown = (typeof DROP_DOWNS)[number];

export type BookingLanguage = 'en' | 'ru';

/** One entry of `bookings`, checked, with every default filled in. */
export type BookingSource = CalendarBookings | SheetBookings;

/** What is read out of an event or a row. All texts are Liquid templates over what was seen. */
interface BookingRules {
  readonly name: string;
  /** Gives the name or id of a service. */
  readonly service: string;
  /** Gives the name or id of a resource. Absent: that of the calendar; of a row: the platform chooses. */
  readonly resource?: string;
  /** Gives the name or id of a branch. */
  readonly branch?: string;
  /** Gives minutes. Absent: for `interval` services the length of the event. */
  readonly duration?: string;
  readonly guests?: string;
  readonly customer: {
    /** Gives the id of a contact. Before phone and e-mail: where it is given, nobody is looked for. */
    readonly contactId?: string;
    readonly name?: string;
    readonly phone?: string;
    readonly email?: string;
    /** Whether a contact is created for somebody whom the platform does not know. */
    readonly create: boolean;
  };
  readonly comment?: string;
  /** ISO 3166, two letters: of phone numbers without a country. */
  readonly region?: string;
  readonly notifyCustomer: boolean;
  readonly language: BookingLanguage;
  /** How long what people wrote has to stand unchanged before it is taken at its word. */
  readonly stillForMs: number;
}

export interface CalendarBookings extends BookingRules {
  readonly kind: 'calendar';
  /** Each of them is a calendar of the calendar mirror beside it. */
  readonly calendars: readonly { readonly calendarId: string; readonly mirror: string }[];
  readonly when: EventRule;
  /** Google's colorId of a refused event; absent: its colour stays. */
  readonly refusedColorId?: string;
  /** Events of a series are booked one by one, those that begin within the horizon; absent: a series is refused. */
  readonly series?: { readonly horizonMs: number };
  /** What becomes of changes to the events of appointments that were booked by this entry. By calendar mirror. */
  readonly staffEdits: Readonly<Record<string, StaffEdits>>;
}

/** Which events are bookings: those that every line takes. At least one line is there. */
export interface EventRule {
  /** `*` stands for any text; case does not count. */
  readonly title?: string;
  /**
   * Addresses, or domains with their `@`, whose invitations count as well. Without this line, no rule takes an event whose organizer has no
   * calendar in the entry.
   */
  readonly organizers?: readonly string[];
  /** Addresses. */
  readonly creators?: readonly string[];
  /** Addresses, one of which has to be among those who are invited. */
  readonly attendees?: readonly string[];
  /** Private properties of another tool; `*` stands for any text. */
  readonly properties?: Readonly<Record<string, string>>;
}

export interface SheetBookings extends BookingRules {
  readonly kind: 'sheet';
  readonly spreadsheetId: string;
  /** Name of the Google account that reads and answers; absent: the default one. */
  readonly account?: string;
  readonly tab: string;
  /** IANA zone in which people write times; absent: the spreadsheet's own. */
  readonly timezone?: string;
  /** Patterns by which times that were typed as text are read first (luxon's tokens: `d/M/yyyy H:mm`). */
  readonly dateFormats?: readonly string[];
  readonly everyMs: number;
  /** Who wins when an appointment was moved in its row and on the platform; absent: the platform. */
  readonly conflict?: 'staff' | 'latest';
  /** Columns whose cells get a drop-down; absent: none do. */
  readonly dropDowns?: readonly DropDown[];
  /** What the columns mean to their headers. `starts_at`, `id` and `status` are always there. */
  readonly columns: Readonly<Partial<Record<RowInput | RowOutput, string>>>;
}

/**
 * What the worker knows of one outside booking. Stored with its object under the name of its entry, under the fence of the claim.
 *
 * | `state` | means | appointment | leaves by |
 * |---|---|---|---|
 * | `new` | nothing is decided | none | every other state |
 * | `ignored` | no booking; `code` says why | none | another content |
 * | `refused` | its author knows why | none; or `own`, cancelled, beside which another was refused | another content |
 * | `booked` | the platform has it | `own` | `cancelled` |
 * | `cancelled` | the platform says so | `own` | `booked`, or `refused` when another is wished |
 */
export type BookingRecord = EveryRecord &
  (
    | { readonly state: 'new' }
    | { readonly state: 'ignored'; readonly code: string }
    | { readonly state: 'refused'; readonly code: string; readonly own?: OwnAppointment }
    | { readonly state: 'booked' | 'cancelled'; readonly own: OwnAppointment }
  );

/** True in every state. */
interface EveryRecord {
  /** Hash of what was last decided about: `contentOf` the snapshot and the entry's rules. */
  readonly decided?: string;
  /** What is being asked of the platform for it; without a verdict yet, or the process died before it was stored. */
  readonly asked?: CarriedWish;
  readonly told: Told;
  /** Series only: its last known events, event id to start in epoch milliseconds. */
  readonly series?: Readonly<Record<string, number>>;
}

/** What its author has to be told, and what of the worker's stands in the event or row. */
export type Told =
  /** Nothing has to be told, and nothing stands there. */
  | { readonly is: 'nothing' }
  /** Nothing stands there yet. */
  | { readonly is: 'due'; readonly answer: BookingAnswer }
  /** `stands`: hash of the answer that stands there, this one or a former one; empty: something may stand there. */
  | { readonly is: 'given'; readonly answer: BookingAnswer; readonly stands: string };

/** What was last wished and carried to the platform. */
export type KnownWish =
  /** As after Redis was lost. */
  | { readonly is: 'unknown' }
  | { readonly is: 'carried'; readonly wished: CarriedWish }
  /** `startsAt`: hour of the row that lost against the platform's. It is no wish until the row says another one. ISO 8601, UTC. */
  | { readonly is: 'overruled'; readonly wished: CarriedWish; readonly startsAt: string };

/** The appointment of a booking, and what is known of the wish for it. */
export interface OwnAppointment {
  readonly id: string;
  readonly wish: KnownWish;
  /** The appointment of a row was cancelled, and the row says that it is not ready: when it is again, that is a new wish. */
  readonly unready?: true;
  /** What the row said when it was told last how its appointment stands: that again is no new wish. Absent in old records. */
  readonly said?: CarriedWish;
  /** When it was noticed that the platform had moved the appointment of a row; epoch milliseconds. */
  readonly movedThereMs?: number;
  /** The event has been the mirror of its appointment: from then on its absence is for the mirror and staff edits to judge. */
  readonly mirrored?: true;
}

/** Undefined while it has none. */
export function ownOf(record: BookingRecord | undefined): OwnAppointment | undefined {
  switch (record?.state) {
    case 'refused':
    case 'booked':
    case 'cancelled':
      return record.own;
    default:
      return undefined;
  }
}

/** Nothing is known of the booking. */
export const NEW_BOOKING: BookingRecord = { state: 'new', told: { is: 'nothing' } };

/** Undefined while nothing has to be told. */
export function answerOf({ told }: BookingRecord): BookingAnswer | undefined {
  return told.is === 'nothing' ? undefined : told.answer;
}

/** Undefined while nobody knows it. */
export function wishedOf(own: Pick<OwnAppointment, 'wish'> | undefined): CarriedWish | undefined {
  return own === undefined || own.wish.is === 'unknown' ? undefined : own.wish.wished;
}

/** The appointment is as it was wished now; an hour of the row that lost goes on to count as lost. */
export function rewished(before: KnownWish | undefined, wished: CarriedWish): KnownWish {
  return before?.is === 'overruled' ? { ...before, wished } : { is: 'carried', wished };
}

/** The row has no refused hour left. */
export function withoutLoss(wish: KnownWish): KnownWish {
  return wish.is === 'overruled' ? { is: 'carried', wished: wish.wished } : wish;
}

/** The platform has the appointment; what was known of the booking stays. Without `wished` so does what was known of the wish. */
export function bookedAs(
  record: BookingRecord,
  { id, wished }: { readonly id: string; readonly wished?: CarriedWish },
): BookingRecord {
  const { decided, asked, told, series } = record;
  const before = ownOf(record);
  const wish = wished === undefined ? before?.wish : rewished(before?.wish, wished);
  return {
    ...(decided !== undefined && { decided }),
    ...(asked && { asked }),
    ...(series && { series }),
    told,
    state: 'booked',
    own: { ...before, id, wish: wish ?? { is: 'unknown' } },
  };
}

/** The same record, with something more known of its appointment; the very same while it has none. */
export function withOwn(record: BookingRecord, more: Partial<OwnAppointment>): BookingRecord {
  switch (record.state) {
    case 'booked':
    case 'cancelled':
      return { ...record, own: { ...record.own, ...more } };
    case 'refused':
      return record.own === undefined ? record : { ...record, own: { ...record.own, ...more } };
    default:
      return record;
  }
}

export interface CarriedWish {
  readonly startsAt: string;
  readonly resourceId?: string;
  /** Hash of all that the platform cannot change about an appointment: service, customer, length, comment, guests. */
  readonly rest: string;
  /** Hash of service and customer: together with time and resource they make another booking of it. Absent in old records. */
  readonly core?: string;
  /** For whom the appointment was booked; a move does not change it. Absent in old records. */
  readonly who?: CustomerMarks;
}

export type BookingState = BookingRecord['state'];

/** What stands in the event or row below what people wrote. */
export interface BookingAnswer {
  readonly state: BookingState;
  /** Plain text for people, lines separated by `\n`; empty for no answer. */
  readonly text: string;
  /** Present when there is an appointment. */
  readonly appointmentId?: string;
  /** The appointment's start, ISO 8601, UTC. */
  readonly startsAt?: string;
}
