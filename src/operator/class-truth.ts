import type { Config } from '../config/config.ts';
import { type ClassSlot, classIdOf, storedClass } from '../domain/class-slot.ts';
import type { EntityKey } from '../domain/entity.ts';
import { ofKind } from '../domain/mirror.ts';
import { createClassReader } from '../mirrors/classes/class-reader.ts';
import { classOf } from '../mirrors/classes/membership.ts';
import type { IntakeStore } from '../ports/intake.ts';
import type { DirectorySource, PlatformReader } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import type { ClassTruth } from '../upkeep/audit/truth.ts';

export interface ClassTruthParts {
  readonly config: Pick<Config, 'mirrors'>;
  readonly directory: DirectorySource;
  readonly reader: PlatformReader;
  readonly store: { readonly intake: Pick<IntakeStore, 'observe'> };
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly clock: Clock;
}

/** What an audit and a plan need to know about classes. `introduce` also takes in the classes that they have met. */
export function classTruth(parts: ClassTruthParts): ClassTruth & Pick<ClassTruthParts, 'introduce'> {
  const { config, directory, reader, store, clock } = parts;
  const rules = ofKind(config.mirrors, 'calendar').map(({ classes }) => classes);
  const met = new Map<string, ClassSlot>();
  return {
    ...createClassReader({ reader, directory, clock }),
    slotFor(claim) {
      const slot = classOf(rules, claim, directory.current());
      if (slot !== undefined) met.set(classIdOf(slot), slot);
      return slot;
    },
    async introduce(key) {
      if (key.kind !== 'class') return parts.introduce(key);
      const slot = met.get(key.id);
      if (slot === undefined) return false;
      const nowMs = clock.now();
      const seen = { as: 'snapshot', snapshot: storedClass(slot, nowMs) } as const;
      await store.intake.observe({ key, source: 'operator', occurredAtMs: nowMs, force: true, seen });
      return true;
    },
  };
}
