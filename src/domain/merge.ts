// Merges two snapshots of one lead or message into the state that both prove. The platform's document shows no way to read either kind
// alone, so snapshots without an order are merged. The result depends neither on their order nor on their number.
import type { EntityKind } from './entity.ts';
import { contentHash, instantKey, type Snapshot } from './snapshot.ts';

/** Kinds without a GET (platform API, Leads; Conversations and messages). */
export type MergedKind = 'lead' | 'message';

export function isMerged(kind: EntityKind): kind is MergedKind {
  return kind === 'lead' || kind === 'message';
}

/** Text that orders two snapshots of one object; empty if nothing does. A message has no `updated_at`. */
export function freshness(kind: EntityKind, snapshot: Snapshot): string {
  if (kind === 'booking' || kind === 'block' || kind === 'class') return instantKey(snapshot['seen_at']);
  return kind === 'message' ? '' : instantKey(snapshot['updated_at']);
}

/**
 * A newer lead replaces an older one, even where it has null: the platform may take a value back. Everything else is a tie: the higher
 * status wins, and null never replaces a late or lasting field. Commutative, associative and idempotent.
 */
export function merge(kind: MergedKind, a: Snapshot, b: Snapshot): Snapshot {
  const [ofA, ofB] = [freshness(kind, a), freshness(kind, b)];
  if (ofA !== ofB) return ofA > ofB ? a : b;
  return kind === 'lead' ? mergeLeads(a, b) : mergeMessages(a, b);
}

/** Order of a lead's states. It breaks ties only: a missed lead may be called again (platform API, Lead states). */
const LEAD_RANKS: ReadonlyMap<unknown, number> = new Map([
  ['queued', 0],
  ['in_progress', 1],
  ['missed', 2],
  ['scheduled', 3],
  ['completed', 5],
  ['cancelled', 5],
  ['not_called', 5],
]);
const UNKNOWN_LEAD_RANK = 4;
/** They arrive late and separately (platform API, Lead states and per-type rules). */
const LATE_FIELDS = ['call', 'rating', 'handled_at'];

function mergeLeads(a: Snapshot, b: Snapshot): Snapshot {
  const rankOf = (lead: Snapshot) => LEAD_RANKS.get(lead['status']) ?? UNKNOWN_LEAD_RANK;
  return withFullest(higher([a, b], rankOf, LATE_FIELDS), [a, b], LATE_FIELDS);
}

/** `read` never falls back to `delivered` or `pending`. With the same status, the snapshot with a failure wins. */
const MESSAGE_RANKS: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  [null, 0],
  [undefined, 0],
  ['pending', 1],
  ['delivered', 3],
  ['failed', 4],
  ['read', 5],
]);
const UNKNOWN_MESSAGE_RANK = 2;
/** The status decides nothing about them: they never change, or only arrive late. A message about its status alone may lack them. */
const LASTING_FIELDS = [
  'conversation_id',
  'direction',
  'author_type',
  'source',
  'text',
  'attachments',
  'created_at',
];

function mergeMessages(a: Snapshot, b: Snapshot): Snapshot {
  const rankOf = (message: Snapshot) =>
    (MESSAGE_RANKS.get(message['status']) ?? UNKNOWN_MESSAGE_RANK) + (isRecord(message['failure']) ? 0.5 : 0);
  return withFullest(higher([a, b], rankOf, LASTING_FIELDS), [a, b], LASTING_FIELDS);
}

/** Breaks a tie by hash: any choice works that does not depend on the order. */
function higher(
  [a, b]: readonly [Snapshot, Snapshot],
  rankOf: (snapshot: Snapshot) => number,
  apart: readonly string[],
): Snapshot {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA > rankB ? a : b;
  return contentHash(without(a, apart)) >= contentHash(without(b, apart)) ? a : b;
}

function without(snapshot: Snapshot, fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(snapshot).filter(([field]) => !fields.includes(field)));
}

function withFullest(
  base: Snapshot,
  [a, b]: readonly [Snapshot, Snapshot],
  fields: readonly string[],
): Snapshot {
  const fullest = fields
    .map((field) => [field, fuller(a[field], b[field])] as const)
    .filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(fullest), id: base.id };
}

/**
 * The more informative value: absent, null, empty text, any other value, list or object, in rising order. Lists and objects merge part by
 * part.
 */
function fuller(a: unknown, b: unknown): unknown {
  const [sayA, sayB] = [says(a), says(b)];
  if (sayA !== sayB) return sayA > sayB ? a : b;
  if (isRecord(a) && isRecord(b)) {
    const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return Object.fromEntries(fields.map((field) => [field, fuller(a[field], b[field])]));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => fuller(a[at], b[at]));
  }
  return contentHash(a ?? null) >= contentHash(b ?? null) ? a : b;
}

function says(value: unknown): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (value === '') return 2;
  if (isRecord(value)) return 5;
  return Array.isArray(value) ? 4 : 3;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces the link of an attachment. */
const LINK = 'link';

/**
 * The snapshot as stored. Links of attachments live ten minutes from the event (platform API, Message). Stored links would be dead, and
 * each reading of the same message would look like a change.
 */
export function asKept(kind: EntityKind, snapshot: Snapshot): Snapshot {
  const attachments = snapshot['attachments'];
  if (kind !== 'message' || !Array.isArray(attachments)) return snapshot;
  return { ...snapshot, attachments: attachments.map(withoutLink) };
}

/**
 * The content that makes two snapshots the same. For kinds that the worker reads again and again, it omits the time of reading and what the
 * worker wrote.
 */
export function contentOf(kind: EntityKind, snapshot: Snapshot): Readonly<Record<string, unknown>> {
  if (kind !== 'booking' && kind !== 'block' && kind !== 'class') return snapshot;
  const { seen_at: _, known_appointment: __, ...content } = snapshot;
  return content;
}

function withoutLink(item: unknown): unknown {
  if (!isRecord(item) || typeof item['url'] !== 'string') return item;
  return { ...item, url: LINK };
}
