// Takes the cursors of all watched calendars and gives each due one a turn, the longest unseen first. All turns together stay within a
// share of each account's quota. Several processes compute the same: what one has read is not due for the others.
import { startedBy } from '../../engine/domain/moments.ts';
import { type PollPace, pollTurns, seenAtMs, withChannels } from '../../engine/domain/poll-pace.ts';
import type { CalendarCursors, ChannelStore } from '../../engine/ports/calendars.ts';
import type { Clock } from '../../engine/ports/runtime.ts';

export interface PollerParts {
  readonly calendars: readonly string[];
  readonly cursors: Pick<CalendarCursors, 'read'>;
  readonly channels: Pick<ChannelStore, 'all'>;
  /** Where Google sends the pings; undefined when push is switched off. */
  readonly address: string | undefined;
  readonly pace: PollPace;
  /** Name of the account of `calendar:<id>`. Absent: all use the default one. */
  readonly accountOf?: (target: string) => string | undefined;
  readonly watch: {
    /** Reads the calendar unless it was read up to that moment. */
    poll(calendarId: string, untilMs: number): void;
    look(calendarId: string, untilMs: number): void;
  };
  readonly clock: Clock;
}

/**
 * Share of the pace within which another reading replaces a poll. Two polling processes then share the rounds, and one alone never skips
 * because of its own last reading.
 */
const POLLED_SHARE = 0.5;

export class Poller {
  readonly #parts: PollerParts;
  /**
   * When each calendar last had a turn here, on the monotonic clock of this process. One that fails goes to the end of the line, and the
   * watch retries it.
   */
  readonly #turnAtMs = new Map<string, number>();
  /** Calendars to be read whatever is known of them, and up to when. */
  readonly #toLookAt = new Map<string, number>();
  /** Readings that each account may make now. */
  readonly #allowances = new Map<string | undefined, number>();
  /** On the monotonic clock of this process. */
  #grownAtMs = performance.now();

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  /** Less may be known of the calendars than before: the next rounds read all of them up to now. */
  lookAtAll(): void {
    const nowMs = this.#parts.clock.now();
    for (const calendarId of this.#parts.calendars) this.#toLookAt.set(calendarId, nowMs);
  }

  async round(): Promise<void> {
    const line = await this.#dueCalendars();
    const nowMs = this.#parts.clock.now();
    this.#refillAllowances();
    for (const { calendarId, everyMs } of line) {
      if (!this.#spendReading(calendarId)) continue;
      this.#turnAtMs.set(calendarId, performance.now());
      const lookUntilMs = this.#toLookAt.get(calendarId);
      this.#toLookAt.delete(calendarId);
      if (lookUntilMs !== undefined) this.#parts.watch.look(calendarId, startedBy(lookUntilMs, nowMs));
      else this.#parts.watch.poll(calendarId, nowMs - everyMs * POLLED_SHARE);
    }
  }

  /** Calendars that are due, the longest unseen first. */
  async #dueCalendars(): Promise<readonly { readonly calendarId: string; readonly everyMs: number }[]> {
    const { calendars, cursors, channels, address, pace, accountOf, clock } = this.#parts;
    const [rows, read] = await Promise.all([
      address === undefined ? [] : channels.all(),
      Promise.all(calendars.map(async (id) => [id, await cursors.read(id)] as const)),
    ]);
    const nowMs = clock.now();
    const known = { channels: rows, address, ...(accountOf && { accountOf }) };
    const states = withChannels(read, known, nowMs);
    const turns = pollTurns(states, pace, nowMs);
    return calendars
      .map((calendarId, at) => {
        const [state, turn] = [states[at], turns[at]];
        const readAtMs = state === undefined ? 0 : (seenAtMs(state, nowMs) ?? 0);
        const turnAtMs = this.#turnAtMs.get(calendarId) ?? Number.NEGATIVE_INFINITY;
        const lastMs = Math.max(readAtMs, nowMs - (performance.now() - turnAtMs));
        return { calendarId, lastMs, everyMs: turn?.everyMs ?? pace.everyMs };
      })
      .filter(
        ({ calendarId, lastMs, everyMs }) => this.#toLookAt.has(calendarId) || lastMs + everyMs <= nowMs,
      )
      .sort((a, b) => a.lastMs - b.lastMs);
  }

  /** After a pause, the worker reads a small installation in one go, and a large one at the pace. */
  #refillAllowances(): void {
    const { pace } = this.#parts;
    const nowMs = performance.now();
    const grown = ((nowMs - this.#grownAtMs) * pace.perMinute) / 60_000;
    this.#grownAtMs = nowMs;
    for (const [account, left] of this.#allowances)
      this.#allowances.set(account, Math.min(mostAtOnce(pace), left + grown));
  }

  /** False when the account of the calendar has no reading left. */
  #spendReading(calendarId: string): boolean {
    const account = this.#parts.accountOf?.(`calendar:${calendarId}`);
    const left = this.#allowances.get(account) ?? mostAtOnce(this.#parts.pace);
    if (left < 1) return false;
    this.#allowances.set(account, left - 1);
    return true;
  }
}

function mostAtOnce({ perMinute }: PollPace): number {
  return Math.max(1, perMinute);
}
