// Nothing is remembered of an erased appointment, nor in which class it is; it is on the platform all the same, and counts there. So its classes
// are rung before it is forgotten, and whenever something is heard of it afterwards.
import { CLASSES, classSlotText, slotIn, slotOf } from '../../domain/class-slot.ts';
import { formatKey } from '../../domain/entity.ts';
import { markedObject } from '../../domain/event-id.ts';
import type { Observation } from '../../domain/observation.ts';
import type { Claim } from '../../domain/work.ts';
import type { CalendarEvent } from '../../google/calendar-event.ts';
import type { DirtyMarks, KnownObjects } from '../../ports/work.ts';
import { readMarks, readSlot } from '../calendar/marks.ts';
import { isOfClass } from '../route.ts';
import { type ClassBellParts, ring } from './bell.ts';

/** Classes that began earlier are over. */
const OVER_AFTER_MS = 24 * 3_600_000;

/** Rings the classes of an appointment that is about to be forgotten. */
export function ringFor(
  parts: Pick<ClassBellParts, 'intake' | 'clock'>,
): (appointment: Pick<Claim, 'links'>) => Promise<void> {
  return async ({ links }) => {
    for (const text of links[CLASSES]?.slots ?? []) await ring(parts, text);
  };
}

export interface DoubtParts extends Pick<ClassBellParts, 'intake' | 'clock'> {
  readonly dirtyMarks: Pick<DirtyMarks, 'doubt'>;
  /** What was changed in the event of this object before is no quarrel of two programs. */
  readonly forgiveEdits: (key: string) => Promise<void>;
}

/**
 * The class of this event compares what the event says, whatever it remembers of it. One of which nothing is known is taken up by its mark. That the
 * event is emptied looks like a change by people: however many are erased one after the other, it is put right.
 */
export function doubtFor(parts: DoubtParts): (event: CalendarEvent) => Promise<void> {
  return async (event) => {
    const slot = readSlot(event);
    if (slot !== undefined) await ring(parts, classSlotText(slot));
    const marks = readMarks(event);
    if (marks === undefined) return;
    const key = markedObject(marks.appointmentId);
    await parts.forgiveEdits(formatKey(key));
    await parts.dirtyMarks.doubt([key], marks.mirror);
  };
}

export type ErasedBellParts = Omit<ClassBellParts, 'links'> & { readonly known: Pick<KnownObjects, 'each'> };

/**
 * Hears of erased objects. A cancelled or moved appointment does not say where it was. So every known upcoming class of its service is
 * told. Those that hear at the same time share one look.
 */
export function createErasedBell(parts: ErasedBellParts): (seen: Observation) => Promise<void> {
  const slots = sharedLook(parts);
  return async ({ key, seen, occurredAtMs }) => {
    if (key.kind !== 'appointment' || parts.rules.length === 0) return;
    const snapshot = seen.as === 'snapshot' ? seen.snapshot : undefined;
    const about = { directory: parts.directory.current(), isKnown: true };
    if (snapshot !== undefined && !parts.rules.some((rule) => isOfClass(rule, snapshot, about))) return;
    const own = snapshot === undefined ? undefined : slotOf(snapshot);
    const service = snapshot?.['service_id'];
    const meant = (await slots()).filter((text) => service === undefined || text.startsWith(`${service} `));
    for (const text of new Set([...(own === undefined ? [] : [classSlotText(own)]), ...meant]))
      await ring(parts, text, occurredAtMs);
  };
}

/** A look that began before somebody asked may have passed by what it is asked for. */
function sharedLook(parts: ErasedBellParts): () => Promise<readonly string[]> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly string[]> | undefined;
  const begin = () => {
    next = undefined;
    const look = coming(parts);
    running = look.catch(() => undefined);
    return look;
  };
  return () => {
    next ??= running.then(begin);
    return next;
  };
}

/** As `classSlotText`. */
async function coming({ known, clock }: ErasedBellParts): Promise<readonly string[]> {
  const found: string[] = [];
  await known.each('class', async (classes) => {
    for (const { snapshot } of classes) {
      const slot = slotIn(snapshot?.['slot']);
      if (slot !== undefined && slot.startMs > clock.now() - OVER_AFTER_MS) found.push(classSlotText(slot));
    }
  });
  return found;
}
