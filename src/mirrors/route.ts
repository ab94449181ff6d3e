import type { Directory } from '../domain/directory.ts';
import type { KnownCustomer } from '../domain/known-customer.ts';
import type { AppointmentFilter, CalendarMirror, SheetMirror } from '../domain/mirror.ts';
import { contentHash, type Snapshot } from '../domain/snapshot.ts';
import { type Judged, judgeAll, type Line } from './filter/line.ts';
import { contentLinesHash, linesOf } from './filter/lines.ts';
import { isSameName } from './filter/named.ts';

/** What is looked at beside the object itself. */
export interface Surroundings {
  readonly nowMs: number;
  /** The mirror holds an event or a row of it already; then its age does not matter any more. */
  readonly linked: boolean;
  readonly directory: Directory;
  /** Of an appointment; undefined while nobody knows. */
  readonly customer?: KnownCustomer | undefined;
}

/** What lines of `where` look at beside the object itself. */
type Known = Pick<Surroundings, 'directory' | 'customer'>;

export function takesIntoSheet(mirror: SheetMirror, snapshot: Snapshot, around: Surroundings): boolean {
  const { from, where } = mirror;
  if (from === 'appointment') return takesAppointment(where, snapshot, around);
  const judged = judgeAll(linesOf(where), { kind: from, snapshot, ...around });
  return isTaken(judged, around) && (from === 'contact' || isAdmitted(where, snapshot, around));
}

/** What nobody knows about an object takes nothing away, and brings nothing in. */
function isTaken(judged: Judged, { linked }: Pick<Surroundings, 'linked'>): boolean {
  return judged === 'yes' || (judged === 'unknown' && linked);
}

/** Fields of an object that lists of `where` are about. */
const FILTERED = ['project_id', 'status', 'branch_id', 'lifecycle', 'channel', 'direction', 'author_type'];

/**
 * Kept with a row: from it is told whether the object or the YAML has changed since. The first part is equal for as long as no list of
 * any `where` could decide otherwise about the object. The second names the content lines that took it; one that they do not take now
 * keeps what `former` says.
 */
export function filterMark(
  mirror: SheetMirror,
  snapshot: Snapshot,
  about: Known & { readonly former: string | undefined },
): string {
  const fields = contentHash(FILTERED.map((field) => snapshot[field] ?? null));
  const hash = contentLinesHash(mirror.where);
  const judged = judgeContent(mirror, snapshot, about);
  const takenBy = judged === 'yes' ? hash : about.former?.split('-')[1];
  return takenBy === undefined ? fields : `${fields}-${takenBy}`;
}

/**
 * Whether the object is what it was when its row was written with that mark: then an edit of `where` has left it out. The content lines
 * that took it before and refuse it now prove that it has changed.
 */
export function isLeftOutByYaml(
  mirror: SheetMirror,
  snapshot: Snapshot,
  about: Known & { readonly mark: string },
): boolean {
  const [fields, takenBy] = about.mark.split('-');
  const lines = linesOf(mirror.where).filter((line) => line.about !== 'content');
  const isRefusedByLists = judgeAll(lines, { ...about, kind: mirror.from, snapshot }) === 'no';
  const isChanged =
    judgeContent(mirror, snapshot, about) === 'no' && takenBy === contentLinesHash(mirror.where);
  if (isChanged) return false;
  if (!isRefusedByLists) return true;
  return fields === contentHash(FILTERED.map((field) => snapshot[field] ?? null));
}

function judgeContent(mirror: SheetMirror, snapshot: Snapshot, known: Known): Judged {
  const lines = linesOf(mirror.where).filter((line) => line.about === 'content');
  return judgeAll(lines, { ...known, kind: mirror.from, snapshot });
}

/** Statuses are compared as the platform writes them: unknown ones are taken only where the mapping names them, or none. */
export function takesAppointment(
  where: AppointmentFilter,
  snapshot: Snapshot,
  around: Surroundings,
): boolean {
  return isTaken(judgeAppointment(where, snapshot, around), around) && isInTime(where, snapshot, around);
}

/** By the lines about these sides of it only; all of them where none are named. */
export function judgeAppointment(
  where: AppointmentFilter,
  snapshot: Snapshot,
  known: Known & { readonly about?: readonly Line['about'][] },
): Judged {
  const { about } = known;
  const lines = linesOf(where);
  const meant = about === undefined ? lines : lines.filter((line) => about.includes(line.about));
  return judgeAll(meant, { ...known, kind: 'appointment', snapshot });
}

/** Whether an appointment is near enough to be taken up. */
export function isInTime(
  where: AppointmentFilter,
  snapshot: Snapshot,
  { nowMs, linked }: Surroundings,
): boolean {
  return (
    linked || (isRecent(snapshot['starts_at'], nowMs - where.sinceMs) && !isAhead(where, snapshot, nowMs))
  );
}

/** When an appointment enters that nothing but `until` keeps out, epoch milliseconds; undefined for all others. */
export function entersAtMs(
  where: AppointmentFilter,
  snapshot: Snapshot,
  around: Surroundings,
): number | undefined {
  const { untilMs } = where;
  if (around.linked || untilMs === undefined || !isAhead(where, snapshot, around.nowMs)) return undefined;
  // What is not known now may be known by then.
  if (judgeAppointment(where, snapshot, around) === 'no') return undefined;
  return Date.parse(String(snapshot['starts_at'])) - untilMs;
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
