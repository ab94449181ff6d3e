import { type EntityKey, formatKey, isReadable } from '../domain/entity.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { previewOf } from '../operator/preview.ts';
import type { MirrorTarget } from '../ports/handler.ts';
import type { DirectorySource } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';

import { classifyEvent } from '../work/classify.ts';
import { openClassReader } from './classes.ts';
import type { Remotes } from './remotes.ts';
import type { Store } from './stores.ts';

/** Single objects, as the platform shows them when an operator asks. */
export function openObjects(parts: {
  readonly store: Store;
  readonly remotes: Pick<Remotes, 'platform'>;
  readonly directory: DirectorySource;
  /** The mirrors, able to say what they would do. */
  readonly targets: () => Promise<readonly MirrorTarget[]>;
  readonly clock: Clock;
}) {
  const { store, remotes, targets, clock } = parts;
  const { reader } = remotes.platform;
  const classes = openClassReader(parts);
  /** The event is all that the platform shows of objects that cannot be read alone (platform API, Leads). */
  const shown = new Map<string, Snapshot>();
  return {
    async introduce(key: EntityKey): Promise<boolean> {
      const snapshot = isReadable(key.kind) ? await reader.get(key) : shown.get(formatKey(key));
      if (snapshot === undefined) return false;
      const seen = { as: 'snapshot', snapshot } as const;
      await store.intake.observe({ key, source: 'operator', occurredAtMs: clock.now(), force: true, seen });
      return true;
    },
    async eventOnPlatform(eventId: string): Promise<EntityKey | undefined> {
      const event = await reader.event(eventId);
      const classified = event === undefined ? undefined : classifyEvent(event, 'feed', clock.now());
      if (classified?.as !== 'observation') return undefined;
      const { key, seen } = classified.observation;
      if (seen.as === 'snapshot') shown.set(formatKey(key), seen.snapshot);
      return key;
    },
    /** Read from the platform now, where it can be read; compared with what the mirrors last wrote. */
    async preview(key: EntityKey): Promise<string> {
      const known = await store.ledger.peek(key);
      if (key.kind === 'class' && known !== undefined)
        return previewOf(await targets(), await classes.read(known));
      const found = isReadable(key.kind)
        ? await reader.get(key)
        : (known?.snapshot ?? shown.get(formatKey(key)));
      if (known === undefined) return found === undefined ? 'unknown' : 'created';
      if (found === undefined) return known.deleted ? 'nothing' : 'not shown by the platform';
      return previewOf(await targets(), { ...known, snapshot: found, deleted: false, verify: false });
    },
  };
}
