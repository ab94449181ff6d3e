// Compares the platform's objects with what calendars and tabs actually show, read from Google instead of from stored state. Returns every
// difference with its reason. Writes nothing.

import { type ClassSlot, classIdOf, classNow, classSlotText } from '../../engine/class-slot.ts';
import type { DeadLetters } from '../../engine/dead-letters.ts';
import { holdsApproval, type ParkedOrphans, parkedOrphans } from '../../engine/edit-guard.ts';
import type { ErasureStore } from '../../engine/erasure.ts';
import { TerminalError, WorkerError } from '../../engine/errors.ts';
import type { Difference, DifferenceKind, DifferenceReason } from '../../engine/finding.ts';
import type { ClassReader, MirrorTarget } from '../../engine/handler.ts';
import { markedObject } from '../../engine/ids.ts';
import type { KnownObjects, Ledger } from '../../engine/ledger.ts';
import { spotsOf } from '../../engine/link.ts';
import type { Memory } from '../../engine/memory.ts';
import type { Actual, Expectation, Mirror, MirrorPlaces } from '../../engine/mirror.ts';
import {
  contentHash,
  type EntityKey,
  type EntityKind,
  formatKey,
  isReadable,
  type Snapshot,
} from '../../engine/object.ts';
import type { PlatformReader } from '../../engine/platform.ts';
import { type Claim, unknownClaim } from '../../engine/work.ts';
import { ActualIndex, type ActualOfObject } from './actual-index.ts';

/**
 * Age up to which a change may still be on its way. The platform forms an event 1 to 3 s after the change (platform API, Delivery rules).
 */
const UNDER_WAY_MS = 10_000;

export interface AuditParts extends TruthParts {
  readonly targets: readonly MirrorTarget[];
  readonly places: readonly MirrorPlaces[];
  readonly deadLetters: Pick<DeadLetters, 'names'>;
  /** Called now and then with the progress. */
  readonly progress: (step: AuditProgress) => void | Promise<void>;
}

export interface AuditProgress {
  readonly reading: string;
  readonly objects: number;
}

/** What an audit has read; it reported the differences one by one. */
export interface AuditResult {
  readonly objects: number;
  /** Number of events and rows that were read. */
  readonly standing: number;
  /** The same, by place. */
  readonly standingIn: ReadonlyMap<string, number>;
  /** Place to error code of each place that could not be read. The audit knows nothing about its content. */
  readonly unread: ReadonlyMap<string, string>;
  /**
   * Objects that could not be judged, with a code. `<mirror> <key>`: by one mirror. `<key>`: by any, because the platform does not show the
   * object to the API key.
   */
  readonly unjudged: ReadonlyMap<string, string>;
}

/** Compares everything. Rejects with the three error families when the platform or Redis cannot be read. */
export async function audit(parts: AuditParts, tell: (difference: Difference) => void): Promise<AuditResult> {
  const dead = deadObjects(await parts.deadLetters.names());
  const run = new AuditRun(parts, { dead, tell });
  const kinds = new Set(parts.targets.map((target) => target.from));
  // Class events are in the same calendars as those of appointments, so one reading covers both.
  kinds.delete('class');
  for (const kind of kinds) await run.compare(kind);
  return run.result;
}

/** A row's letter is named after its mirror and its object. */
function deadObjects(names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].map((name) => name.slice(name.lastIndexOf(' ') + 1)));
}

class AuditRun {
  readonly #parts: AuditParts;
  readonly #dead: ReadonlySet<string>;
  readonly #tell: (difference: Difference) => void;
  readonly #unread = new Map<string, string>();
  /** Places that the YAML no longer names. */
  readonly #former = new Set<string>();
  /** Former places that Google does not show. They cannot be read, and need not be. */
  readonly #closed = new Set<string>();
  readonly #unjudged = new Map<string, string>();
  readonly #visible = new Map<string, Promise<boolean>>();
  #objects = 0;
  #standing = 0;
  readonly #standingIn = new Map<string, number>();

  constructor(
    parts: AuditParts,
    about: { readonly dead: ReadonlySet<string>; readonly tell: (difference: Difference) => void },
  ) {
    this.#parts = parts;
    this.#dead = about.dead;
    this.#tell = about.tell;
  }

