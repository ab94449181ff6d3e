// Heals differences that a person has named: each object gets a turn that relies on no stored state. Before it removes an orphan, it
// asks the platform about the object. Many removals from one place wait for a person.
import type { Difference } from '../../engine/domain/difference.ts';
import { linkTo } from '../../engine/domain/link.ts';
import { type EntityKey, isReadable, parseKey } from '../../engine/domain/object.ts';
import type { LinkStore } from '../../engine/ports/calendars.ts';
import type { IntakeStore } from '../../engine/ports/intake.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import type { PlatformReader } from '../../engine/ports/platform.ts';
import type { DeadLetters, DirtyMarks, ObjectView, WorkQueue } from '../../engine/ports/work.ts';
import { crowdedPlaces, isApproved, noteParked } from './mass-removal.ts';

export interface FixParts {
  readonly dirtyMarks: DirtyMarks;
  readonly deadLetters: DeadLetters;
  readonly view: ObjectView;
  readonly links: LinkStore;
  readonly intake: IntakeStore;
  readonly queue: WorkQueue;
  readonly memory: Memory;
  readonly reader: Pick<PlatformReader, 'get' | 'isProjectVisible'>;
  /** Takes in an object that was never seen here; false when the platform does not show it. */
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly removeEvent: (calendarId: string, eventId: string) => Promise<unknown>;
  readonly nowMs: () => number;
}

/** The result for one difference; `nothing` where a person must act. */
export type Fixed =
  | 'given a turn'
  | 'taken away'
  | 'waits for a person'
  /** The platform does not show it, and the key does not cover its project. */
  | 'not shown to the key'
  | 'nothing';

export interface Healed {
  readonly counts: Readonly<Partial<Record<Fixed, number>>>;
  /** Places where a removal waits for a person. */
  readonly parked: readonly string[];
}

/** Heals the chosen differences of one audit. `standing`: number of the worker's events or rows in each place. */
export async function fixAll(
  parts: FixParts,
  chosen: readonly Difference[],
  standing: ReadonlyMap<string, number>,
): Promise<Healed> {
  // Case 50: a calendar or a tab must not be emptied because a key, a list or a mapping did not show its objects.
  const removed = chosen.filter(isTakenAway).map(({ place }) => place);
  const crowded = new Set(crowdedPlaces(removed, standing));
  const counts: Partial<Record<Fixed, number>> = {};
  const parked = new Map<string, string[]>();
  for (const difference of chosen) {
    const { place, key } = difference;
    const isParked = isTakenAway(difference) && crowded.has(place) && !(await isApproved(parts, place, key));
    const done = isParked ? 'waits for a person' : await fix(parts, difference);
    counts[done] = (counts[done] ?? 0) + 1;
    if (done === 'waits for a person') parked.set(place, [...(parked.get(place) ?? []), key]);
  }
  await noteParked(parts, removed, parked);
  return { counts, parked: [...parked.keys()] };
}

function isTakenAway(difference: Difference): boolean {
  const { what, why, key } = difference;
  // A turn of blocks has its own guard.
  if (parseKey(key)?.kind === 'block') return false;
  if (what === 'unmapped') return true;
  if (what !== 'orphaned' || why === 'pending' || why === 'dead-letter') return false;
  // Rows of unknown objects stay, whatever a person approves. Those of contacts are an exception.
  return why !== 'unknown' || calendarOf(difference) !== undefined || parseKey(key)?.kind === 'contact';
}

async function fix(parts: FixParts, difference: Difference): Promise<Fixed> {
  const key = parseKey(difference.key);
  if (key === undefined || difference.why === 'pending') return 'nothing';
  if (difference.why === 'dead-letter') return retry(parts, difference);
  if (key.kind === 'block') return bringInStep(parts, key, difference);
  switch (difference.what) {
    case 'missing':
    case 'stale':
      return lookAgain(parts, key, difference);
    case 'unmapped':
      return release(parts, key, difference);
    case 'doubled':
      return removeDouble(parts, key, difference);
    case 'orphaned':
      return takeAway(parts, key, difference);
    default:
      return difference.what satisfies never;
  }
}

async function retry({ deadLetters, queue }: FixParts, { key }: Difference): Promise<Fixed> {
  const letters = await deadLetters.ofObject(key);
  for (const letter of letters) await deadLetters.retry(letter);
  queue.add([key]);
  return letters.length === 0 ? 'nothing' : 'given a turn';
}

