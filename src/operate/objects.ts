import { WorkerError } from '../engine/domain/errors.ts';
import type { Snapshot } from '../engine/domain/object.ts';
import { type EntityKey, formatKey, isReadable } from '../engine/domain/object.ts';
import type { Observation } from '../engine/domain/observation.ts';
import type { Claim } from '../engine/domain/work.ts';
import type { MirrorTarget } from '../engine/ports/handler.ts';
import type { IntakeStore } from '../engine/ports/intake.ts';
import type { EventReader, PlatformEvent, PlatformReader } from '../engine/ports/platform.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { ClassReader, ObjectView } from '../engine/ports/work.ts';

/** Single objects, as the platform shows them when an operator asks for them. */
export function openObjects(parts: {
  readonly reader: Pick<PlatformReader & EventReader, 'get' | 'event'>;
  readonly intake: Pick<IntakeStore, 'observe'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly classes: ClassReader;
  /** What a platform event says about an object; undefined when it is about none. */
  readonly observationIn: (event: PlatformEvent) => Observation | undefined;
  /** The mirrors, ready to say what they would do. */
  readonly targets: () => Promise<readonly MirrorTarget[]>;
  readonly clock: Clock;
}) {
  const { reader, intake, view, classes, targets, clock } = parts;
  /** For objects that cannot be read alone, the event is all that the platform shows (platform API, Leads). */
  const shown = new Map<string, Snapshot>();
  return {
    async introduce(key: EntityKey): Promise<boolean> {
      const snapshot = isReadable(key.kind) ? await reader.get(key) : shown.get(formatKey(key));
      if (snapshot === undefined) return false;
      const seen = { as: 'snapshot', snapshot } as const;
      await intake.observe({ key, source: 'operator', occurredAtMs: clock.now(), force: true, seen });
      return true;
    },
    async eventOnPlatform(eventId: string): Promise<EntityKey | undefined> {
      const event = await reader.event(eventId);
      const observation = event && parts.observationIn(event);
      if (observation === undefined) return undefined;
      const { key, seen } = observation;
      if (seen.as === 'snapshot') shown.set(formatKey(key), seen.snapshot);
      return key;
    },
    /** Reads the object from the platform, where possible, and compares it with what the mirrors last wrote. */
    async preview(key: EntityKey): Promise<string> {
      const known = await view.peek(key);
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

/**
 * What all mirrors together would do about an object: their different actions in alphabetical order, without `nothing`. The code of an
 * error replaces an action that cannot be determined. Writes nothing.
 */
async function previewOf(targets: readonly MirrorTarget[], claim: Claim): Promise<string> {
  const actions = new Set<string>();
  for (const target of targets.filter((each) => each.from === claim.key.kind)) {
    try {
      actions.add(await target.preview(claim));
    } catch (error) {
      actions.add(error instanceof WorkerError ? error.code : 'unexpected');
    }
  }
  actions.delete('nothing');
  const [first = 'nothing', ...others] = [...actions].sort();
  return others.length === 0 ? first : [first, ...others].join(' and ');
}
