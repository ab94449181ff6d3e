// Takes every changed event of a calendar in which people book. Observes each one that is, or was, a booking. Anybody who may send one
// invitation may send many: rules look at short fields, and only what they take is read in full. Level-based: only what an event says now
// matters, whatever happened to it.
import { setImmediate } from 'node:timers/promises';
import { withoutAnswer } from '../../domain/answer-line.ts';
import type { EntityKey } from '../../domain/entity.ts';
import { isNoteId, objectOf } from '../../domain/event-id.ts';
import { MARK } from '../../domain/event-marks.ts';
import { type RuledEvent, takesEvent } from '../../domain/event-rule.ts';
import { bookingIdOf, calendarOrigin } from '../../domain/origin.ts';
import type { CalendarBookings, SeenEventBooking } from '../../domain/outside-booking.ts';
import { headOf, plainText } from '../../domain/plain-text.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { type CalendarEvent, otherOrganizer } from '../../google/calendar-event.ts';
import type { CalendarCursors } from '../../ports/calendars.ts';
import type { Intake } from '../../ports/intake.ts';
import type { LeaseProof } from '../../ports/leases.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ObjectView } from '../../ports/work.ts';
import type { ChangeListener } from './sync.ts';

/** Events noted in parallel: each may cost two round trips to Redis. */
const EVENTS_AT_ONCE = 20;
/** Attendees of one event that are read: Google allows no more with answers, and a list of thousands is no appointment. */
const ATTENDEES_MAX = 500;
/** Longest title, place or description; Google keeps 8,192 characters. */
const TEXT_CHARS_MAX = 20_000;
/** Largest difference between Google's clock and the worker's. */
const CLOCKS_APART_MS = 60_000;
/** From a day's midnight in UTC until it is over in the last zone. */
const DAY_EVERYWHERE_MS = 36 * 3_600_000;
/** The worker's own private properties. */
const OWN_PROPERTY = /^slotbridge/;

export interface OutsideEventsParts {
  /** In the order of the YAML: the first entry that takes an event gets it. */
  readonly mappings: readonly CalendarBookings[];
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<ObjectView, 'peek'>;
  /** Up to which moment a calendar has been read; absent where lateness does not matter. */
  readonly cursors?: Pick<CalendarCursors, 'read'>;
  readonly clock: Clock;
}

export function watchOutsideEvents(parts: OutsideEventsParts): ChangeListener {
  return async (calendarId, events, { askedAtMs, lease }) => {
    if (mappingsAt(parts, calendarId).length === 0) return;
    // The worker's own events have ids that only it can assign.
    const others = events.filter(({ id }) => objectOf(id) === undefined && !isNoteId(id));
    for (let from = 0; from < others.length; from += EVENTS_AT_ONCE) {
      const some = others.slice(from, from + EVENTS_AT_ONCE);
      await Promise.all(
        some.map((event) => noteOutsideEvent(parts, { calendarId, event, seenAtMs: askedAtMs, lease })),
      );
      // Leases and probes get their turn, however many events there are.
      await setImmediate();
    }
  };
}

/** Notes the event if a rule takes it, or if it was a booking. Repeating it changes nothing. */
export async function noteOutsideEvent(
  parts: OutsideEventsParts,
  about: {
    readonly calendarId: string;
    readonly event: CalendarEvent;
    /** When the event was requested. */
    readonly seenAtMs: number;
    /** Absent: a handler read the event outside a sync. */
    readonly lease?: LeaseProof;
  },
): Promise<void> {
  const { calendarId, event, seenAtMs: nowMs, lease } = about;
  const mappings = mappingsAt(parts, calendarId);
  const origin = calendarOrigin(calendarId, event.id);
  const key: EntityKey = { kind: 'booking', id: bookingIdOf(origin) };
  const isLive = event.status !== 'cancelled';
  const taking = isLive ? mappings.find((each) => takes(each, event, calendarId)) : undefined;
  // Looked up before any filter: a tombstone may hold no more than its id (case 29).
  const known = taking === undefined ? (await parts.view.peek(key))?.snapshot : undefined;
  const mapping = taking?.name ?? known?.['mapping'];
  if (typeof mapping !== 'string') return;
  // Take only instances within the series' horizon; the series' own turn finds the rest in time.
  if (taking !== undefined && isBeyond(taking, event, nowMs) && (await parts.view.peek(key)) === undefined)
    return;
  const fields = isLive ? fieldsOf(event) : undefined;
  const base = {
    id: key.id,
    origin,
    mapping,
    place: 'calendar',
    calendar_id: calendarId,
    event_id: event.id,
  } as const;
  const seen_at = new Date(nowMs).toISOString();
  const snapshot: SeenEventBooking =
    fields === undefined
      ? {
          ...(known as Partial<SeenEventBooking>),
          is_matching: true,
          is_copy: false,
          ...base,
          seen_at,
          state: 'gone',
        }
      : {
          ...{ ...base, seen_at, state: 'live' as const, ...fields },
          ...given('guest_copy', guestCopyOf(event, calendarId, taking)),
          ...(taking && (await latenessOf(parts, key, about))),
          is_matching: taking !== undefined,
          is_copy: event.extendedProperties?.private?.[MARK.key] === MARK.value,
        };
  await parts.intake.observe({
    ...{ key, source: 'calendar', occurredAtMs: Date.parse(event.updated ?? '') || nowMs },
    ...(lease !== undefined && { under: { name: lease.name, proof: lease.proof } }),
    seen: { as: 'snapshot', snapshot: snapshot as unknown as Snapshot },
  });
}

