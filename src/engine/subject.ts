import type { Snapshot } from './object.ts';

// A subject is what a calendar shows: one resource, one branch, one service, or everything. An appointment is in the calendar of each of
// its subjects. Links remember subjects; a resource's subject is its bare id, as in every version.

/** What a mirror uses to divide appointments among calendars. */
export type Division = 'resource' | 'branch' | 'service' | 'all';

/** The subject of a calendar that shows every appointment. */
export const EVERYTHING = 'all';

/** `id`: of the resource, branch or service. */
export function subjectOf(by: Exclude<Division, 'all'>, id: string): string {
  return by === 'resource' ? id : `${by}:${id}`;
}

/** Resources come first. Empty for a cancelled appointment: the worker finds it by its links. */
export function subjectsOf(snapshot: Snapshot): readonly string[] {
  if (snapshot['status'] === 'cancelled') return [];
  const { branch_id: branch, service_id: service } = snapshot;
  return [
    ...resourcesOf(snapshot),
    ...(isId(branch) ? [subjectOf('branch', branch)] : []),
    ...(isId(service) ? [subjectOf('service', service)] : []),
    EVERYTHING,
  ];
}

/** Empty for a cancelled appointment: the platform has released its resources (platform API, Appointment). */
export function resourcesOf(snapshot: Snapshot): readonly string[] {
  const { resource_id: main, resource_ids: all, status } = snapshot;
  if (status === 'cancelled') return [];
  if (Array.isArray(all) && all.length > 0) return all.map(String);
  return typeof main === 'string' ? [main] : [];
}

export function divisionOf(subject: string): Division {
  if (subject === EVERYTHING) return 'all';
  return subject.startsWith('branch:') ? 'branch' : subject.startsWith('service:') ? 'service' : 'resource';
}

export function isResource(subject: string): boolean {
  return divisionOf(subject) === 'resource';
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
