import type { Keep } from './keep.ts';
import type { KeySpace } from './key-space.ts';
import type { RedisClient } from './redis-client.ts';
import { NamedScript, RedisStore, replyWithin } from './redis-script.ts';

/** One line of an object's history: what was received, done or refused, and when. Ids and codes only, nothing personal. */
export type HistoryEntry = SeenEntry | MirroredEntry | FailedEntry | ActedEntry;

/** A hint arrived. Repeats of known content leave no entry. */
export interface SeenEntry {
  readonly what: 'seen';
  readonly atMs: number;
  /** `webhook`, `feed`, `list`, `operator`, … */
  readonly via: string;
  readonly eventId?: string;
  readonly eventType?: string;
  /** When the change happened, according to the event. */
  readonly occurredAtMs: number;
  /** `fresh`, `verify`, `deleted`, `stale`. */
  readonly outcome: string;
}

/** A handler brought the mirrors to a revision. */
interface MirroredEntry {
  readonly what: 'mirrored';
  readonly atMs: number;
  readonly rev: number;
  /** Mirror to the action there; mirrors with nothing to do are omitted. */
  readonly actions: Readonly<Record<string, string>>;
}

/** A handler failed. Repeats of the same failure share one entry. */
interface FailedEntry {
  readonly what: 'failed';
  /** Time of the last failure. */
  readonly atMs: number;
  /** Time of the first failure, if there were several. */
  readonly firstAtMs?: number;
  readonly times?: number;
  readonly attempt: number;
  readonly reasons: readonly { readonly mirror: string; readonly code: string }[];
  /** `retry`, `defer`, or `done` for a dead letter. */
  readonly next: string;
}

/** The worker decided about a change made outside, or an operator intervened. */
export interface ActedEntry {
  readonly what: 'acted';
  readonly atMs: number;
  /** `staff-edit`, `booking`, `operator`. */
  readonly by: string;
  /** A code: `moved`, `put-back`, `booked`, `refused`, `retried`, … */
  readonly code: string;
  /** The YAML rule that decided: `mirrors.staff-calendars.staff_edits.moved`. */
  readonly rule?: string;
  /** Ids of a calendar, an event, an appointment or an intent. */
  readonly ids?: Readonly<Record<string, string>>;
}

/** Entries kept per object; the oldest go first. */
export const HISTORY_ENTRIES_MAX = 50;
/** Changes kept over all objects: the console's pages read here what they missed while paused or disconnected. */
export const CHANGES_MAX = 1_000;
/** How long a history is kept after its last entry, in seconds. */
export function historyTtlS({ historiesMs }: Pick<Keep, 'historiesMs'>): number {
  return Math.ceil(historiesMs / 1_000);
}

/**
 * Adds an entry to an object's history and to the changes of all objects. `told` is the entry as the changes show it, empty if it is no
 * change. Changes are numbered, so that a reader knows how many it missed. `is_kept`: an earlier entry has prolonged the history just now.
 */
export const NOTE_ENTRY = `
local function note_entry(history, changes, key, entry, told, entries_max, ttl, is_kept)
  local length = redis.call('RPUSH', history, entry)
  if length > tonumber(entries_max) then redis.call('LTRIM', history, -tonumber(entries_max), -1) end
  if length == 1 or not is_kept then redis.call('EXPIRE', history, ttl) end
  if told == '' then return end
  local last = redis.call('XREVRANGE', changes, '+', '-', 'COUNT', 1)[1]
  local nth = last and tonumber(last[2][2]) + 1 or 1
  redis.call('XADD', changes, 'MAXLEN', '~', ${CHANGES_MAX}, '*', 'nth', string.format('%d', nth), 'key', key, 'entry', told)
end
`;

/**
 * A target that refuses everybody is tried for hours. Its failures are folded into one entry, or they would push everything else out. An
 * object that is held back, because the last try was a moment ago, has met the same trouble: that is folded as well.
 */
const NOTE = new NamedScript(
  { keys: ['list', 'changes'], args: ['key', 'entry', 'told', 'entries_max', 'ttl', 'fold'] },
  `${NOTE_ENTRY}
local last = fold ~= '' and redis.call('LINDEX', list, -1)
local known = last and cjson.decode(last)
local new = cjson.decode(entry)
if known and known.fold == fold and (known.codes == new.codes or known.isPause or new.isPause) then
  local times, first = (known.times or 1) + 1, known.firstAtMs or known.atMs
  local folded = new.isPause and known or new
  folded.atMs, folded.attempt, folded.times, folded.firstAtMs = new.atMs, new.attempt, times, first
  redis.call('LSET', list, -1, cjson.encode(folded))
  redis.call('EXPIRE', list, ttl)
else
  note_entry(list, changes, key, entry, told, entries_max, ttl)
end
`,
);

