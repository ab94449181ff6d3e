import type { Clinic } from '../stand/clinic.ts';
import type { Stage } from '../stand/stage.ts';

/**
 * Measures the time from an appointment's change on the platform until its event is written at the new place.
 */
export class EventLag {
  readonly #clinic: Clinic;
  readonly #calendars: ReadonlyMap<string, string>;
  readonly #since = new Map<string, number>();
  #lags: number[] = [];

  constructor(stage: Stage, clinic: Clinic) {
    this.#clinic = clinic;
    this.#calendars = new Map(clinic.people.map(({ id, calendarId }) => [id, calendarId]));
    stage.google.onEventWrite((calendarId, event) => {
      const place = placeOf(calendarId, (event['start'] as { dateTime?: string } | undefined)?.dateTime);
      const changedAt = this.#since.get(place);
      if (changedAt === undefined) return;
      this.#lags.push(performance.now() - changedAt);
      this.#since.delete(place);
    });
  }

  /** Call this right after booking or moving the appointment. */
  changed(id: string): void {
    const appointment = this.#clinic.platform.truth.appointment(id);
    const calendarId = this.#calendars.get(String(appointment?.['resource_id']));
    this.#since.set(placeOf(calendarId, appointment?.['starts_at']), performance.now());
  }

  /** Returns the lags in milliseconds since the last call, and how many changes no event has shown. */
  take(): { readonly lags: readonly number[]; readonly unseen: number } {
    const taken = { lags: this.#lags, unseen: this.#since.size };
    this.#lags = [];
    this.#since.clear();
    return taken;
  }
}

/** Calendar and time identify a change, because each appointment has its own hour. */
function placeOf(calendarId: string | undefined, startsAt: unknown): string {
  return `${calendarId} ${Date.parse(String(startsAt))}`;
}
