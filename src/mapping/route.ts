import type { ClassRule } from '../engine/class-slot.ts';
import { TerminalError } from '../engine/errors.ts';
import { eventIdOf, isClassId } from '../engine/ids.ts';
import type { Memory } from '../engine/memory.ts';
import {
  type AppointmentFilter,
  type CalendarMirror,
  type Directory,
  lineName,
  type MappedCalendar,
  type Mirror,
  type SheetMirror,
} from '../engine/mirror.ts';
import {
  contentHash,
  type Division,
  EVERYTHING,
  resourcesOf,
  type Snapshot,
  subjectOf,
  subjectsOf,
} from '../engine/object.ts';
import type { KnownCustomer } from '../engine/person.ts';
import { namedAlike } from '../engine/plain-text.ts';
import type { DirectorySource } from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import {
  contentLinesHash,
  type Judged,
  judgeAll,
  judgeNamed,
  type Line,
  linesOf,
  type Names,
} from './filter-lines.ts';

/** What a decision depends on besides the object itself. */
export interface Surroundings {
  readonly nowMs: number;
  /** The mirror already holds an event or row of the object, so its age does not matter. */
  readonly linked: boolean;
  readonly directory: Directory;
  /** The appointment's customer; undefined while unknown. */
  readonly customer?: KnownCustomer | undefined;
}

/** What the lines of `where` depend on besides the object itself. */
type Known = Pick<Surroundings, 'directory' | 'customer'>;

export function takesIntoSheet(mirror: SheetMirror, snapshot: Snapshot, around: Surroundings): boolean {
  const { from, where } = mirror;
  if (from === 'appointment') return takesAppointment(where, snapshot, around);
  const judged = judgeAll(linesOf(where), { kind: from, snapshot, ...around });
  return isTaken(judged, around) && (from === 'contact' || isAdmitted(where, snapshot, around));
}

/** An unknown verdict about an object removes nothing and adds nothing. */
function isTaken(judged: Judged, { linked }: Pick<Surroundings, 'linked'>): boolean {
  return judged === 'yes' || (judged === 'unknown' && linked);
}

/** Fields of an object that lists of `where` filter by. */
const FILTERED = ['project_id', 'status', 'branch_id', 'lifecycle', 'channel', 'direction', 'author_type'];

/**
 * Stored with a row, to detect whether the object or the YAML has changed since. The first part stays equal while no list of any `where`
 * could decide differently about the object. The second part names the content lines that took the object. If they do not take it now, it
 * stays as in `former`.
 */