  get result(): AuditResult {
    return {
      objects: this.#objects,
      standing: this.#standing,
      standingIn: this.#standingIn,
      unread: this.#unread,
      unjudged: this.#unjudged,
    };
  }

  async compare(kind: EntityKind): Promise<void> {
    const targets = this.#targetsOf(kind);
    const index = await this.#read(targets);
    const from = listedFrom(this.#parts, kind);
    const classes = new GatheredClasses(this.#parts);
    const compareOne = async (object: TrueObject): Promise<void> => {
      const ofKind = this.#targetsOf(object.claim.key.kind);
      await this.#judge(object, ofKind, index.take(object.claim.key.id));
      this.#objects += 1;
      if (this.#objects % 100 === 0) await this.#parts.progress({ reading: kind, objects: this.#objects });
    };
    await eachObject(this.#parts, { kind, from }, async (object) => {
      if (kind === 'appointment') classes.add(object);
      await compareOne(object);
    });
    for await (const object of classes.objects()) await compareOne(object);
    await this.#compareOlder({ kind, until: from }, targets, index);
    // Objects that were deleted, are not shown to the key, or never existed. Stored state proves nothing here, so each is read alone.
    for (const id of index.rest()) {
      const key = kind === 'appointment' ? markedObject(id) : { kind, id };
      await this.#compareAlone(key, this.#targetsOf(key.kind), index.take(id));
    }
  }

  #targetsOf(kind: EntityKind): readonly MirrorTarget[] {
    return this.#parts.targets.filter((target) => target.from === kind);
  }

  /** Compares what exists for objects from before the window. Reads those from the lists too, as far back as their known starts reach. */
  async #compareOlder(
    { kind, until }: { readonly kind: EntityKind; readonly until: string | undefined },
    targets: readonly MirrorTarget[],
    index: ActualIndex,
  ): Promise<void> {
    if (until === undefined) return;
    let fromMs = Date.parse(until);
    for (const id of index.rest()) {
      const startMs = objectStart(await this.#parts.view.peek({ kind, id }));
      if (startMs < fromMs) fromMs = startMs;
    }
    const from = new Date(fromMs).toISOString();
    if (from === until) return;
    await eachObject(this.#parts, { kind, from, until }, async (object) => {
      const { id } = object.claim.key;
      if (index.has(id)) await this.#judge(object, targets, index.take(id));
    });
  }

