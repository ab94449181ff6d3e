import { type BlockRule, isBlockOrigin } from '../engine/block.ts';
import type { Handler, MirrorTarget } from '../engine/handler.ts';
import { originOf } from '../engine/origin.ts';
import type { Claim } from '../engine/work.ts';

/**
 * A mirror that shows neither blocks nor house contacts. The mark alone identifies a block, so blocks stay hidden after their entry leaves
 * the YAML. What a mirror wrote about the contact earlier stays: an edit of the YAML deletes nothing, and `audit` reports it.
 */
export function withoutBlocks(target: MirrorTarget, isHidden: (claim: Claim) => boolean): MirrorTarget {
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

/** The same for a calendar feed. */
export function feedWithoutBlocks(handler: Handler): Handler {
  return {
    name: handler.name,
    from: handler.from,
    reconcile: async (claim, failed) => (isBlock(claim) ? 'nothing' : handler.reconcile(claim, failed)),
    nextTurnAtMs: (claim, nowMs) => (isBlock(claim) ? undefined : handler.nextTurnAtMs?.(claim, nowMs)),
  };
}

/** Recognizes blocks, and the contacts for whom they are booked. */
export function isHiddenBy({ blocks }: { readonly blocks: readonly Pick<BlockRule, 'contactId'>[] }) {
  const houseContacts = new Set(blocks.map(({ contactId }) => contactId));
  return ({ key, snapshot }: Pick<Claim, 'key' | 'snapshot'>): boolean =>
    key.kind === 'contact' ? houseContacts.has(key.id) : isBlock({ key, snapshot });
}

function isBlock({ key, snapshot }: Pick<Claim, 'key' | 'snapshot'>): boolean {
  return key.kind === 'appointment' && snapshot !== undefined && isBlockOrigin(originOf(snapshot));
}
