import { randomUUID } from 'node:crypto';
import { type EntityKey, formatKey } from '../engine/object.ts';
import type { Act, ActLog, Visitor } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';

// Searches of people by those who may see them: each leaves a trace in the audit log, and nobody lists all customers. The log has ids and
// counts, never what was typed.

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

/** One search. Texts that are typed one after another, each continuing the one before, are one search. */
export interface CountedSearch {
  text: string;
  readonly sinceMs: number;
  isNoted: boolean;
  /** What it has shown, so that nothing counts twice. */
  readonly shown: Set<string>;
}

interface Hour {
  readonly act: Pick<Act, 'id' | 'atMs'>;
  minuteMs: number;
  inMinute: number;
  searches: number;
  objects: number;
  /** What the person is typing. */
  typing: CountedSearch | undefined;
  /** Entries are written one after another. */
  written: Promise<unknown>;
}

export class CountedSearches {
  readonly #parts: { readonly acts: ActLog; readonly clock: Clock };
  readonly #hours = new Map<string, Hour>();

  constructor(parts: { readonly acts: ActLog; readonly clock: Clock }) {
    this.#parts = parts;
  }

  /**
   * Counts a search; undefined when it exceeds a limit. `isTyped`: the text may not be complete. A text that continues what was typed within
   * this minute is the same search. Any other text is another search, so typing is no way around the limit.
   */
  begin(
    { who }: Visitor,
    text: string,
    { isTyped }: { readonly isTyped: boolean },
  ): CountedSearch | undefined {
    const hour = this.#hourOf(who);
    const nowMs = this.#parts.clock.now();
    const { typing } = hour;
    hour.typing = undefined;
    if (hour.objects >= OBJECTS_PER_HOUR_MAX) return undefined;
    if (typing !== undefined && isWithin(typing.sinceMs, MINUTE_MS, nowMs) && text.startsWith(typing.text)) {
      if (isTyped || text === typing.text) return this.#goOn(hour, typing, { text, isTyped });
    }
    if (!isWithin(hour.minuteMs, MINUTE_MS, nowMs)) {
      hour.minuteMs = nowMs;
      hour.inMinute = 0;
    }
    if (hour.inMinute >= SEARCHES_PER_MINUTE_MAX) return undefined;
    hour.inMinute += 1;
    const search = { text, sinceMs: nowMs, isNoted: false, shown: new Set<string>() };
    return this.#goOn(hour, search, { text, isTyped });
  }

  #goOn(
    hour: Hour,
    search: CountedSearch,
    { text, isTyped }: { text: string; isTyped: boolean },
  ): CountedSearch {
    search.text = text;
    if (isTyped) hour.typing = search;
    return search;
  }

  /** Notes what a search is about to show: one entry for each person and hour. Rejects when it cannot be written. */
  async note(visitor: Visitor, search: CountedSearch, shown: readonly EntityKey[]): Promise<void> {
    const hour = this.#hourOf(visitor.who);
    const fresh = shown.filter((key) => !search.shown.has(formatKey(key)));
    for (const key of fresh) search.shown.add(formatKey(key));
    hour.searches += search.isNoted ? 0 : 1;
    search.isNoted = true;
    hour.objects += fresh.length;
    if (fresh.length === 0) return;
    const writing = hour.written.catch(() => undefined).then(() => this.#write(visitor, hour, fresh));
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
      ...{
        minuteMs: nowMs,
        inMinute: 0,
        searches: 0,
        objects: 0,
        typing: undefined,
        written: Promise.resolve(),
      },
    };
    this.#hours.set(who, hour);
    return hour;
  }
}

/** Begins anew also when the clock was set back. */
function isWithin(sinceMs: number, forMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < forMs;
}
