// Heals differences that a person has named: each object gets a turn that relies on no stored state. Before it removes an orphan, it
// asks the platform about the object. Many removals from one place wait for a person.

import type { DeadLetters } from '../../engine/dead-letters.ts';
import { WorkerError } from '../../engine/errors.ts';
import type { Difference } from '../../engine/finding.ts';
import type { MirrorTarget, WorkQueue } from '../../engine/handler.ts';
import type { IntakeStore } from '../../engine/intake-store.ts';
import type { Ledger } from '../../engine/ledger.ts';
import { type CalendarLink, linkTo, openEdit, spotsOf } from '../../engine/link.ts';
import type { LinkStore } from '../../engine/link-store.ts';
import type { Memory } from '../../engine/memory.ts';
import { type Directory, namedPlaces } from '../../engine/mirror.ts';
import { contentHash, type EntityKey, type EntityKind, isReadable, parseKey } from '../../engine/object.ts';
import type { PlannedStep } from '../../engine/planned.ts';
import { foundOrAbsent, type PlatformReader } from '../../engine/platform.ts';
import type { DirtyMarks } from '../../engine/sweep.ts';
import type { Claim } from '../../engine/work.ts';
import { inherit, type Successor } from '../mapping-change/inherit-links.ts';
import {
  type AuditProgress,
  claimKeyOf,
  crowdedPlaces,
  eachObject,
  GatheredClasses,
  isApproved,
  listedFrom,
  noteParked,
  type TruthParts,
} from './audit.ts';

export interface FixParts {
  readonly dirtyMarks: DirtyMarks;
  readonly deadLetters: DeadLetters;
  readonly view: Ledger;
  readonly links: LinkStore;
  readonly intake: IntakeStore;
  readonly queue: WorkQueue;
  readonly memory: Memory;
  readonly reader: Pick<PlatformReader, 'get' | 'isProjectVisible'>;
  /** Takes in an object that was never seen here; false when the platform does not show it. */
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly isThere: (calendarId: string, eventId: string) => Promise<boolean>;
  /** `changed`: somebody edits it right now, and it stays. */
  readonly removeEvent: (calendarId: string, eventId: string) => Promise<'removed' | 'absent' | 'changed'>;
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
  const { name } = difference;
  if (calendarId === undefined || name === undefined) return 'nothing';
  const links = await linksOf(parts, key, difference);
  const linked = links.find((link) => link.calendarId === calendarId);
  const { beside = linked?.eventId } = difference;
  const isLinked = links.some(({ eventId }) => eventId === name);
  // An audit takes up to hours, and people may have deleted the one that was to stay.
  if (isLinked || beside === undefined || !(await parts.isThere(calendarId, beside)))
    return lookAgain(parts, key, difference);
  return removed(await parts.removeEvent(calendarId, name));
}

function removed(outcome: 'removed' | 'absent' | 'changed'): Fixed {
  return outcome === 'changed' ? 'nothing' : 'taken away';
}

