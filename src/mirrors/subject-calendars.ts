import type { Directory } from '../domain/directory.ts';
import { TerminalError } from '../domain/errors.ts';
import { type CalendarMirror, lineName, type MappedCalendar, type Mirror } from '../domain/mirror.ts';
import { subjectOf } from '../domain/subject.ts';
import type { Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import { type CalendarBySubject, resolveCalendars, type SubjectProblem } from './route.ts';

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

  async #learn(named: Named, id: string): Promise<void> {
    const name = learnedName(named);
    await this.#memory.set(name, id);
    this.#learned.set(name, id);
  }

  async #recall(mirror: CalendarMirror, named: Named): Promise<string | undefined> {
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
  async #recallFormer(mirror: CalendarMirror, { by, name }: Named): Promise<string | undefined> {
    return by === 'resource' ? this.#memory.get(formerName(mirror, name)) : undefined;
  }
}

type Named = Pick<SubjectProblem, 'by' | 'name'>;

function isFor(line: MappedCalendar, { by, name }: Named): boolean {
  const known = lineName(line);
  return known.by === by && known.name === name;
}

/** A resource keeps the target of earlier versions; other subjects also name their kind. */
function targetOf({ name: mirror }: CalendarMirror, { by, name }: Named): string {
  return `mapping:${mirror}/${by === 'resource' ? name : `${by} ${name}`}`;
}

/** Where the memory keeps an id. It omits the mirror: all mirrors resolve names in the same directory, and a mirror may be renamed. */
export function learnedName({ by, name }: Named): string {
  return `${by}-named ${name}`;
}

function formerName(mirror: CalendarMirror, resource: string): string {
  return `learned:${mirror.name}/${resource}`;
}
