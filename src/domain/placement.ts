import { contentHash, type Snapshot } from './snapshot.ts';

/** When and with whom an appointment is: the same text for as long as it is not moved. */
export function placementOf(snapshot: Snapshot): string {
  const { starts_at: startsAt, resource_id: main, resource_ids: all } = snapshot;
  const resources = Array.isArray(all) ? all.map(String).sort() : [];
  return [instantOf(startsAt), String(main ?? ''), ...resources].join(' ');
}

/** Placement and status: the same text for as long as nothing happened to the appointment that staff would see. A class says it itself. */
export function standingOf(snapshot: Snapshot): string {
  if (snapshot['object'] === 'class') return String(snapshot['standing']);
  return `${String(snapshot['status'])} ${instantOf(snapshot['ends_at'])} ${placementOf(snapshot)}`;
}

/** All that may have happened to the appointment: back where it was is not as if nothing had happened. */
export function appointmentState(snapshot: Snapshot): string {
  return contentHash({
    standing: standingOf(snapshot),
    updatedAt: instantOf(snapshot['updated_at']),
  });
}

/** The platform moves no others (platform API, Appointment states). */
export function isMovableStatus(status: unknown): boolean {
  return status === 'pending' || status === 'confirmed';
}

function instantOf(iso: unknown): string {
  const atMs = Date.parse(String(iso));
  return Number.isNaN(atMs) ? '' : new Date(atMs).toISOString();
}
