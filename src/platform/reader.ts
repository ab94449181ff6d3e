/**
 * Implements the port by which the worker reads the platform. In: keys and page requests. Out: snapshots as GET returns them, or undefined
 * for a proved absence. Promises no order beyond "newest first".
 */
import type { Directory, ServiceLengths } from '../engine/domain/directory.ts';
import { TerminalError, WorkerError } from '../engine/domain/errors.ts';
import type { Snapshot } from '../engine/domain/object.ts';
import { type EntityKey, type EntityKind, isReadable, type ListedKind } from '../engine/domain/object.ts';
import type {
  EventReader,
  Page,
  PageRequest,
  PlatformEvent,
  PlatformReader,
} from '../engine/ports/platform.ts';
import type { AppointmentsApi } from './api/appointments.ts';
import type { BranchesApi } from './api/branches.ts';
import type { ContactsApi } from './api/contacts.ts';
import type { ConversationsApi } from './api/conversations.ts';
import { type EventsApi, platformEvent } from './api/events.ts';
import type { Options } from './api/request.ts';
import type { ResourcesApi } from './api/resources.ts';
import type { ServicesApi, WireService } from './api/services.ts';
import { absentOn404 } from './http/absence.ts';
import type { ListRequest } from './pages.ts';

export interface ReadSections {
  readonly appointments: AppointmentsApi;
  readonly contacts: ContactsApi;
  readonly conversations: ConversationsApi;
  readonly events: EventsApi;
  readonly resources: ResourcesApi;
  readonly branches: BranchesApi;
  readonly services: ServicesApi;
}

interface Section {
  get(id: string, options: Options): Promise<Snapshot | undefined>;
  list(request: ListRequest<object>): Promise<Page<Snapshot>>;
}

export class ApiPlatformReader implements PlatformReader, EventReader {
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

  page(kind: ListedKind, { isLive = false, ...request }: PageRequest): Promise<Page<Snapshot>> {
    return this.#byKind[kind].list({ ...request, rank: isLive ? 'live' : 'walk' });
  }

  async messages(conversationId: string, request: PageRequest): Promise<Page<Snapshot>> {
    const page = this.#sections.conversations.messages(conversationId, { ...request, rank: 'walk' });
    return (await absentOn404(page)) ?? { data: [], hasMore: false };
  }

  async eventPage(request: PageRequest): Promise<Page<PlatformEvent>> {
    const page = await this.#sections.events.list({ ...request, rank: 'feed' });
    return { data: page.data.map(platformEvent), hasMore: page.hasMore };
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
  lists: { readonly resources: ResourcesApi; readonly branches: BranchesApi; readonly services: ServicesApi },
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
