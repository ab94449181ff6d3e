// Marks the class of an appointment dirty whenever the appointment changes, and the class that it was in before.
import {
  CLASSES,
  type ClassRule,
  classIdOf,
  classSlotText,
  slotIn,
  storedClass,
} from '../../engine/domain/class-slot.ts';
import { RetryableError } from '../../engine/domain/errors.ts';
import type { MirrorLinks } from '../../engine/domain/link.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { LinkStore } from '../../engine/ports/calendars.ts';
import type { Handler } from '../../engine/ports/handler.ts';
import type { Intake } from '../../engine/ports/intake.ts';
import type { DirectorySource } from '../../engine/ports/platform.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import { classOf } from './member.ts';

export interface ClassBellParts {
  readonly rules: readonly ClassRule[];
  readonly directory: DirectorySource;
  readonly links: Pick<LinkStore, 'write'>;
  readonly intake: Pick<Intake, 'observe'>;
  readonly clock: Clock;
}

/**
 * An appointment's turn is settled only after its classes were marked dirty, so a crash in between marks them again. The class is stored
 * before it is marked, because a moved or cancelled appointment no longer says where it was. Marks once per revision, because an
 * appointment that waits for one of its places has many turns.
 */
export function createClassBell(parts: ClassBellParts): Handler {
  return {
    name: CLASSES,
    from: 'appointment',
    async reconcile(claim) {
      const { slots: known = [], rung } = claim.links[CLASSES] ?? {};
      const slot = classOf(parts.rules, claim, parts.directory.current());
      // An appointment without stored content has nothing new to report.
      const now = claim.snapshot === undefined ? known : slot === undefined ? [] : [classSlotText(slot)];
      const all = [...new Set([...known, ...now])];
      const rev = claim.desiredRev;
      if (all.length === 0 || (rung === rev && all.length === known.length && all.length === now.length))
        return 'nothing';
      if (all.length > known.length) await remember(parts, claim, { slots: all });
      for (const text of all) await ring(parts, text, claim.pendingSinceMs);
      await remember(parts, claim, { slots: now, rung: rev });
      return 'nothing';
    },
  };
}

async function remember(
  { links }: ClassBellParts,
  claim: Claim,
  heard: Pick<MirrorLinks, 'slots' | 'rung'>,
): Promise<void> {
  if (await links.write(claim, CLASSES, heard)) return;
  throw new RetryableError('fenced', 'another handler took the object over');
}

/** Marks the class dirty. Ignores a text that is not a slot. `sinceMs`: when the class changed, if known. */
export async function ring(
  { intake, clock }: Pick<ClassBellParts, 'intake' | 'clock'>,
  text: string,
  sinceMs?: number,
): Promise<void> {
  const slot = slotIn(text);
  if (slot === undefined) return;
  const nowMs = clock.now();
  await intake.observe({
    ...{ key: { kind: 'class', id: classIdOf(slot) }, source: 'list', force: true },
    occurredAtMs: sinceMs ?? nowMs,
    seen: { as: 'snapshot', snapshot: storedClass(slot, nowMs) },
  });
}
