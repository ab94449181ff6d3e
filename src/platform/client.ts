import { TerminalError, WorkerError } from '../engine/errors.ts';
import type { Directory, ServiceLengths } from '../engine/mirror.ts';
import {
  type EntityKey,
  type EntityKind,
  isReadable,
  type ListedKind,
  type Snapshot,
} from '../engine/object.ts';
import type {
  ContactLookup,
  ContactWriter,
  EventReader,
  FreeTime,
  Page,
  PageRequest,
  PlatformEvent,
  PlatformReader,
  PlatformWriter,
  SlotSearch,
  WriteRequest,
} from '../engine/platform.ts';
import { proxyOf } from '../engine/proxy.ts';
import type { PlatformBudget } from '../engine/quotas.ts';
import { type Clock, type Log, type Meter, steadyClock } from '../engine/runtime.ts';
import { AppointmentsApi, ContactsApi } from './appointments.ts';
import { ConversationsApi } from './conversations.ts';
import {
  BRANCHES,
  findSlots,
  RESOURCES,
  SERVICES,
  type WireBranch,
  type WireResource,
  type WireService,
} from './directory.ts';
import { absentOn404, type Exchange, nodeExchange } from './http-answer.ts';
import { LocalPause, type PauseStore, type Rank, RateGate } from './http-rate.ts';
import {
  advancing,
  Breaker,
  type Create,
  ListedObjects,
  type ListRequest,
  type Options,
  type Outage,
  OutageWatch,
  type PlatformState,
  ReadableObjects,
  Transport,
  type TransportParts,
} from './http-transport.ts';
import { ApiWebhookEndpoints, EVENTS, platformEvent, type WireEvent } from './webhook-endpoints.ts';

/**
 * The whole API of the platform, for one key. In: typed operations. Out: the platform's objects, or one of the three error families with
 * `target: 'platform'`. Makes one attempt per call: the job layer retries with the same Idempotency-Key and body.
 */

export interface PlatformClientOptions {
  /** Base URL of the API with its version segment, `https://…/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Deadline for a whole answer. A webhook test gets at least 15 s, because the platform waits for another server. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Measures durations; default: this process's monotonic clock. */
  readonly steady?: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Shared by all processes that use the same key; default: this process only. */
  readonly pause?: PauseStore;
  readonly userAgent?: string;
  /** How long the platform may answer nothing before `onOutage` tells. */
  readonly failingForMs?: number;
  /** Default: fetch. */
  readonly exchange?: Exchange;
  /** Repeats a request that the platform's limit held back. Absent: the caller learns of the limit. */
  readonly outlast?: TransportParts['outlast'];
}

export interface PlatformClient {
  /** Deadline for a whole answer. */
  readonly timeoutMs: number;
  readonly contacts: ContactsApi;
  readonly conversations: ConversationsApi;
  readonly appointments: AppointmentsApi;
  readonly slots: (search: SlotSearch) => Promise<FreeTime>;
  readonly services: ListedObjects<WireService>;
  readonly resources: ListedObjects<WireResource>;
  readonly branches: ListedObjects<WireBranch>;
  readonly events: ReadableObjects<WireEvent>;
  readonly reader: PlatformReader & EventReader;
  readonly endpoints: ApiWebhookEndpoints;
  /** The request budget as reported by the platform. */
  budget(): Promise<PlatformBudget>;
  /** Whether the platform accepts the key, as last seen by this process. */
  state(): PlatformState;
  /** Called after every change of `state()`. Returns a function that removes the listener. */
  onState(listener: (state: PlatformState) => void): () => void;
  /** Called while the platform answers nothing, and with undefined once it answers again. */
  onOutage(listener: (outage: Outage | undefined) => void): void;
}

