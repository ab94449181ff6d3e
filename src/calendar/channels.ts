// Keeps one living channel per watched calendar at Google, and a second one only while the first grows old. Every channel has a row before
// the request to Google, so that no unknown channel is ever open.

import { randomBytes, randomUUID } from 'node:crypto';
import { DeferredError, TerminalError, WorkerError } from '../engine/errors.ts';
import { canHaveBeen, distanceMs, endsAt } from '../engine/moments.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import {
  type ChannelRequest,
  type OpenedChannel,
  PUSH_ADDRESS,
  PUSH_REFUSED,
  pushTarget,
} from '../google/calendar-watch-api.ts';
import type { Channel, ChannelStore } from './stores.ts';

export interface ChannelParts {
  readonly api: {
    watch(calendarId: string, channel: ChannelRequest): Promise<OpenedChannel | 'id-taken' | 'unable'>;
    stop(calendarId: string, channel: { id: string; resourceId: string }): Promise<'stopped' | 'absent'>;
  };
  readonly channels: ChannelStore;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  /** Calendars that should ping; none when push is switched off. */
  readonly calendars: readonly string[];
  /** Where Google sends the pings; undefined when push is switched off. */
  readonly address: string | undefined;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Share of a channel's time after which a new one is opened: a channel does not renew itself. */
const RENEW_SHARE = 0.8;
/** How long the old and the new channel ping together. */
const OVERLAP_MS = 60_000;
/** How long a channel's first ping may make up for a lost answer. */
const UNANSWERED_MS = 120_000;
/** Longest pause between unanswered requests for a channel: each leaves an entry in Redis until its channel would have expired. */
const UNANSWERED_MS_MAX = 3_600_000;
/** Pause before Google is asked again for a refused channel. */
const REFUSED_PAUSE_MS = 3_600_000;
/** The same for a calendar that cannot ping: Google might learn it, but that is no reason to hurry. */
const UNABLE_PAUSE_MS = 24 * 3_600_000;
const TOKEN_BYTES = 32;

/** A calendar for which Google opened no channel. */
interface Refused {
  readonly sinceMs: number;
  /** How long Google is not asked again. */
  readonly forMs: number;
  /** Target of the problem that was raised for it, if any. */
  readonly problem?: string;
}

/**
 * Opens, renews and stops channels. They stay open on shutdown: a worker that is back within a minute gets the pings about changes
 * meanwhile. A channel is stopped when its calendar leaves the mapping, push is switched off, or the address has changed.
 */
export class Channels {
  readonly #parts: ChannelParts;
  /** Per calendar. A restart forgets it, so that a corrected address is tried immediately. */
  readonly #refused = new Map<string, Refused>();

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  /** One round. The caller holds the lease of the channels. Ends after the current calendar when the signal aborts. */
  async care(signal: AbortSignal): Promise<void> {
    const rows = await this.#parts.channels.all();
    for (const row of rows) {
      if (signal.aborted) return;
      if (!this.#isWanted(row) || this.#isOver(row)) await this.#end(row);
    }
    for (const calendarId of this.#parts.calendars) {
      if (signal.aborted) return;
      const own = rows.filter((row) => row.calendarId === calendarId && this.#isWanted(row));
      await this.#careFor(
        calendarId,
        own.filter((row) => !this.#isOver(row)),
      );
    }
    const isAddressRefused = [...this.#refused.values()].some(({ problem }) => problem === PUSH_ADDRESS);
    if (!isAddressRefused) await this.#parts.problems.clear(PUSH_ADDRESS);
  }

  #isWanted({ calendarId, address }: Channel): boolean {
    return address === this.#parts.address && this.#parts.calendars.includes(calendarId);
  }

  #isOver({ expiresAtMs }: Channel): boolean {
    return expiresAtMs <= this.#parts.clock.now();
  }

  async #careFor(calendarId: string, rows: readonly Channel[]): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const open = rows
      .filter((row) => row.resourceId !== undefined)
      .sort((a, b) => b.requestedAtMs - a.requestedAtMs);
    const newest = open[0];
    if (newest !== undefined && distanceMs(newest.requestedAtMs, nowMs) >= OVERLAP_MS) {
      for (const old of open.slice(1)) await this.#end(old);
    }
    // Requested by a clock that was ahead: Google may end it before this clock expects that.
    const isFresh =
      newest !== undefined && canHaveBeen(newest.requestedAtMs, nowMs) && nowMs < renewAtMs(newest);
    const answeredAtMs = newest?.requestedAtMs ?? Number.NEGATIVE_INFINITY;
    const unanswered = rows.filter((row) => row.resourceId === undefined && row.requestedAtMs > answeredAtMs);
    const pauseMs = Math.min(UNANSWERED_MS_MAX, UNANSWERED_MS * 2 ** (unanswered.length - 1));
    const isAsked = unanswered.some((row) => distanceMs(row.requestedAtMs, nowMs) < pauseMs);
    const refused = this.#refused.get(calendarId);
    const isRefused = refused !== undefined && nowMs < endsAt(refused.sinceMs, { ...refused, nowMs });
    if (!isFresh && !isAsked && !isRefused) await this.#open(calendarId);
  }

