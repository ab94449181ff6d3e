import { type EntityKey, formatKey } from '../engine/object.ts';
import type { ActLog, Visitor } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { ConsoleAccess, SearchedHour } from '../operate/console-access.ts';

// Searches of people by those who may see them: each leaves a trace in the audit log, and nobody lists all customers. The log has ids and
// counts, never what was typed.

const MINUTE_MS = 60_000;
/** Most ids in an entry of the audit log. */
const IDS_MAX = 100;
/** Entries of the audit log among which the current one is: the others are newer. */
const NEWEST_READ = 200;

/** One search. Texts that are typed one after another, each continuing the one before, are one search. */
export interface CountedSearch {
  text: string;
  readonly sinceMs: number;
  /** False when it exceeded a limit: then no text that continues it is searched either. */
  readonly isAdmitted: Promise<boolean>;
  isNoted: boolean;
  /** What it has shown, so that nothing counts twice. */
  readonly shown: Set<string>;
}

interface Parts {
  /** Counts for all workers, also after a restart. */
  readonly access: Pick<ConsoleAccess, 'admitSearch' | 'countFound'>;
  readonly acts: ActLog;
  readonly clock: Clock;
}

export class CountedSearches {
  readonly #parts: Parts;
  /** What each person is typing: kept here alone, because a text names customers. */
  readonly #typing = new Map<string, CountedSearch>();
  /** Entries are written one after another. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Counts a search; undefined when it exceeds a limit. `isTyped`: the text may not be complete. A text that continues what was typed within
   * this minute is the same search. Any other text is another search, so typing is no way around the limit.
   */
  async begin(
    { who }: Visitor,
    text: string,
    { isTyped }: { readonly isTyped: boolean },
  ): Promise<CountedSearch | undefined> {
    const { access, clock } = this.#parts;
    const nowMs = clock.now();
    for (const [each, { sinceMs }] of this.#typing)
      if (!isWithin(sinceMs, MINUTE_MS, nowMs)) this.#typing.delete(each);
    const typing = this.#typing.get(who);
    const isSame = typing !== undefined && text.startsWith(typing.text) && (isTyped || text === typing.text);
    const search = isSame
      ? typing
      : {
          ...{ text, sinceMs: nowMs, isNoted: false, shown: new Set<string>() },
          isAdmitted: access.admitSearch(who, { isNew: true }),
        };
    search.text = text;
    if (isTyped) this.#typing.set(who, search);
    else this.#typing.delete(who);
    const mayGoOn =
      (await search.isAdmitted) && (!isSame || (await access.admitSearch(who, { isNew: false })));
    return mayGoOn ? search : undefined;
  }

  /** Notes what a search is about to show: one entry for each person and hour. Rejects when it cannot be written. */
  async note(visitor: Visitor, search: CountedSearch, shown: readonly EntityKey[]): Promise<void> {
    const fresh = shown.filter((key) => !search.shown.has(formatKey(key)));
    for (const key of fresh) search.shown.add(formatKey(key));
    const searches = search.isNoted ? 0 : 1;
    search.isNoted = true;
    const hour = await this.#parts.access.countFound(visitor.who, { searches, objects: fresh.length });
    if (fresh.length === 0) return;
    const writing = this.#written.catch(() => undefined).then(() => this.#write(visitor, hour, fresh));
    this.#written = writing;
    await writing;
  }

  /** Ids are kept in the log alone, from which an erasure takes them. */
  async #write(
    { role, who }: Visitor,
    { id, atMs, searches, objects }: SearchedHour,
    shown: readonly EntityKey[],
  ): Promise<void> {
    const { acts } = this.#parts;
    const before = (await acts.newest(NEWEST_READ)).find((act) => act.id === id);
    const known = (before?.about['objects'] ?? '').split(', ').filter((each) => each !== '');
    const ids = [...new Set([...shown.map(formatKey), ...known])].slice(0, IDS_MAX);
    const about = { searches: String(searches), found: String(objects), objects: ids.join(', ') };
    await acts.note({ id, atMs, role, who, what: 'searched', why: '', about });
  }
}

/** Begins anew also when the clock was set back. */
function isWithin(sinceMs: number, forMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < forMs;
}