/** Throws `TerminalError` `platform-settings` when the base URL or the key is unusable. Opens no connection. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { clock, steady = steadyClock, log, meter, timeoutMs, userAgent = 'slotbridge' } = options;
  const { exchange = nodeExchange } = options;
  const breaker = new Breaker({ clock, steady });
  const outages = new OutageWatch({ clock, failingForMs: options.failingForMs });
  const rate = new RateGate({ clock: steady, log, shared: options.pause ?? new LocalPause(steady) });
  const baseUrl = usableUrl(options.baseUrl);
  // An unusable proxy ends the start, not each request.
  proxyOf(baseUrl);
  const apiKey = usableKey(options.apiKey);
  const transport = new Transport({
    baseUrl,
    apiKey,
    userAgent,
    timeoutMs,
    clock,
    log,
    meter,
    rate,
    breaker,
    outages,
    exchange,
    ...(options.outlast && { outlast: options.outlast }),
  });
  const contacts = new ContactsApi(transport);
  const conversations = new ConversationsApi(transport);
  const appointments = new AppointmentsApi(transport);
  const services = new ListedObjects(transport, SERVICES);
  const resources = new ListedObjects(transport, RESOURCES);
  const branches = new ListedObjects(transport, BRANCHES);
  const events = new ReadableObjects(transport, EVENTS);
  breaker.onState((state) => logState(log, state));
  return {
    timeoutMs,
    contacts,
    conversations,
    appointments,
    slots: (search) => findSlots(transport, search),
    services,
    resources,
    branches,
    events,
    reader: new ApiPlatformReader({
      ...{ contacts, conversations, appointments },
      ...{ services, resources, branches, events },
    }),
    endpoints: new ApiWebhookEndpoints(transport),
    budget: () => rate.budget(),
    state: () => breaker.state(),
    onState: (listener) => breaker.onState(listener),
    onOutage: (listener) => outages.onChange(listener),
  };
}

function usableUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && ['https:', 'http:'].includes(url.protocol) && url.search === '' && url.hash === '';
  if (url && isPlain && url.username === '' && url.password === '') return url;
  throw new TerminalError('platform-settings', "the platform's base URL cannot be used", {
    target: 'platform',
    advice:
      'Set platform.base_url to the address of the API with its version segment, for example https://host/v1.',
  });
}

/** fetch would reject such a header with an error that quotes it, and the key would get into a log. */
function usableKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new TerminalError(
    'platform-settings',
    'the API key is empty or contains characters that a key cannot have',
    {
      target: 'platform',
      advice: 'Copy the key again into platform.api_key, without spaces or line breaks.',
    },
  );
}

function logState(log: Log, state: PlatformState): void {
  if (state.state === 'ok') log.info({}, 'the platform accepts the key again');
  else
    log.error(
      { code: state.code, scopes: state.scopes, requestId: state.requestId, advice: state.advice },
      'the platform refuses the key',
    );
}

/**
 * Implements the port by which the worker reads the platform. In: keys and page requests. Out: snapshots as GET returns them, or undefined
 * for a proved absence. Promises no order beyond "newest first".
 */

type ReadSections = Pick<
  PlatformClient,
  'appointments' | 'contacts' | 'conversations' | 'events' | 'resources' | 'branches' | 'services'
>;

interface Section {
  get(id: string, options: Options): Promise<Snapshot | undefined>;
  list(request: ListRequest): Promise<Page<Snapshot>>;
}

class ApiPlatformReader implements PlatformReader, EventReader {
  readonly #sections: ReadSections;
  readonly #byKind: Readonly<Record<ListedKind, Section>>;

  constructor(sections: ReadSections) {
    this.#sections = sections;
    this.#byKind = {
      appointment: sections.appointments,
      contact: sections.contacts,
      conversation: sections.conversations,
    };
  }

  async get(key: EntityKey, signal?: AbortSignal): Promise<Snapshot | undefined> {
    const { kind, id } = key;
    if (!isReadable(kind)) throw notReadable(kind);
    return this.#byKind[kind].get(id, signal ? { signal } : {});
  }

  /**
   * Tries the lists in turn, because a key may have the scope of only one of them. A 403 does not reliably say whether it is about the
   * scope or the project. One 200 is proof; without one, the project counts as invisible and nothing is deleted.
   */
  async isProjectVisible(projectId: string): Promise<boolean> {
    const request = { filters: { project_id: projectId }, limit: 1 } as const;
    const { appointments, contacts, conversations } = this.#sections;
    return (
      (await isAnswered(appointments.list(request))) ||
      (await isAnswered(contacts.list(request))) ||
      (await isAnswered(conversations.list(request)))
    );
  }

  async page(kind: ListedKind, { isLive = false, ...request }: PageRequest): Promise<Page<Snapshot>> {
    const page = await this.#byKind[kind].list({ ...request, rank: isLive ? 'live' : 'walk' });
    return advancing(page, request.startingAfter);
  }

  async messages(conversationId: string, request: PageRequest): Promise<Page<Snapshot>> {
    const page = this.#sections.conversations.messages(conversationId, { ...request, rank: 'walk' });
    return advancing((await absentOn404(page)) ?? { data: [], hasMore: false }, request.startingAfter);
  }

  async eventPage(request: PageRequest): Promise<Page<PlatformEvent>> {
    const page = await this.#sections.events.list({ ...request, rank: 'feed' });
    const { data, hasMore } = advancing(page, request.startingAfter);
    return { data: data.map(platformEvent), hasMore };
  }

  async event(id: string): Promise<PlatformEvent | undefined> {
    const event = await this.#sections.events.get(id);
    return event === undefined ? undefined : platformEvent(event);
  }

  directory(signal?: AbortSignal): Promise<Directory> {
    return readDirectory(this.#sections, signal ? { signal } : {});
  }
}

function notReadable(kind: EntityKind): TerminalError {
  return new TerminalError('object-not-readable', `the platform offers no way to read a single ${kind}`, {
    target: 'platform',
    advice: `The event did not contain the whole ${kind}. Check it in the dashboard. Its next event updates the row.`,
  });
}

