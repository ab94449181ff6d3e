// Events and their links, and how far each calendar has been read.
import type { CalendarCursor, OpenSync } from '../domain/calendar-cursor.ts';
import type { ClassSlot } from '../domain/class-slot.ts';
import type { CalendarLink, MirrorLinks, ObjectLinks } from '../domain/link.ts';
import type { EntityKey, EntityKind } from '../domain/object.ts';
import type { SeenEvent, Sighting } from '../domain/outside-booking.ts';
import type { Claim } from '../domain/work.ts';
import type { LeaseProof } from './leases.ts';

/** Which events and rows mirror which object. */
export interface LinkStore {
  /** Replaces what one mirror holds of one object; an empty `MirrorLinks` removes it. False if fenced off: nothing was written. */
  write(claim: Claim, mirror: string, links: MirrorLinks): Promise<boolean>;
  /**
   * Takes up an event found in its calendar after a loss of Redis. False if the mirror already has a link into that calendar. The object
   * becomes dirty, so that the event is compared with the truth. `key` is `formatKey` of the object. An event that is linked in another
   * calendar is sighted instead, unless that link is `leaving`. So is an event with a derived id beside another event.
   */
  adopt(key: string, mirror: string, link: CalendarLink): Promise<boolean>;
}

/** Moves links between mirrors, because an edit of the YAML has renamed, split or joined mirrors. */
export interface LinkMoves {
  /**
   * Calls `decide` with the links of every known object; undefined leaves them unchanged. Fences off a handler at work on a changed object.
   * Returns how many objects were changed. Calling it again changes nothing more.
   */
  rearrange(decide: (kind: EntityKind, links: ObjectLinks) => ObjectLinks | undefined): Promise<number>;
  /** Gives a turn to each known object that `needs` one. Returns how many. Calling it again gives them another one. */
  giveTurns(needs: (object: LinkedObject) => boolean): Promise<number>;
  /** Forgets which rows were confirmed in a tab; the next check rebuilds the index from the links. */
  forgetRows(place: {
    readonly mirror: string;
    readonly spreadsheetId: string;
    readonly tab: string;
  }): Promise<void>;
}

/** What is known of an object without reading it. */
export interface LinkedObject {
  readonly kind: EntityKind;
  readonly links: ObjectLinks;
  readonly isDeleted: boolean;
  /** False when a turn would have to ask the platform for the object. */
  readonly hasContent: boolean;
}

/** How far each calendar has been read. Writes carry the lease they are made under; a stale holder's write is refused (false). */
export interface CalendarCursors {
  read(calendarId: string): Promise<CalendarCursor>;
  saveSync(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean>;
  /** Forgets the sync token, which is no longer valid, and begins to list everything. */
  startOver(calendarId: string, open: OpenSync, lease: LeaseProof): Promise<boolean>;
  /** The effects of all pages are durable: stores the new sync token and forgets the open sync. */
  close(calendarId: string, proof: SyncProof, lease: LeaseProof): Promise<boolean>;
  /** Counts a ping from Google and returns its number. Needs no lease, because it does not claim that anything was read. */
  pinged(calendarId: string, atMs: number): Promise<number>;
  /** Remembers which linked events a full list has shown. The start of that list identifies it. */
  markShown(list: ListOf, eventIds: readonly string[]): Promise<void>;
  /** Those of the given events that the full list has shown. */
  shown(list: ListOf, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ListOf {
  readonly calendarId: string;
  readonly startedAtMs: number;
}

export interface SyncProof {
  readonly syncToken: string;
  readonly coveredUntilMs: number;
  /** Number of pings when the sync began; absent if an older version began it. */
  readonly coveredPings?: number;
  readonly provedAtMs: number;
  /** Present after a full list. */
  readonly listedAtMs?: number;
  /** Present if something had changed. */
  readonly changedAtMs?: number;
  /** Present if no ping had announced the change. */
  readonly missedAtMs?: number;
}

/** What calendars showed of the worker's events, and which events those are. */
export interface SightingStore {
  /** Stores the sighting at its object and marks the object dirty, in one step. */
  sight(
    key: EntityKey,
    sighting: Sighting,
    /** `content`: hash of what an event of a series says. */
    seen: { readonly isAlive: boolean; readonly content?: string | undefined },
  ): Promise<SightOutcome>;
  /** Returns which of these events are linked: event id to `formatKey` of the object. */
  linked(calendarId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All linked events of a calendar, in batches; one may appear twice. */
  allLinked(calendarId: string): AsyncIterable<ReadonlyMap<string, string>>;
}

/**
 * - `noticed`: stored; the object is dirty now (or was for this very sighting).
 * - `echo`: the link holds this very etag or content, so the worker sees what it knows. Nothing was stored.
 * - `ignored`: a deleted event without a link. Nothing was stored.
 * - `unknown`: nothing is known of the object. Nothing was stored.
 */
export type SightOutcome = 'noticed' | 'echo' | 'ignored' | 'unknown';

/** A subscription to pings about one calendar. Its row is stored before the request leaves. */
export interface Channel {
  readonly id: string;
  /** Google returns it with every ping. */
  readonly token: string;
  readonly calendarId: string;
  readonly address: string;
  readonly requestedAtMs: number;
  /** The latest end known: first as requested, then as Google said. */
  readonly expiresAtMs: number;
  /** Google's id; undefined until an answer or a ping of the channel has arrived. */
  readonly resourceId: string | undefined;
}

/** One row per channel: a new channel never takes the row of an old one that still pings. */
export interface ChannelStore {
  add(channel: Channel): Promise<void>;
  get(id: string): Promise<Channel | undefined>;
  all(): Promise<readonly Channel[]>;
  /** Google has the channel. Stores nothing if the row was removed meanwhile. */
  confirm(id: string, opened: { readonly resourceId: string; readonly expiresAtMs: number }): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Single events, as their calendars show them now. Rejects with the three error families. */
export interface CalendarEvents {
  /** `absent` is proof: the calendar itself answered, and the event is not in it. */
  read(calendarId: string, eventId: string): Promise<SeenEvent | 'absent'>;
  /** How many live events of the worker end after this moment; counts one page at most. Epoch milliseconds. */
  upcoming(calendarId: string, fromMs: number): Promise<number>;
}

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
