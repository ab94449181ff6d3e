import type { Directory } from '../domain/directory.ts';
import { TerminalError } from '../domain/errors.ts';
import type { CalendarMirror, Mirror } from '../domain/mirror.ts';
import type { Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import { type CalendarByResource, resolveResources } from './route.ts';

/**
 * The resources of every calendar mirror, resolved by name or id. A name that was known once and is no longer found keeps its
 * meaning and becomes a problem to be told: a colleague who renames a resource must not empty a calendar.
 */
export class ResourceCalendars {
  readonly #memory: Memory;
  readonly #problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly #resolved = new Map<string, CalendarByResource>();
  /** Besides the memory, which may be wiped under a worker at work. */
  readonly #learned = new Map<string, string>();

  constructor(parts: { memory: Memory; problems: Pick<ProblemBoard, 'raise' | 'clear'> }) {
    this.#memory = parts.memory;
    this.#problems = parts.problems;
  }

  /** Resource id to calendar. Empty until `resolve` has run. */
  calendarsOf(mirror: CalendarMirror): CalendarByResource {
    return this.#resolved.get(mirror.name) ?? new Map();
  }

  /** Rejects with `TerminalError` `mapping-unresolved` when a name was never known. */
  async resolve(mirrors: readonly Mirror[], directory: Directory): Promise<void> {
    const unknown: string[] = [];
    for (const mirror of mirrors) {
      if (mirror.kind !== 'calendar') continue;
      const { resolved, ids, problems } = resolveResources(mirror, directory);
      const calendars = new Map(resolved);
      const byResource = new Map(mirror.calendars.map((each) => [each.resource, each.calendarId]));
      for (const problem of problems) {
        const target = `mapping:${mirror.name}/${problem.resource}`;
        const learned = await this.#recall(mirror, problem.resource);
        const calendarId = byResource.get(problem.resource);
        // What the name once meant may be somebody whom another line names by now.
        if (learned === undefined || calendarId === undefined || calendars.has(learned)) {
          unknown.push(
            `mirrors.${mirror.name}: "${problem.resource}": ${problem.message}. ${problem.advice}`,
          );
          continue;
        }
        calendars.set(learned, calendarId);
        const { code, message, advice } = problem;
        await this.#problems.raise({ target, code, message, advice });
      }
      for (const [resource, resourceId] of ids) {
        await this.#learn(resource, resourceId);
        await this.#problems.clear(`mapping:${mirror.name}/${resource}`);
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

  async #learn(resource: string, resourceId: string): Promise<void> {
    await this.#memory.set(learnedName(resource), resourceId);
    this.#learned.set(resource, resourceId);
  }

  async #recall(mirror: CalendarMirror, resource: string): Promise<string | undefined> {
    const remembered = await this.#memory.get(learnedName(resource));
    if (remembered !== undefined) {
      this.#learned.set(resource, remembered);
      return remembered;
    }
    const learned = this.#learned.get(resource) ?? (await this.#memory.get(formerName(mirror, resource)));
    if (learned === undefined) return undefined;
    await this.#learn(resource, learned);
    await this.#memory.forget(formerName(mirror, resource));
    return learned;
  }
}

/** By the name alone: every mirror finds resources in the same directory, and a mirror may be renamed. */
function learnedName(resource: string): string {
  return `resource-named ${resource}`;
}

/** Where 0.2.0 kept it. */
function formerName(mirror: CalendarMirror, resource: string): string {
  return `learned:${mirror.name}/${resource}`;
}
