import type { EventTexts } from './event-texts.ts';
import type { StaffEdits } from './mirror.ts';
import type { CustomerMarks } from './person.ts';
import type { Cell } from './sheet-row.ts';

/**
 * What was seen of a booking made outside: the snapshot of a `booking` object. It holds what people wrote and nothing that the worker
 * writes there, so that the worker's own answers are no news. Fields have the names that templates use.
 */
export type SeenBooking = SeenEventBooking | SeenRowBooking;

interface SeenBase {
  /** For an event, `bookingIdOf` its origin. For a row, its row id, by which the worker finds it in its tab. */
  readonly id: string;
  /** Names its place forever: `calendarOrigin`, `rowOrigin`. */
  readonly origin: string;
  /** Name of the `bookings` entry that takes it. */
  readonly mapping: string;
  /** When this content was first seen, ISO 8601; orders sightings. Not part of the content. */
  readonly seen_at: string;
  /** `gone`: the event was deleted, or the row is gone. The other fields keep their last seen values, or are missing. */
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
  /** Plain text, without the worker's answer below it. */
  readonly description?: string;
  readonly location?: string;
  /** RFC 3339 with offset; absent for all-day events. */
  readonly starts_at?: string;
  readonly ends_at?: string;
  /** First day of an all-day event. */
  readonly date?: string;
  /** IANA zone, as the event says it. */
  readonly timezone?: string;
  /** Recurrence lines of a series' master. */
  readonly recurrence?: readonly string[];
  /** Instances only: the master's id. */
  readonly recurring_event_id?: string;
  readonly creator?: string;
  readonly organizer?: string;
  /** Addresses. */
  readonly attendees?: readonly string[];
  /**
   * Present for a guest's copy of another calendar's event. `colleague`: the same entry takes bookings in that calendar, too. Otherwise
   * someone else organizes it. `writable`: its guests may change it. `read-only`: only its organizer may.
   */
  readonly guest_copy?: 'colleague' | 'writable' | 'read-only';
  /** It was written before its start, and could be read only after it. */
  readonly read_late?: true;
  /** It was written after its start or day, when the worker already read the calendar. */
  readonly written_late?: true;
  /** The response of the calendar's owner: `accepted`, `declined`, … */
  readonly response?: string;
  /** Private properties, without the worker's own. */
  readonly properties?: Readonly<Record<string, string>>;
  /** False: no entry takes it. */
  readonly is_matching: boolean;
  /** Id of the first master, for the second master of a split series and its events. They say what the first one said. */
  readonly continues?: string;
  /** The title that a second master shows itself. */
  readonly shown_title?: string;
  /** It carries the worker's marks without being its event: "Duplicate" in Google Calendar copies them. */
  readonly is_copy: boolean;
}

/** Someone else organizes the event, and reads whatever is written into it. It never becomes the mirror of its appointment. */
export function isInvitation(seen: SeenBooking): boolean {
  return seen.place === 'calendar' && (seen.guest_copy === 'writable' || seen.guest_copy === 'read-only');
}

/** Fields that a user filled in and sent, or typed into cells. */
interface SeenTyped extends SeenBase {
  /** Meaning of the field (not its header) to the cell as people typed it, except times. Only people's own columns. */
  readonly cells: Readonly<Partial<Record<RowInput, Cell>>>;
  /** `starts_at` of the cells as an instant, RFC 3339 with offset; absent if it cannot be read as a time. */
  readonly starts_at?: string;
  /** False while its author marks it as not ready. True if the author has no way to do so. */
  readonly ready: boolean;
  /** Its author wants the appointment cancelled. */
  readonly cancel: boolean;
  /** Why it is not certain what its author wants: a tick that says neither yes nor no, or a formula without a value. */
  readonly unclear?: UnclearInput;
  /** The appointment that the worker itself once wrote there. Not part of the content; used after a loss of Redis. */
  readonly known_appointment?: string;
}

/** `volatile`: the start is a formula whose value changes although nobody types. */
export type UnclearInput = 'ready' | 'cancel' | 'formula' | 'volatile';

export interface SeenRowBooking extends SeenTyped {
  readonly place: 'row';
  readonly spreadsheet_id: string;
  readonly tab: string;
  /** The id that the worker wrote into the row. */
  readonly row_id: string;
  /** It was not ready when the entry still had a column for that, and nobody has changed it since. */
  readonly unticked?: boolean;
  /** Its turn came while its entry was not in the YAML. The next reading of the row is news. */
  readonly unjudged?: true;
  /** By what it was read: a hash of each input's header, and one of all rules, with a slash between. */
  readonly rules?: string;
  /** What it said before an older version was restored, or before rows exchanged times or resources, as when one column is sorted alone. */
  readonly exchanged?: Exchanged;
}