  async #compareAlone(key: EntityKey, targets: readonly MirrorTarget[], left: ActualOfObject): Promise<void> {
    const object = await readTrueObject(this.#parts, key).catch((error: unknown) => {
      if (!(error instanceof TerminalError)) throw error;
      this.#unjudged.set(formatKey(key), error.code);
      return 'unjudged' as const;
    });
    if (object === 'unjudged') return;
    if (object !== undefined) return this.#judge(object, targets, left);
    const known = await this.#parts.view.peek(key);
    const projectId = known?.projectId ?? known?.snapshot?.['project_id'];
    if (typeof projectId === 'string' && !(await this.#isVisible(projectId))) {
      this.#unjudged.set(formatKey(key), 'project-not-in-key');
      return;
    }
    this.#orphans(formatKey(key), left.rest(), known === undefined ? 'unknown' : 'missed-event');
  }

  /** Cached, because the key does not change during an audit. */
  #isVisible(projectId: string): Promise<boolean> {
    const known = this.#visible.get(projectId) ?? this.#parts.reader.isProjectVisible(projectId);
    this.#visible.set(projectId, known);
    return known;
  }

  async #read(targets: readonly MirrorTarget[]): Promise<ActualIndex> {
    const index = new ActualIndex();
    const names = targets.map((target) => target.name);
    for (const { mirror, places, former, isClosed, standing } of this.#parts.places.filter((each) =>
      names.includes(each.mirror),
    )) {
      for (const place of places) {
        if (former?.has(place)) this.#former.add(place);
        await this.#parts.progress({ reading: place, objects: this.#objects });
        const reading = index.open(mirror, place);
        let count = 0;
        try {
          for await (const thing of standing(place)) {
            reading.put(thing);
            count += 1;
          }
          this.#standing += count;
          this.#standingIn.set(place, count);
        } catch (error) {
          if (!(error instanceof WorkerError)) throw error;
          // A partly read place proves nothing: the audit would report the objects in that part as orphaned.
          reading.drop();
          if (former?.has(place) && isClosed?.(error.code)) this.#closed.add(place);
          else this.#unread.set(place, error.code);
        }
      }
    }
    return index;
  }

  async #judge(object: TrueObject, targets: readonly MirrorTarget[], index: ActualOfObject): Promise<void> {
    if (object.isErased === true) return this.#orphans(claimKeyOf(object.claim), index.rest(), 'unknown');
    const silent = new Set<string>();
    for (const target of targets) {
      let expected: readonly Expectation[];
      try {
        expected = await target.expected(object.claim);
      } catch (error) {
        if (!(error instanceof WorkerError)) throw error;
        this.#unjudged.set(`${target.name} ${claimKeyOf(object.claim)}`, error.code);
        silent.add(target.name);
        continue;
      }
      for (const place of new Set(expected.map((each) => each.place))) {
        if (this.#unread.has(place) || this.#closed.has(place)) continue;
        const rules = expected.filter((each) => each.place === place);
        await this.#comparePlace(object, target.name, { rules, standing: index.take(place) });
      }
    }
    const why = await this.#reasonOf(object, undefined);
    // A mirror that cannot judge the object may want it in its own places, and wherever it is linked.
    const linked = spotsOf(object.claim.links).filter(({ mirror }) => silent.has(mirror));
    const left = index
      .rest()
      .filter(
        ({ mirror, standing }) =>
          !silent.has(mirror) && !linked.some(({ place }) => place === standing.place),
      );
    this.#orphans(claimKeyOf(object.claim), left, why);
  }

  /** The strictest rule decides. Events beside the intended one are doubles. */
  async #comparePlace(
    object: TrueObject,
    mirror: string,
    about: { readonly rules: readonly Expectation[]; readonly standing: readonly Actual[] },
  ): Promise<void> {
    const { rules } = about;
    const names = rules.map((each) => each.linked);
    const standing = about.standing.filter((thing) => thing.isOurs || names.includes(thing.name));
    const rule =
      rules.find((each) => each.rule === 'must') ?? rules.find((each) => each.rule === 'may') ?? rules[0];
    if (rule === undefined) return;
    const { place } = rule;
    const right = standing.filter((thing) => rule.isRight(thing.content));
    const isLinked = (thing: Actual) => thing.name === rule.linked;
    const meant = right.find(isLinked) ?? right[0] ?? standing.find(isLinked) ?? standing[0];
    const found = async (what: DifferenceKind, thing?: Actual, reason?: DifferenceReason) => {
      const why = reason ?? (await this.#reasonOf(object, rule));
      const name = thing === undefined ? {} : { name: thing.name };
      const beside = what === 'doubled' && meant !== undefined ? { beside: meant.name } : {};
      this.#tell({ what, why, key: claimKeyOf(object.claim), mirror, place, ...name, ...beside });
    };
    if (rule.rule === 'must-not') {
      for (const thing of standing) await found('orphaned', thing);
      return;
    }
    if (rule.rule === 'may' && rule.because !== 'changed-mapping') return;
    for (const thing of standing) if (thing !== meant) await found('doubled', thing);
    if (rule.rule === 'may') {
      if (meant !== undefined && !this.#former.has(place)) await found('unmapped', meant, 'changed-mapping');
    } else if (meant === undefined) await found('missing');
    else if (!rule.isRight(meant.content)) await found('stale', meant);
  }

  #orphans(key: string, left: ReturnType<ActualOfObject['rest']>, why: DifferenceReason): void {
    for (const { mirror, standing } of left) {
      if (!standing.isOurs) continue;
      this.#tell({ what: 'orphaned', why, key, mirror, place: standing.place, name: standing.name });
    }
  }

  async #reasonOf(object: TrueObject, rule: Expectation | undefined): Promise<DifferenceReason> {
    const key = claimKeyOf(object.claim);
    if (this.#dead.has(key)) return 'dead-letter';
    if (await this.#isUnderWay(object.claim)) return 'pending';
    if (object.isNews) return 'missed-event';
    if (rule === undefined) return 'unknown';
    if (rule.isConfirmed) return 'foreign-edit';
    // A class is derived from its appointments, so a wrong event means that the class missed a change.
    return object.claim.key.kind === 'class' ? 'missed-event' : 'failed-write';
  }

  async #isUnderWay({ key, snapshot, desiredRev, syncedRev }: Claim): Promise<boolean> {
    if (desiredRev !== syncedRev && (await this.#parts.view.dueAt(key)) !== undefined) return true;
    return Date.parse(String(snapshot?.['updated_at'])) >= this.#parts.nowMs - UNDER_WAY_MS;
  }
}

// A large removal is rarely intended, so it waits until a person has approved the place.

/** Most things that are removed from one place without an approval. */
const REMOVED_MAX = 5;
/** Largest share of a place's content that is removed without an approval; more suggests a broken key, list or mapping. */
const REMOVED_SHARE_MAX = 0.25;
/** In the memory, followed by a place: until when a person allows removals there, epoch milliseconds as text. */
const APPROVED = 'approved-orphans:';

/** Places from which too much would be removed without an approval. `removed` names the place of each thing. */
export function crowdedPlaces(
  removed: readonly string[],
  standing: ReadonlyMap<string, number>,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const place of removed) counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts].flatMap(([place, count]) =>
    count > REMOVED_MAX && count > (standing.get(place) ?? 0) * REMOVED_SHARE_MAX ? [place] : [],
  );
}

