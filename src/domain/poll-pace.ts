// How often each watched calendar is read although nobody rang for it. Pure. Every process and `status` compute it from the same cursors.

import { canHaveBeen } from './moments.ts';

/** What the cursor of a calendar and its channel say. Epoch milliseconds. */
export interface PolledCalendar {
  /** Every change before this moment has been read; undefined: nothing has. */
  readonly coveredUntilMs: number | undefined;
  /** When a reading last found a change, whoever made it. */
  readonly changedAtMs: number | undefined;
  /** When Google last pinged for it. */
  readonly pingedAtMs: number | undefined;
  /** When a poll last found a change for which no ping had come. */
  readonly missedAtMs: number | undefined;
  /** Since when the oldest open channel was to ping; undefined without one. */
  readonly channelSinceMs: number | undefined;
  /** Name of the Google account whose budget pays for its readings; absent: the default one. */
  readonly account?: string | undefined;
}

export interface PollPace {
  /** The shortest interval. */
  readonly everyMs: number;
  /** The longest interval of a quiet calendar for which Google pings. */
  readonly quietEveryMs: number;
  /** Readings a minute that polling may use, of all calendars of one account together. */
  readonly perMinute: number;
}

export interface PollTurn {
  readonly everyMs: number;
  /** Its pings arrive: polling is only for those that get lost. */
  readonly isPinged: boolean;
}

/**
 * A calendar whose pings arrive rests for as long as it has been quiet, between the shortest and the longest interval. Every other one is
 * polled at the shortest. When that is more than polling may use of an account, the intervals of all its calendars grow by the same factor.
 */
export function pollTurns(
  calendars: readonly PolledCalendar[],
  pace: PollPace,
  nowMs: number,
): readonly PollTurn[] {
  const { everyMs, quietEveryMs, perMinute } = pace;
  const newest = (moments: readonly (number | undefined)[]) =>
    moments.reduce<number>((latest, ms) => Math.max(latest, past(ms, nowMs) ?? 0), 0);
  // A door that is closed to Google is closed for all: the first change that came without its ping tells it of every calendar.
  const isDoorOpen =
    newest(calendars.map((each) => each.pingedAtMs)) > newest(calendars.map((each) => each.missedAtMs));
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

/** When it was read last, as far as that can be believed; undefined: never. */
export function seenAtMs({ coveredUntilMs }: PolledCalendar, nowMs: number): number | undefined {
  return past(coveredUntilMs, nowMs);
}

/** What is known of the channel of one calendar. */
interface KnownChannel {
  readonly calendarId: string;
  readonly address: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * The cursors of calendars, each with its channel and its account. `address`: where channels ping; those to another one say nothing.
 */
export function withChannels<T>(
  cursors: readonly (readonly [calendarId: string, cursor: T])[],
  known: {
    readonly channels: readonly KnownChannel[];
    readonly address: string | undefined;
    /** Absent: all have the default one. */
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

/** A channel proves itself by its first ping, which says that it is open, and is doubted from a missed change until its next one. */
function pings({ pingedAtMs, missedAtMs, channelSinceMs }: PolledCalendar, nowMs: number): boolean {
  const heardAtMs = past(pingedAtMs, nowMs);
  if (channelSinceMs === undefined || heardAtMs === undefined) return false;
  return heardAtMs >= channelSinceMs && heardAtMs > (past(missedAtMs, nowMs) ?? 0);
}

/** At its last reading. */
function quietForMs({ coveredUntilMs, changedAtMs }: PolledCalendar, nowMs: number): number {
  const [coveredMs, changedMs] = [past(coveredUntilMs, nowMs), past(changedAtMs, nowMs)];
  return coveredMs === undefined || changedMs === undefined ? 0 : coveredMs - changedMs;
}

function past(ms: number | undefined, nowMs: number): number | undefined {
  return ms !== undefined && canHaveBeen(ms, nowMs) ? ms : undefined;
}