export interface Exchanged {
  readonly starts_at?: string;
  readonly resource?: string;
  /** The older version has a tick under `cancel` that was gone. */
  readonly unticked?: true;
}

/** A booking that is not an event: people typed every field, and its author reads the answer in the same place. */
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

/** Columns that the worker fills: the id that identifies the row, the result, and the appointment. */
export type RowOutput = 'id' | 'status' | 'appointment' | 'booked_at';
export const ROW_OUTPUTS = ['id', 'status', 'appointment', 'booked_at'] as const satisfies RowOutput[];

/** People's columns that can have a drop-down. */
export const DROP_DOWNS = ['service', 'resource', 'branch', 'starts_at'] as const;
export type DropDown = (typeof DROP_DOWNS)[number];

export type BookingLanguage = 'en' | 'ru';

/** One entry of `bookings`, checked, with every default filled in. */
export type BookingSource = CalendarBookings | SheetBookings;

/** How an event or a row is read. All texts are Liquid templates over what was seen. */
interface BookingRules {
  readonly name: string;
  /** Renders the name or id of a service. */
  readonly service: string;
  /** Renders the name or id of a resource. Absent: that of the calendar; for a row, the platform chooses. */
  readonly resource?: string;
  /** Renders the name or id of a branch. */
  readonly branch?: string;
  /** Renders minutes. Absent: for `interval` services the length of the event. */
  readonly duration?: string;
  readonly guests?: string;
  readonly customer: {
    /** Renders the id of a contact. It precedes phone and e-mail: if present, the worker searches for no one. */
    readonly contactId?: string;
    readonly name?: string;
    readonly phone?: string;
    readonly email?: string;
    /** Whether to create a contact for a customer whom the platform does not know. */
    readonly create: boolean;
  };
  readonly comment?: string;
  /** Country of phone numbers without a country code: ISO 3166, two letters. */
  readonly region?: string;
  readonly notifyCustomer: boolean;
  readonly language: BookingLanguage;
  /** How long people's text must stay unchanged before the worker acts on it. */
  readonly stillForMs: number;
  /** What people typed, such as rows, that may be booked within an hour without a person; absent: `ROWS_PER_HOUR`. */
  readonly rowsPerHour?: number;
}

export interface CalendarBookings extends BookingRules {
  readonly kind: 'calendar';
  /** Each is a calendar of the calendar mirror beside it. */
  readonly calendars: readonly { readonly calendarId: string; readonly mirror: string }[];
  readonly when: EventRule;
  /** Google's colorId of a refused event; absent: its colour stays. */
  readonly refusedColorId?: string;
  /** Books each event of a series that begins within the horizon; absent: a series is refused. */
  readonly series?: { readonly horizonMs: number };
  /** What happens to changes of events whose appointments this entry booked. By calendar mirror. */
  readonly staffEdits: Readonly<Record<string, StaffEdits>>;
}

/** Which events are bookings: those that match every line. There is at least one line. */
export interface EventRule {
  /** `*` matches any text; case does not count. */
  readonly title?: string;
  /**
   * Addresses, or domains with their `@`, whose invitations also count. Without this line, no rule takes an event whose organizer has no
   * calendar in the entry.
   */
  readonly organizers?: readonly string[];
  /** Addresses. */
  readonly creators?: readonly string[];
  /** Addresses, at least one of which must be invited. */
  readonly attendees?: readonly string[];
  /** Private properties of another tool; `*` matches any text. */
  readonly properties?: Readonly<Record<string, string>>;
}

export interface SheetBookings extends BookingRules {
  readonly kind: 'sheet';
  readonly spreadsheetId: string;
  /** Name of the Google account that reads and answers; absent: the default account. */
  readonly account?: string;
  readonly tab: string;
  /** IANA zone in which people write times; absent: the spreadsheet's own. */
  readonly timezone?: string;
  /** Patterns tried first to read times typed as text (luxon's tokens: `d/M/yyyy H:mm`). */
  readonly dateFormats?: readonly string[];
  readonly everyMs: number;
  /** Who wins if an appointment was moved in its row and on the platform; absent: the platform. */
  readonly conflict?: 'staff' | 'latest';
  /** Columns whose cells get a drop-down; absent: none. */
  readonly dropDowns?: readonly DropDown[];
  /** Meaning of a column to its header. `starts_at`, `id` and `status` are always present. */
  readonly columns: Readonly<Partial<Record<RowInput | RowOutput, string>>>;
}