/** The person's own turn plans what to book and cancel. `slotbridge blocks clear` removes blocks that the YAML no longer names. */
async function bringInStep(parts: FixParts, key: EntityKey, { what, key: name }: Difference): Promise<Fixed> {
  if (what === 'unmapped') return 'nothing';
  const strangers = await parts.dirtyMarks.markDirty([key], { read: false });
  if (strangers.length > 0) return 'nothing';
  parts.queue.add([name]);
  return 'given a turn';
}

async function lookAgain(parts: FixParts, key: EntityKey, { mirror, key: name }: Difference): Promise<Fixed> {
  await parts.dirtyMarks.doubt([key], mirror);
  const strangers = await parts.dirtyMarks.markDirty([key], { read: true });
  if (strangers.length > 0 && !(await parts.introduce(key))) return 'nothing';
  parts.queue.add([name]);
  return 'given a turn';
}

async function release(parts: FixParts, key: EntityKey, { mirror, key: name }: Difference): Promise<Fixed> {
  await parts.dirtyMarks.release([key], mirror);
  parts.queue.add([name]);
  return 'given a turn';
}

/** People made copies of rows, and may have written into them, so such copies stay. */
async function removeDouble(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const calendarId = calendarOf(difference);
  if (calendarId === undefined || difference.name === undefined) return 'nothing';
  if (await isLinked(parts, key, difference)) return lookAgain(parts, key, difference);
  await parts.removeEvent(calendarId, difference.name);
  return 'taken away';
}

/** The object's handler decides whether it may go, because the handler knows what the platform says. */
async function takeAway(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const proof = await proofOf(parts, key);
  if (proof === 'hidden') return 'not shown to the key';
  if (proof === 'none') return removeUnproven(parts, key, difference);
  const { mirror, name } = difference;
  const calendarId = calendarOf(difference);
  if (calendarId !== undefined && name !== undefined && !(await isLinked(parts, key, difference))) {
    const isTaken = await parts.links.adopt(difference.key, mirror, linkTo({ calendarId, eventId: name }));
    // The appointment has another linked event in that calendar, so this one is a double.
    if (!isTaken) return removeDouble(parts, key, difference);
  }
  // The last stored state proves nothing now, so the object is read.
  await parts.dirtyMarks.markDirty([key], { read: true });
  return release(parts, key, difference);
}

/**
 * A missing object alone proves nothing: the key may have lost its project, or belong to another company (platform API, general rule 2).
 * And the platform never deletes appointments.
 * - `stands`: the platform shows it.
 * - `gone`: it was deleted.
 * - `hidden`: the key does not cover its project.
 * - `none`: there is no proof either way.
 */
async function proofOf(parts: FixParts, key: EntityKey): Promise<'stands' | 'gone' | 'hidden' | 'none'> {
  const known = await parts.view.peek(key);
  if (known === undefined) return (await parts.introduce(key)) ? 'stands' : 'none';
  if (known.deleted) return 'gone';
  if (!isReadable(key.kind) || (await parts.reader.get(key)) !== undefined) return 'stands';
  const projectId = known.projectId ?? known.snapshot?.['project_id'];
  if (typeof projectId !== 'string' || !(await parts.reader.isProjectVisible(projectId))) return 'hidden';
  return key.kind === 'appointment' ? 'none' : 'gone';
}

/** Nothing proves whether the platform still has it, so only a person may remove it, however few objects there are. */
async function removeUnproven(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const calendarId = calendarOf(difference);
  // A person has to find out whose row it is. For a contact, `sheet.deleted` decides.
  if (calendarId === undefined && key.kind !== 'contact') return 'nothing';
  if (!(await isApproved(parts, difference.place, difference.key))) return 'waits for a person';
  if (calendarId !== undefined && difference.name !== undefined) {
    await parts.removeEvent(calendarId, difference.name);
    return 'taken away';
  }
  const seen = { as: 'deleted' } as const;
  await parts.intake.observe({ key, source: 'operator', occurredAtMs: parts.nowMs(), seen });
  parts.queue.add([`${key.kind}/${key.id}`]);
  return 'given a turn';
}

async function isLinked(parts: FixParts, key: EntityKey, { mirror, name }: Difference): Promise<boolean> {
  const known = await parts.view.peek(key);
  return (known?.links[mirror]?.calendars ?? []).some((link) => link.eventId === name);
}

function calendarOf({ place }: Difference): string | undefined {
  return place.startsWith('calendar:') ? place.slice('calendar:'.length) : undefined;
}
