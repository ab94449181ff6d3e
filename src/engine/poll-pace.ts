// How often each watched calendar is read without a ping. Pure. Every process and `status` compute it from the same cursors.
import { canHaveBeen } from './moments.ts';

/** Newest lags that are kept: enough for a stable p99, few enough that an old burst does not distort the present. */
export const LAGS_KEPT_MAX = 2_000;

/** Confirmed writes to mirrors within one minute. */
export interface WrittenMinute {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly writes: number;
  /** The longest lag of these writes, in seconds. */
  readonly slowestS: number;
}

/** What one process wrote, and how late. */
export interface Written {
  readonly minutes: readonly WrittenMinute[];
  /** Seconds, the oldest first; at most `LAGS_KEPT_MAX`. */
  readonly lagsS: readonly number[];
}

export function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}

/** What a calendar's cursor and channel say. Epoch milliseconds. */
export interface PolledCalendar {
  /** Every change before this moment has been read; undefined: never read. */
  readonly coveredUntilMs: number | undefined;
  /** When a reading last found a change, made by anyone. */
  readonly changedAtMs: number | undefined;
  /** When Google last pinged about it. */
  readonly pingedAtMs: number | undefined;
  /** When a poll last found a change without a ping. */
  readonly missedAtMs: number | undefined;
  /** Since when the oldest open channel should ping; undefined without one. */
  readonly channelSinceMs: number | undefined;
  /** Name of the Google account whose budget pays for its readings; absent: the default account. */
  readonly account?: string | undefined;
}

export interface PollPace {
  /** The shortest interval. */
  readonly everyMs: number;
  /** The longest interval, for a quiet calendar with pings. */
  readonly quietEveryMs: number;
  /** Readings a minute that polling may use, for all calendars of one account together. */
  readonly perMinute: number;
}

export interface PollTurn {
  readonly everyMs: number;
  /** Its pings arrive, so polling only covers lost pings. */
  readonly isPinged: boolean;
}

/**
 * A calendar whose pings arrive rests for as long as it has been quiet, between the shortest and the longest interval. Every other calendar
 * is polled at the shortest. If that is more than polling may use of an account, the intervals of all its calendars grow by the same
 * factor.
 */
export function pollTurns(
  calendars: readonly PolledCalendar[],
  pace: PollPace,
  nowMs: number,
): readonly PollTurn[] {
  const { everyMs, quietEveryMs, perMinute } = pace;
  const newest = (moments: readonly (number | undefined)[]) =>
    moments.reduce<number>((latest, ms) => Math.max(latest, past(ms, nowMs) ?? 0), 0);
  // If Google cannot reach the worker, no ping arrives for any calendar. So the first change without its ping counts for all of them.
  // Calendars without a channel get no pings of Google and miss none.
  const open = calendars.filter((each) => each.channelSinceMs !== undefined);
  const isDoorOpen =
    newest(open.map((each) => each.pingedAtMs)) > newest(open.map((each) => each.missedAtMs));
  const turns = calendars.map((calendar) => {
    const isPinged = isDoorOpen && pings(calendar, nowMs);
    const longestMs = isPinged ? Math.max(everyMs, quietEveryMs) : everyMs;
    return { everyMs: Math.min(longestMs, Math.max(everyMs, quietForMs(calendar, nowMs))), isPinged };
  });
  const wanted = new Map<string | undefined, number>();
  for (const [at, { everyMs: eachMs }] of turns.entries()) {
    const account = calendars[at]?.account;
    wanted.set(account, (wanted.get(account) ?? 0) + 60_000 / eachMs);
  }
  return turns.map((turn, at) => {
    const stretch = Math.max(1, (wanted.get(calendars[at]?.account) ?? 0) / perMinute);
    return { ...turn, everyMs: Math.ceil(turn.everyMs * stretch) };
  });
}

/** When it was last read, if that is plausible; undefined: never. */
export function seenAtMs({ coveredUntilMs }: PolledCalendar, nowMs: number): number | undefined {
  return past(coveredUntilMs, nowMs);
}

