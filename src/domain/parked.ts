// What the worker or a command stopped as too much at once. The memory keeps it until a person has looked.
import { canHaveBeen } from './moments.ts';

/** `parked-deletions`: contacts that a complete walk did not return. */
export interface ParkedContacts {
  readonly walk: { readonly id: string; readonly startedAtMs: number };
  readonly missed: number;
  readonly known: number;
}

/** `parked-orphans:<place>`: what `audit --fix` or `apply` would have removed there. */
export interface ParkedOrphans {
  readonly count: number;
  readonly atMs: number;
}

/** How long an approval is valid. Only its end is stored; the moment of the approval is computed from it. */
export const APPROVED_FOR_MS = 3_600_000;

export const PARKED = 'parked-';
export const PARKED_CONTACTS = `${PARKED}deletions`;
/** Present while contacts are parked: the platform deleted too many at once. */
export const PARKED_ERASURES = `${PARKED}erasures`;
/** Prefix; the contact follows as `formatKey`. The value is a `ParkedErasure`. */
export const PARKED_ERASURE = `${PARKED}erasure:`;
/**
 * Name of the approval of erasures. Earlier versions stored a moment here, epoch ms as text: contacts parked until then are approved. If
 * the clock was set back, that included later contacts. So now each contact that a person has seen is marked individually.
 */
export const APPROVED_ERASURES = 'approved-erasures';

/** `parked-erasure:<contact>`: a contact whose erasure waits for a person. */
export interface ParkedErasure {
  /** When it was parked, epoch ms. */
  readonly atMs: number;
  readonly isApproved: boolean;
}

/** `approvedUntil`: what an earlier version stored under `APPROVED_ERASURES`; it counts only for contacts that this version parked. */
export function readParkedErasure(text: string, approvedUntil: string | undefined): ParkedErasure {
  const stored = JSON.parse(text) as ParkedErasure | number;
  if (typeof stored !== 'number') return stored;
  return { atMs: stored, isApproved: stored <= Number(approvedUntil ?? 0) };
}

export function parkedOrphans(place: string): string {
  return `${PARKED}orphans:${place}`;
}

/**
 * Whether an approval for an hour is still valid; `until` as stored. If its hour is in the future, the clock has been set back since. Then
 * the approval is invalid: it would last longer by as much as that clock was ahead.
 */
export function holdsApproval(until: string | undefined, nowMs: number): boolean {
  const untilMs = Number(until ?? 0);
  return nowMs < untilMs && canHaveBeen(untilMs - APPROVED_FOR_MS, nowMs);
}