export async function isApproved(
  { memory, nowMs }: { readonly memory: Memory; readonly nowMs: () => number },
  place: string,
  key: string,
): Promise<boolean> {
  return holdsApproval(await memory.get(APPROVED + place), nowMs(), key);
}

/** Notes for the approver what waits in each place, by the keys of its objects. Forgets the note of each place of `looked` in which nothing waits. */
export async function noteParked(
  { memory, nowMs }: { readonly memory: Memory; readonly nowMs: () => number },
  looked: Iterable<string>,
  waiting: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const place of new Set(looked)) {
    const members = waiting.get(place) ?? [];
    if (members.length === 0) await memory.forget(parkedOrphans(place));
    else
      await memory.set(
        parkedOrphans(place),
        JSON.stringify({ count: members.length, atMs: nowMs(), members } satisfies ParkedOrphans),
      );
  }
}

// Reads every object that the mirrors may have to show, as the platform has it now: from its lists, a page at a time. Leads and messages
// are on no list of objects, so the last received state is the best available.

const PAGE_OBJECTS = 100;
const DAY_MS = 24 * 3_600_000;

export interface ClassTruth extends ClassReader {
  /** The class in which a mirror shows the appointment; undefined if every mirror shows it singly. */
  slotFor(claim: Claim): ClassSlot | undefined;
}

export interface TruthParts {
  readonly mirrors: readonly Mirror[];
  readonly reader: PlatformReader;
  readonly view: Ledger;
  readonly known: KnownObjects;
  readonly erased: ErasureStore;
  /** Absent where no mirror shows classes. */
  readonly classes?: ClassTruth;
  readonly nowMs: number;
}

/** An object with the platform's current state and the state stored here. */
interface TrueObject {
  /** With the platform's snapshot. An object that is unknown here has no links. */
  readonly claim: Claim;
  /** The platform shows something that was not taken in here. */
  readonly isNews: boolean;
  /** It was erased here for good, although the platform shows it. No mirror wants it. */
  readonly isErased?: boolean;
}

/** Objects of a kind that start, or began, in a window; ISO 8601. An absent bound is open. */
interface Span {
  readonly kind: EntityKind;
  readonly from: string | undefined;
  readonly until?: string;
}

/** Calls `tell` once with every object in a span. Rejects with the three error families. */
export async function eachObject(
  parts: TruthParts,
  span: Span,
  tell: (object: TrueObject) => Promise<void>,
): Promise<void> {
  const { kind } = span;
  if (!isReadable(kind)) {
    await parts.known.each(kind, async (claims) => {
      for (const claim of claims) await tell({ claim, isNews: false });
    });
    return;
  }
  let startingAfter: string | undefined;
  for (;;) {
    const page = await parts.reader.page(kind, {
      limit: PAGE_OBJECTS,
      ...(startingAfter === undefined ? {} : { startingAfter }),
      filters: filtersOf(span),
    });
    const erased = await parts.erased.among(page.data, kind);
    const met = await Promise.all(
      page.data.map((snapshot) => meet(parts, { kind, id: snapshot.id }, snapshot)),
    );
    for (const object of met)
      await tell(erased.has(object.claim.key.id) ? { ...object, isErased: true } : object);
    startingAfter = page.data.at(-1)?.id;
    if (!page.hasMore || startingAfter === undefined) return;
  }
}

