// Decides what the deletion of a card means. The platform reports a merge of two cards as the deletion of one, without a link to the other.
import type { Appointment } from '../../domain/snapshot.ts';

export interface SeenDeletion {
  /** An entry of `blocks` books for this contact. */
  readonly isHouse: boolean;
  /** False when the card's content is no longer known. */
  readonly isContentKnown: boolean;
  /** Phone and e-mail from the last known content, or from the appointments if that content is gone. */
  readonly marks: readonly string[];
  /** How many other cards have one of these marks. */
  readonly bearers: number;
  /** Appointments as the platform shows them now; undefined while it was not asked. */
  readonly appointments: readonly Pick<Appointment, 'status' | 'ends_at'>[] | undefined;
}

export type DeletionVerdict =
  | { readonly do: 'erase' }
  /** Appointments are not read if nothing will be erased anyway. */
  | { readonly do: 'ask-platform' }
  | { readonly do: 'leave'; readonly why: 'contact-of-blocks' | 'no-phone-or-email' | 'on-another-card' }
  /** An appointment is still to come, or a merge cannot be ruled out: a person decides. */
  | { readonly do: 'ask-person'; readonly why: 'still-expected'; readonly appointments: number }
  | { readonly do: 'ask-person'; readonly why: 'content-gone' };

const DONE: ReadonlySet<string> = new Set(['cancelled', 'completed', 'no_show']);

export function judgeDeletion(seen: SeenDeletion, nowMs: number): DeletionVerdict {
  const { isHouse, isContentKnown, marks, bearers, appointments } = seen;
  if (isHouse) return { do: 'leave', why: 'contact-of-blocks' };
  if (isContentKnown && marks.length === 0) return { do: 'leave', why: 'no-phone-or-email' };
  if (bearers > 0) return { do: 'leave', why: 'on-another-card' };
  if (appointments === undefined) return { do: 'ask-platform' };
  const live = appointments.filter((each) => isLive(each, nowMs)).length;
  if (live > 0) return { do: 'ask-person', why: 'still-expected', appointments: live };
  return marks.length === 0 ? { do: 'ask-person', why: 'content-gone' } : { do: 'erase' };
}

/** A status or an end that is not understood does not prove that the appointment is over. */
function isLive({ status, ends_at }: Pick<Appointment, 'status' | 'ends_at'>, nowMs: number): boolean {
  return !DONE.has(status) && !(Date.parse(ends_at) <= nowMs);
}