/** What is known of one calendar's channel. */
interface KnownChannel {
  readonly calendarId: string;
  readonly address: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

/** Adds to each calendar's cursor its channel and its account. `address`: where channels ping; channels to another address do not count. */
export function withChannels<T>(
  cursors: readonly (readonly [calendarId: string, cursor: T])[],
  known: {
    readonly channels: readonly KnownChannel[];
    readonly address: string | undefined;
    /** Absent: all have the default account. */
    readonly accountOf?: (target: string) => string | undefined;
  },
  nowMs: number,
): readonly (T & Pick<PolledCalendar, 'channelSinceMs' | 'account'>)[] {
  const { channels, address, accountOf = () => undefined } = known;
  const since = new Map<string, number>();
  for (const channel of channels) {
    if (channel.address !== address || channel.expiresAtMs <= nowMs) continue;
    const sinceMs = since.get(channel.calendarId) ?? Number.POSITIVE_INFINITY;
    since.set(channel.calendarId, Math.min(sinceMs, channel.requestedAtMs));
  }
  return cursors.map(([calendarId, cursor]) => ({
    ...cursor,
    channelSinceMs: since.get(calendarId),
    account: accountOf(`calendar:${calendarId}`),
  }));
}

/** A channel proves itself by its first ping, which says that it is open. A missed change puts it in doubt until its next ping. */
function pings({ pingedAtMs, missedAtMs, channelSinceMs }: PolledCalendar, nowMs: number): boolean {
  const heardAtMs = past(pingedAtMs, nowMs);
  if (channelSinceMs === undefined || heardAtMs === undefined) return false;
  return heardAtMs >= channelSinceMs && heardAtMs > (past(missedAtMs, nowMs) ?? 0);
}

/** How long the calendar had been quiet at its last reading. */
function quietForMs({ coveredUntilMs, changedAtMs }: PolledCalendar, nowMs: number): number {
  const [coveredMs, changedMs] = [past(coveredUntilMs, nowMs), past(changedAtMs, nowMs)];
  return coveredMs === undefined || changedMs === undefined ? 0 : coveredMs - changedMs;
}

function past(ms: number | undefined, nowMs: number): number | undefined {
  return ms !== undefined && canHaveBeen(ms, nowMs) ? ms : undefined;
}

/** Objects that a replay hands over in one batch; more when most are worked off, so that live work is not delayed. */
export const REPLAY_AT_ONCE = 200;
/** How long a replay waits without progress. Then the objects that wait are not its own to wait for, or the worker does not run. */
const PATIENCE_MS = 30_000;

/** When the next batch of a replay may follow. One for each batch. */
export class ReplayPace {
  #least = Number.POSITIVE_INFINITY;
  #sinceMs = 0;

  /** `pending`: objects that have not been mirrored yet, of whatever origin. */
  mayGoOn(pending: number, nowMs: number): boolean {
    // The clock may have been set back.
    this.#sinceMs = Math.min(this.#sinceMs, nowMs);
    if (pending < this.#least) [this.#least, this.#sinceMs] = [pending, nowMs];
    return pending < REPLAY_AT_ONCE / 2 || nowMs - this.#sinceMs > PATIENCE_MS;
  }
}

/** How far one calendar has been read. */
export interface CalendarCursor {
  /** Google returns the changes since this token; undefined: everything must be listed. */
  readonly syncToken: string | undefined;
  readonly open: OpenSync | undefined;
  /** Every change before this moment has been taken in. Epoch milliseconds. */
  readonly coveredUntilMs: number | undefined;
  /** The same by Google's clock. Undefined in cursors of older versions. */
  readonly shownUntilMs: number | undefined;
  /** When the last sync finished. */
  readonly provedAtMs: number | undefined;
  /** When the worker last listed everything. */
  readonly listedAtMs: number | undefined;
  /** When a sync last found a change, made by anyone. If none ever did, when the calendar was first read. */
  readonly changedAtMs: number | undefined;
  /** When Google last pinged about it. */
  readonly pingedAtMs: number | undefined;
  /** Number of pings so far. It orders them even if the clocks of the processes that took them differ. */
  readonly pings: number;
  /** Number of pings when the last finished sync began: that sync has read what they reported. Undefined: unknown. */
  readonly coveredPings: number | undefined;
  /** When a poll last found a change without a ping. */
  readonly missedAtMs: number | undefined;
}

/** An unfinished sync, resumable between its pages. */
export interface OpenSync {
  readonly startedAtMs: number;
  /** Number of pings when it began; absent if an older version began it. */
  readonly pings?: number;
  /** Undefined before the second page. */
  readonly pageToken: string | undefined;
  /** Lists everything, then compares it with the links. */
  readonly isFull: boolean;
  readonly pages: number;
  /** When the last page was taken in; absent before the first. */
  readonly pageAtMs?: number;
  /** When Google answered first, by its own clock; absent before. */
  readonly answeredAtMs?: number;
}

/**
 * Up to when changes have been taken in, to compare with times that Google wrote into events. The worker's own clock may have been ahead:
 * then it proves nothing.
 */
export function shownUntil(
  { shownUntilMs, coveredUntilMs }: Pick<CalendarCursor, 'shownUntilMs' | 'coveredUntilMs'>,
  nowMs: number,
): number | undefined {
  return shownUntilMs ?? past(coveredUntilMs, nowMs);
}
