import type { ClassRule } from './class-slot.ts';
import { calendarPlace, sheetPlace } from './ids.ts';
import { type Division, type EntityKind, EVERYTHING, type PlatformKind, type Snapshot } from './object.ts';
import type { SheetCarry } from './row-edit.ts';

/** What the YAML requests, checked and with every default filled in. `mapping/` makes these; `calendar/` and `sheet/` carry them out. */
export type Mirror = CalendarMirror | SheetMirror;

/** The mirrors, or booking sources, of one kind. */
export function ofKind<T extends { readonly kind: string }, K extends T['kind']>(
  all: readonly T[],
  kind: K,
): readonly Extract<T, { readonly kind: K }>[] {
  return all.filter((each): each is Extract<T, { readonly kind: K }> => each.kind === kind);
}

/** Smallest and largest accepted number, both inclusive. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** One key of `metadata` and its accepted values, as text. */
export interface MetadataRule {
  readonly key: string;
  readonly values: readonly string[];
}

/** A Liquid condition over what templates see of an object. */
export interface Condition {
  /** The text between `{% if` and `%}`. */
  readonly source: string;
  /** `unknown`: a field that it names is unknown for the object. `failed`: it takes too long, or a filter cannot read a value. */
  judge(about: {
    readonly kind: PlatformKind;
    readonly snapshot: Snapshot;
    readonly directory: Directory;
  }): 'yes' | 'no' | 'unknown' | 'failed';
}

/** Lines of `where` about an object's content. An absent line accepts everything. An object that stops matching one leaves the mirror. */
export interface ContentFilter {
  /** Service names or ids. */
  readonly services?: readonly string[];
  /** Names or ids of resources; the appointment must occupy one of them. */
  readonly resources?: readonly string[];
  readonly sources?: readonly string[];
  /** Lifecycles of the appointment's contact. */
  readonly customerLifecycles?: readonly string[];
  /** In major units of the currency. */
  readonly price?: Range;
  readonly guests?: Range;
  /** All of them must match. */
  readonly metadata?: readonly MetadataRule[];
  readonly condition?: Condition;
}

/** Which appointments a mirror takes. An absent list takes all. */
export interface AppointmentFilter extends ContentFilter {
  /** Project ids, because the platform's API lists no projects to take names from. */
  readonly projects?: readonly string[];
  readonly statuses?: readonly string[];
  /** Branch names or ids. */
  readonly branches?: readonly string[];
  /**
   * The mirror does not take up appointments that started longer ago than this. A rule of admission only: what is already mirrored stays
   * and is kept up to date. Milliseconds.
   */
  readonly sinceMs: number;
  /**
   * The mirror does not yet take up appointments that start further ahead than this; they enter later. Also a rule of admission only.
   * Milliseconds; absent: no limit.
   */
  readonly untilMs?: number;
}

/** Which contacts a mirror takes. An absent list takes all. */
export interface ContactFilter extends Pick<ContentFilter, 'sources' | 'metadata' | 'condition'> {
  readonly projects?: readonly string[];
  readonly lifecycles?: readonly string[];
  readonly statuses?: readonly string[];
}

/** Which leads a mirror takes. An absent list takes all. */
export interface LeadFilter extends Pick<ContentFilter, 'sources' | 'condition'> {
  readonly projects?: readonly string[];
  readonly statuses?: readonly string[];
  /** The mirror does not take up leads that came in longer ago than this; a rule of admission only. Milliseconds. */
  readonly sinceMs: number;
}

/** Which conversations a mirror takes. An absent list takes all. */
export interface ConversationFilter extends Pick<ContentFilter, 'condition'> {
  readonly projects?: readonly string[];
  readonly statuses?: readonly string[];
  readonly channels?: readonly string[];
  /** The mirror does not take up conversations that began longer ago than this; a rule of admission only. Milliseconds. */
  readonly sinceMs: number;
}

/** Which messages a mirror takes. An absent list takes all. A message names neither its project nor its channel. */
export interface MessageFilter extends Pick<ContentFilter, 'condition'> {
  readonly directions?: readonly string[];
  readonly authorTypes?: readonly string[];
  /** The mirror does not take up messages written longer ago than this; a rule of admission only. Milliseconds. */
  readonly sinceMs: number;
}

export type Where = Partial<
  AppointmentFilter & ContactFilter & LeadFilter & ConversationFilter & MessageFilter
>;