/** The object's handler decides whether it may go, because the handler knows what the platform says. */
async function takeAway(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const proof = await proofOf(parts, key);
  if (proof === 'hidden') return 'not shown to the key';
  if (proof === 'none') return removeUnproven(parts, key, difference);
  const { mirror, name } = difference;
  const calendarId = calendarOf(difference);
  const links = await linksOf(parts, key, difference);
  if (calendarId !== undefined && name !== undefined && !links.some(({ eventId }) => eventId === name)) {
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
  if (!isReadable(key.kind)) return 'stands';
  const projectId = known.projectId ?? known.snapshot?.['project_id'];
  const seen = await foundOrAbsent(parts.reader, projectId, () => parts.reader.get(key));
  if (seen === 'hidden') return 'hidden';
  if (seen !== 'absent') return 'stands';
  return key.kind === 'appointment' ? 'none' : 'gone';
}

/** Nothing proves whether the platform still has it, so only a person may remove it, however few objects there are. */
async function removeUnproven(parts: FixParts, key: EntityKey, difference: Difference): Promise<Fixed> {
  const calendarId = calendarOf(difference);
  // A person has to find out whose row it is. For a contact, `sheet.deleted` decides.
  if (calendarId === undefined && key.kind !== 'contact') return 'nothing';
  if (!(await isApproved(parts, difference.place, difference.key))) return 'waits for a person';
  if (calendarId !== undefined && difference.name !== undefined)
    return removed(await parts.removeEvent(calendarId, difference.name));
  const seen = { as: 'deleted' } as const;
  await parts.intake.observe({ key, source: 'operator', occurredAtMs: parts.nowMs(), seen });
  parts.queue.add([`${key.kind}/${key.id}`]);
  return 'given a turn';
}

async function linksOf(
  parts: FixParts,
  key: EntityKey,
  { mirror }: Difference,
): Promise<readonly CalendarLink[]> {
  return (await parts.view.peek(key))?.links[mirror]?.calendars ?? [];
}

function calendarOf({ place }: Difference): string | undefined {
  return place.startsWith('calendar:') ? place.slice('calendar:'.length) : undefined;
}

// Gives the objects of a plan an ordinary turn. Their handlers decide what to write, under their fences.

interface ApplyParts {
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty' | 'release'>;
  readonly queue: WorkQueue;
  readonly memory: Memory;
  /** Takes in an object that was never seen here; false when the platform does not show it. */
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly nowMs: () => number;
}

/** One step of the plan that changes something. */
export interface AppliedStep {
  readonly key: string;
  readonly mirror: string;
  readonly place: string;
  /** The mapping no longer takes the object, and a person lets its event or row go. */
  readonly pruned: boolean;
}

interface Applied {
  /** Keys of the objects that got a turn. */
  readonly given: readonly string[];
  /** Keys of the objects that the platform no longer shows. */
  readonly unknown: readonly string[];
  /** Places from which too much would be pruned. Nothing is done until a person approves. */
  readonly parked: readonly string[];
}

/** `standing`: number of events or rows in each place. Repeating it gives the same objects another turn, which changes nothing. */
export async function applyPlan(
  parts: ApplyParts,
  steps: readonly AppliedStep[],
  standing: ReadonlyMap<string, number>,
): Promise<Applied> {
  const parked = await guardedPlaces(parts, steps, standing);
  const pruned = steps.flatMap((step) => (step.pruned ? [step.place] : []));
  const waiting = parked.map((place) => [place, prunedIn(steps, place)] as const);
  await noteParked(parts, pruned, new Map(waiting));
  // All or nothing: once a part is done, the plan no longer matches the state here and cannot be resumed.
  if (parked.length > 0) return { given: [], unknown: [], parked };
  const given = new Set<string>();
  const unknown = new Set<string>();
  for (const { key: name, mirror, pruned } of steps) {
    const key = parseKey(name);
    if (key === undefined) continue;
    if (pruned) await parts.dirtyMarks.release([key], mirror);
    if (given.has(name) || unknown.has(name)) continue;
    const strangers = await parts.dirtyMarks.markDirty([key], { read: true });
    if (strangers.length > 0 && !(await parts.introduce(key))) unknown.add(name);
    else given.add(name);
  }
  parts.queue.add([...given]);
  return { given: [...given], unknown: [...unknown], parked };
}

function prunedIn(steps: readonly AppliedStep[], place: string): readonly string[] {
  return steps.flatMap((step) => (step.pruned && step.place === place ? [step.key] : []));
}

/** Places where pruning needs an approval by a person and lacks it. */
export async function guardedPlaces(
  parts: Pick<ApplyParts, 'memory' | 'nowMs'>,
  steps: readonly AppliedStep[],
  standing: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const pruned = steps.flatMap((step) => (step.pruned ? [step.place] : []));
  const guarded: string[] = [];
  for (const place of crowdedPlaces(pruned, standing)) {
    for (const key of prunedIn(steps, place)) {
      if (await isApproved(parts, place, key)) continue;
      guarded.push(place);
      break;
    }
  }
  return guarded;
}

// Plans what a YAML would change, compared with the stored state of calendars and tabs. Asks the targets about every object that the
// mirrors may take. Writes nothing.

/** One step in one place, for one object. */
export interface PlannedChange extends Omit<PlannedStep, 'action'> {
  /**
   * `kept`: the mapping no longer takes the object, and an edit of the YAML removes nothing. An error code if the action cannot be
   * determined.
   */
  readonly action: PlannedStep['action'] | string;
  readonly key: string;
  readonly mirror: string;
  readonly object: PlannedObject;
  /** Hash of the step and of its source: the object as the platform shows it, and its stored state. */
  readonly hash: string;
}

/** What people know an object by. */
export interface PlannedObject {
  /** ISO 8601. An object without a start has its creation here. */
  readonly at?: string;
  /** IANA zone; absent: UTC. */
  readonly zone?: string;
  readonly service?: string;
  readonly resources?: readonly string[];
  readonly status?: string;
  /** Personal data. */
  readonly name?: string;
}

/** Events or rows of a mirror or place that the YAML no longer names. They stay where they are. */
interface Leftover {
  readonly mirror: string;
  readonly place: string;
  readonly count: number;
}

/** Events or rows that are already right, or are left as people have them. */
type Stay = Leftover;

interface PlanResult {
  readonly objects: number;
  readonly stays: readonly Stay[];
  readonly leftovers: readonly Leftover[];
  /** Objects with a change by people that waits for a decision. Any other decision was made, and no mapping makes it again. */
  readonly undecided: number;
}

interface PlanParts extends TruthParts {
  readonly targets: readonly MirrorTarget[];
  readonly directory: Directory;
  /** The mirrors of the YAML, as successors of what other mirrors wrote. */
  readonly successors: readonly Successor[];
  readonly progress: (step: AuditProgress) => void | Promise<void>;
}

/** Rejects with the three error families when the platform or Redis cannot be read. */
export async function planChanges(
  parts: PlanParts,
  tell: (change: PlannedChange) => void,
): Promise<PlanResult> {
  let objects = 0;
  const stays = new Map<string, Stay>();
  const told = new Set<string>();
  const named = namedSpots(parts.mirrors);
  const kinds = new Set(parts.targets.map((target) => target.from));
  kinds.delete('class');
  const planOne = async (found: Claim, kind: EntityKind): Promise<void> => {
    const claim = withSuccessors(found, parts.successors);
    objects += 1;
    if (objects % 100 === 0) await parts.progress({ reading: kind, objects });
    for (const target of parts.targets.filter(({ from }) => from === claim.key.kind)) {
      for (const step of await stepsOf(target, claim)) {
        // A step for each object would fill the memory; one in a place that the YAML names is never asked for.
        for (const place of [step.place, step.from])
          if (place !== undefined && !named.has(`${target.name} ${place}`))
            told.add(`${claimKeyOf(claim)} ${target.name} ${place}`);
        if (step.action !== 'same') tell(changeOf(step, { claim, mirror: target.name, parts }));
        else {
          const spot = `${target.name} ${step.place}`;
          const count = (stays.get(spot)?.count ?? 0) + 1;
          stays.set(spot, { mirror: target.name, place: step.place, count });
        }
      }
    }
  };
  for (const kind of kinds) {
    const classes = new GatheredClasses(parts);
    await eachObject(parts, { kind, from: listedFrom(parts, kind) }, async (object) => {
      if (kind === 'appointment') classes.add(object);
      if (object.isErased !== true) await planOne(object.claim, kind);
    });
    const planned = new Set<string>();
    for await (const { claim } of classes.objects()) {
      planned.add(claimKeyOf(claim));
      await planOne(claim, kind);
    }
    if (kind === 'appointment') await eachFormerClass(parts, planned, (claim) => planOne(claim, kind));
  }
  return { objects, stays: [...stays.values()], ...(await findLeftovers(parts, { named, told })) };
}

/** Classes that calendars show, but to which no listed appointment belongs under this YAML. */
async function eachFormerClass(
  { known, classes }: PlanParts,
  planned: ReadonlySet<string>,
  plan: (claim: Claim) => Promise<void>,
): Promise<void> {
  if (classes === undefined) return;
  await known.each('class', async (claims) => {
    const former = claims.filter(
      (claim) => !planned.has(claimKeyOf(claim)) && spotsOf(claim.links).length > 0,
    );
    for (const claim of former) await plan(await classes.read(claim));
  });
}

/** Hands over links as a start with this YAML would before its first write: mirrors may have been renamed, split or joined. */
function withSuccessors(claim: Claim, successors: readonly Successor[]): Claim {
  const links = inherit(claim.key.kind, claim.links, successors);
  return links === undefined ? claim : { ...claim, links };
}

type Step = Omit<PlannedStep, 'action'> & { readonly action: string };

/** The action is an error code where it cannot be determined. */
async function stepsOf(target: MirrorTarget, claim: Claim): Promise<readonly Step[]> {
  try {
    return await target.planned(claim);
  } catch (error) {
    if (error instanceof WorkerError) return [{ action: error.code, place: '' }];
    throw error;
  }
}

function changeOf(
  step: Step,
  { claim, mirror, parts }: { readonly claim: Claim; readonly mirror: string; readonly parts: PlanParts },
): PlannedChange {
  const key = claimKeyOf(claim);
  // The content of its row or event follows from the rest.
  const { row: _, event: __, ...decided } = step;
  const made = [key, mirror, decided, claim.snapshot ?? null, claim.deleted, claim.links[mirror] ?? null];
  return { ...step, key, mirror, object: describeObject(claim, parts.directory), hash: contentHash(made) };
}

function describeObject({ snapshot }: Claim, { branches, resources }: Directory): PlannedObject {
  if (snapshot === undefined) return {};
  const text = (field: string) => {
    const value = snapshot[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const ids = Array.isArray(snapshot['resource_ids']) ? snapshot['resource_ids'].map(String) : [];
  const all: Record<keyof PlannedObject, string | readonly string[] | undefined> = {
    at: text('starts_at') ?? text('created_at'),
    zone: text('timezone') ?? branches.get(String(snapshot['branch_id']))?.timezone,
    service: text('service_name'),
    resources: ids.length === 0 ? undefined : ids.map((id) => resources.get(id)?.name ?? id),
    status: text('status'),
    name: text('customer_name') ?? text('name'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const KINDS: readonly EntityKind[] = ['appointment', 'class', 'contact', 'conversation', 'message', 'lead'];

/** Mirror and place of each place that the YAML names. */
function namedSpots(mirrors: PlanParts['mirrors']): ReadonlySet<string> {
  return new Set(
    mirrors.flatMap((mirror) => namedPlaces(mirror).map(({ place }) => `${mirror.name} ${place}`)),
  );
}

/** `told`: object, mirror and place of each step in a place that the YAML does not name. Those are not leftovers. */
async function findLeftovers(
  { known, successors }: PlanParts,
  { named, told }: { readonly named: ReadonlySet<string>; readonly told: ReadonlySet<string> },
): Promise<Pick<PlanResult, 'leftovers' | 'undecided'>> {
  const counts = new Map<string, Leftover>();
  let undecided = 0;
  for (const kind of KINDS) {
    await known.each(kind, async (claims) => {
      undecided += claims.filter(isUndecided).length;
      const spots = claims
        .map((claim) => withSuccessors(claim, successors))
        .flatMap((claim) => spotsOf(claim.links).map((spot) => ({ ...spot, key: claimKeyOf(claim) })));
      for (const { key, mirror, place } of spots) {
        const spot = `${mirror} ${place}`;
        if (named.has(spot) || told.has(`${key} ${spot}`)) continue;
        counts.set(spot, { mirror, place, count: (counts.get(spot)?.count ?? 0) + 1 });
      }
    });
  }
  return { leftovers: [...counts.values()], undecided };
}

function isUndecided({ links, rowEdits = [] }: Claim): boolean {
  const calendars = Object.values(links).flatMap((each) => each.calendars ?? []);
  return rowEdits.length > 0 || calendars.some((link) => openEdit(link) !== undefined);
}
