// Handles a series by which people book. Each event within the horizon becomes a booking of its own; each missing event is noted at its
// booking and its appointment. Level-based: the turn reads the calendar's current state, whatever was edited.
import { DeferredError } from '../../domain/errors.ts';
import { type BookingRecord, ownOf, type SeenEventBooking } from '../../domain/outside-booking.ts';
import type { GoneInstance, SeriesInstances } from '../../ports/calendars.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ObjectView } from '../../ports/work.ts';

/** How often an unchanged series is read again: an event may be booked that much later than its horizon. */
export const SERIES_LOOK_EVERY_MS = 6 * 3_600_000;
/** How often to check whether the appointments of deleted events have ended. */
const SERIES_HELD_FOR_MS = 120_000;

export interface SeriesTurnParts {
  readonly instances: SeriesInstances;
  readonly view: Pick<ObjectView, 'peek'>;
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
  const gone = await parts.instances.gone(place.calendarId, missing);
  const standing = await stillToCome(parts, gone, nowMs);
  const ended = new Set(gone.map(({ eventId }) => eventId).filter((eventId) => !standing.has(eventId)));
  const kept = known.filter(([eventId]) => !ended.has(eventId));
  const begun = shown.flatMap(({ eventId, startMs }) => (startMs === undefined ? [] : [[eventId, startMs]]));
  // A deleted series books nothing more, so nothing has to wait.
  const isHeld = rules.cancelsDeleted && standing.size > 0 && seen.state === 'live';
  // Stored before any instance is taken: an event that is missing from this list would never be found gone.
  await put(Object.fromEntries(isHeld ? kept : [...kept, ...begun]));
  if (isHeld) {
    throw new DeferredError('series-held', 'appointments of events that are gone from a series still stand', {
      retryAfterMs: SERIES_HELD_FOR_MS,
    });
  }
  for (const instance of shown) await instance.take();
  return listed === 'too-many' ? 'too-many' : 'expanded';
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
