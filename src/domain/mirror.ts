import type { ClassRule } from './class-slot.ts';
import type { Directory } from './directory.ts';
import type { EntityKind, PlatformKind } from './entity.ts';
import type { SheetCarry } from './row-edit.ts';
import type { Snapshot } from './snapshot.ts';
import { calendarPlace, sheetPlace } from './standing.ts';
import { type Division, EVERYTHING } from './subject.ts';

/** What the YAML asks for, checked and with every default filled in. The config room makes these, the mirrors room obeys them. */
export type Mirror = CalendarMirror | SheetMirror;

/** Those mirrors, or booking sources, that are of one kind. */
export function ofKind<T extends { readonly kind: string }, K extends T['kind']>(
  all: readonly T[],
  kind: K,
): readonly Extract<T, { readonly kind: K }>[] {
  return all.filter((each): each is Extract<T, { readonly kind: K }> => each.kind === kind);
}

/** Smallest and largest number that is taken, both included. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** One key of `metadata` and the values of it that are taken, as text. */
export interface MetadataRule {
  readonly key: string;
  readonly values: readonly string[];
}

/** A Liquid condition over what templates see of an object. */
export interface Condition {
  /** As between `{% if` and `%}`. */
  readonly source: string;
  /** `unknown`: a field that it names is not known of the object. `failed`: it takes too long, or a filter cannot read a value. */
  judge(about: {
    readonly kind: PlatformKind;
    readonly snapshot: Snapshot;
    readonly directory: Directory;
  }): 'yes' | 'no' | 'unknown' | 'failed';
}

/** Lines of `where` about what an object says. An absent line takes all. What stops matching one of them leaves the mirror. */
export interface ContentFilter {
  /** Service names or ids. */
  readonly services?: readonly string[];
  /** Names or ids of resources, of which the appointment occupies one. */
  readonly resources?: readonly string[];
  readonly sources?: readonly string[];
  /** Lifecycles of the contact who comes. */
  readonly customerLifecycles?: readonly string[];
  /** In major units of the currency. */
  readonly price?: Range;
  readonly guests?: Range;
  /** All of them have to match. */
  readonly metadata?: readonly MetadataRule[];
  readonly condition?: Condition;
}

/** Which appointments a mirror takes. An absent list takes all. */
export interface AppointmentFilter extends ContentFilter {
  /** Project ids: the platform's API lists no projects, so they cannot be named otherwise. */
  readonly projects?: readonly string[];
  readonly statuses?: readonly string[];
  /** Branch names or ids. */
  readonly branches?: readonly string[];
  /**
   * Appointments that started longer ago than this are not taken up. It is a rule of admission only: what is mirrored already
   * stays and is kept up to date. Milliseconds.
   */
  readonly sinceMs: number;
  /**
   * Appointments that start further ahead than this are not taken up yet; they enter when their time comes. A rule of admission as well.
   * Milliseconds; absent: however far ahead.
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
  /** Leads that came in longer ago than this are not taken up; a rule of admission only. Milliseconds. */
  readonly sinceMs: number;
}

/** Which conversations a mirror takes. An absent list takes all. */
export interface ConversationFilter extends Pick<ContentFilter, 'condition'> {
  readonly projects?: readonly string[];
  readonly statuses?: readonly string[];
  readonly channels?: readonly string[];
  /** Conversations that began longer ago than this are not taken up; a rule of admission only. Milliseconds. */
  readonly sinceMs: number;
}

/** Which messages a mirror takes. An absent list takes all. A message names neither its project nor its channel. */
export interface MessageFilter extends Pick<ContentFilter, 'condition'> {
  readonly directions?: readonly string[];
  readonly authorTypes?: readonly string[];
  /** Messages that were written longer ago than this are not taken up; a rule of admission only. Milliseconds. */
  readonly sinceMs: number;
}

/** A filter of any kind of object. */
export type Where = Partial<
  AppointmentFilter & ContactFilter & LeadFilter & ConversationFilter & MessageFilter
>;

/** What a mirror or a feed takes. */
export interface Filtered {
  readonly from: PlatformKind;
  readonly where: Where;
  readonly classes?: ClassRule;
}

/** Whether some of the mirrors leave appointments out by who comes. */
export function asksForCustomers(mirrors: readonly Filtered[]): boolean {
  return mirrors.some(({ where }) => 'customerLifecycles' in where);
}

/** Whether some of them have to hear what happens to the contacts of appointments. */
export function followsCustomers(mirrors: readonly Filtered[]): boolean {
  return asksForCustomers(mirrors) || mirrors.some(({ classes }) => classes?.guests !== undefined);
}

/** Kinds of object that the mirrors need, to show them or to filter by them. */
export function kindsFor(mirrors: readonly Filtered[]): ReadonlySet<PlatformKind> {
  const shown = mirrors.map(({ from }) => from);
  return new Set(followsCustomers(mirrors) ? [...shown, 'contact'] : shown);
}

export interface CalendarMirror {
  readonly kind: 'calendar';
  readonly name: string;
  readonly from: 'appointment';
  readonly where: AppointmentFilter;
  /** No other mirror names any of their calendars. */
  readonly calendars: readonly MappedCalendar[];
  readonly event: EventTemplate;
  readonly staffEdits: StaffEdits;
  /** Absent: every appointment has an event of its own. */
  readonly classes?: ClassRule;
}

/**
 * A line of the mapping: whose appointments stand in the calendar, and how much it shows of them. Several lines may name one calendar, which then
 * shows the same whichever line brings an appointment there.
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
   * Liquid template of the title, where a shared calendar shows no more than that the time is taken: neither description nor
   * place, colour or link. Absent: everything is shown.
   */
  readonly busyTitle?: string;
  /** Name of the Google account that writes to it; absent: the default one. */
  readonly account?: string;
}

