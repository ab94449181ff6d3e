// The worker stores nothing about an erased appointment, not even its class. The appointment still exists on the platform and counts there.
// So its classes are marked dirty before it is forgotten, and again with every later hint about it.

import { CLASSES, classSlotText, slotIn, slotOf } from '../engine/class-slot.ts';
import { markedObject } from '../engine/ids.ts';
import type { KnownObjects } from '../engine/ledger.ts';
import { formatKey, type Observation } from '../engine/object.ts';
import type { DirtyMarks } from '../engine/sweep.ts';
import type { Claim } from '../engine/work.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import { isOfClass } from '../mapping/route.ts';
import { type ClassWakeParts, wake } from './class-target.ts';
import { readMarks, readSlot } from './wanted.ts';

/** How long after its start a class counts as over. */
const OVER_AFTER_MS = 24 * 3_600_000;

/** Marks the classes of an appointment dirty before the appointment is forgotten. */
export function wakeFor(
  parts: Pick<ClassWakeParts, 'intake' | 'clock'>,
): (appointment: Pick<Claim, 'links'>) => Promise<void> {
  return async ({ links }) => {
    for (const text of links[CLASSES]?.slots ?? []) await wake(parts, text);
  };
}

export interface DoubtParts extends Pick<ClassWakeParts, 'intake' | 'clock'> {
  readonly dirtyMarks: Pick<DirtyMarks, 'doubt'>;
  /** Forgets earlier edits of this object's event, so that they do not count as an edit loop. */
  readonly forgiveEdits: (key: string) => Promise<void>;
}

/**
 * Makes the class of this event compare what the event says, whatever its link remembers. A class that is not known here is taken in by its
 * mark. The emptied event looks like a change by people, so earlier edits are forgiven: it is corrected, however many people are erased in
 * a row.
 */
export function doubtFor(parts: DoubtParts): (event: CalendarEvent) => Promise<void> {
  return async (event) => {
    const slot = readSlot(event);
    if (slot !== undefined) await wake(parts, classSlotText(slot));
    const marks = readMarks(event);
    if (marks === undefined) return;
    const key = markedObject(marks.appointmentId);
    await parts.forgiveEdits(formatKey(key));
    await parts.dirtyMarks.doubt([key], marks.mirror);
  };
}

export type ErasedWakeParts = Omit<ClassWakeParts, 'links'> & { readonly known: Pick<KnownObjects, 'each'> };

/**
 * Handles hints about erased objects. A cancelled or moved appointment does not say where it was, so every known upcoming class of its
 * service is marked dirty. Concurrent calls share one lookup.
 */
export function createErasedWaker(parts: ErasedWakeParts): (seen: Observation) => Promise<void> {
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
      await wake(parts, text, occurredAtMs);
  };
}

/** A lookup that began before a call may have missed what the call needs, so each call waits for the next lookup. */
function sharedLook(parts: ErasedWakeParts): () => Promise<readonly string[]> {
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

/** Slots of the known classes that are not over, as `classSlotText`. */
async function coming({ known, clock }: ErasedWakeParts): Promise<readonly string[]> {
  const found: string[] = [];
  await known.each('class', async (classes) => {
    for (const { snapshot } of classes) {
      const slot = slotIn(snapshot?.['slot']);
      if (slot !== undefined && slot.startMs > clock.now() - OVER_AFTER_MS) found.push(classSlotText(slot));
    }
  });
  return found;
}
