import type { Directory } from '../domain/directory.ts';
import type { EntityKey, ListedKind } from '../domain/entity.ts';
import type { Snapshot } from '../domain/snapshot.ts';

/** What the worker reads of the platform. All methods reject with the three error families (`target: 'platform'`). */
export interface PlatformReader {
  /**
   * The object as it is now; undefined when the platform answers 404 `not-found`. Rejects with `TerminalError`
   * `object-not-readable` for messages and leads: the document shows no way to read one of them.
   */
  get(key: EntityKey, signal?: AbortSignal): Promise<Snapshot | undefined>;
  /** False when the project is not in the key (403 on a list restricted to it): then a 404 proves nothing about an object. */
  isProjectVisible(projectId: string): Promise<boolean>;
  /** One page of objects, newest first. `filters` stay the same on every page of a walk. */
  page(kind: ListedKind, request: PageRequest): Promise<Page<Snapshot>>;
  /** One page of the messages of a conversation, newest first; none when the platform does not show the conversation. */
  messages(conversationId: string, request: PageRequest): Promise<Page<Snapshot>>;
  /** One page of the event feed, newest first. */
  eventPage(request: PageRequest): Promise<Page<PlatformEvent>>;
  /** All resources, branches and services. */
  directory(signal?: AbortSignal): Promise<Directory>;
}

/** One event of the feed, for an operator who knows its id. */
export interface EventReader {
  /** Undefined when it is older than 30 days, a test event, not the key's, or was sent to no endpoint. */
  event(id: string): Promise<PlatformEvent | undefined>;
}

export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly startingAfter?: string;
  /** Query parameters as the platform API names them, for example `starts_at[gte]`. */
  readonly filters?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/** An event of the platform (platform API, Event), as webhooks and the feed carry it. */
export interface PlatformEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly projectId: string | undefined;
  readonly test: boolean;
  /** `data.object` as it came; undefined when it is missing or no object. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
}
