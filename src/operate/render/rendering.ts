// Renders the events or the row that the worker would write for one object and one mirror. Makes no requests and writes nothing.

import { TerminalError } from '../../engine/errors.ts';
import {
  type Directory,
  lineName,
  type MappedCalendar,
  type Mirror,
  type Range,
  type Where,
} from '../../engine/mirror.ts';
import { type Division, type EntityKey, formatKey, isReadable, type Snapshot } from '../../engine/object.ts';
import type { KnownCustomer } from '../../engine/person.ts';
import type { PlatformReader } from '../../engine/platform.ts';
import { unknownClaim } from '../../engine/work.ts';
import { renderingProblem } from '../../mapping/render-check.ts';
import { resolveCalendars } from '../../mapping/route.ts';
import { COLOR_NAME_OF } from '../../mapping/schema/calendar.ts';
import { maskPeople, TEMPLATE_NAMES } from '../../mapping/template-names.ts';
import { WHY } from '../codes/codes.ts';
import { kindOf } from '../kinds.ts';
import type { RenderedField, Rendering } from '../render-text.ts';
import { localTime } from '../spoken-time.ts';
import { opinionOf } from '../why.ts';

/** A template that fails for the object. Line and column count from 1 inside the template. */
export interface FailedTemplate {
  readonly path: readonly string[];
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface RenderedObject {
  readonly key: EntityKey;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  readonly customer?: KnownCustomer | undefined;
}

/** Shows the object's own values only with `showPeople`. */
export async function renderObject(
  mirror: Mirror,
  object: RenderedObject,
  about: { readonly nowMs: number; readonly showPeople: boolean },
): Promise<Rendering | { readonly failed: readonly FailedTemplate[] }> {
  const { key, directory } = object;
  const masked = !about.showPeople;
  const snapshot = masked ? maskPeople(mirror.from, object.snapshot) : object.snapshot;
  const resolved = mirror.kind === 'calendar' ? resolveCalendars(mirror, directory).resolved : new Map();
  const claim = { ...unknownClaim(key, object.snapshot), customer: object.customer };
  const opinion = opinionOf(mirror, claim, { directory, resolved, nowMs: about.nowMs, words: WHY.en });
  const made = await render(mirror, snapshot, directory);
  if ('failed' in made) return made;
  return {
    mirror: mirror.name,
    object: formatKey(key),
    masked,
    opinion,
    ...made,
    notes: [...made.notes, ...(masked ? [MASKED_NOTE] : [])],
  };
}

/** Renders the invented object of the mirror's kind, unmasked: it has no personal data. */
export async function renderSample(
  mirror: Mirror,
): Promise<Rendering | { readonly failed: readonly FailedTemplate[] }> {
  const { snapshot, directory } = sampleFor(mirror);
  const made = await render(mirror, snapshot, directory);
  if ('failed' in made) return made;
  return { mirror: mirror.name, object: `sample ${mirror.from}`, masked: false, ...made };
}

const MASKED_NOTE = 'Personal values appear as ‹field›; --show-people shows them.';

type Made = Pick<Rendering, 'shown' | 'fields' | 'notes'>;

async function render(
  mirror: Mirror,
  snapshot: Snapshot,
  directory: Directory,
): Promise<Made | { readonly failed: readonly FailedTemplate[] }> {
  const kind = await kindOf(mirror).shown();
  const context = kind.context(mirror, snapshot, directory);
  const failed = kind.templates(mirror).flatMap(({ path, source }) => {
    const problem = renderingProblem(source, context);
    return problem === undefined ? [] : [{ path: ['mirrors', mirror.name, ...path], ...problem }];
  });
  if (failed.length > 0) return { failed };
  const fields = TEMPLATE_NAMES[mirror.from].map((name) => ({ name, value: context[name] ?? null }));
  const { shown, notes } = kind.rendered(mirror, { snapshot, directory, context });
  return { shown: shown.map(({ place, values }) => ({ place, values: values.map(told) })), notes, fields };
}

/** A value as people see it: a time in its zone, a colour by its name. */
function told({ name, value }: RenderedField): RenderedField {
  if (typeof value !== 'object' || value === null) return { name, value };
  if ('colorId' in value) return { name, value: COLOR_NAME_OF.get(String(value.colorId)) ?? value.colorId };
  if (!('dateTime' in value && 'timeZone' in value)) return { name, value };
  const { dateTime, timeZone } = value;
  return { name, value: `${localTime(String(dateTime), String(timeZone))} ${String(timeZone)}` };
}

// One invented object of each kind, such that the mirror takes it. It shows what a mapping produces, without a network.

interface Sample {
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
function sampleFor(mirror: Mirror): Sample {
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

/** The platform shows no single lead or message. For these, `remembered` returns the newest state that was received. */
export async function findObject(
  key: EntityKey,
  parts: {
    readonly reader: Pick<PlatformReader, 'get'>;
    readonly remembered: (key: EntityKey) => Promise<Snapshot | undefined>;
  },
): Promise<Snapshot> {
  const { reader, remembered } = parts;
  const snapshot = isReadable(key.kind) ? await reader.get(key) : await remembered(key);
  if (snapshot !== undefined) return snapshot;
  const who = isReadable(key.kind) ? 'the platform does not show' : 'the worker does not know';
  throw new TerminalError('object-unknown', `${who} ${formatKey(key)}`, {
    advice: 'Check the id, and whether the API key covers its project; or use --sample.',
  });
}