export interface Filtered {
  readonly from: PlatformKind;
  readonly where: Where;
  readonly classes?: ClassRule;
}

/** Whether any mirror filters appointments by their customer. */
export function filtersByCustomer(mirrors: readonly Filtered[]): boolean {
  return mirrors.some(({ where }) => 'customerLifecycles' in where);
}

/** Whether any mirror needs changes to the contacts of appointments. */
export function followsCustomers(mirrors: readonly Filtered[]): boolean {
  return filtersByCustomer(mirrors) || mirrors.some(({ classes }) => classes?.guests !== undefined);
}

/** Kinds of object that the mirrors need, to show or to filter. */
export function kindsFor(mirrors: readonly Filtered[]): ReadonlySet<PlatformKind> {
  const shown = mirrors.map(({ from }) => from);
  return new Set(followsCustomers(mirrors) ? [...shown, 'contact'] : shown);
}

export interface CalendarMirror {
  readonly kind: 'calendar';
  readonly name: string;
  readonly from: 'appointment';
  readonly where: AppointmentFilter;
  /** No other mirror names any of these calendars. */
  readonly calendars: readonly MappedCalendar[];
  readonly event: EventTemplate;
  readonly staffEdits: StaffEdits;
  /** Absent: every appointment has its own event. */
  readonly classes?: ClassRule;
}

/**
 * A line of the mapping: whose appointments the calendar shows, and how much of them. Several lines may name one calendar, which then shows
 * the same for each of them.
 */
export type MappedCalendar = CalendarView &
  (
    | { /** Name or id. */ readonly resource: string }
    | { /** Name or id. */ readonly branch: string }
    | { /** Name or id. */ readonly service: string }
    | { /** Every appointment that the mirror takes. */ readonly all: true }
  );

export interface CalendarView {
  readonly calendarId: string;
  /**
   * Liquid template of the title, for a shared calendar that shows only that the time is taken: no description, place, colour or link.
   * Absent: everything is shown.
   */
  readonly busyTitle?: string;
  /** Name of the Google account that writes to it; absent: the default account. */
  readonly account?: string;
}

/** The name by which people know what a line of the mapping is for. */
export function lineName(line: MappedCalendar): { readonly by: Division; readonly name: string } {
  if ('resource' in line) return { by: 'resource', name: line.resource };
  if ('branch' in line) return { by: 'branch', name: line.branch };
  if ('service' in line) return { by: 'service', name: line.service };
  return { by: 'all', name: EVERYTHING };
}

/** Each calendar once, in the order of the mapping. */
export function calendarIdsOf({ calendars }: Pick<CalendarMirror, 'calendars'>): readonly string[] {
  return [...new Set(calendars.map(({ calendarId }) => calendarId))];
}

/** What happens to people's changes to mirrored events. */
export interface StaffEdits {
  /**
   * For another start or another calendar: `reschedule` carries it to the platform, `revert` puts it back, `ignore` leaves it until the
   * appointment changes.
   */
  readonly moved: 'reschedule' | 'revert' | 'ignore';
  /** `cancel` cancels the appointment after the grace period, `restore` brings the event back, `ignore` leaves it deleted. */
  readonly deleted: 'cancel' | 'restore' | 'ignore';
  /** Who wins when both sides have moved the appointment since they last agreed. */
  readonly conflict: 'platform' | 'staff' | 'latest';
  /** How long a deletion must last before the worker believes it: a move between calendars is a deletion and a new event. Milliseconds. */
  readonly graceMs: number;
  /** Whether the platform mails the customer about what staff did in the calendar. */
  readonly notifyCustomer: boolean;
}

/** Liquid templates and fixed choices for one event. */
export interface EventTemplate {
  readonly title: string;
  readonly description: string | undefined;
  readonly location: string | undefined;
  /** Appointment status to Google's colorId, "1" to "11". */
  readonly colorIds: Readonly<Record<string, string>>;
  /** Used if the status gives no colour. Absent: none. */
  readonly serviceColours?: readonly NamedColour[];
  /** Used if neither the status nor the service gives one. Absent: none. */
  readonly resourceColours?: readonly NamedColour[];
  /** What happens to the event of a cancelled appointment. */
  readonly cancelled: 'remove' | 'keep';
  /** Who sees more than that the time is taken. Absent: people decide. */
  readonly visibility?: 'default' | 'private';
  /** Appointment status to whether its event blocks time; a status that is not listed does. Absent: people decide. */
  readonly busy?: Readonly<Record<string, boolean>>;
  /** Template of a web address at the end of the description. */
  readonly link?: string;
}

