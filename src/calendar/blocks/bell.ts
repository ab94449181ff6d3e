/**
 * Marks a person's blocks dirty whenever one of their appointments changes. A cancellation, for example, frees time that must be blocked.
 */

import { type BlockRule, isBlockOrigin, type SeenBusy } from '../../engine/domain/block.ts';
import type { Snapshot } from '../../engine/domain/object.ts';
import { type EntityKey, formatKey } from '../../engine/domain/object.ts';
import { originOf } from '../../engine/outside/origin.ts';
import type { Handler } from '../../engine/ports/handler.ts';
import type { DirectorySource } from '../../engine/ports/platform.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { DirtyMarks, ObjectView, WorkQueue } from '../../engine/ports/work.ts';
import { People } from './people.ts';

export function createBlockBell(parts: {
  readonly rules: readonly BlockRule[];
  readonly directory: DirectorySource;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly queue: WorkQueue;
  readonly clock: Clock;
}): Handler {
  const everybody = new People(parts.rules, parts.directory);
  return {
    name: 'blocks-bell',
    from: 'appointment',
    async reconcile({ snapshot }) {
      if (snapshot === undefined) return 'nothing';
      const isBlock = isBlockOrigin(originOf(snapshot));
      const { people } = everybody.current();
      const concerned = people
        .filter(({ rule }) => !rule.paused)
        .map(({ resourceId }): EntityKey => ({ kind: 'block', id: resourceId }))
        .filter(({ id }) => mayBeOf(snapshot, id));
      const seen = await Promise.all(concerned.map((key) => parts.view.peek(key)));
      const nowMs = parts.clock.now();
      const keys = concerned.filter((_, at) => {
        const busy = seen[at]?.snapshot as SeenBusy | undefined;
        return busy !== undefined && (isBlock || hasAnyAfter(busy, nowMs));
      });
      if (keys.length === 0) return 'nothing';
      await parts.dirtyMarks.markDirty(keys, { read: false });
      parts.queue.add(keys.map(formatKey));
      return 'nothing';
    },
  };
}

/** A cancelled appointment may no longer name a resource, so it may have been this person's. The fields of an event are unchecked. */
function mayBeOf({ resource_id: main, resource_ids: all, status }: Snapshot, resourceId: string): boolean {
  if (status === 'cancelled' && typeof main !== 'string') return true;
  return main === resourceId || (Array.isArray(all) && all.includes(resourceId));
}

function hasAnyAfter({ calendars }: SeenBusy, atMs: number): boolean {
  return calendars.some(({ busy }) => (busy ?? []).some(([, endMs]) => endMs > atMs));
}