export function filterMark(
  mirror: Pick<Mirror, 'from' | 'where'>,
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
 * Whether the object is unchanged since its row was written with that mark, so that an edit of `where` has left it out. If the content
 * lines that took it before refuse it now, the object has changed.
 */
export function isLeftOutByYaml(
  mirror: Pick<Mirror, 'from' | 'where'>,
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

function judgeContent(mirror: Pick<Mirror, 'from' | 'where'>, snapshot: Snapshot, known: Known): Judged {
  const lines = linesOf(mirror.where).filter((line) => line.about === 'content');
  return judgeAll(lines, { ...known, kind: mirror.from, snapshot });
}

/** Compares statuses as the platform writes them. An unknown status is taken only if the mapping names it, or names no status at all. */
export function takesAppointment(
  where: AppointmentFilter,
  snapshot: Snapshot,
  around: Surroundings,
): boolean {
  return isTaken(judgeAppointment(where, snapshot, around), around) && isInTime(where, snapshot, around);
}

/** Judges by the lines about these sides only; by all lines if `about` is absent. */
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

/** Whether an appointment starts near enough to be taken up. */
export function isInTime(
  where: AppointmentFilter,
  snapshot: Snapshot,
  { nowMs, linked }: Surroundings,
): boolean {
  return (
    linked || (isRecent(snapshot['starts_at'], nowMs - where.sinceMs) && !isAhead(where, snapshot, nowMs))
  );
}

/** When an appointment enters that only `until` keeps out, epoch milliseconds; undefined for all others. */
export function entersAtMs(
  where: AppointmentFilter,
  snapshot: Snapshot,
  around: Surroundings,
): number | undefined {
  const { untilMs } = where;
  if (around.linked || untilMs === undefined || !isAhead(where, snapshot, around.nowMs)) return undefined;
  // Facts that are unknown now may be known by then.
  if (judgeAppointment(where, snapshot, around) === 'no') return undefined;
  return Date.parse(String(snapshot['starts_at'])) - untilMs;
}

/** Subject to the calendar that shows its appointments. */
export type CalendarBySubject = ReadonlyMap<string, string>;

/**
 * The calendars that must show an appointment, each once, those of its resources first. Empty for a cancelled appointment, because the
 * platform has released its resources (platform API, Appointment); its links find it.
 */
export function calendarsOf(snapshot: Snapshot, resolved: CalendarBySubject): readonly string[] {
  const calendars = new Set<string>();
  for (const subject of subjectsOf(snapshot)) {
    const id = resolved.get(subject);
    if (id !== undefined) calendars.add(id);
  }
  return [...calendars];
}

/**
 * Id of a new event of the appointment in a calendar. The calendars of its resources share one id, because people drag events between them.
 */
export function newEventId(snapshot: Snapshot, calendarId: string, resolved: CalendarBySubject): string {
  const isOfResource = resourcesOf(snapshot).some((id) => resolved.get(id) === calendarId);
  return eventIdOf(snapshot.id, isOfResource ? undefined : calendarId);
}

/**
 * Whether a mirror shows the appointments of this service as classes. `isKnown`: it has done so before. That stays while a name in the YAML
 * matches nothing, because a renamed service must not turn its classes into single events.
 */
export function isOfClass(
  classes: ClassRule | undefined,
  { service_id: id, service_name: ownName }: Snapshot,
  { directory, isKnown }: { readonly directory: Directory; readonly isKnown: boolean },
): boolean {
  if (classes === undefined || typeof id !== 'string') return false;
  const about = {
    names: directory.services,
    ...(typeof ownName === 'string' && { ownName }),
  };
  const judged = judgeNamed(classes.services, [id], about);
  return judged === 'yes' || (judged === 'unknown' && isKnown);
}

/** A calendar mirror, as far as other mirrors must know it. */
interface OtherMirror {
  readonly name: string;
  readonly where: AppointmentFilter;
  readonly classes?: ClassRule;
  readonly resolved: () => CalendarBySubject;
}

/** What a calendar mirror must know about the other mirrors of the YAML. */
export function shownElsewhere(
  others: readonly OtherMirror[],
  { clock, directory }: { readonly clock: Clock; readonly directory: Pick<DirectorySource, 'current'> },
) {
  return {
    /** Counts only calendars of its resources. Calendars of branches, services and everything show it only in addition. */
    isShownElsewhere: (snapshot: Snapshot): boolean =>
      others.some(({ resolved }) => resourcesOf(snapshot).some((id) => resolved().has(id))),
    /** Id of another mirror's event in this calendar; undefined if no other mirror shows the appointment there. */
    idElsewhere: (
      { snapshot, links, customer }: Pick<Claim, 'snapshot' | 'links' | 'customer'>,
      calendarId: string,
    ): string | undefined => {
      if (snapshot === undefined) return undefined;
      const around = { nowMs: clock.now(), directory: directory.current(), customer };
      const isClass = isClassId(snapshot.id);
      const owner = others.find(({ name, where, classes, resolved }) => {
        const linked = (links[name]?.calendars ?? []).length > 0;
        return (
          calendarsOf(snapshot, resolved()).includes(calendarId) &&
          isOfClass(classes, snapshot, { ...around, isKnown: linked }) === isClass &&
          (isClass || takesAppointment(where, snapshot, { ...around, linked }))
        );
      });
      return owner && newEventId(snapshot, calendarId, owner.resolved());
    },
  };
}

/** A name in the mapping that the platform's lists do not resolve. */
export interface SubjectProblem {
  readonly by: Named;
  readonly name: string;
  readonly code: (typeof CODES)[Named][keyof (typeof CODES)[Named]];
  readonly message: string;
  readonly advice: string;
}

/** `all` has no name. */
type Named = Exclude<Division, 'all'>;

/**
 * Finds the resources, branches and services of a mirror by id, else by name. A name with no match, or with several, is a problem and maps
 * nothing. The platform does not promise unique names, and a wrong guess shows one person's appointments to another.
 */
export function resolveCalendars(
  mirror: CalendarMirror,
  directory: Directory,
): {
  resolved: CalendarBySubject;
  /** The lines whose names were resolved, with their ids. */
  found: readonly FoundLine[];
  problems: readonly SubjectProblem[];
} {
  const resolved = new Map<string, string>();
  const found: FoundLine[] = [];
  const problems: SubjectProblem[] = [];
  for (const line of mirror.calendars) {
    const { by, name } = lineName(line);
    if (by === 'all') {
      resolved.set(EVERYTHING, line.calendarId);
      continue;
    }
    const names = listOf(by, directory);
    const ids = names.has(name) ? [name] : idsNamed(name, names);
    const [id, ...others] = ids;
    if (id === undefined) problems.push(unknown(by, name));
    else if (others.length > 0) problems.push(ambiguous(by, name, ids));
    else if (resolved.has(subjectOf(by, id))) problems.push(twice(by, name));
    else {
      resolved.set(subjectOf(by, id), line.calendarId);
      found.push({ by, name, id });
    }
  }
  return { resolved, found, problems };
}

interface FoundLine {
  readonly by: Named;
  readonly name: string;
  readonly id: string;
}

function listOf(by: Named, { resources, branches, services }: Directory): Names {
  return { resource: resources, branch: branches, service: services }[by];
}

function isAdmitted(
  where: { readonly sinceMs: number },
  snapshot: Snapshot,
  { nowMs, linked }: Surroundings,
): boolean {
  return linked || isRecent(snapshot['created_at'], nowMs - where.sinceMs);
}

/**
 * Appointments are admitted by their start, all other objects by their creation. An unreadable time counts as recent, because a silent
 * omission would be worse.
 */
function isRecent(instant: unknown, fromMs: number): boolean {
  const atMs = Date.parse(String(instant));
  return Number.isNaN(atMs) || atMs >= fromMs;
}

/** An unreadable start counts as near, because a silent omission would be worse. */
function isAhead({ untilMs }: AppointmentFilter, snapshot: Snapshot, nowMs: number): boolean {
  return untilMs !== undefined && Date.parse(String(snapshot['starts_at'])) - untilMs > nowMs;
}

function idsNamed(name: string, names: Names): readonly string[] {
  return namedAlike(names, name, ([, each]) => each.name).map(([id]) => id);
}

function unknown(by: Named, name: string): SubjectProblem {
  return {
    ...{ by, name, code: CODES[by].unknown },
    message: `a ${by} of the mapping is not among the active ${PLURAL[by]} of the platform`,
    advice: 'Correct its name in the mapping, or name it by its id.',
  };
}

function ambiguous(by: Named, name: string, ids: readonly string[]): SubjectProblem {
  return {
    ...{ by, name, code: CODES[by].ambiguous },
    message: `several ${PLURAL[by]} of the platform have the name that the mapping gives`,
    advice: `Name the one that is meant by its id: ${ids.join(', ')}.`,
  };
}

function twice(by: Named, name: string): SubjectProblem {
  return {
    ...{ by, name, code: CODES[by].twice },
    message: `the ${by} stands in the mapping a second time, once by its name and once by its id`,
    advice: `Keep one of the two lines: a ${by} has one calendar in a mirror.`,
  };
}

const CODES = {
  resource: {
    unknown: 'resource-unknown',
    ambiguous: 'resource-ambiguous',
    twice: 'resource-mapped-twice',
  },
  branch: { unknown: 'branch-unknown', ambiguous: 'branch-ambiguous', twice: 'branch-mapped-twice' },
  service: { unknown: 'service-unknown', ambiguous: 'service-ambiguous', twice: 'service-mapped-twice' },
} as const;

const PLURAL: Readonly<Record<Named, string>> = {
  resource: 'resources',
  branch: 'branches',
  service: 'services',
};

/**
 * The resources, branches and services of every calendar mirror, resolved by name or id. A known name that is no longer found keeps its
 * meaning and raises a problem, because renaming a resource must not empty a calendar.
 */
export class SubjectCalendars {
  readonly #memory: Memory;
  readonly #problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly #resolved = new Map<string, CalendarBySubject>();
  /** A copy of the memory, which may be wiped under a running worker. */
  readonly #learned = new Map<string, string>();

  constructor(parts: { memory: Memory; problems: Pick<ProblemBoard, 'raise' | 'clear'> }) {
    this.#memory = parts.memory;
    this.#problems = parts.problems;
  }

  /** Subject to calendar. Empty until `resolve` has run. */
  calendarsOf(mirror: CalendarMirror): CalendarBySubject {
    return this.#resolved.get(mirror.name) ?? new Map();
  }

  /** The same for later: what it returns changes with each `resolve`. */
  readerOf(mirror: CalendarMirror): () => CalendarBySubject {
    return () => this.calendarsOf(mirror);
  }

  /** Rejects with `TerminalError` `mapping-unresolved` when a name was never known. */
  async resolve(mirrors: readonly Mirror[], directory: Directory): Promise<void> {
    const unknown: string[] = [];
    for (const mirror of mirrors) {
      if (mirror.kind !== 'calendar') continue;
      const { resolved, found, problems } = resolveCalendars(mirror, directory);
      const calendars = new Map(resolved);
      for (const problem of problems) {
        const { by, name, code, message, advice } = problem;
        const learned = await this.#recall(mirror, problem);
        const calendarId = mirror.calendars.find((line) => isFor(line, problem))?.calendarId;
        const subject = learned === undefined ? undefined : subjectOf(by, learned);
        // Another line may now name what this name once meant.
        if (subject === undefined || calendarId === undefined || calendars.has(subject)) {
          unknown.push(`mirrors.${mirror.name}: "${name}": ${message}. ${advice}`);
          continue;
        }
        calendars.set(subject, calendarId);
        await this.#problems.raise({ target: targetOf(mirror, problem), code, message, advice });
      }
      for (const line of found) {
        await this.#learn(line, line.id);
        await this.#problems.clear(targetOf(mirror, line));
      }
      this.#resolved.set(mirror.name, calendars);
    }
    if (unknown.length > 0) {
      throw new TerminalError('mapping-unresolved', unknown.join('\n'), {
        target: 'mapping',
        advice: 'Correct the names in the YAML; ids work too.',
      });
    }
  }

  async #learn(named: NamedCalendar, id: string): Promise<void> {
    const name = learnedName(named);
    await this.#memory.set(name, id);
    this.#learned.set(name, id);
  }

  async #recall(mirror: CalendarMirror, named: NamedCalendar): Promise<string | undefined> {
    const name = learnedName(named);
    const remembered = await this.#memory.get(name);
    if (remembered !== undefined) {
      this.#learned.set(name, remembered);
      return remembered;
    }
    const learned = this.#learned.get(name) ?? (await this.#recallFormer(mirror, named));
    if (learned === undefined) return undefined;
    await this.#learn(named, learned);
    await this.#memory.forget(formerName(mirror, named.name));
    return learned;
  }

  /** Reads what 0.2.0 stored, which knew only resources. */
  async #recallFormer(mirror: CalendarMirror, { by, name }: NamedCalendar): Promise<string | undefined> {
    return by === 'resource' ? this.#memory.get(formerName(mirror, name)) : undefined;
  }
}

type NamedCalendar = Pick<SubjectProblem, 'by' | 'name'>;

function isFor(line: MappedCalendar, { by, name }: NamedCalendar): boolean {
  const known = lineName(line);
  return known.by === by && known.name === name;
}

/** A resource keeps the target of earlier versions; other subjects also name their kind. */
function targetOf({ name: mirror }: CalendarMirror, { by, name }: NamedCalendar): string {
  return `mapping:${mirror}/${by === 'resource' ? name : `${by} ${name}`}`;
}

/** Where the memory keeps an id. It omits the mirror: all mirrors resolve names in the same directory, and a mirror may be renamed. */
export function learnedName({ by, name }: NamedCalendar): string {
  return `${by}-named ${name}`;
}

function formerName(mirror: CalendarMirror, resource: string): string {
  return `learned:${mirror.name}/${resource}`;
}