export interface NamedColour {
  /** Name or id. */
  readonly name: string;
  /** Google's id. */
  readonly colorId: string;
}

/** What a column makes of its template. Text that is not a number, time or flag stays text. */
export type ColumnType = 'text' | 'number' | 'money' | 'date' | 'datetime' | 'time' | 'boolean';

export interface SheetColumn {
  readonly header: string;
  /** Liquid. For money: in major units. */
  readonly template: string;
  /** Absent: a template that is a single tag keeps numbers and booleans; everything else is text. */
  readonly as?: ColumnType;
  /** Google's pattern for numbers or dates; absent: the type's own. */
  readonly format?: string;
  /** Liquid; its result follows an amount of money, row by row. */
  readonly currency?: string;
}

/** How the worker keeps a tab as it was written. */
export interface SheetCheck {
  readonly everyMs: number;
  /** Restore rows that people deleted, or leave them deleted. */
  readonly removed: 'restore' | 'leave';
  /**
   * Restore cells of the mirror that people changed at the next check, or leave them until the object changes. With `SheetCarry` they are
   * restored.
   */
  readonly edited: 'restore' | 'leave';
}

/** A tab to write to: the worker finds rows by their key and columns by their headers. */
export interface KeyedTab {
  /** Name of the writer; its rows in the outbox carry it. */
  readonly name: string;
  /** Kind of the objects whose ids are in the key column. */
  readonly from: EntityKind;
  readonly spreadsheetId: string;
  readonly tab: string;
  readonly keyHeader: string;
  readonly columns: readonly Pick<SheetColumn, 'header'>[];
  readonly carry?: SheetCarry;
}

/** Rows of old objects move to another tab, perhaps of another spreadsheet, and are kept up to date there. */
export interface SheetArchive {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** Field of the object with the instant from which its age counts. */
  readonly by: string;
  readonly afterMs: number;
  /** Move blank rows of both tabs below the others when there are many, and delete most of them, or keep them. */
  readonly blankRows: 'delete' | 'keep';
}

interface SheetMirrorBase {
  readonly kind: 'sheet';
  readonly name: string;
  readonly spreadsheetId: string;
  /** Name of the Google account that writes to it and to its archive; absent: the default account. */
  readonly account?: string;
  readonly tab: string;
  /**
   * IANA zone in which times are rendered. Undefined: the spreadsheet's for typed dates and times, the branch's for texts of appointments,
   * UTC for everything else.
   */
  readonly timezone: string | undefined;
  /** In the order of columns in a new tab. Headers are unique. */
  readonly columns: readonly SheetColumn[];
  /** Header of the column that holds the object's id. */
  readonly keyHeader: string;
  /** What happens to the row of an object that `where` no longer takes. */
  readonly unmatched: 'clear' | 'keep';
  /** What happens to the row of an object that was deleted on the platform. Kept rows are rendered with `deleted: true`. */
  readonly deleted: 'clear' | 'keep';
  /** Absent: the worker does not check the rows until their objects change. */
  readonly check?: SheetCheck;
  /** Absent: rows stay in their tab at any age. */
  readonly archive?: SheetArchive;
  /** Whether blank rows between others move below them once a day. Absent: no. */
  readonly compact?: boolean;
}

export interface AppointmentSheetMirror extends SheetMirrorBase {
  readonly from: 'appointment';
  readonly where: AppointmentFilter;
  /** Absent: people's changes in its rows change nothing on the platform. */
  readonly carry?: SheetCarry;
}

export interface ContactSheetMirror extends SheetMirrorBase {
  readonly from: 'contact';
  readonly where: ContactFilter;
  /** Absent: people's changes in its rows change nothing on the platform. */
  readonly carry?: SheetCarry;
}

/** A mirror with cells that people may change. */
export type CarryingMirror = (ContactSheetMirror | AppointmentSheetMirror) & { readonly carry: SheetCarry };

export interface LeadSheetMirror extends SheetMirrorBase {
  readonly from: 'lead';
  readonly where: LeadFilter;
}

export interface ConversationSheetMirror extends SheetMirrorBase {
  readonly from: 'conversation';
  readonly where: ConversationFilter;
}