  async #open(calendarId: string): Promise<void> {
    const { api, channels, address, ttlMs, clock, log } = this.#parts;
    if (address === undefined) return;
    const requestedAtMs = clock.now();
    const id = randomUUID();
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAtMs = requestedAtMs + ttlMs;
    const resourceId = undefined;
    await channels.add({ id, token, calendarId, address, requestedAtMs, expiresAtMs, resourceId });
    try {
      const opened = await api.watch(calendarId, { id, token, address, ttlMs });
      if (opened === 'id-taken') return await channels.remove(id);
      if (opened === 'unable') return await this.#unable(calendarId, id);
      const { resourceId, expiresAtMs = requestedAtMs + ttlMs } = opened;
      await channels.confirm(id, { resourceId, expiresAtMs });
      this.#refused.delete(calendarId);
      await this.#parts.problems.clear(pushTarget(calendarId));
      log.info({ target: `calendar:${calendarId}`, channel: id }, 'calendar channel opened');
    } catch (error) {
      await this.#notOpened(calendarId, id, error);
    }
  }

  /** The calendar is polled, like all calendars. This is no problem: nobody can change it. */
  async #unable(calendarId: string, id: string): Promise<void> {
    const { channels, problems, clock, log } = this.#parts;
    await channels.remove(id);
    this.#refused.set(calendarId, { sinceMs: clock.now(), forMs: UNABLE_PAUSE_MS });
    await problems.clear(pushTarget(calendarId));
    log.info({ target: `calendar:${calendarId}` }, 'Google cannot ping for this calendar: it is polled');
  }

  async #notOpened(calendarId: string, id: string, error: unknown): Promise<void> {
    const { channels, problems, clock, log } = this.#parts;
    const target = `calendar:${calendarId}`;
    // Without an answer, the channel may be open. Its row stays until it would have expired, so that its pings are recognized.
    if (!(error instanceof TerminalError) && !(error instanceof DeferredError)) {
      return log.warn({ target, err: error }, 'no answer from Google: the channel may be open');
    }
    await channels.remove(id);
    const forMs = error instanceof DeferredError ? error.retryAfterMs : REFUSED_PAUSE_MS;
    const problem = error.code === PUSH_REFUSED ? (error.target ?? PUSH_ADDRESS) : undefined;
    this.#refused.set(calendarId, { sinceMs: clock.now(), forMs, ...(problem && { problem }) });
    if (problem === PUSH_ADDRESS) await problems.clear(pushTarget(calendarId));
    log.warn({ target, err: error }, 'the calendar does not ping: it is polled');
    if (problem === undefined) return;
    const { code, message, advice = '' } = error;
    await problems.raise({ target: problem, code, message, advice });
  }

  /** A channel whose creation got no answer cannot be stopped yet: its row waits for its ping, or for its end. */
  async #end(row: Channel): Promise<void> {
    const { api, channels, log } = this.#parts;
    const { id, calendarId, resourceId } = row;
    if (this.#isOver(row)) return channels.remove(id);
    if (resourceId === undefined) return;
    try {
      await api.stop(calendarId, { id, resourceId });
      await channels.remove(id);
    } catch (error) {
      // The row stays, and the next round stops the channel. At the latest, the channel expires automatically.
      const code = error instanceof WorkerError ? error.code : 'unexpected';
      log.warn({ target: `calendar:${calendarId}`, channel: id, code }, 'a channel could not be stopped');
    }
  }
}

function renewAtMs({ requestedAtMs, expiresAtMs }: Channel): number {
  return requestedAtMs + RENEW_SHARE * (expiresAtMs - requestedAtMs);
}
