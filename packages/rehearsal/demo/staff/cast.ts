import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { Random } from '@slotbridge/sandbox/platform/random';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { type Wire, wireText } from '../judge/company.ts';
import { appointmentShown } from '../judge/event-picture.ts';
import type { Corrections } from './corrections.ts';
import type { EventAt, Ledger } from './ledger.ts';

/** What the acts of staff in Google use. */
export interface StaffCast {
  readonly google: GoogleSandbox;
  /** Read only: these acts change Google, never the platform. */
  readonly platform: PlatformSandbox;
  /** Calendars of the mapping. */
  readonly calendars: readonly string[];
  readonly spreadsheetId: string;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly corrections: Corrections;
}

/** One act of staff in Google. */
export type StaffAct = (cast: StaffCast) => void;

export interface Picked extends EventAt {
  readonly event: Wire;
  readonly appointment: Wire;
}

/** A random event of an appointment in one of these statuses, if the tries find one. */
export function someEvent(cast: StaffCast, ...statuses: readonly string[]): Picked | undefined {
  const { google, platform, calendars, random, ledger } = cast;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const calendarId = random.pick(calendars);
    const ids = google.truth.eventIds(calendarId);
    if (ids.length === 0) continue;
    const at = { calendarId, eventId: random.pick(ids) };
    const event: Wire = google.truth.event(calendarId, at.eventId) ?? {};
    const appointment = platform.truth.appointment(appointmentShown(event) ?? '');
    if (appointment === undefined || ledger.isCopy(at)) continue;
    const isFuture = Date.parse(wireText(appointment['starts_at'])) > Date.now();
    if (isFuture && statuses.includes(wireText(appointment['status']))) return { ...at, event, appointment };
  }
  return undefined;
}

const TRIES_MAX = 50;
