/**
 * Index of the appointments that occupy a resource, by day, so that a booking looks only at the days it
 * touches.
 */
import type { AppointmentRecord } from '../records.ts';
import type { Span } from './hours.ts';

const DAY_MS = 86_400_000;

export class Occupancy {
  #byDay = new Map<string, Set<AppointmentRecord>>();

  add(appointment: AppointmentRecord): void {
    for (const key of keysOf(appointment)) {
      const day = this.#byDay.get(key) ?? new Set();
      day.add(appointment);
      this.#byDay.set(key, day);
    }
  }

  /** Call this before the appointment's time or resources change. */
  remove(appointment: AppointmentRecord): void {
    for (const key of keysOf(appointment)) {
      const day = this.#byDay.get(key);
      day?.delete(appointment);
      if (day?.size === 0) this.#byDay.delete(key);
    }
  }

  /** Appointments whose blocked time (including buffers) overlaps the span. */
  overlapping(resourceId: string, span: Span): AppointmentRecord[] {
    const found = new Set<AppointmentRecord>();
    for (const day of daysOf(span)) {
      for (const appointment of this.#byDay.get(`${resourceId} ${day}`) ?? []) {
        const blocked = blockedTime(appointment);
        if (blocked.from < span.to && blocked.to > span.from) found.add(appointment);
      }
    }
    return [...found];
  }
}

export function blockedTime(appointment: AppointmentRecord): Span {
  return {
    from: appointment.startsAt - appointment.bufferBeforeMs,
    to: appointment.endsAt + appointment.bufferAfterMs,
  };
}

function keysOf(appointment: AppointmentRecord): string[] {
  const days = daysOf(blockedTime(appointment));
  return appointment.resourceIds.flatMap((resourceId) => days.map((day) => `${resourceId} ${day}`));
}

function daysOf(span: Span): number[] {
  const days: number[] = [];
  for (let day = Math.floor(span.from / DAY_MS); day * DAY_MS < span.to; day += 1) days.push(day);
  return days;
}
