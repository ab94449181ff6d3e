// One invented object of each kind, such that the mirror takes it. It shows what a mapping produces, without a network.
import type { Directory } from '../../domain/directory.ts';
import type { EntityKey } from '../../domain/entity.ts';
import { lineName, type MappedCalendar, type Mirror, type Range, type Where } from '../../domain/mirror.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { Division } from '../../domain/subject.ts';

export interface Sample {
  readonly key: EntityKey;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
}

const PROJECT = sampleId(1);
const BRANCH = sampleId(2);
const SERVICE = sampleId(3);
const CONTACT = sampleId(4);
const CONVERSATION = sampleId(5);
/** The number of the first sample resource. */
const FIRST_RESOURCE = 100;
const ZONE = 'Europe/Berlin';

/** Invented data: the names, numbers and addresses belong to nobody. */
export function sampleFor(mirror: Mirror): Sample {
  const id = sampleId(9);
  const where: { readonly [list: string]: unknown } = { ...mirror.where };
  /** A value that the filter takes: the usual one, unless the mapping names others. */
  const taken = (list: string, usual: string): string => {
    const allowed = where[list];
    return Array.isArray(allowed) && !allowed.includes(usual) ? String(allowed[0] ?? usual) : usual;
  };
  const project_id = taken('projects', PROJECT);
  const status = (usual: string) => taken('statuses', usual);
  const times = { created_at: '2030-05-01T09:12:00Z', updated_at: '2030-05-02T15:40:00Z' };
  const about = { id, object: mirror.from, project_id };
  const resources = resourcesOf(mirror);
  const booked = bookedOf(mirror);
  const service = taken('services', lineOf(mirror, 'service') ?? 'First consultation');
  const range = (line: string, usual: number): number => {
    const { min, max } = (where[line] ?? {}) as Range;
    return Math.min(max ?? usual, Math.max(min ?? usual, usual));
  };
  const branch = taken('branches', lineOf(mirror, 'branch') ?? 'Central');
  const objects: Readonly<Record<Mirror['from'], Snapshot>> = {
    appointment: {
      ...about,
      branch_id: BRANCH,
      service_id: SERVICE,
      service_name: service,
      resource_id: booked[0] ?? null,
      resource_ids: booked,
      status: status('confirmed'),
      source: taken('sources', 'widget'),
      starts_at: '2030-05-06T08:00:00Z',
      ends_at: '2030-05-06T08:45:00Z',
      timezone: ZONE,
      guests_count: range('guests', 1),
      contact_id: CONTACT,
      customer_name: 'Jane Example',
      customer_phone: '+15550100123',
      customer_email: 'jane@example.com',
      conversation_id: CONVERSATION,
      price_amount: Math.round(range('price', 4_500) * 100),
      price_currency: 'EUR',
      comment: 'Comes for the first time',
      cancel_reason: null,
      cancelled_by: null,
      metadata: metadataOf(mirror.where),
      ...times,
    },
    contact: {
      ...about,
      type: 'person',
      name: 'Jane Example',
      first_name: 'Jane',
      last_name: 'Example',
      email: 'jane@example.com',
      phone: '+15550100123',
      position: null,
      lifecycle: taken('lifecycles', 'customer'),
      status: status('active'),
      source: taken('sources', 'widget'),
      metadata: metadataOf(mirror.where),
      ...times,
    },
    conversation: {
      ...about,
      channel: taken('channels', 'web'),
      status: status('open'),
      customer_name: 'Jane Example',
      message_count: 4,
      closed_reason: null,
      closed_at: null,
      last_message_at: '2030-05-02T15:40:00Z',
      ...times,
    },
    message: {
      id,
      object: 'message',
      conversation_id: CONVERSATION,
      direction: taken('directions', 'inbound'),
      author_type: taken('authorTypes', 'customer'),
      source: null,
      text: 'Is there a free time on Monday?',
      attachments: [],
      status: null,
      created_at: times.created_at,
    },
    lead: {
      ...about,
      phone: '+15550100123',
      name: 'Jane Example',
      status: status('completed'),
      status_reason: null,
      source: taken('sources', 'widget'),
      call: {
        started_at: '2030-05-01T09:12:20Z',
        answered_at: '2030-05-01T09:12:31Z',
        connected_at: '2030-05-01T09:12:33Z',
        ended_at: '2030-05-01T09:15:03Z',
        duration_sec: 150,
        handled_by: 'team',
        ai_outcome: null,
      },
      rating: 5,
      handled_at: '2030-05-01T09:20:00Z',
      ...times,
    },
  };
  const snapshot = objects[mirror.from];
  return {
    key: { kind: mirror.from, id },
    snapshot,
    directory: {
      resources: new Map(
        resources.map((resource) => [
          resource.id,
          { ...resource, branchId: BRANCH, projectId: String(project_id) },
        ]),
      ),
      branches: new Map([
        [BRANCH, { id: BRANCH, projectId: String(project_id), name: branch, timezone: ZONE }],
      ]),
      services: new Map([[SERVICE, { id: SERVICE, projectId: String(project_id), name: service }]]),
    },
  };
}

function metadataOf({ metadata = [] }: Where): Record<string, string> {
  return Object.fromEntries(metadata.map(({ key, values: [first = ''] }) => [key, first]));
}

/** The name in the first line of the mapping with this division. */
function lineOf(mirror: Mirror, by: Division): string | undefined {
  const lines = mirror.kind === 'calendar' ? mirror.calendars.map(lineName) : [];
  return lines.find((line) => line.by === by)?.name;
}

/** A sample resource for each resource line of the mapping, under the line's name. */
function resourcesOf(mirror: Mirror): readonly { readonly id: string; readonly name: string }[] {
  const wanted = mirror.from === 'appointment' ? mirror.where.resources : undefined;
  const mapped = resourceLines(mirror).map((line) => lineName(line).name);
  const names = mapped.length === 0 ? [wanted?.[0] ?? 'Sam Sample'] : mapped;
  return names.map((name, at) => ({ id: sampleId(FIRST_RESOURCE + at), name }));
}

/** The resources of the first calendar that shows everything, and of the first that shows less: one event of each sort is enough. */
function bookedOf(mirror: Mirror): readonly string[] {
  const resources = resourcesOf(mirror);
  const lines = resourceLines(mirror);
  if (lines.length === 0) return resources.map(({ id }) => id);
  const shows = lines.map(({ busyTitle }) => busyTitle === undefined);
  const first = [shows.indexOf(true), shows.indexOf(false)].filter((at) => at >= 0);
  return first.flatMap((at) => resources[at]?.id ?? []);
}

function resourceLines(mirror: Mirror): readonly MappedCalendar[] {
  return mirror.kind === 'calendar' ? mirror.calendars.filter((line) => 'resource' in line) : [];
}

function sampleId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