/** What happened to single objects, for people who ask why: bounded lists. The intake store notes what is seen, in its own step. */
export class History extends RedisStore {
  readonly #ttlS: number;

  constructor(parts: { redis: RedisClient; keys: KeySpace; keep: Keep }) {
    super(parts);
    this.#ttlS = historyTtlS(parts.keep);
  }

  /** Never rejects and is not awaited: a note that fails must not stop the work. `key` is from `formatKey`. */
  note(key: string, entry: HistoryEntry): void {
    const { text, told, fold } = noted(entry);
    NOTE.run(this.redis, {
      keys: { list: this.keys.history(key), changes: this.keys.changes },
      args: {
        ...{ key, entry: text, told, fold },
        ...{ entries_max: HISTORY_ENTRIES_MAX, ttl: this.#ttlS },
      },
    }).catch(() => undefined);
  }

  /** Oldest first; bounded, and forgotten some weeks after the last entry. */
  async of(key: string): Promise<readonly HistoryEntry[]> {
    const texts = await replyWithin(this.redis.lrange(this.keys.history(key), 0, -1));
    return texts.map(readEntry);
  }
}

/** The entry as stored, and as the changes of all objects show it: empty if it is no change. `fold`: empty if it is never folded. */
export function noted(entry: HistoryEntry): {
  readonly text: string;
  readonly told: string;
  readonly fold: string;
} {
  const folding = foldingOf(entry);
  // What happens to every object stands as an array, without names: second in it is a source, or the revision that was mirrored. Earlier
  // versions wrote objects.
  const text =
    entry.what === 'seen'
      ? `${openSeenEntry(entry)}${JSON.stringify(entry.outcome).slice(1)}]`
      : entry.what === 'mirrored'
        ? JSON.stringify([entry.atMs, entry.rev, ...Object.entries(entry.actions).flat()])
        : JSON.stringify({ ...entry, ...folding });
  // An object that was looked at and left as it is has not changed.
  const isChange = entry.what !== 'mirrored' || Object.keys(entry.actions).length > 0;
  return { text, told: isChange ? text : '', fold: folding?.fold ?? '' };
}

/** The entry as stored up to its outcome, which only the script knows: a word, a quote and a bracket follow. */
export function openSeenEntry(entry: Omit<SeenEntry, 'outcome'>): string {
  const { atMs, occurredAtMs, via, eventId, eventType } = entry;
  const values = [atMs, via, atMs - occurredAtMs, eventId ?? null, eventType ?? null];
  return `${JSON.stringify(values).slice(0, -1)},"`;
}

export function readEntry(text: string): HistoryEntry {
  const stored = JSON.parse(text) as (HistoryEntry & Partial<Folding>) | StoredEntry;
  if (Array.isArray(stored)) return fromValues(stored as StoredEntry);
  const { fold: _, codes: __, isPause: ___, ...entry } = stored as HistoryEntry & Partial<Folding>;
  return entry;
}

type StoredEntry =
  | readonly [number, string, number, string | null, string | null, string]
  | readonly [number, number, ...string[]];

function fromValues(stored: StoredEntry): HistoryEntry {
  if (isMirrored(stored)) {
    const [atMs, rev, ...flat] = stored;
    const actions: Record<string, string> = {};
    for (let at = 0; at + 1 < flat.length; at += 2) actions[String(flat[at])] = String(flat[at + 1]);
    return { what: 'mirrored', atMs, rev, actions };
  }
  const [atMs, via, agoMs, eventId, eventType, outcome] = stored;
  const event = { ...(eventId !== null && { eventId }), ...(eventType !== null && { eventType }) };
  return { what: 'seen', atMs, via, ...event, occurredAtMs: atMs - agoMs, outcome };
}

function isMirrored(stored: StoredEntry): stored is readonly [number, number, ...string[]] {
  return typeof stored[1] === 'number';
}

interface Folding {
  /** Equal for failures with the same end in the same mirrors. */
  readonly fold: string;
  readonly codes: string;
  /** The object was not tried: the target has just refused another one. */
  readonly isPause: boolean;
}

/** Undefined for entries that are never folded. */
function foldingOf(entry: HistoryEntry): Folding | undefined {
  if (entry.what !== 'failed') return undefined;
  const { next, reasons } = entry;
  return {
    fold: `${next} ${reasons.map(({ mirror }) => mirror).join(' ')}`,
    codes: reasons.map(({ code }) => code).join(' '),
    // The pause of a quota is a reason in itself.
    isPause: reasons.every(({ code }) => code.endsWith('-paused') && code !== 'quota-paused'),
  };
}
