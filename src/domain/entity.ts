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
