import type { Directory } from '../domain/directory.ts';
import { TerminalError } from '../domain/errors.ts';
import type { CalendarMirror, Mirror } from '../domain/mirror.ts';
import type { BookingMapping } from '../domain/outside-booking.ts';
import { contentHash } from '../domain/snapshot.ts';
import { type ResourceCalendars, resolveResources } from '../mirrors/route.ts';
import type { Clock } from '../ports/clock.ts';
import type { CoverageStore } from '../ports/coverage-store.ts';
import type { LeaseProof } from '../ports/leases.ts';
import type { LeasedMemory, Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/problem-board.ts';
import type { RedisOutbox } from '../storage/rows/outbox.ts';

/**
 * The resources of every calendar mirror, resolved by name or id. A name that was known once and is no longer found keeps its
 * meaning and becomes a problem to be told: a colleague who renames a resource must not empty a calendar.
 */
export class Mapping {
  readonly #memory: Memory;
  readonly #problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly #resolved = new Map<string, ResourceCalendars>();
  /** Besides the memory, which may be wiped under a worker at work. */
  readonly #learned = new Map<string, string>();

  constructor(parts: { memory: Memory; problems: Pick<ProblemBoard, 'raise' | 'clear'> }) {
    this.#memory = parts.memory;
    this.#problems = parts.problems;
  }

  /** Resource id to calendar. Empty until `resolve` has run. */
  calendarsOf(mirror: CalendarMirror): ResourceCalendars {
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

const MAPPING_HASH = 'mapping-hash';
/** Stands in its place while a change of the mapping is taken up: from here on no worker goes by the former one. */
const CHANGING = 'changing';

/** False before the first start, and after Redis was wiped. */
export async function isMappingKnown(memory: Memory): Promise<boolean> {
  return (await memory.get(MAPPING_HASH)) !== undefined;
}

/** Whose mark stands there now: this mapping's, that of another one, or none; see `isMappingKnown` and `isMappingCurrent`. */
export async function markedMapping(parts: {
  readonly mirrors: readonly Mirror[];
  readonly bookings: readonly BookingMapping[];
  readonly memory: Memory;
}): Promise<'own' | 'another' | 'none'> {
  const known = await parts.memory.get(MAPPING_HASH);
  if (known === undefined) return 'none';
  return known === hashOf(parts) ? 'own' : 'another';
}

/**
 * False when another worker has been started with another mapping since: what this one would write is what the YAML used to say. False as
 * well from the moment at which Redis was wiped until what stands in the calendars is known again: an event that nobody remembers would
 * pass for one that people brought there.
 */
export async function isMappingCurrent(parts: {
  readonly mirrors: readonly Mirror[];
  readonly bookings: readonly BookingMapping[];
  readonly memory: Memory;
}): Promise<boolean> {
  return (await markedMapping(parts)) === 'own';
}

/**
 * When the YAML asks for something else than at the last start, everything is looked at again: a hole with that name does it. `lease`: the
 * mark is kept only while it stands, for it says that what was done under it was done.
 */
export async function noticeChangedMapping(parts: {
  readonly mirrors: readonly Mirror[];
  readonly bookings: readonly BookingMapping[];
  readonly memory: LeasedMemory;
  readonly lease?: LeaseProof;
  readonly coverage: CoverageStore;
  readonly outbox: RedisOutbox;
  readonly clock: Clock;
}): Promise<boolean> {
  const hash = hashOf(parts);
  const known = await parts.memory.get(MAPPING_HASH);
  if (known === hash) return false;
  const mark = async (value: string) => {
    if (parts.lease === undefined) await parts.memory.set(MAPPING_HASH, value);
    else await parts.memory.setUnder(parts.lease, { [MAPPING_HASH]: value });
  };
  if (known !== undefined) {
    // First: a worker with the former mapping must not begin a turn behind what follows, and settle it.
    await mark(CHANGING);
    // The resync that the hole below begins brings everything again but leads, which are on no list of the platform.
    const hasLeads = parts.mirrors.some((mirror) => mirror.kind === 'sheet' && mirror.from === 'lead');
    if (hasLeads) await parts.outbox.renderAgain('lead');
    const now = parts.clock.now();
    await parts.coverage.putHole({
      id: `mapping-${now}`,
      source: 'mapping',
      fromMs: now,
      toMs: now,
      cause: 'mapping-changed',
      foundAtMs: now,
    });
  }
  await mark(hash);
  return known !== undefined;
}

/** Without bookings as it always was: an update of the worker must not look like an edit of the YAML. */
function hashOf(parts: {
  readonly mirrors: readonly Mirror[];
  readonly bookings: readonly BookingMapping[];
}): string {
  const { mirrors, bookings } = parts;
  return contentHash(bookings.length === 0 ? mirrors : { mirrors, bookings });
}
