// Searches of people by those who may see them: each leaves a trace in the audit log, and nobody lists all customers. The log has ids and
// counts, never what was typed.
import { randomUUID } from 'node:crypto';
import { type EntityKey, formatKey } from '../engine/domain/object.ts';
import type { Act, Visitor } from '../engine/domain/role.ts';
import type { ActLog } from '../engine/ports/console.ts';
import type { Clock } from '../engine/ports/runtime.ts';

/** Most searches of one person within a minute: more than anybody types. */
const SEARCHES_PER_MINUTE_MAX = 20;
/** Most objects that searches show to one person within an hour. A reception looks up a tenth. */
const OBJECTS_PER_HOUR_MAX = 500;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Most ids in an entry of the audit log. */
const IDS_MAX = 100;
/** Entries of the audit log among which the current one is: the others are newer. */
const NEWEST_READ = 200;

interface Hour {
  readonly act: Pick<Act, 'id' | 'atMs'>;
  minuteMs: number;
  inMinute: number;
  searches: number;
  objects: number;
  /** Entries are written one after another. */
  written: Promise<unknown>;
}

export class CountedSearches {
  readonly #parts: { readonly acts: ActLog; readonly clock: Clock };
  readonly #hours = new Map<string, Hour>();

  constructor(parts: { readonly acts: ActLog; readonly clock: Clock }) {
    this.#parts = parts;
  }

  /** Counts one search; false when it exceeds a limit. */
  mayTry({ who }: Visitor): boolean {
    const hour = this.#hourOf(who);
    const nowMs = this.#parts.clock.now();
    if (!isWithin(hour.minuteMs, MINUTE_MS, nowMs)) {
      hour.minuteMs = nowMs;
      hour.inMinute = 0;
    }
    if (hour.inMinute >= SEARCHES_PER_MINUTE_MAX || hour.objects >= OBJECTS_PER_HOUR_MAX) return false;
    hour.inMinute += 1;
    return true;
  }

  /** Notes what a search is about to show: one entry for each person and hour. Rejects when it cannot be written. */
  async note(visitor: Visitor, shown: readonly EntityKey[]): Promise<void> {
    const hour = this.#hourOf(visitor.who);
    hour.searches += 1;
    hour.objects += shown.length;
    if (shown.length === 0) return;
    const writing = hour.written.catch(() => undefined).then(() => this.#write(visitor, hour, shown));
    hour.written = writing;
    await writing;
  }

  /** Ids are kept in the log alone, from which an erasure takes them. */
  async #write({ role, who }: Visitor, hour: Hour, shown: readonly EntityKey[]): Promise<void> {
    const { acts } = this.#parts;
    const before = (await acts.newest(NEWEST_READ)).find(({ id }) => id === hour.act.id);
    const known = (before?.about['objects'] ?? '').split(', ').filter((each) => each !== '');
    const ids = [...new Set([...shown.map(formatKey), ...known])].slice(0, IDS_MAX);
    const about = {
      searches: String(hour.searches),
      found: String(hour.objects),
      objects: ids.join(', '),
    };
    await acts.note({ ...hour.act, role, who, what: 'searched', why: '', about });
  }

  #hourOf(who: string): Hour {
    const nowMs = this.#parts.clock.now();
    for (const [each, { act }] of this.#hours)
      if (!isWithin(act.atMs, HOUR_MS, nowMs)) this.#hours.delete(each);
    const hour = this.#hours.get(who) ?? {
      act: { id: randomUUID(), atMs: nowMs },
      ...{ minuteMs: nowMs, inMinute: 0, searches: 0, objects: 0, written: Promise.resolve() },
    };
    this.#hours.set(who, hour);
    return hour;
  }
}

/** Begins anew also when the clock was set back. */
function isWithin(sinceMs: number, forMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < forMs;
}
