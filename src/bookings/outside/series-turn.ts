// Takes a series in which somebody books. Each event within the horizon becomes a booking of its own; each missing event is reported to
// whoever answers for its appointment. Level-based: the calendar is asked what stands now, whatever was edited.
import { DeferredError } from '../../domain/errors.ts';
import { type BookingRecord, ownOf, type SeenEventBooking } from '../../domain/outside-booking.ts';
import type { GoneInstance, SeriesInstances } from '../../ports/calendars.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ObjectView } from '../../ports/work.ts';

/** How often a series is looked at although nobody changes it: so much later than the horizon may an event be booked. */
export const SERIES_LOOK_EVERY_MS = 6 * 3_600_000;
/** How often it is looked whether the appointments of events that are gone have ended. */
const SERIES_HELD_FOR_MS = 120_000;

export interface SeriesTurnParts {
  readonly instances: SeriesInstances;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly clock: Clock;
}

export interface SeriesRules {
  /** Undefined: no event of the series is booked (any more). */
  readonly horizonMs: number | undefined;
  /** Whether a deleted event cancels its appointment. */
  readonly cancelsDeleted: boolean;
}

type Known = Readonly<Record<string, number>>;

/**
 * Brings the bookings of a series in step with it. `put` stores what is known of its events, which is what a later turn compares with.
 * Rejects with `DeferredError` `series-held` while appointments of deleted events still stand. Otherwise a series moved by an hour would be
 * refused for its own old appointments, and a split series would be booked twice.
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
  // Appointments that have begun are history, whatever becomes of their events.
  const known = Object.entries(record.series ?? {}).filter(([, startMs]) => startMs > nowMs);
  const missing = known.map(([eventId]) => eventId).filter((eventId) => !ids.has(eventId));
  const gone = await parts.instances.gone(place.calendarId, missing);
  const standing = await stillToCome(parts, gone, nowMs);
  const ended = new Set(gone.map(({ eventId }) => eventId).filter((eventId) => !standing.has(eventId)));
  const kept = known.filter(([eventId]) => !ended.has(eventId));
  const begun = shown.flatMap(({ eventId, startMs }) => (startMs === undefined ? [] : [[eventId, startMs]]));
  // A deleted series books nothing more, so nothing has to wait.
  const isHeld = rules.cancelsDeleted && standing.size > 0 && seen.state === 'live';
  // Before any of them is noted: what is forgotten here would never be found gone.
  await put(Object.fromEntries(isHeld ? kept : [...kept, ...begun]));
  if (isHeld) {
    throw new DeferredError('series-held', 'appointments of events that are gone from a series still stand', {
      retryAfterMs: SERIES_HELD_FOR_MS,
    });
  }
  for (const instance of shown) await instance.take();
  return listed === 'too-many' ? 'too-many' : 'expanded';
}

/** Those of the events that are gone whose appointments are still to come. */
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
    // A wish that is on its way may still become an appointment.
    const isAsked = records.some(({ asked }) => asked !== undefined);
    if (id === undefined) {
      if (isAsked) standing.add(eventId);
      continue;
    }
    const appointment = await view.peek({ kind: 'appointment', id });
    const snapshot = appointment?.snapshot;
    const links = Object.values(appointment?.links ?? {}).flatMap(({ calendars = [] }) => calendars);
    // The mirror took the event away itself, as when the appointment was given to a colleague: nobody waits for its end.
    const isLetGo = !links.some((link) => link.eventId === eventId);
    if (isLetGo && owns.some(({ mirrored }) => mirrored)) continue;
    if (snapshot === undefined || snapshot['status'] === 'cancelled') continue;
    if (Date.parse(String(snapshot['starts_at'])) > nowMs) standing.add(eventId);
  }
  return standing;
}
