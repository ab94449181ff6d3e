// The platform, as the worker reads and writes it.
import type { Directory } from '../domain/directory.ts';
import type { EntityKey, ListedKind } from '../domain/entity.ts';
import type { CarriedField } from '../domain/row-edit.ts';
import type { Appointment, Contact, Snapshot } from '../domain/snapshot.ts';

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
  /** Asked for what has just changed, and not for a walk: it goes first when the budget runs low. */
  readonly isLive?: boolean;
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

/** What the worker does to appointments. All methods reject with the three error families (`target: 'platform'`). */
export interface PlatformWriter {
  /** POST /v1/appointments. `TerminalError` with the platform's code is a refusal; the same of the next two. */
  create(request: WriteRequest): Promise<Appointment>;
  reschedule(appointmentId: string, request: WriteRequest): Promise<Appointment>;
  cancel(appointmentId: string, request: WriteRequest): Promise<Appointment>;
  /** The appointment as it is now; undefined when the platform does not show it. */
  get(appointmentId: string): Promise<Appointment | undefined>;
  /** One page of 100, newest first. Filters as the platform names them, for example `starts_at[gte]`. */
  list(filters: Readonly<Record<string, string>>, startingAfter?: string): Promise<Page<Appointment>>;
  /** Free time. Advice only: the verdict is the 409 of the booking. */
  slots(search: SlotSearch): Promise<FreeTime>;
}

/** Repeatable: the platform performs it once per key, and answers the same again. */
export interface WriteRequest {
  readonly idempotencyKey: string;
  /** A JSON object as text, sent byte for byte. */
  readonly body: string;
}

export interface SlotSearch {
  readonly serviceId: string;
  /** Epoch milliseconds; at most 31 days apart. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly branchId?: string;
  readonly resourceId?: string;
  readonly guests?: number;
}

export interface FreeTime {
  readonly projectId: string;
  /** IANA zone of the branch. */
  readonly zone: string;
  readonly slots: readonly {
    readonly startsAt: string;
    readonly endsAt: string;
    readonly resourceId: string;
  }[];
  /** `interval` services only; the platform's document does not show their shape. */
  readonly windows: readonly unknown[];
  /** The answer was cut; there is no cursor. */
  readonly hasMore: boolean;
}

/** The platform's contacts, as far as a booking needs them. All methods reject with the three error families. */
export interface CustomerCards {
  /** Undefined when the platform does not show it. */
  byId(contactId: string): Promise<Contact | undefined>;
  /** Newest first, of the newest hundred. Without a project: of all projects of the key. */
  byPhone(phone: string, projectId: string | undefined): Promise<readonly Contact[]>;
  byEmail(email: string, projectId: string | undefined): Promise<readonly Contact[]>;
  /** Every new key makes a new card, even for a known phone: look first. */
  create(request: WriteRequest): Promise<Contact>;
}

/** Changes contacts (platform API, PATCH /v1/contacts/{contact}). Takes no Idempotency-Key; the same change again changes nothing. */
export interface ContactWriter {
  /** Only what is given changes. Resolves with the contact as it is then; rejects with the three error families. */
  change(contactId: string, change: Readonly<Partial<Record<CarriedField, string>>>): Promise<Contact>;
}

/** The worker's own endpoint among the company's webhook endpoints (platform API, Webhook endpoint). */
export interface WebhookEndpoints {
  list(signal?: AbortSignal): Promise<readonly WebhookEndpoint[]>;
  /** The only answer, with rollSecret's, that carries the secret. Repeated with the same key it returns the same endpoint and secret. */
  create(request: CreateEndpoint): Promise<WebhookEndpoint & { readonly secret: string }>;
  change(id: string, change: EndpointChange): Promise<WebhookEndpoint>;
  /** The old secret goes on signing beside the new one for so long. Repeated with the same key it returns the same secret. */
  rollSecret(
    id: string,
    request: { readonly overlapHours: 1 | 24; readonly idempotencyKey: string },
  ): Promise<{ readonly secret: string }>;
  /** Sends one test event now, also to a disabled endpoint; returns what it met there. One at a time and 10 a minute per company. */
  test(id: string, type: string): Promise<TestResult>;
}

/** Only what is given changes. */
export interface EndpointChange {
  readonly status?: 'enabled' | 'disabled';
  readonly enabledEvents?: readonly string[];
  readonly projectIds?: readonly string[];
}

export interface TestResult {
  readonly eventId: string;
  /** Null: there was no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

export interface CreateEndpoint {
  readonly url: string;
  readonly description: string;
  readonly enabledEvents: readonly string[];
  /** Absent: all projects of the company, which only a key covering all of them may ask for. */
  readonly projectIds?: readonly string[];
  readonly idempotencyKey: string;
}

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly enabledEvents: readonly string[];
  readonly projectIds: readonly string[] | null;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly disabledAt: string | null;
  readonly updatedAt: string | null;
}

/** The exact body and key of the request that creates the endpoint. */
export interface Registration {
  readonly request: CreateEndpoint;
  /** Call it when the secret is kept. */
  end(): void;
}

/** A request that rolls a secret, with the key under which it is repeated. */
export interface Roll {
  readonly idempotencyKey: string;
  readonly overlapHours: 1 | 24;
  /** It was begun before, and nobody knows its end. */
  readonly isResumed: boolean;
  /** Call it when the secret is kept. */
  end(): void;
}

/** The platform's reference lists, kept fresh by somebody else. */
export interface DirectorySource {
  current(): Directory;
}

/** The same for who must not go by lists of some minutes ago. */
export interface FreshDirectory extends DirectorySource {
  /** As they were at this moment (epoch milliseconds) or later; read again when what is known is older. Rejects with the three error families. */
  readSince(sinceMs: number): Promise<Directory>;
}