/** Reads one object that is on no page, individually where possible. Undefined when nothing reliable is known about it. */
async function readTrueObject(parts: TruthParts, key: EntityKey): Promise<TrueObject | undefined> {
  const known = await parts.view.peek(key);
  if (key.kind === 'class' && known !== undefined)
    return { claim: (await parts.classes?.read(known)) ?? known, isNews: false };
  const snapshot = isReadable(key.kind) ? await parts.reader.get(key) : undefined;
  if (snapshot !== undefined) {
    const isErased = (await parts.erased.among([snapshot], key.kind)).has(snapshot.id);
    return { ...(await meet(parts, key, snapshot)), isErased };
  }
  const isKnownBest = known?.deleted === true || !isReadable(key.kind);
  return known !== undefined && isKnownBest ? { claim: known, isNews: false } : undefined;
}

async function meet({ view }: TruthParts, key: EntityKey, snapshot: Snapshot): Promise<TrueObject> {
  const known = await view.peek(key);
  if (known === undefined) return { claim: unknownClaim(key, snapshot), isNews: true };
  const isNews = known.snapshot === undefined || contentHash(known.snapshot) !== contentHash(snapshot);
  return { claim: { ...known, snapshot, deleted: false, verify: false }, isNews };
}

/** From when on the mirrors may want objects of a kind. Undefined where the list takes no such bound, or there is no list. */
export function listedFrom({ mirrors, nowMs }: TruthParts, kind: EntityKind): string | undefined {
  if (BOUNDS[kind] === undefined) return undefined;
  const sinces = mirrors.map((mirror) =>
    mirror.from === kind && 'sinceMs' in mirror.where ? mirror.where.sinceMs : 0,
  );
  return new Date(nowMs - Math.max(DAY_MS, ...sinces)).toISOString();
}

/** When the object starts, or began, in epoch milliseconds; NaN if unknown. */
function objectStart(claim: Claim | undefined): number {
  const field = claim === undefined ? undefined : BOUNDS[claim.key.kind]?.field;
  return field === undefined ? Number.NaN : Date.parse(String(claim?.snapshot?.[field]));
}

/** The fields by which the lists can be bounded (platform API, Appointments, Conversations and messages). */
const BOUNDS: Readonly<Partial<Record<EntityKind, { field: string; gte: string; lt: string }>>> = {
  appointment: { field: 'starts_at', gte: 'starts_at[gte]', lt: 'starts_at[lt]' },
  conversation: { field: 'created_at', gte: 'created[gte]', lt: 'created[lte]' },
};

function filtersOf({ kind, from, until }: Span): Readonly<Record<string, string>> {
  const bounds = BOUNDS[kind];
  if (bounds === undefined) return {};
  return {
    ...(from === undefined ? {} : { [bounds.gte]: from }),
    ...(until === undefined ? {} : { [bounds.lt]: until }),
  };
}

export function claimKeyOf(claim: Claim): string {
  return formatKey(claim.key);
}

// Gathers classes from the platform's list of appointments while that list is walked.

export class GatheredClasses {
  readonly #parts: TruthParts;
  readonly #members = new Map<string, { readonly slot: ClassSlot; readonly members: Snapshot[] }>();

  constructor(parts: TruthParts) {
    this.#parts = parts;
  }

  add({ claim }: TrueObject): void {
    const slot = this.#parts.classes?.slotFor(claim);
    if (slot === undefined || claim.snapshot === undefined) return;
    const known = this.#members.get(classSlotText(slot)) ?? { slot, members: [] };
    known.members.push(claim.snapshot);
    this.#members.set(classSlotText(slot), known);
  }

  /** Each class once, with its stored state. */
  async *objects(): AsyncGenerator<TrueObject> {
    for (const { slot, members } of this.#members.values()) {
      const key: EntityKey = { kind: 'class', id: classIdOf(slot) };
      const object = await meet(this.#parts, key, classNow(slot, members));
      // The stored part of a class has no content that could be outdated.
      yield { ...object, isNews: (await this.#parts.view.peek(key)) === undefined };
    }
  }
}