/** How people call what a line of the mapping is for. */
export function lineName(line: MappedCalendar): { readonly by: Division; readonly name: string } {
  if ('resource' in line) return { by: 'resource', name: line.resource };
  if ('branch' in line) return { by: 'branch', name: line.branch };
  if ('service' in line) return { by: 'service', name: line.service };
  return { by: 'all', name: EVERYTHING };
}

/** Each once, in the order of the mapping. */
export function calendarIdsOf({ calendars }: Pick<CalendarMirror, 'calendars'>): readonly string[] {
  return [...new Set(calendars.map(({ calendarId }) => calendarId))];
}

/** What becomes of people's changes to mirrored events. */
export interface StaffEdits {
  /** Another start, or another calendar. `reschedule` carries it to the platform, `revert` puts it back, `ignore` leaves it until the appointment changes. */
  readonly moved: 'reschedule' | 'revert' | 'ignore';
  /** `cancel` cancels the appointment after the grace period, `restore` brings the event back, `ignore` lets it stay away. */
  readonly deleted: 'cancel' | 'restore' | 'ignore';
  /** Who wins when both sides have moved the appointment since they last agreed. */
  readonly conflict: 'platform' | 'staff' | 'latest';
  /** How long a deletion has to stand before it is believed: a move between calendars is a deletion and a new event. Milliseconds. */
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
  /** Where the status gives no colour. Absent: none. */
  readonly serviceColours?: readonly NamedColour[];
  /** Where neither the status nor the service gives one. Absent: none. */
  readonly resourceColours?: readonly NamedColour[];
  /** What happens to the event of a cancelled appointment. */
  readonly cancelled: 'remove' | 'keep';
  /** Who sees more than that the time is taken. Absent: people's own choice. */
  readonly visibility?: 'default' | 'private';
  /** Appointment status to whether its event blocks time; statuses that are not named do. Absent: people's own choice. */
  readonly busy?: Readonly<Record<string, boolean>>;
  /** Template of a web address that closes the description. */
  readonly link?: string;
}

export interface NamedColour {
  /** Name or id. */
  readonly name: string;
  /** Google's. */
  readonly colorId: string;
}

/** What a column makes of its template. Text that is no number, time or flag stays text. */
export type ColumnType = 'text' | 'number' | 'money' | 'date' | 'datetime' | 'time' | 'boolean';

export interface SheetColumn {
  readonly header: string;
  /** Liquid. Of money: major units. */
  readonly template: string;
  /** Absent: a template that is one tag only keeps numbers and booleans, everything else is text. */
  readonly as?: ColumnType;
  /** Google's pattern of numbers or of dates; absent: the type's own. */
  readonly format?: string;
  /** Liquid; what it gives stands behind an amount of money, row by row. */
  readonly currency?: string;
}

/** How a tab is held to what was written into it. */
export interface SheetCheck {
  readonly everyMs: number;
  /** Rows that people deleted come back or stay away. */
  readonly removed: 'restore' | 'leave';
  /** Cells of the mirror that people changed are put back at the next look, or stay until the object changes. With `SheetCarry` they are put back. */
  readonly edited: 'restore' | 'leave';
}

/** A tab as it is written to: its rows are found by their key, its columns by their headers. */
export interface KeyedTab {
  /** The writer's name, which its rows in the outbox carry. */
  readonly name: string;
  /** Kind of the objects whose ids stand in the key column. */
  readonly from: EntityKind;
  readonly spreadsheetId: string;
  readonly tab: string;
  readonly keyHeader: string;
  readonly columns: readonly Pick<SheetColumn, 'header'>[];
}

/** Rows of what has become old move to another tab, perhaps of another spreadsheet, and are kept up to date there. */
export interface SheetArchive {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** Field of the object that holds the instant from which its age is counted. */
  readonly by: string;
  readonly afterMs: number;
  /** Rows of both tabs that hold nothing at all are deleted when there are many of them, or kept. */
  readonly blankRows: 'delete' | 'keep';
}

interface SheetMirrorBase {
  readonly kind: 'sheet';
  readonly name: string;
  readonly spreadsheetId: string;
  /** Name of the Google account that writes to it and to its archive; absent: the default one. */
  readonly account?: string;
  readonly tab: string;
  /**
   * IANA zone in which times are rendered. Undefined: the spreadsheet's own for typed dates and times, the branch's for the text of
   * appointments, UTC for all else.
   */
  readonly timezone: string | undefined;
  /** In the order in which a new tab gets them. Headers are unique. */
  readonly columns: readonly SheetColumn[];
  /** Header of the column that holds the object's id. */
  readonly keyHeader: string;
  /** What happens to the row of an object that `where` no longer takes. */
  readonly unmatched: 'clear' | 'keep';
  /** What happens to the row of an object that was deleted on the platform. Kept rows are rendered with `deleted: true`. */
  readonly deleted: 'clear' | 'keep';
  /** Absent: nobody looks after the rows until their objects change. */
  readonly check?: SheetCheck;
  /** Absent: rows stay in their tab however old they are. */
  readonly archive?: SheetArchive;
}

export interface AppointmentSheetMirror extends SheetMirrorBase {
  readonly from: 'appointment';
  readonly where: AppointmentFilter;
  /** Absent: what people change in its rows changes nothing on the platform. */
  readonly carry?: SheetCarry;
}

export interface ContactSheetMirror extends SheetMirrorBase {
  readonly from: 'contact';
  readonly where: ContactFilter;
  /** Absent: what people change in its rows changes nothing on the platform. */
  readonly carry?: SheetCarry;
}

/** People may change cells of its rows. */
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

/** A place that the YAML gives a mirror. */
export interface NamedPlace {
  readonly place: string;
  /** Words that mean it. */
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