/** The codes of a 403 from the platform, about the request or about the scope; a gateway's 403 has neither. */
const FORBIDDEN: ReadonlySet<string> = new Set(['forbidden', 'platform-forbidden']);

/** False when the platform forbids the list, or the client remembers that it does; any other failure rejects. */
async function isAnswered(list: Promise<unknown>): Promise<boolean> {
  try {
    await list;
    return true;
  } catch (error) {
    if (error instanceof WorkerError && FORBIDDEN.has(error.code)) return false;
    throw error;
  }
}

const DAY_MINUTES = 1_440;

/** All resources, branches and services that the key can see, over all pages. The platform lists only active ones. */
async function readDirectory(
  lists: Pick<PlatformClient, 'resources' | 'branches' | 'services'>,
  options: Options = {},
): Promise<Directory> {
  // Rank `live`: nothing can be mapped without the names, so they do not wait behind a resync.
  const request = { ...options, rank: 'live' } as const;
  const [resources, branches, services] = await Promise.all([
    byId(lists.resources.pages(request), ({ id, name, branch_id, project_id, capacity }) => ({
      id,
      name,
      branchId: branch_id,
      projectId: project_id,
      ...(Number.isInteger(capacity) && { capacity }),
    })),
    byId(lists.branches.pages(request), ({ id, name, timezone, project_id }) => ({
      id,
      name,
      timezone,
      projectId: project_id,
    })),
    byId(lists.services.pages(request), (service) => ({
      id: service.id,
      name: service.name,
      projectId: service.project_id,
      bookingMode: service.booking_mode,
      ...(service.booking_mode === 'interval' && { lengths: lengthsOf(service) }),
      isOnline: service.online_bookable,
    })),
  ]);
  return { resources, branches, services };
}

/** A length that the platform does not limit is limited to one day. */
function lengthsOf(service: WireService): ServiceLengths {
  const minMin = Math.max(1, service.min_duration_min ?? 1);
  const maxMin = Math.max(minMin, service.max_duration_min ?? DAY_MINUTES);
  return { minMin, maxMin, stepMin: Math.max(1, service.duration_step_min ?? 1) };
}

async function byId<Wire, Known extends { readonly id: string }>(
  pages: AsyncIterable<Page<Wire>>,
  known: (item: Wire) => Known,
): Promise<ReadonlyMap<string, Known>> {
  const found = new Map<string, Known>();
  for await (const page of pages) {
    for (const entry of page.data.map(known)) found.set(entry.id, entry);
  }
  return found;
}

/**
 * Implements the ports by which the worker changes the platform. In: stored bodies with their Idempotency-Keys. Out: the platform's
 * objects, or one of the three error families. Makes one attempt per call and decides nothing.
 */

const PAGE_OBJECTS = 100;

/** `rank`: priority when the request budget runs low. */
export function createPlatformWriter(
  { appointments, slots, timeoutMs }: Pick<PlatformClient, 'appointments' | 'slots' | 'timeoutMs'>,
  rank: Rank = 'live',
): PlatformWriter {
  return {
    timeoutMs,
    create: (request) => appointments.create({ ...asStored(request), rank }),
    reschedule: (id, request) => appointments.reschedule(id, { ...asStored(request), rank }),
    cancel: (id, request) => appointments.cancel(id, { ...asStored(request), rank }),
    get: (id) => appointments.get(id, { rank }),
    list(filters, startingAfter) {
      const place = startingAfter === undefined ? {} : { startingAfter };
      return appointments.list({ filters, limit: PAGE_OBJECTS, rank, ...place });
    },
    slots,
  };
}

export function createCustomerCards({ contacts }: Pick<PlatformClient, 'contacts'>): ContactLookup {
  /** Without `project_id` in the query, because a 403 might then be about the project, and would not prove that the key lacks the scope. */
  const find = async (filters: { phone: string } | { email: string }, projectId: string | undefined) => {
    const { data } = await contacts.list({ filters, limit: PAGE_OBJECTS });
    return projectId === undefined ? data : data.filter((contact) => contact.project_id === projectId);
  };
  return {
    byId: (contactId) => contacts.get(contactId),
    byPhone: (phone, projectId) => find({ phone }, projectId),
    byEmail: (email, projectId) => find({ email }, projectId),
    create: (request) => contacts.create(asStored(request)),
  };
}

export function createContactWriter({ contacts }: Pick<PlatformClient, 'contacts'>): ContactWriter {
  return { change: (contactId, change) => contacts.change(contactId, change, { rank: 'live' }) };
}

/** A body written by `JSON.stringify` parses and serializes to the same bytes; any other body is refused. */
function asStored({ body, ...request }: WriteRequest): Create {
  const value: unknown = JSON.parse(body);
  if (JSON.stringify(value) === body) return { ...request, body: value as Create['body'] };
  throw new TerminalError('request-not-repeatable', 'a stored request would be sent with different bytes', {
    target: 'platform',
  });
}
