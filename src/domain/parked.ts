// What the worker or a command has stopped as too much at once, as the memory keeps it until a person has looked.

/** `parked-deletions`: contacts that a complete walk did not show. */
export interface ParkedContacts {
  readonly walk: { readonly id: string; readonly startedAtMs: number };
  readonly missed: number;
  readonly known: number;
}

/** `parked-orphans:<place>`: what `audit --fix orphaned` or `apply` would have taken away there. */
export interface ParkedOrphans {
  readonly count: number;
  readonly atMs: number;
}

export const PARKED = 'parked-';
export const PARKED_CONTACTS = `${PARKED}deletions`;
/** Contacts are being parked: too many were deleted on the platform at once. */
export const PARKED_ERASURES = `${PARKED}erasures`;
/** Prefix; the contact follows as `formatKey`. The value is when it was parked, epoch ms as text. */
export const PARKED_ERASURE = `${PARKED}erasure:`;
/** Contacts that were parked up to this moment, epoch ms as text, may be erased: those that somebody has seen, and no others. */
export const APPROVED_ERASURES = 'approved-erasures';

export function parkedOrphans(place: string): string {
  return `${PARKED}orphans:${place}`;
}
