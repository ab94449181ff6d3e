import type { Directory } from '../domain/directory.ts';
import { assertNever } from '../domain/errors.ts';
import type {
  AppointmentFilter,
  CalendarMirror,
  ContactFilter,
  ConversationFilter,
  LeadFilter,
  MessageFilter,
  SheetMirror,
} from '../domain/mirror.ts';
import { contentHash, type Snapshot } from '../domain/snapshot.ts';

/** What is looked at beside the object itself. */
export interface Surroundings {
  readonly nowMs: number;
  /** The mirror holds a row of it already; then its age does not matter any more. */
  readonly linked: boolean;
  readonly directory: Directory;
}

export function takesIntoSheet(mirror: SheetMirror, snapshot: Snapshot, around: Surroundings): boolean {
  switch (mirror.from) {
    case 'appointment':
      return takesAppointment(mirror.where, snapshot, around.nowMs, around.linked, around.directory);
    case 'contact':
      return takesContact(mirror.where, snapshot);
    case 'lead':
      return takesLead(mirror.where, snapshot) && isAdmitted(mirror.where, snapshot, around);
    case 'conversation':
      return takesConversation(mirror.where, snapshot) && isAdmitted(mirror.where, snapshot, around);
    case 'message':
      return takesMessage(mirror.where, snapshot) && isAdmitted(mirror.where, snapshot, around);
    default:
      return assertNever(mirror, 'source of a sheet');
  }
}

/** Fields of an object that lists of `where` are about. */
const FILTERED = ['project_id', 'status', 'branch_id', 'lifecycle', 'channel', 'direction', 'author_type'];

/** Equal for as long as no line of any `where` could decide otherwise about the object: then it is the YAML that has changed. */
export function filterHash(snapshot: Snapshot): string {
  return contentHash(FILTERED.map((field) => snapshot[field] ?? null));
}

/**
 * Statuses are compared as the platform writes them: unknown ones are taken only where the mapping names them, or none.
 * `linked`: the mirror holds an event or a row of it already; then its age does not matter any more.
 */
export function takesAppointment(
  where: AppointmentFilter,
  snapshot: Snapshot,
  nowMs: number,
  linked: boolean,
  directory: Directory,
): boolean {
  return (
    matches(where.projects, snapshot['project_id']) &&
    matches(where.statuses, snapshot['status']) &&
    takesBranch(where.branches, snapshot['branch_id'], directory) &&
    (linked || (isRecent(snapshot['starts_at'], nowMs - where.sinceMs) && !isAhead(where, snapshot, nowMs)))
  );
}

/** When an appointment enters that nothing but `until` keeps out, epoch milliseconds; undefined for all others. */
export function entersAtMs(
  where: AppointmentFilter,
  snapshot: Snapshot,
  { nowMs, linked, directory }: Surroundings,
): number | undefined {
  const { untilMs, ...others } = where;
  if (linked || untilMs === undefined || !isAhead(where, snapshot, nowMs)) return undefined;
  if (!takesAppointment(others, snapshot, nowMs, linked, directory)) return undefined;
  return Date.parse(String(snapshot['starts_at'])) - untilMs;
}

export function takesContact(where: ContactFilter, snapshot: Snapshot): boolean {
  return (
    matches(where.projects, snapshot['project_id']) &&
    matches(where.lifecycles, snapshot['lifecycle']) &&
    matches(where.statuses, snapshot['status'])
  );
}

function takesLead(where: LeadFilter, snapshot: Snapshot): boolean {
  return matches(where.projects, snapshot['project_id']) && matches(where.statuses, snapshot['status']);
}

function takesConversation(where: ConversationFilter, snapshot: Snapshot): boolean {
  return (
    matches(where.projects, snapshot['project_id']) &&
    matches(where.statuses, snapshot['status']) &&
    matches(where.channels, snapshot['channel'])
  );
}

function takesMessage(where: MessageFilter, snapshot: Snapshot): boolean {
  return (
    matches(where.directions, snapshot['direction']) && matches(where.authorTypes, snapshot['author_type'])
  );
}

/** Resource id to the calendar in which its appointments stand. */
export type CalendarByResource = ReadonlyMap<string, string>;

/**
 * The calendars in which an appointment has to stand, in the order of its resources, each once. Empty for a cancelled one,
 * whose resources the platform has released (platform API, Appointment): that one is found by its links.
 */
