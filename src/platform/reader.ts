/**
 * Implements the port by which the worker reads the platform. In: keys and page requests. Out: snapshots as GET returns them, or undefined
 * for a proved absence. Promises no order beyond "newest first".
 */
import type { Directory } from '../domain/directory.ts';
import { type EntityKey, type EntityKind, isReadable, type ListedKind } from '../domain/entity.ts';
import { TerminalError, WorkerError } from '../domain/errors.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { EventReader, Page, PageRequest, PlatformEvent, PlatformReader } from '../ports/platform.ts';
import type { AppointmentsApi } from './api/appointments.ts';
import type { BranchesApi } from './api/branches.ts';
import type { ContactsApi } from './api/contacts.ts';
import type { ConversationsApi } from './api/conversations.ts';
import { type EventsApi, platformEvent } from './api/events.ts';
import type { Options } from './api/request.ts';
import type { ResourcesApi } from './api/resources.ts';
import type { ServicesApi } from './api/services.ts';
import { readDirectory } from './directory.ts';
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