/** One row every 90 seconds for a whole hour: more is rarely typed by hand, and pasted rows come all at once. */
export const ROWS_PER_HOUR = 40;

/** Code of a refusal that is none yet: the row waits for a person, because many were entered at once. */
export const HELD_BOOKING = 'mass-booking';

export function isHeldBooking(record: BookingRecord): boolean {
  return record.state === 'refused' && record.code === HELD_BOOKING;
}

/** People deleted it before the worker knew of an appointment. */
export function isGoneUnbooked(record: BookingRecord): boolean {
  return record.state === 'ignored' && record.code === 'gone';
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

/** Present in every state. */
interface EveryRecord {
  /** Hashes of the last decision's input: `contentOf` the snapshot, the entry, of a row also its `rules` and each of its cells. */
  readonly decided?: string;
  /** The wish sent to the platform for it. It has no verdict yet, or the process died before storing one. */
  readonly asked?: CarriedWish;
  readonly told: Told;
  /** Series only: its last known events, event id to start in epoch milliseconds. */
  readonly series?: Readonly<Record<string, number>>;
}

/** The answer due to the author, and what the worker has written into the event or row. */
export type Told =
  /** No answer is due, and none is written there. */
  | { readonly is: 'nothing' }
  /** No answer is written there yet. */
  | { readonly is: 'due'; readonly answer: BookingAnswer }
  /** `stands`: hash of the answer written there, this one or an earlier one; empty: something may be written there. */
  | { readonly is: 'given'; readonly answer: BookingAnswer; readonly stands: string };

/** The wish last carried to the platform. */
export type KnownWish =
  /** For example after a loss of Redis. */
  | { readonly is: 'unknown' }
  | { readonly is: 'carried'; readonly wished: CarriedWish }
  /** `startsAt`: start of the row that lost against the platform's. It is no wish until the row says another one. ISO 8601, UTC. */
  | { readonly is: 'overruled'; readonly wished: CarriedWish; readonly startsAt: string };

/** The appointment of a booking, and what is known of the wish for it. */
export interface OwnAppointment {
  readonly id: string;
  readonly wish: KnownWish;
  /** The row's appointment was cancelled, and the row says that it is not ready. When it is ready again, that is a new wish. */
  readonly unready?: true;
  /** What the row said when the worker last reported its appointment: the same again is no new wish. Absent in old records. */
  readonly said?: CarriedWish;
  /** When the worker noticed that the platform had moved the row's appointment; epoch milliseconds. */
  readonly movedThereMs?: number;
  /** The event has been the mirror of its appointment: from then on the mirror and staff edits judge its absence. */
  readonly mirrored?: true;
}

/** Undefined while the booking has no appointment. */
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

export const NEW_BOOKING: BookingRecord = { state: 'new', told: { is: 'nothing' } };

/** Undefined while no answer is due. */
export function answerOf({ told }: BookingRecord): BookingAnswer | undefined {
  return told.is === 'nothing' ? undefined : told.answer;
}

/** Undefined while unknown. */
export function wishedOf(own: Pick<OwnAppointment, 'wish'> | undefined): CarriedWish | undefined {
  return own === undefined || own.wish.is === 'unknown' ? undefined : own.wish.wished;
}

/** The appointment is now as wished; a row's start that lost still counts as lost. */
export function rewished(before: KnownWish | undefined, wished: CarriedWish): KnownWish {
  return before?.is === 'overruled' ? { ...before, wished } : { is: 'carried', wished };
}

/** Removes the row's lost start. */
export function withoutLoss(wish: KnownWish): KnownWish {
  return wish.is === 'overruled' ? { is: 'carried', wished: wish.wished } : wish;
}

/**
 * Records that the platform has the appointment, and keeps what is known of the booking. Without `wished` it also keeps the known wish.
 * It drops what was known of another appointment.
 */
export function bookedAs(
  record: BookingRecord,
  { id, wished }: { readonly id: string; readonly wished?: CarriedWish },
): BookingRecord {
  const { decided, asked, told, series } = record;
  const known = ownOf(record);
  const before = known?.id === id ? known : undefined;
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

/** The record with more known of its appointment; the same record if it has none. */
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
  /** Hash of everything that the platform cannot change about an appointment: service, customer, length, comment, guests. */
  readonly rest: string;
  /** Hash of service and customer: a change makes another booking, as a change of time or resource does. Absent in old records. */
  readonly core?: string;
  /** For whom the appointment was booked; a move does not change it. Absent in old records. */
  readonly who?: CustomerMarks;
}

export type BookingState = BookingRecord['state'];

/** What the worker writes into the event or row, below people's text. */
export interface BookingAnswer {
  readonly state: BookingState;
  /** Plain text for people, lines separated by `\n`; empty: no answer. */
  readonly text: string;
  /** Present if there is an appointment. */
  readonly appointmentId?: string;
  /** The appointment's start, ISO 8601, UTC. */
  readonly startsAt?: string;
}

/**
 * A calendar showed one of the worker's events unlike what is remembered: someone changed it, deleted it, or moved it here. A hint, not a
 * truth: the worker reads the event before it acts.
 */
export interface Sighting {
  readonly calendarId: string;
  readonly eventId: string;
  /** Quoted, as Google sent it; empty if the listing did not have it (a tombstone may hold only its id). */
  readonly etag: string;
  readonly seenAtMs: number;
  /** The calendar's id as it was stored, where the YAML spells it differently by now. */
  readonly storedCalendarId?: string;
}

/** One event as its calendar shows it now, reduced to what shows people's changes. */
export interface SeenEvent {
  /** Quoted, as Google sent it; empty when the answer had none. */
  readonly etag: string;
  /** False for a deleted event that the calendar still remembers. */
  readonly isLive: boolean;
  /** Hash of what the event says, without its version; only for a live event of a series. */
  readonly content?: string;
  /** Epoch milliseconds; undefined for an all-day event, and if the answer has no times. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly isAllDay: boolean;
  /** It has become a series. */
  readonly isRecurring: boolean;
  /** Epoch milliseconds. */
  readonly updatedMs: number | undefined;
  readonly isColoured: boolean;
  /** A guest's copy of another calendar's event. */
  readonly isGuestCopy: boolean;
  /** The organizer's address in lower case; only for a guest's copy. */
  readonly organizer?: string;
  readonly texts: EventTexts;
  /** The private properties. */
  readonly marks: Readonly<Record<string, string>>;
}

/** What a user outside wants from the platform. An `origin` names the source; its wishes run one at a time. */
export type Wish = BookWish | MoveWish | CancelWish;

export interface BookWish {
  readonly op: 'book';
  readonly serviceId: string;
  /** RFC 3339 with offset. */
  readonly startsAt: string;
  readonly branchId?: string;
  readonly resourceId?: string;
  /** Only for `interval` services. */
  readonly durationMin?: number;
  readonly guests?: number;
  readonly customer: Customer;
  readonly comment?: string;
  readonly notifyCustomer: boolean;
}

export interface MoveWish {
  readonly op: 'move';
  readonly appointmentId: string;
  /** RFC 3339 with offset. */
  readonly startsAt: string;
  /** Another resource of the same branch; absent: the appointment keeps its own. */
  readonly resourceId?: string;
  readonly notifyCustomer: boolean;
  /**
   * `appointmentState` of the appointment as last seen: if anything has happened to it since, do not move it. Absent: move it from wherever
   * it is.
   */
  readonly seenAs?: string;
}

export interface CancelWish {
  readonly op: 'cancel';
  readonly appointmentId: string;
  readonly reason?: string;
  readonly notifyCustomer: boolean;
}

/** Whom to book: looked up by contact id, else by phone, else by e-mail. */
export interface Customer {
  readonly contactId?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly email?: string;
  /** Whether to create a contact for a customer whom the platform does not know. */
  readonly create: boolean;
}

/** How a wish ended: the appointment as it is now, or the refusal. Everything else (no answer, quota) is thrown and retried. */
export type Verdict =
  | {
      readonly outcome: 'done';
      readonly appointment: Readonly<Record<string, unknown>> & { readonly id: string };
      /** The platform already had the appointment for this origin: an earlier wish booked it, perhaps for another customer. */
      readonly found?: true;
    }
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** Why the platform refused, and which times it would have accepted. */
export interface Refusal {
  /** The platform's error code (`slot-unavailable`, …), or the worker's own (`service-unknown`, `customer-unknown`, …). */
  readonly code: string;
  /** At most three: those of the wished resource first, nearest first; empty if no other time would help. */
  readonly slots: readonly FreeSlot[];
  /** IANA zone of the slots' branch; present if there are slots. */
  readonly zone?: string;
  /** With `validation`: names of the platform's fields, never their contents. */
  readonly fields?: readonly string[];
  /** With `perhaps-booked`: the appointment that may be the wished one. */
  readonly standing?: { readonly appointmentId: string; readonly startsAt: string };
}

export interface FreeSlot {
  /** ISO 8601, UTC. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly resourceId: string;
}
