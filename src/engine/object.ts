import { hash } from 'node:crypto';

/** Kinds of platform object that a mirror can show. The list is closed on purpose: it grows only with this product. */
export const PLATFORM_KINDS = ['appointment', 'contact', 'conversation', 'message', 'lead'] as const;
export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** Everything the queue works on: platform objects, outside bookings, people whose private time is blocked, and classes. */
export const ENTITY_KINDS = [...PLATFORM_KINDS, 'booking', 'block', 'class'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** Kinds that the platform returns one by one and as a list (platform API, Endpoints), unlike messages and leads. */
export type ListedKind = Exclude<PlatformKind, 'message' | 'lead'>;

/** Names one object. The queue, the dirty set and the links use keys, never events. */
export interface EntityKey {
  readonly kind: EntityKind;
  /**
   * The platform's id, a UUID string. A booking has a hash of its place or the id of its row, a block the resource's id, a class
   * `classIdOf`.
   */
  readonly id: string;
}

/** `appointment/<uuid>`. It contains no `:`, because BullMQ refuses `:` in identifiers. */
export function formatKey(key: EntityKey): string {
  return `${key.kind}/${key.id}`;
}

/** Parses the text of `formatKey`; undefined if it names no known kind or no id. */
export function parseKey(text: string): EntityKey | undefined {
  const slash = text.indexOf('/');
  const kind = text.slice(0, slash);
  const id = text.slice(slash + 1);
  return isEntityKind(kind) && id !== '' ? { kind, id } : undefined;
}

export function isEntityKind(text: string): text is EntityKind {
  return (ENTITY_KINDS as readonly string[]).includes(text);
}

export function isPlatformKind(text: string): text is PlatformKind {
  return (PLATFORM_KINDS as readonly string[]).includes(text);
}

/** True for kinds that the platform returns one by one. For other kinds the worker knows only what it has seen. */
export function isReadable(kind: EntityKind): kind is ListedKind {
  return kind === 'appointment' || kind === 'contact' || kind === 'conversation';
}

/** True for the beginning of an id as pages and lists print it. Fewer signs would name many objects. */
export function isShortId(text: string): boolean {
  return /^[0-9a-f-]{6,35}$/i.test(text);
}

/** An object as the platform's GET shows it, with the field names of the platform API. Unknown fields are kept. */
export type Snapshot = Readonly<Record<string, unknown>> & { readonly id: string };

/** The fields of an appointment that the worker acts on (platform API, Appointment). */
export interface Appointment extends Snapshot {
  readonly project_id: string;
  readonly branch_id: string;
  readonly service_id: string;
  readonly service_name: string | null;
  readonly resource_id: string | null;
  /** Empty for a cancelled appointment: its time is released. */
  readonly resource_ids: readonly string[];
  /** `pending`, `confirmed`, `arrived`, `completed`, `cancelled`, `no_show`; the list is open, unknown values are passed on. */
  readonly status: string;
  /** ISO 8601, UTC. */
  readonly starts_at: string;
  readonly ends_at: string;
  /** IANA zone of the branch. */
  readonly timezone: string;
}

/** The fields of a contact that the worker acts on (platform API, Contact). */
export interface Contact extends Snapshot {
  readonly project_id: string;
  readonly lifecycle: string;
  readonly status: string;
}

/**
 * An ISO 8601 instant as 20 digits of microseconds, so that Redis can compare two of them as text. Empty for null, a missing value, or
 * something that is not a time.
 */
export function instantKey(iso: unknown): string {
  if (typeof iso !== 'string') return '';
  const seconds = Math.floor(Date.parse(iso) / 1000);
  if (!Number.isFinite(seconds) || seconds < 0) return '';
  const fraction = /\.(\d{1,6})/.exec(iso)?.[1] ?? '';
  return `${String(seconds).padStart(14, '0')}${fraction.padEnd(6, '0')}`;
}

/** Equal for values that are equal as JSON, in any order of their keys. 32 hex digits of SHA-256. */
export function contentHash(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 32);
}

