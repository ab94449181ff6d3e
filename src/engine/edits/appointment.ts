import { isMovableStatus, placementOf, visibleState } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/object.ts';
import { resourcesOf, subjectsOf } from '../domain/subject.ts';

/** The parts of an appointment by which people's changes to its events are judged. */
export interface EditedAppointment {
  readonly id: string;
  /** As the platform names it. */
  readonly status: string;
  /** Epoch milliseconds in whole seconds: Google keeps nothing finer. */
  readonly startMs: number;
  readonly endMs: number;
  readonly updatedMs: number | undefined;
  readonly branchId: string | undefined;
  /** The resource that a reschedule would change. */
  readonly resourceId: string | undefined;
  readonly resourceIds: readonly string[];
  /** Every subject whose calendar shows it: its resources, branch and service, and everything. */
  readonly subjects: readonly string[];
  readonly placement: string;
  readonly standing: string;
}

/** Undefined when its times are unreadable, because changes then cannot be judged. */
export function editedAppointment(snapshot: Snapshot): EditedAppointment | undefined {
  const startMs = secondOf(snapshot['starts_at']);
  const endMs = secondOf(snapshot['ends_at']);
  if (startMs === undefined || endMs === undefined) return undefined;
  return {
    id: snapshot.id,
    status: String(snapshot['status']),
    startMs,
    endMs,
    updatedMs: instantOf(snapshot['updated_at']),
    branchId: nonEmptyText(snapshot['branch_id']),
    resourceId: nonEmptyText(snapshot['resource_id']),
    resourceIds: resourcesOf(snapshot),
    subjects: subjectsOf(snapshot),
    placement: placementOf(snapshot),
    standing: visibleState(snapshot),
  };
}

export function isMovable({ status }: Pick<EditedAppointment, 'status'>): boolean {
  return isMovableStatus(status);
}

/** Rounds down to the whole second, as events are written. */
export function secondOf(iso: unknown): number | undefined {
  const atMs = instantOf(iso);
  return atMs === undefined ? undefined : Math.floor(atMs / 1000) * 1000;
}

function instantOf(iso: unknown): number | undefined {
  const atMs = Date.parse(String(iso));
  return Number.isNaN(atMs) ? undefined : atMs;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