export function calendarsOf(snapshot: Snapshot, resolved: CalendarByResource): readonly string[] {
  const calendars = resourcesOf(snapshot).map((id) => resolved.get(id));
  return [...new Set(calendars.filter((id) => id !== undefined))];
}

/** None of a cancelled appointment. */
export function resourcesOf(snapshot: Snapshot): readonly string[] {
  const { resource_ids: all, resource_id: main, status } = snapshot;
  if (status === 'cancelled') return [];
  if (Array.isArray(all) && all.length > 0) return all.map(String);
  return typeof main === 'string' ? [main] : [];
}

/** A resource in the mapping that the platform's list does not answer for. */
export interface ResourceProblem {
  readonly resource: string;
  readonly code: 'resource-unknown' | 'resource-ambiguous' | 'resource-mapped-twice';
  readonly message: string;
  readonly advice: string;
}

/**
 * Finds the resources of a mirror by id, else by name. A name that nobody or more than one has is a problem and maps nothing:
 * the platform does not promise that names are unique, and a wrong guess shows one person's appointments to another.
 */
export function resolveResources(
  mirror: CalendarMirror,
  directory: Directory,
): {
  resolved: CalendarByResource;
  /** Resource as the mapping names it to its id. */
  ids: ReadonlyMap<string, string>;
  problems: readonly ResourceProblem[];
} {
  const resolved = new Map<string, string>();
  const idOf = new Map<string, string>();
  const problems: ResourceProblem[] = [];
  for (const { resource, calendarId } of mirror.calendars) {
    const ids = directory.resources.has(resource) ? [resource] : idsNamed(resource, directory);
    const [id, ...others] = ids;
    if (id === undefined) problems.push(unknown(resource));
    else if (others.length > 0) problems.push(ambiguous(resource, ids));
    else if (resolved.has(id)) problems.push(twice(resource));
    else {
      resolved.set(id, calendarId);
      idOf.set(resource, id);
    }
  }
  return { resolved, ids: idOf, problems };
}

function matches(allowed: readonly string[] | undefined, value: unknown): boolean {
  return allowed === undefined || allowed.includes(String(value));
}

export function takesBranch(
  allowed: readonly string[] | undefined,
  id: unknown,
  directory: Directory,
): boolean {
  if (allowed === undefined) return true;
  const name = directory.branches.get(String(id))?.name;
  return (
    allowed.includes(String(id)) || (name !== undefined && allowed.some((wanted) => isSameName(wanted, name)))
  );
}

function isAdmitted(
  where: { readonly sinceMs: number },
  snapshot: Snapshot,
  { nowMs, linked }: Surroundings,
): boolean {
  return linked || isRecent(snapshot['created_at'], nowMs - where.sinceMs);
}

/** Appointments are admitted by their start, all else by its creation. A time that cannot be read is taken: leaving it out would be silence. */
function isRecent(instant: unknown, fromMs: number): boolean {
  const atMs = Date.parse(String(instant));
  return Number.isNaN(atMs) || atMs >= fromMs;
}

/** A start that cannot be read is near: leaving the appointment out would be silence. */
function isAhead({ untilMs }: AppointmentFilter, snapshot: Snapshot, nowMs: number): boolean {
  return untilMs !== undefined && Date.parse(String(snapshot['starts_at'])) - untilMs > nowMs;
}

function idsNamed(name: string, directory: Directory): readonly string[] {
  return [...directory.resources.values()]
    .filter((resource) => isSameName(resource.name, name))
    .map((resource) => resource.id);
}

/** Names are typed by people on both sides: spaces around them mean nothing, nor does the way an accent is encoded. */
function isSameName(a: string, b: string): boolean {
  return a.trim().normalize('NFC') === b.trim().normalize('NFC');
}

function unknown(resource: string): ResourceProblem {
  return {
    resource,
    code: 'resource-unknown',
    message: 'a resource of the mapping is not among the active resources of the platform',
    advice: 'Correct its name in the mapping, or name it by its id.',
  };
}

function ambiguous(resource: string, ids: readonly string[]): ResourceProblem {
  return {
    resource,
    code: 'resource-ambiguous',
    message: 'several resources of the platform have the name that the mapping gives',
    advice: `Name the one that is meant by its id: ${ids.join(', ')}.`,
  };
}

function twice(resource: string): ResourceProblem {
  return {
    resource,
    code: 'resource-mapped-twice',
    message: 'the resource stands in the mapping a second time, once by its name and once by its id',
    advice: 'Keep one of the two lines: a resource has one calendar in a mirror.',
  };
}
