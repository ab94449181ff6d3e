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
  /** Keys of the objects. Earlier versions stored none. */
  readonly members?: readonly string[];
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

/** An approval as stored: when it ends, epoch ms as text; behind it, the members that a person has seen, as JSON. */
export function writeApproval(untilMs: number, members?: readonly string[]): string {
  return members === undefined ? String(untilMs) : `${untilMs} ${JSON.stringify(members)}`;
}

/** `members` is absent where the whole place is approved, as by earlier versions. */
export function readApproval(text = '0'): {
  readonly untilMs: number;
  readonly members?: readonly string[];
} {
  const at = text.indexOf(' ');
  if (at < 0) return { untilMs: Number(text) };
  return { untilMs: Number(text.slice(0, at)), members: JSON.parse(text.slice(at + 1)) as readonly string[] };
}

/**
 * Whether an approval for an hour is still valid, and for this member; `approval` as stored. If its hour is in the future, the clock has
 * been set back since. Then the approval is invalid: it would last longer by as much as that clock was ahead.
 */
export function holdsApproval(approval: string | undefined, nowMs: number, member?: string): boolean {
  const { untilMs, members } = readApproval(approval);
  if (member !== undefined && members?.includes(member) === false) return false;
  return nowMs < untilMs && canHaveBeen(untilMs - APPROVED_FOR_MS, nowMs);
}

/** What people typed in bulk and a person must see first: edits of a mirror's rows, or new rows of a booking sheet. */
export type HeldKind = 'edits' | 'bookings';

/** An object whose edits, or whose booking, wait for a person. `place`: name of the mirror or entry. `key`: by `formatKey`. */
export interface HeldObject {
  readonly kind: HeldKind;
  readonly place: string;
  readonly key: string;
}

/** `parked-edits:<mirror> <object>`, `parked-bookings:<entry> <object>`. */
export interface ParkedRow {
  /** When it was parked, epoch ms. */
  readonly atMs: number;
  /** Hash of what people typed: a verdict is about nothing else. */
  readonly of: string;
  /** Absent: it waits. */
  readonly verdict?: 'approved' | 'declined';
}

/** May be present without parked rows, never absent with one: so that nobody has to look through all facts. */
export const PARKED_ROWS = `${PARKED}rows`;

export function parkedRow({ kind, place, key }: HeldObject): string {
  return `${PARKED}${kind}:${place} ${key}`;
}

/** The object that the name of a fact stands for; undefined for all other facts. */
export function heldObject(fact: string): HeldObject | undefined {
  const [, kind, place, key] = /^parked-(edits|bookings):(.*) ([^ ]+)$/s.exec(fact) ?? [];
  if (place === undefined || key === undefined) return undefined;
  return { kind: kind === 'edits' ? 'edits' : 'bookings', place, key };
}
