import { contentHash, type Snapshot } from './snapshot.ts';

/** When and with whom an appointment is: the same text until it moves. */
export function placementOf(snapshot: Snapshot): string {
  const { starts_at: startsAt, resource_id: main, resource_ids: all } = snapshot;
  const resources = Array.isArray(all) ? all.map(String).sort() : [];
  return [instantOf(startsAt), String(main ?? ''), ...resources].join(' ');
}

/** Placement and status: the same text until something happens to the appointment that staff would see. A class supplies its own. */
export function visibleState(snapshot: Snapshot): string {
  if (snapshot['object'] === 'class') return String(snapshot['standing']);
  return `${String(snapshot['status'])} ${instantOf(snapshot['ends_at'])} ${placementOf(snapshot)}`;
}

/** Changes with everything that happens to the appointment: a move there and back changes it, too. */
export function appointmentState(snapshot: Snapshot): string {
  return contentHash({
    standing: visibleState(snapshot),
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
