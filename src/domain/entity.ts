/** The kinds of platform object that a mirror can be fed from. Grows with the product, so it is a closed list on purpose. */
export const PLATFORM_KINDS = ['appointment', 'contact', 'conversation', 'message', 'lead'] as const;
export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** All that the queue works on: objects of the platform, bookings that people made outside of it, people whose private time is blocked, and classes. */
export const ENTITY_KINDS = [...PLATFORM_KINDS, 'booking', 'block', 'class'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** Kinds of which the platform shows one, and a list of all (platform API, Endpoints); not so of messages and leads. */
export type ListedKind = Exclude<PlatformKind, 'message' | 'lead'>;

/** Names one object. The queue, the dirty set and the links all speak in these, never in events. */
export interface EntityKey {
  readonly kind: EntityKind;
  /**
   * The platform's id, a UUID string. A booking has a hash of its place or the id of its row, a block the resource's id, a class
   * `classIdOf`.
   */
  readonly id: string;
}

/** `appointment/<uuid>`: no `:` in it, because BullMQ refuses `:` in identifiers. */
export function formatKey(key: EntityKey): string {
  return `${key.kind}/${key.id}`;
}

/** Reads `formatKey`'s text back; undefined when it names no known kind or no id. */
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

/** True for kinds of which one can be read from the platform. Of the others nobody knows more than what was seen. */
export function isReadable(kind: EntityKind): kind is ListedKind {
  return kind === 'appointment' || kind === 'contact' || kind === 'conversation';
}