type Lateness = Pick<SeenEventBooking, 'read_late' | 'written_late'>;

/**
 * For an event that is over when the calendar is read. `read_late`: written before its hour and after the calendar was last read, so it
 * could not be seen in time. `written_late`: written after its hour. What was there before the calendar was ever read is history. The flag
 * stays once it is set, because the worker's own answer also changes the event.
 */
async function latenessOf(
  { cursors, view }: OutsideEventsParts,
  key: EntityKey,
  { calendarId, event, seenAtMs }: Parameters<typeof noteOutsideEvent>[1],
): Promise<Lateness> {
  const { dateTime, date } = event.start ?? {};
  // An all-day event is over once its day has ended everywhere.
  const startMs = dateTime === undefined ? Date.parse(date ?? '') + DAY_EVERYWHERE_MS : Date.parse(dateTime);
  if (cursors === undefined || event.recurringEventId !== undefined || !(startMs <= seenAtMs)) return {};
  const known = (await view.peek(key))?.snapshot;
  if (known !== undefined && known['starts_at'] === dateTime && known['date'] === date) {
    if (known['read_late'] === true) return { read_late: true };
    if (known['written_late'] === true) return { written_late: true };
  }
  const writtenMs = Date.parse(event.updated ?? '');
  const { coveredUntilMs } = await cursors.read(calendarId);
  if (coveredUntilMs === undefined || !(writtenMs >= coveredUntilMs - CLOCKS_APART_MS)) return {};
  return writtenMs < startMs ? { read_late: true } : { written_late: true };
}

function mappingsAt({ mappings }: OutsideEventsParts, calendarId: string): readonly CalendarBookings[] {
  const id = calendarId.toLowerCase();
  return mappings.filter(({ calendars }) => calendars.some((each) => each.calendarId.toLowerCase() === id));
}

function isBeyond({ series }: CalendarBookings, event: CalendarEvent, nowMs: number): boolean {
  if (series === undefined || event.recurringEventId === undefined) return false;
  return Date.parse(event.start?.dateTime ?? '') > nowMs + series.horizonMs;
}

function takes(mapping: CalendarBookings, event: CalendarEvent, calendarId: string): boolean {
  const organizer = otherOrganizer(event, calendarId);
  const isColleague = organizer !== undefined && isOfEntry(mapping, organizer);
  return takesEvent(mapping.when, { ...ruledOf(event), invitedBy: isColleague ? undefined : organizer });
}

function isOfEntry({ calendars }: CalendarBookings, address: string): boolean {
  return calendars.some(({ calendarId }) => calendarId.toLowerCase() === address);
}

/** An event without write access cannot be answered, and a meeting of colleagues is one booking (case 51). */
function guestCopyOf(
  event: CalendarEvent,
  calendarId: string,
  mapping: CalendarBookings | undefined,
): SeenEventBooking['guest_copy'] {
  const organizer = otherOrganizer(event, calendarId);
  if (organizer === undefined) return undefined;
  if (mapping !== undefined && isOfEntry(mapping, organizer)) return 'colleague';
  return event.guestsCanModify === true ? 'writable' : 'read-only';
}

function ruledOf(event: CalendarEvent): RuledEvent {
  return {
    title: event.summary,
    creator: event.creator?.email,
    attendees: addressesOf(event),
    properties: event.extendedProperties?.private,
  };
}

function addressesOf({ attendees = [] }: CalendarEvent): readonly string[] {
  return attendees.slice(0, ATTENDEES_MAX).flatMap(({ email }) => email ?? []);
}

/** What people wrote, as templates and rules see it. Fields that Google omits stay absent. */
function fieldsOf(event: CalendarEvent) {
  const properties = Object.entries(event.extendedProperties?.private ?? {}).filter(
    ([name]) => !OWN_PROPERTY.test(name),
  );
  const attendees = addressesOf(event);
  const response = (event.attendees ?? []).find(({ self }) => self === true)?.responseStatus;
  const timezone = event.start?.timeZone;
  const description = headOf(plainText(withoutAnswer(event.description ?? '')), TEXT_CHARS_MAX);
  return {
    status: event.status,
    ...given('event_type', event.eventType),
    ...given('title', event.summary && headOf(event.summary, TEXT_CHARS_MAX)),
    ...given('description', description === '' ? undefined : description),
    ...given('location', event.location && headOf(event.location, TEXT_CHARS_MAX)),
    ...given('starts_at', event.start?.dateTime),
    ...given('ends_at', event.end?.dateTime),
    ...given('date', event.start?.date),
    ...given('timezone', timezone),
    ...given('recurrence', event.recurrence),
    ...given('recurring_event_id', event.recurringEventId),
    ...given('creator', event.creator?.email),
    ...given('organizer', event.organizer?.email),
    ...(attendees.length > 0 && { attendees }),
    ...given('response', response),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [K in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [K in Name]?: Value });
}
