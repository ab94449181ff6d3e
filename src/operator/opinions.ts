import type { Config } from '../config/config.ts';
import { classIdOf } from '../domain/class-slot.ts';
import type { Directory } from '../domain/directory.ts';
import type { Mirror } from '../domain/mirror.ts';
import type { Claim } from '../domain/work.ts';
import { showsClass } from '../mirrors/classes/class-target.ts';
import { classOf } from '../mirrors/classes/membership.ts';
import type { Opinion } from '../mirrors/mirror-kind.ts';
import { resolveCalendars } from '../mirrors/route.ts';
import { opinionOf } from '../mirrors/why.ts';
import type { MirrorOpinion } from '../ops/explain.ts';

interface Parts {
  readonly config: Config;
  readonly directory: Directory;
  readonly nowMs: number;
}

/** What every mirror of the object's kind says about it, by the mapping that is in the file now. */
export function opinionsOf(claim: Claim, parts: Parts): readonly MirrorOpinion[] {
  const isClass = claim.key.kind === 'class';
  return parts.config.mirrors
    .filter(({ from, kind }) => (isClass ? kind === 'calendar' : from === claim.key.kind))
    .map((mirror) => ({
      mirror: mirror.name,
      ...(isClass ? ofClass(mirror, claim, parts) : ofObject(mirror, claim, parts)),
    }));
}

function ofObject(mirror: Mirror, claim: Claim, { directory, nowMs }: Parts): Opinion {
  if (mirror.kind !== 'calendar') return opinionOf(mirror, claim, { directory, resolved: new Map(), nowMs });
  const { resolved } = resolveCalendars(mirror, directory);
  const opinion = opinionOf(mirror, claim, { directory, resolved, nowMs });
  const slot = opinion.taken ? classOf([mirror.classes], claim, directory) : undefined;
  if (slot === undefined) return opinion;
  const because = `its class event shows it: slotbridge explain class ${classIdOf(slot)}`;
  return { taken: true, rule: `mirrors.${mirror.name}.classes.services`, because };
}

function ofClass(mirror: Mirror, claim: Claim, { directory }: Parts): Opinion {
  const taken = mirror.kind === 'calendar' && showsClass(mirror, claim, { current: () => directory });
  const because = taken ? 'its service is shown as classes' : 'its service is not shown as classes';
  return { taken, rule: `mirrors.${mirror.name}.classes`, because };
}
