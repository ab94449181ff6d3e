// The platform, as the worker reads and writes it.
import type { Directory } from './mirror.ts';
import type { Appointment, Contact, EntityKey, ListedKind, Snapshot } from './object.ts';
import type { CarriedField } from './row-edit.ts';

/** What the worker reads from the platform. All methods reject with the three error families (`target: 'platform'`). */
export interface PlatformReader {
  /**
   * The object as it is now; undefined if the platform answers 404 `not-found`. Rejects with `TerminalError` `object-not-readable` for
   * messages and leads: the document shows no way to read one of them.
   */
  get(key: EntityKey, signal?: AbortSignal): Promise<Snapshot | undefined>;
  /** False if the project is not in the key (403 on a list restricted to it): then a 404 proves nothing about an object. */
  isProjectVisible(projectId: string): Promise<boolean>;
  /** One page of objects, newest first. `filters` stay the same on every page of a walk. */
  page(kind: ListedKind, request: PageRequest): Promise<Page<Snapshot>>;
  /** One page of the messages of a conversation, newest first; empty if the platform does not show the conversation. */
  messages(conversationId: string, request: PageRequest): Promise<Page<Snapshot>>;
  /** One page of the event feed, newest first. */
  eventPage(request: PageRequest): Promise<Page<PlatformEvent>>;
  /** All resources, branches and services. */
  directory(signal?: AbortSignal): Promise<Directory>;
}

/**
 * What `ask` finds; `absent` if the platform shows the project but not the thing, else `hidden`. Asks once more after it has seen the
 * project: the key may have got it back just then.
 */
export async function foundOrAbsent<T>(
  reader: Pick<PlatformReader, 'isProjectVisible'>,
  projectId: unknown,
  ask: () => Promise<T | undefined>,
): Promise<T | 'absent' | 'hidden'> {
  const first = await ask();
  if (first !== undefined) return first;
  if (typeof projectId !== 'string' || projectId === '') return 'hidden';
  if (!(await reader.isProjectVisible(projectId))) return 'hidden';
  return (await ask()) ?? 'absent';
}

/** One event of the feed, for an operator who knows its id. */
export interface EventReader {
  /** Undefined if it is older than 30 days, a test event, not the key's, or was sent to no endpoint. */
  event(id: string): Promise<PlatformEvent | undefined>;
}

export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly startingAfter?: string;
  /** Query parameters as the platform API names them, for example `starts_at[gte]`. */
  readonly filters?: Readonly<Record<string, string>>;
  /** The request is for a recent change, not for a walk: it goes first when the budget runs low. */
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
  /** `data.object` as received; undefined if it is missing or not an object. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
}

/** What the worker does to appointments. All methods reject with the three error families (`target: 'platform'`). */
export interface PlatformWriter {
  /** How long a request waits for its whole answer. */
  readonly timeoutMs: number;
  /** POST /v1/appointments. `TerminalError` with the platform's code is a refusal; the same applies to the next two. */
  create(request: WriteRequest): Promise<Appointment>;
  reschedule(appointmentId: string, request: WriteRequest): Promise<Appointment>;
  cancel(appointmentId: string, request: WriteRequest): Promise<Appointment>;
  /** The appointment as it is now; undefined if the platform does not show it. */
  get(appointmentId: string): Promise<Appointment | undefined>;
  /** One page of 100, newest first. Filters as the platform names them, for example `starts_at[gte]`. */
  list(filters: Readonly<Record<string, string>>, startingAfter?: string): Promise<Page<Appointment>>;
  /** Free time. Advice only: the verdict is the 409 of the booking. */
  slots(search: SlotSearch): Promise<FreeTime>;
}

/** Repeatable: the platform performs it once per key, and repeats its answer. */
export interface WriteRequest {
  readonly idempotencyKey: string;
  /** A JSON object as text, sent byte for byte. */
  readonly body: string;
  /** Called if the platform repeats an earlier answer to this key and performs nothing (platform API, Idempotency). */
  readonly onReplayed?: () => void;
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
  /** How the service is booked: `fixed` or `interval`. */
  readonly bookingMode: string;
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
export interface ContactLookup {
  /** Undefined if the platform does not show it. */
  byId(contactId: string): Promise<Contact | undefined>;
  /** Newest first, among the newest hundred. Without a project: in all projects of the key. */
  byPhone(phone: string, projectId: string | undefined): Promise<readonly Contact[]>;
  byEmail(email: string, projectId: string | undefined): Promise<readonly Contact[]>;
  /** Every new key creates a new contact, even for a known phone: look first. */
  create(request: WriteRequest): Promise<Contact>;
}

/** Changes contacts (platform API, PATCH /v1/contacts/{contact}). Takes no Idempotency-Key; repeating a change changes nothing. */
export interface ContactWriter {
  /** Changes only the given fields. Resolves with the contact as it is then; rejects with the three error families. */
  change(contactId: string, change: Readonly<Partial<Record<CarriedField, string>>>): Promise<Contact>;
}

/** Changes only the given fields. */
export interface EndpointChange {
  readonly status?: 'enabled' | 'disabled';
  readonly enabledEvents?: readonly string[];
  readonly projectIds?: readonly string[];
}

export interface TestResult {
  readonly eventId: string;
  /** Null: no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

export interface CreateEndpoint {
  readonly url: string;
  readonly description: string;
  readonly enabledEvents: readonly string[];
  /** Absent: all projects of the company, which requires a key that covers all of them. */
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
  /** Call it once the secret is stored. */
  end(): void;
}

/** A request that rolls a secret, with the key for repeating it. */
export interface Roll {
  readonly idempotencyKey: string;
  readonly overlapHours: 1 | 24;
  /** It was begun before, and its end is unknown. */
  readonly isResumed: boolean;
  /** Call it once the secret is stored. */
  end(): void;
}

/** The platform's reference lists, kept fresh by another part. */
export interface DirectorySource {
  current(): Directory;
}
