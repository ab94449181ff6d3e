// Reads every object that the mirrors may have to show, as the platform has it now: from its lists, a page at a time. Leads and messages
// are on no list of objects, so the last received state is the best available.
import type { ClassSlot } from '../../engine/domain/class-slot.ts';
import type { Mirror } from '../../engine/domain/mirror.ts';
import {
  contentHash,
  type EntityKey,
  type EntityKind,
  formatKey,
  isReadable,
  type Snapshot,
} from '../../engine/domain/object.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { ErasedObjects } from '../../engine/ports/erasure.ts';
import type { PlatformReader } from '../../engine/ports/platform.ts';
import type { ClassReader, KnownObjects, ObjectView } from '../../engine/ports/work.ts';

const PAGE_OBJECTS = 100;
const DAY_MS = 24 * 3_600_000;

export interface ClassTruth extends ClassReader {
  /** The class in which a mirror shows the appointment; undefined if every mirror shows it singly. */
  slotFor(claim: Claim): ClassSlot | undefined;
}

export interface TruthParts {
  readonly mirrors: readonly Mirror[];
  readonly reader: PlatformReader;
  readonly view: ObjectView;
  readonly known: KnownObjects;
  readonly erased: ErasedObjects;
  /** Absent where no mirror shows classes. */
  readonly classes?: ClassTruth;
  readonly nowMs: number;
}

/** An object with the platform's current state and the state stored here. */
export interface TrueObject {
  /** With the platform's snapshot. An object that is unknown here has no links. */
  readonly claim: Claim;
  /** The platform shows something that was not taken in here. */
  readonly isNews: boolean;
  /** It was erased here for good, although the platform shows it. No mirror wants it. */
  readonly isErased?: boolean;
}

/** Objects of a kind that start, or began, in a window; ISO 8601. An absent bound is open. */
export interface Span {
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
    for (const snapshot of page.data) {
      const object = await meet(parts, { kind, id: snapshot.id }, snapshot);
      await tell(erased.has(snapshot.id) ? { ...object, isErased: true } : object);
    }
    startingAfter = page.data.at(-1)?.id;
    if (!page.hasMore || startingAfter === undefined) return;
  }
}

/** Reads one object that is on no page, individually where possible. Undefined when nothing reliable is known about it. */
export async function readTrueObject(parts: TruthParts, key: EntityKey): Promise<TrueObject | undefined> {
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

export async function meet({ view }: TruthParts, key: EntityKey, snapshot: Snapshot): Promise<TrueObject> {
  const known = await view.peek(key);
  if (known === undefined) return { claim: unknownClaim(key, snapshot), isNews: true };
  const isNews = known.snapshot === undefined || contentHash(known.snapshot) !== contentHash(snapshot);
  return { claim: { ...known, snapshot, deleted: false, verify: false }, isNews };
}

/** The claim of an object that was never seen here, without stored state. */
function unknownClaim(key: EntityKey, snapshot: Snapshot): Claim {
  const revisions = { fence: '', desiredRev: 0, syncedRev: 0 };
  const nothing = { links: {}, sightings: [], pendingSinceMs: undefined, projectId: undefined };
  return { key, snapshot, deleted: false, verify: false, ...revisions, ...nothing };
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
export function objectStart(claim: Claim | undefined): number {
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
