import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DERIVED = /^sb([0-9a-f]{32})(g[1-9]\d*)?$/;
const GENERATION = /g(\d+)$/;

/**
 * The event id of an appointment, the same in every calendar, at every attempt and after Redis was lost. Generations above 0 are
 * for ids that Google will not give back (a tombstone that may not be revived). Google takes a to v and 0 to 9, 5 to 1,024
 * characters (Calendar API, Event.id); a UUID's hex digits and the letters used here are among them.
 */
export function eventIdOf(appointmentId: string, generation = 0): string {
  const suffix = generation === 0 ? '' : `g${generation}`;
  return `sb${stem(appointmentId)}${suffix}`;
}

/** 0 for the first id and for ids of other makers. The stem is hex, so a `g` can only begin the suffix. */
export function generationOf(eventId: string): number {
  return Number(GENERATION.exec(eventId)?.[1] ?? 0);
}

/** True when the id is one of this appointment's, in any generation. */
export function isEventIdOf(eventId: string, appointmentId: string): boolean {
  return eventId === eventIdOf(appointmentId, generationOf(eventId));
}

/**
 * The appointment that a derived id names, even when nothing is stored of it: an event that was dragged into another calendar keeps
 * its id (Calendar API, Events: move). Undefined for ids of other makers.
 */
export function appointmentOf(eventId: string): string | undefined {
  const hex = DERIVED.exec(eventId)?.[1];
  if (hex === undefined) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function stem(appointmentId: string): string {
  if (UUID.test(appointmentId)) return appointmentId.replaceAll('-', '').toLowerCase();
  return createHash('sha256').update(appointmentId).digest('hex').slice(0, 40);
}
