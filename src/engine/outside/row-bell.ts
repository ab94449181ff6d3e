import { bookingIdOf, eventIdInOrigin, rowOfOrigin } from '../domain/ids.ts';
import { type EntityKey, formatKey } from '../domain/object.ts';
import type { Handler } from '../ports/handler.ts';
import type { DirtyMarks, WorkQueue } from '../ports/work.ts';
import { originOf } from './origin.ts';

/** Gives a booking made by a row or an invitation a turn whenever its appointment changes: its answer says what became of it. */
export function createRowBell(parts: {
  readonly dirtyMarks: DirtyMarks;
  readonly queue: WorkQueue;
  /** Outsiders may book by invitations. */
  readonly withInvitations?: boolean;
}): Handler {
  return {
    name: 'intake-rows',
    from: 'appointment',
    async reconcile({ snapshot }) {
      const origin = snapshot && originOf(snapshot);
      const isEvent = parts.withInvitations === true && eventIdInOrigin(origin) !== undefined;
      const id = rowOfOrigin(origin) ?? (isEvent && origin ? bookingIdOf(origin) : undefined);
      if (id === undefined) return 'nothing';
      const key: EntityKey = { kind: 'booking', id };
      const unknown = await parts.dirtyMarks.markDirty([key], { read: false });
      if (unknown.length === 0) parts.queue.add([formatKey(key)]);
      return 'nothing';
    },
  };
}
