// Every object that the mirrors may have to show, as the platform has it now: from its lists, a page at a time. Leads and messages are on
// no list of objects; of those what was received is the best that is known.
import { type EntityKey, type EntityKind, formatKey, isReadable } from '../../domain/entity.ts';
import type { Mirror } from '../../domain/mirror.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { Claim } from '../../domain/work.ts';
import type { KnownObjects } from '../../ports/known-objects.ts';
import type { ObjectView } from '../../ports/ledger.ts';
import type { PlatformReader } from '../../ports/platform-reader.ts';

const PAGE_OBJECTS = 100;
const DAY_MS = 24 * 3_600_000;

export interface TruthParts {
  readonly mirrors: readonly Mirror[];
  readonly reader: PlatformReader;
  readonly view: ObjectView;
  readonly known: KnownObjects;
  readonly nowMs: number;
}

/** An object with what the platform says of it now, and with what is stored here. */
export interface TrueObject {
  /** With the platform's snapshot; what is not known here has no links. */
  readonly claim: Claim;
  /** The platform has told something that was not taken in here. */
  readonly isNews: boolean;
}

/** Tells of every object of a kind once. Rejects with the three error families. */
export async function eachObject(
  parts: TruthParts,
  kind: EntityKind,
  tell: (object: TrueObject) => Promise<void>,
): Promise<void> {
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
      filters: filtersOf(parts, kind),
    });
    for (const snapshot of page.data) await tell(await meet(parts, { kind, id: snapshot.id }, snapshot));
    startingAfter = page.data.at(-1)?.id;
    if (!page.hasMore || startingAfter === undefined) return;
  }
}

/** One object that is on no page: read on its own where that can be done. Undefined when nobody knows it. */
export async function findObject(parts: TruthParts, key: EntityKey): Promise<TrueObject | undefined> {
  const known = await parts.view.peek(key);
  if (known !== undefined && (known.deleted || !isReadable(key.kind))) return { claim: known, isNews: false };
  const snapshot = isReadable(key.kind) ? await parts.reader.get(key) : undefined;
  return snapshot === undefined ? undefined : meet(parts, key, snapshot);
}

async function meet({ view }: TruthParts, key: EntityKey, snapshot: Snapshot): Promise<TrueObject> {
  const known = await view.peek(key);
  if (known === undefined) return { claim: unknownClaim(key, snapshot), isNews: true };
  const isNews = known.snapshot === undefined || contentHash(known.snapshot) !== contentHash(snapshot);
  return { claim: { ...known, snapshot, deleted: false, verify: false }, isNews };
}

/** What was never seen here: nothing of it is remembered. */
function unknownClaim(key: EntityKey, snapshot: Snapshot): Claim {
  const revisions = { fence: 0, desiredRev: 0, syncedRev: 0 };
  const nothing = { links: {}, sightings: [], pendingSinceMs: undefined, projectId: undefined };
  return { key, snapshot, deleted: false, verify: false, ...revisions, ...nothing };
}

function filtersOf({ mirrors, nowMs }: TruthParts, kind: EntityKind): Readonly<Record<string, string>> {
  if (kind === 'contact') return {};
  const sinces = mirrors.map((mirror) =>
    mirror.from === kind && 'sinceMs' in mirror.where ? mirror.where.sinceMs : 0,
  );
  const from = new Date(nowMs - Math.max(DAY_MS, ...sinces)).toISOString();
  return kind === 'appointment' ? { 'starts_at[gte]': from } : { 'created[gte]': from };
}

export function keyOf(claim: Claim): string {
  return formatKey(claim.key);
}