/** Every delivery passes here: plain concatenation takes a third of the time of mapped entries. */
function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    const item = fields[name];
    if (item !== undefined) text += `${text === '' ? '' : ','}${nameJson(name)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}

/** Cache of field names as JSON: the platform has some hundred. */
const nameJsons = new Map<string, string>();
const NAMES_MAX = 1_000;
const NAME_CHARS_MAX = 64;

function nameJson(name: string): string {
  const known = nameJsons.get(name);
  if (known !== undefined) return known;
  const json = JSON.stringify(name);
  if (nameJsons.size < NAMES_MAX && name.length <= NAME_CHARS_MAX) nameJsons.set(name, json);
  return json;
}

// Merges two snapshots of one lead or message into the state that both prove. The platform's document shows no way to read either kind
// alone, so snapshots without an order are merged. The result depends neither on their order nor on their number.

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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A fact that is JSON. */
export async function readFact<T>(
  memory: { get(name: string): Promise<string | undefined> },
  name: string,
): Promise<T | undefined> {
  const text = await memory.get(name);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** The list in parts of at most `size`. */
export function* inParts<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

/** For spreading: nothing if the value is absent. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [K in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [K in Name]?: Value });
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

// Wire data can have any size and depth. It is bounded here, before it becomes a key, a row or a line on a terminal.

/** The platform's ids are UUIDs. Longer ids, and ids with blanks, slashes or control characters, are refused. */
const ID = /^[\w.~=+@-]{1,128}$/;
/** The list of event types grows, but their form does not change (platform API, Event types). */
export const EVENT_TYPE = /^[\w.-]{1,128}$/;
/** Longest text of an event's time. */
export const MOMENT_CHARS_MAX = 64;
/** Deepest nesting of a platform object. Real ones have three levels; recursion over them must not overflow the stack. */
const DEPTH_MAX = 32;
/** Longest text within a platform object. The platform cuts events at 256 KB (platform API, Event), but a GET returns the whole text. */
const TEXT_CHARS_MAX = 1024 * 1024;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** True when no part of a JSON value is nested too deeply and no text or name in it is too long. Does not recurse itself. */
export function isBounded(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= DEPTH_MAX; depth += 1) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'string' && item.length > TEXT_CHARS_MAX) return false;
      if (typeof item !== 'object' || item === null) continue;
      if (!Array.isArray(item) && Object.keys(item).some((name) => name.length > TEXT_CHARS_MAX))
        return false;
      for (const part of Object.values(item)) next.push(part);
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops the undefined fields: an absent field and an undefined one differ. */
export function withoutUndefined<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** What `within` resolves with after the time limit. */
export const LATE = Symbol('late');

/** The result of `work`, or `LATE` after `ms`. Late work runs on; a later rejection is ignored. Every call of Redis passes here. */
export function within<Result>(ms: number, work: Promise<Result>): Promise<Result | typeof LATE> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms, LATE);
    work.then(
      (result) => {
        clearTimeout(timer);
        done(result);
      },
      (error) => {
        clearTimeout(timer);
        fail(error);
      },
    );
  });
}

/** Where a hint came from. Only `list` shows the current state; the others show some past moment. */
export type ObservationSource = 'webhook' | 'feed' | 'list' | 'calendar' | 'sheet' | 'operator';

/** A hint that an object may have changed, as the intake takes it from any source. */
export interface Observation {
  readonly key: EntityKey;
  readonly source: ObservationSource;
  /** The platform's event id; absent if the observation is no event (a list walk, an operator). */
  readonly eventId?: string;
  /** The platform's name for the type; kept for people, nothing depends on it. */
  readonly eventType?: string;
  readonly projectId?: string;
  /** When the change happened, epoch milliseconds; the lag counts from it. */
  readonly occurredAtMs: number;
  /** Reconcile even if nothing is new: the mapping changed, or an operator requires it. */
  readonly force?: boolean;
  /** The full list walk that returned the object. An object without the walk's mark was not in the list. */
  readonly walk?: string;
  /** Valid only under this lease: a reader whose turn is over may have read an older state than the known one. */
  readonly under?: { readonly name: string; readonly proof: string };
  readonly seen:
    | { readonly as: 'snapshot'; readonly snapshot: Snapshot }
    /** Only id and kind are known (a body over 256 KB): the object must be read. */
    | { readonly as: 'reduced' }
    /** `deleted: true`. */
    | { readonly as: 'deleted' };
}

/**
 * What became of an observation.
 * - `fresh`: newer than what was known, or merged with it into something new; the object is dirty now.
 * - `verify`: cannot be ordered against what is known (equal or missing `updated_at`, reduced body, deleted before). The object is dirty
 * now and will be read.
 * - `deleted`: the tombstone is new; the object is dirty now.
 * - `unchanged`: exactly the content that is already known.
 * - `stale`: older than what is known.
 * - `duplicate`: this event id was taken in before.
 * - `forgotten`: the object, or the contact that it was made for, was erased. Nothing of it was stored.
 */
export type ObservationOutcome =
  | 'fresh'
  | 'verify'
  | 'deleted'
  | 'unchanged'
  | 'stale'
  | 'duplicate'
  | 'forgotten';

// A subject is what a calendar shows: one resource, one branch, one service, or everything. An appointment is in the calendar of each of
// its subjects. Links remember subjects; a resource's subject is its bare id, as in every version.

/** What a mirror uses to divide appointments among calendars. */
export type Division = 'resource' | 'branch' | 'service' | 'all';

/** The subject of a calendar that shows every appointment. */
export const EVERYTHING = 'all';

/** `id`: of the resource, branch or service. */
export function subjectOf(by: Exclude<Division, 'all'>, id: string): string {
  return by === 'resource' ? id : `${by}:${id}`;
}

/** Resources come first. Empty for a cancelled appointment: the worker finds it by its links. */
export function subjectsOf(snapshot: Snapshot): readonly string[] {
  if (snapshot['status'] === 'cancelled') return [];
  const subjects = [...resourcesOf(snapshot)];
  for (const by of ['branch', 'service'] as const) {
    const id = snapshot[`${by}_id`];
    if (typeof id === 'string' && id !== '') subjects.push(subjectOf(by, id));
  }
  return [...subjects, EVERYTHING];
}

/** Empty for a cancelled appointment: the platform has released its resources (platform API, Appointment). */
export function resourcesOf(snapshot: Snapshot): readonly string[] {
  const { resource_id: main, resource_ids: all, status } = snapshot;
  if (status === 'cancelled') return [];
  if (Array.isArray(all) && all.length > 0) return all.map(String);
  return typeof main === 'string' ? [main] : [];
}

export function divisionOf(subject: string): Division {
  if (subject === EVERYTHING) return 'all';
  return subject.startsWith('branch:') ? 'branch' : subject.startsWith('service:') ? 'service' : 'resource';
}

export function isResource(subject: string): boolean {
  return divisionOf(subject) === 'resource';
}

/** The contact that an object was made for, as `formatKey`, and when, in epoch ms. Each is empty if the snapshot does not say. */
export function madeFor(snapshot: Snapshot | undefined): readonly [string, string | number] {
  const contactId = snapshot?.['contact_id'];
  const madeAtMs = Date.parse(String(snapshot?.['created_at']));
  return [
    typeof contactId === 'string' ? `contact/${contactId}` : '',
    Number.isNaN(madeAtMs) ? '' : madeAtMs,
  ];
}

/**
 * `metadata` key for the outside booking from which an appointment came. The platform keeps it forever: `metadata` is set at creation only.
 */
export const ORIGIN_MARK = 'slotbridge_origin';

/** Where an appointment came from, as its `metadata` says; undefined unless it was booked outside. */
export function originOf(snapshot: Snapshot): string | undefined {
  const metadata = snapshot['metadata'] as Readonly<Record<string, unknown>> | null | undefined;
  const origin = metadata?.[ORIGIN_MARK];
  return typeof origin === 'string' ? origin : undefined;
}

/** When and with whom an appointment is: the same text until it moves. */
export function placementOf(snapshot: Snapshot): string {
  const { starts_at: startsAt, resource_id: main, resource_ids: all } = snapshot;
  const resources = Array.isArray(all) ? all.map(String).sort() : [];
  return [instantOf(startsAt), String(main ?? ''), ...resources].join(' ');
}

/** Placement and status: the same text until something happens to the appointment that staff would see. A class supplies its own. */
export function visibleState(snapshot: Snapshot): string {
  if (snapshot['object'] === 'class') return String(snapshot['standing']);
  return `${String(snapshot['status'])} ${instantOf(snapshot['ends_at'])} ${placementOf(snapshot)}`;
}

/** Changes with everything that happens to the appointment: a move there and back changes it, too. */
export function appointmentState(snapshot: Snapshot): string {
  return contentHash({
    standing: visibleState(snapshot),
    updatedAt: instantOf(snapshot['updated_at']),
  });
}

function instantOf(iso: unknown): string {
  const atMs = Date.parse(String(iso));
  return Number.isNaN(atMs) ? '' : new Date(atMs).toISOString();
}

// Most of an object's memory in Redis would be the names of its fields, which are the same in each. The stored form leaves them out.

/** Values in the order of `names`. Absent ones are null, or not there at the end. */
export function valuesOf(names: readonly string[], fields: Readonly<Record<string, unknown>>): unknown[] {
  const values: unknown[] = [];
  for (const name of names) values.push(fields[name] ?? null);
  while (values.length > 0 && values.at(-1) === null) values.pop();
  return values;
}

/** Fields of a snapshot by kind (platform API), those that are mostly null last. What is stored depends on the order: only add at the end. */
const FIELDS: Readonly<Partial<Record<EntityKind, readonly string[]>>> = {
  appointment: [
    ...['project_id', 'branch_id', 'service_id', 'service_name', 'resource_id', 'status', 'source'],
    ...['starts_at', 'ends_at', 'timezone', 'guests_count', 'customer_name', 'customer_phone'],
    ...['created_at', 'updated_at', 'contact_id', 'customer_email', 'conversation_id', 'price_amount'],
    ...['price_currency', 'comment', 'cancel_reason', 'cancelled_by', 'metadata', 'resource_ids'],
  ],
  contact: [
    ...['project_id', 'type', 'name', 'phone', 'lifecycle', 'status', 'source', 'created_at', 'updated_at'],
    ...['first_name', 'last_name', 'email', 'position', 'metadata'],
  ],
};

/** Begins a compact text. No JSON text has it before a bracket, so a version that does not know the form reads nothing wrong. */
const COMPACT = '2';
const INSTANT = /_at$/;

/**
 * The snapshot as stored: an array of its values, without what the key, the object's project or the main resource says. A field that is not
 * listed here stands with its name in an object behind them. A snapshot without one of the listed fields is stored as JSON.
 */
export function snapshotText(
  { kind, id }: EntityKey,
  snapshot: Snapshot,
  projectId: string | undefined,
): string {
  const names = FIELDS[kind];
  if (names === undefined || snapshot.id !== id || snapshot['object'] !== kind)
    return JSON.stringify(snapshot);
  const { id: _, object: __, ...others } = snapshot as Record<string, unknown>;
  const known: Record<string, unknown> = {};
  for (const name of names) {
    const value = others[name];
    if (value === undefined || (typeof value === 'number' && INSTANT.test(name)))
      return JSON.stringify(snapshot);
    known[name] = INSTANT.test(name) ? asMillis(value) : value;
    delete others[name];
  }
  if (known['project_id'] === null) return JSON.stringify(snapshot);
  if (known['project_id'] === projectId) known['project_id'] = null;
  if (kind === 'appointment') {
    const { resource_ids: all, resource_id: main } = known;
    if (all === null) return JSON.stringify(snapshot);
    if (Array.isArray(all) && all.length === 1 && all[0] === main && main !== null)
      known['resource_ids'] = null;
  }
  const values = valuesOf(names, known);
  if (Object.keys(others).length > 0) {
    while (values.length < names.length) values.push(null);
    values.push(others);
  }
  return COMPACT + JSON.stringify(values);
}

/** `projectId`: of the object. */
export function readSnapshot({ kind, id }: EntityKey, text: string, projectId: string | undefined): Snapshot {
  const names = FIELDS[kind];
  if (names === undefined || !text.startsWith(COMPACT)) return JSON.parse(text) as Snapshot;
  const values = JSON.parse(text.slice(COMPACT.length)) as readonly unknown[];
  const fields: Record<string, unknown> = { object: kind };
  for (const [at, name] of names.entries()) {
    const value = values[at] ?? null;
    fields[name] = INSTANT.test(name) && typeof value === 'number' ? new Date(value).toISOString() : value;
  }
  fields['project_id'] ??= projectId ?? null;
  if (kind === 'appointment') fields['resource_ids'] ??= [fields['resource_id']];
  return { ...fields, ...(values[names.length] as object | undefined), id };
}

/** For scripts: a function that reads one field of a stored appointment. An instant may be milliseconds instead of ISO 8601. */
export const APPOINTMENT_FIELD = `
local places = { ${(FIELDS.appointment ?? []).map((name, at) => `${name} = ${at + 1}`).join(', ')} }
local function appointment_reader(text, read)
  local is_compact = string.sub(text, 1, 1) == '${COMPACT}'
  local values = read(is_compact and string.sub(text, 2) or text)
  return values and function(name) return values[is_compact and places[name] or name] end
end
`;

/** Milliseconds, if the text can be made from them again. */
function asMillis(value: unknown): unknown {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) || new Date(atMs).toISOString() !== value ? value : atMs;
}