export interface MessageSheetMirror extends SheetMirrorBase {
  readonly from: 'message';
  readonly where: MessageFilter;
}

export type SheetMirror =
  | AppointmentSheetMirror
  | ContactSheetMirror
  | LeadSheetMirror
  | ConversationSheetMirror
  | MessageSheetMirror;

/** A place that the YAML assigns to a mirror. */
export interface NamedPlace {
  readonly place: string;
  /** Texts that identify it. */
  readonly names: readonly string[];
}

export function namedPlaces(mirror: Mirror): readonly NamedPlace[] {
  switch (mirror.kind) {
    case 'calendar':
      return mirror.calendars.map((line) => {
        const place = calendarPlace(line.calendarId);
        return { place, names: [place, line.calendarId, lineName(line).name] };
      });
    case 'sheet':
      return [mirror, ...(mirror.archive === undefined ? [] : [mirror.archive])].map((tab) => {
        const place = sheetPlace(tab);
        return { place, names: [place, tab.tab, tab.spreadsheetId] };
      });
  }
}

/** The platform moves no others (platform API, Appointment states). */
export function isMovableStatus(status: unknown): boolean {
  return status === 'pending' || status === 'confirmed';
}

/** What one place of a mirror holds for one object, as read there, reduced to what a comparison needs. */
export interface Actual {
  /** `calendar:<id>` or `spreadsheet:<id>/<tab>`. */
  readonly place: string;
  /** The platform's id of the object. */
  readonly id: string;
  /** Event id, or the row number that people see. */
  readonly name: string;
  /** JSON, which only the target that reads it understands. */
  readonly content: unknown;
  /** False for an item that only a link can distinguish from a copy made by people. */
  readonly isOurs: boolean;
}

/** What one place should hold for one object. */
export interface Expectation {
  readonly place: string;
  /** `may`: people or an edit of the YAML left it there, or left it out; whatever is there is not wrong. */
  readonly rule: 'must' | 'may' | 'must-not';
  /** Why it may: `changed-mapping` if the mapping no longer takes the object. */
  readonly because?: 'changed-mapping' | 'left' | 'history' | 'open';
  /** Whether the content is as it should be. Meant for `must`. */
  readonly isRight: (content: unknown) => boolean;
  /** The worker remembers having written exactly this: any other content was written by people. */
  readonly isConfirmed: boolean;
  /** Name of the linked item (event id, or tab), if the place may hold several. */
  readonly linked?: string;
}

/** The places of one mirror, read as they are now. */
export interface MirrorPlaces {
  readonly mirror: string;
  /** Names of the places, `calendar:…` or `spreadsheet:…`. */
  readonly places: readonly string[];
  /** Places that the YAML no longer names. They still hold what was over by then. */
  readonly former?: ReadonlySet<string>;
  /** Whether an error with this code means that the place is closed to the worker. For a former place, this requires no action. */
  readonly isClosed?: (code: string) => boolean;
  /** Everything that one of them holds for the worker's objects, a page at a time. Rejects with the three error families. */
  standing(place: string): AsyncIterable<Actual>;
}

/** A staff member, place or piece of equipment (platform API, Resource). */
export interface Resource {
  readonly id: string;
  readonly branchId: string;
  readonly projectId: string;
  readonly name: string;
  /** How many can be booked for one time; absent: unknown. */
  readonly capacity?: number;
}

/** An office (platform API, Branch). */
interface Branch {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** IANA zone. */
  readonly timezone: string;
}

/** What can be booked (platform API, Service). */
export interface Service {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** `fixed` or `interval` (time rental). */
  readonly bookingMode?: string;
  /** `interval` services only. */
  readonly lengths?: ServiceLengths;
  /** Customers can book it themselves. */
  readonly isOnline?: boolean;
}

/** The platform's reference lists, as last read. */
export interface Directory {
  readonly resources: ReadonlyMap<string, Resource>;
  readonly branches: ReadonlyMap<string, Branch>;
  readonly services: ReadonlyMap<string, Service>;
}

/** Used while the platform's lists cannot be read: ids replace names. */
export const NO_DIRECTORY: Directory = { resources: new Map(), branches: new Map(), services: new Map() };

/** Lengths that an interval service accepts: `minMin`, then steps of `stepMin`, up to `maxMin`. Minutes. */
export interface ServiceLengths {
  readonly minMin: number;
  readonly maxMin: number;
  readonly stepMin: number;
}
