// What the worker or a command stopped as too much at once. The memory keeps it until a person has looked.

/** `parked-deletions`: contacts that a complete walk did not return. */
export interface ParkedContacts {
  readonly walk: { readonly id: string; readonly startedAtMs: number };
  readonly missed: number;
  readonly known: number;
}

/** `parked-orphans:<place>`: what `audit --fix orphaned` or `apply` would have removed there. */
export interface ParkedOrphans {
  readonly count: number;
  readonly atMs: number;
}

/** How long an approval is valid. Its end alone is stored, so the moment of the approval is told from it. */
export const APPROVED_FOR_MS = 3_600_000;

export const PARKED = 'parked-';
export const PARKED_CONTACTS = `${PARKED}deletions`;
/** Present while contacts are parked: the platform deleted too many at once. */
export const PARKED_ERASURES = `${PARKED}erasures`;
/** Prefix; the contact follows as `formatKey`. The value is when it was parked, epoch ms as text. */
export const PARKED_ERASURE = `${PARKED}erasure:`;
/** Contacts parked up to this moment, epoch ms as text, may be erased: those that a person has seen, and no others. */
export const APPROVED_ERASURES = 'approved-erasures';

export function parkedOrphans(place: string): string {
  return `${PARKED}orphans:${place}`;
}
