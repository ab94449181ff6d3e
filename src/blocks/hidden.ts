import { originOf } from '../bookings/outside/origin.ts';
import { isBlockOrigin } from '../domain/block.ts';
import type { Claim } from '../domain/work.ts';
import type { MirrorTarget } from '../ports/handler.ts';

/**
 * A mirror that shows no blocks and no house contact. Blocks are told by their mark alone, so that they stay hidden when the entry has left
 * the YAML. What a mirror has written of the contact before stays: an edit of the YAML deletes nothing, and `audit` names it.
 */
export function withoutBlocks(target: MirrorTarget, houseContacts: ReadonlySet<string>): MirrorTarget {
  const isHidden = (claim: Claim) => isOfBlocks(claim, houseContacts);
  return {
    name: target.name,
    from: target.from,
    reconcile: async (claim, failed) => (isHidden(claim) ? 'nothing' : target.reconcile(claim, failed)),
    preview: async (claim) => (isHidden(claim) ? 'nothing' : target.preview(claim)),
    planned: async (claim) => (isHidden(claim) ? [] : target.planned(claim)),
    expected: async (claim) => (isHidden(claim) ? [] : target.expected(claim)),
    nextTurnAtMs: (claim, nowMs) => (isHidden(claim) ? undefined : target.nextTurnAtMs?.(claim, nowMs)),
  };
}

/** A block, or a contact for whom blocks are booked. */
export function isOfBlocks({ key, snapshot }: Claim, houseContacts: ReadonlySet<string>): boolean {
  if (key.kind === 'contact') return houseContacts.has(key.id);
  return key.kind === 'appointment' && snapshot !== undefined && isBlockOrigin(originOf(snapshot));
}
