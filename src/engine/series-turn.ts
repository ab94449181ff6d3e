// Handles a series by which people book. Each event within the horizon becomes a booking of its own; each missing event is noted at its
// booking and its appointment. Level-based: the turn reads the calendar's current state, whatever was edited.

import type { GoneInstance, SeriesInstances } from './calendar-events.ts';
import { DeferredError } from './errors.ts';
import { bookingIdOf, calendarOrigin, continuedSeries, ruleEndMs } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { type BookingRecord, ownOf, type SeenEventBooking } from './outside-booking.ts';
import type { Clock } from './runtime.ts';

/** How often an unchanged series is read again: an event may be booked that much later than its horizon. */
export const SERIES_LOOK_EVERY_MS = 6 * 3_600_000;
/** How often to check whether the appointments of deleted events have ended. */
const SERIES_HELD_FOR_MS = 120_000;

export function seriesHeld(): DeferredError {
  return new DeferredError('series-held', 'appointments of events that are gone from a series still stand', {
    retryAfterMs: SERIES_HELD_FOR_MS,
  });
}

export interface SeriesTurnParts {
  readonly instances: SeriesInstances;
  readonly view: Pick<Ledger, 'peek'>;
  readonly clock: Clock;
}

export interface SeriesRules {
  /** Undefined: no event of the series is booked, or no longer. */
  readonly horizonMs: number | undefined;
  /** Whether a deleted event cancels its appointment. */
  readonly cancelsDeleted: boolean;
}

type Known = Readonly<Record<string, number>>;

/**
 * Brings the bookings of a series in step with it. `put` stores the known events, with which a later turn compares. Rejects with
 * `DeferredError` `series-held` while appointments of deleted events still exist. Otherwise the platform would refuse a series moved by an
 * hour because of its own old appointments, and a split series would be booked twice.
 */
export async function expandSeries(
  parts: SeriesTurnParts,
  series: { readonly seen: SeenEventBooking; readonly rules: SeriesRules; readonly record: BookingRecord },
  put: (known: Known) => Promise<void>,
): Promise<'expanded' | 'too-many'> {
  const { seen, rules, record } = series;
  const nowMs = parts.clock.now();
  const place = { calendarId: seen.calendar_id, masterId: seen.event_id };
  const listed =
    rules.horizonMs === undefined ? [] : await parts.instances.list(place, nowMs + rules.horizonMs);
  const shown = listed === 'too-many' ? [] : listed;
  const ids = new Set(shown.map(({ eventId }) => eventId));
  // Appointments that have begun are history, whatever happens to their events.
  const known = Object.entries(record.series ?? {}).filter(([, startMs]) => startMs > nowMs);
  const missing = known.map(([eventId]) => eventId).filter((eventId) => !ids.has(eventId));
  const others = new Map<string, string>();
  const gone = await parts.instances.gone(place.calendarId, missing, {
    onOther: (eventId, masterId) => {
      if (masterId !== place.masterId) others.set(eventId, masterId);
    },
  });
  const handed = await handedOver(parts, place.calendarId, others);
  const standing = await stillToCome(parts, gone, nowMs);
  const ended = new Set(gone.map(({ eventId }) => eventId).filter((eventId) => !standing.has(eventId)));
  const kept = known.filter(([eventId]) => !ended.has(eventId) && !handed.has(eventId));
  const begun = shown.flatMap(({ eventId, startMs }) => (startMs === undefined ? [] : [[eventId, startMs]]));
  // A deleted series books nothing more, so nothing has to wait.
  const isHeld = rules.cancelsDeleted && standing.size > 0 && seen.state === 'live';
  // Stored before any instance is taken: an event that is missing from this list would never be found gone.
  await put(Object.fromEntries(isHeld ? kept : [...kept, ...begun]));
  if (isHeld) throw seriesHeld();
  for (const instance of shown) await instance.take();
  return listed === 'too-many' ? 'too-many' : 'expanded';
}

/**
 * Those of the events that another master has taken over: people have split the series. Until that master knows them, this one looks after
 * them. A master of which nothing is known is noted.
 */
async function handedOver(
  { instances, view }: SeriesTurnParts,
  calendarId: string,
  others: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const handed = new Set<string>();
  for (const masterId of new Set(others.values())) {
    const booking = await view.peek({
      kind: 'booking',
      id: bookingIdOf(calendarOrigin(calendarId, masterId)),
    });
    if (booking?.snapshot === undefined) await instances.takeMaster({ calendarId, masterId });
    const series = Object.values(booking?.links ?? {}).map((links) => links.booking?.series ?? {});
    for (const [eventId, master] of others)
      if (master === masterId && series.some((known) => eventId in known)) handed.add(eventId);
  }
  return handed;
}

/**
 * Why the second master of a series that people moved books nothing yet. `copy`: the first one goes on, so this is a copy of it. `held`:
 * appointments of events that went with the end of the first one still stand.
 */
export async function hindranceOfPart(
  { view, clock }: Pick<SeriesTurnParts, 'view' | 'clock'>,
  seen: SeenEventBooking,
  rules: Pick<SeriesRules, 'cancelsDeleted'>,
): Promise<'copy' | 'held' | undefined> {
  // With an unchanged start, its events are those of the first master.
  if (seen.continues === undefined || continuedSeries(seen.event_id) !== undefined) return undefined;
  const origin = calendarOrigin(seen.calendar_id, seen.continues);
  const first = await view.peek({ kind: 'booking', id: bookingIdOf(origin) });
  const recurrence = first?.snapshot?.['recurrence'];
  if (first === undefined || !Array.isArray(recurrence)) return undefined;
  const untilMs = ruleEndMs(recurrence);
  const isOver = first.snapshot?.['state'] === 'gone' || untilMs !== undefined;
  if (!isOver) return 'copy';
  const series = Object.values(first.links).flatMap((links) => Object.values(links.booking?.series ?? {}));
  const isStanding = series.some((startMs) => startMs > clock.now() && startMs > (untilMs ?? 0));
  return rules.cancelsDeleted && isStanding ? 'held' : undefined;
}

/** The gone events whose appointments are still to come. */
async function stillToCome(
  { view }: SeriesTurnParts,
  gone: readonly GoneInstance[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const standing = new Set<string>();
  for (const { eventId, bookingId, appointmentId } of gone) {
    const booking = await view.peek({ kind: 'booking', id: bookingId });
    const records = Object.values(booking?.links ?? {}).flatMap((links) => links.booking ?? []);
    const owns = records.map(ownOf).filter((own) => own !== undefined);
    const id = appointmentId ?? owns[0]?.id;
    // A request under way may still become an appointment.
    const isAsked = records.some(({ asked }) => asked !== undefined);
    if (id === undefined) {
      if (isAsked) standing.add(eventId);
      continue;
    }
    const appointment = await view.peek({ kind: 'appointment', id });
    const snapshot = appointment?.snapshot;
    const links = Object.values(appointment?.links ?? {}).flatMap(({ calendars = [] }) => calendars);
    // The mirror removed the event itself, as when the appointment went to a colleague: do not wait for its end.
    const isLetGo = !links.some((link) => link.eventId === eventId);
    if (isLetGo && owns.some(({ mirrored }) => mirrored)) continue;
    if (snapshot === undefined || snapshot['status'] === 'cancelled') continue;
    if (Date.parse(String(snapshot['starts_at'])) > nowMs) standing.add(eventId);
  }
  return standing;
}
