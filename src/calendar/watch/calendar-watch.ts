import { DeferredError, WorkerError } from '../../engine/domain/errors.ts';
import { canHaveBeen } from '../../engine/domain/moments.ts';
import { backoffMs, deferredForMs } from '../../engine/domain/work.ts';
import { aborted, asleep, WakeAll } from '../../engine/loops.ts';
import type { Lease, Leases } from '../../engine/ports/leases.ts';
import type { QuotaLedger } from '../../engine/ports/quotas.ts';
import { type SyncEnd, type SyncParts, syncCalendar } from './sync.ts';

/** Calendars that one process reads at the same time. */
const SYNCS_AT_ONCE = 4;
/** Added to a noted wait, so that the next sync can have its turn and its answer. */
const TRIED_WITHIN_MS = 15_000;

export interface CalendarWatchParts extends SyncParts {
  readonly leases: Leases;
  readonly calendars: readonly string[];
  /** The same as `api`, for reads without a ring: it leaves more of the budget to other work. */
  readonly pollApi?: SyncParts['api'];
  /** Shortest time between the starts of two syncs of a calendar, however often it is rung for. */
  readonly settleMs: number;
  /** False when another worker runs with a newer mapping: this one then stops reading. */
  readonly isCurrent: () => Promise<boolean>;
  /** Milliseconds to wait after this many failures; absent: the default back-off. */
  readonly backoff?: (failures: number) => number;
  /** Stores which calendar waits for which quota. */
  readonly quotas: Pick<QuotaLedger, 'waits'>;
}

/** Shortest time from a failed attempt to the next one, if a ring requests it. */
const HURRIED_MS = 5_000;

/** Why a calendar is read: a ring, a look at everything after a loss, or its turn. The first that applies counts. */
const WHYS = ['rung', 'look', 'poll'] as const;
type Why = (typeof WHYS)[number];

interface Bell {
  /** Changes up to this moment are wanted. Undefined: no ring since the last sync began. */
  wantedUntilMs: number | undefined;
  /** The newest ping since the last sync began; 0: none. */
  ping: number;
  why: Why;
  /** On the monotonic clock of this process. */
  lastBeganAtMs: number;
  failures: number;
  /** The next attempt waits because the last one failed without saying for how long. */
  isBackingOff: boolean;
  /** When the next sync may begin, on the same clock. Undefined: no ring since the last one began. */
  dueAtMs: number | undefined;
}

interface Want {
  /** Changes up to this moment are wanted. */
  readonly untilMs: number;
  /** Changes up to this ping are wanted. */
  readonly ping?: number;
  readonly why: Why;
}

/** A calendar, and when its next sync may begin. */
interface Due {
  readonly calendarId: string;
  readonly bell: Bell;
  readonly dueAtMs: number;
}

/** Reads calendars when rung for. Each calendar has one sync at a time across all processes, and many rings cause one sync. */
export class CalendarWatch {
  readonly #parts: CalendarWatchParts;
  readonly #bells: ReadonlyMap<string, Bell>;
  /** Called when another sync may be due, or may begin. */
  readonly #news = new WakeAll();

  constructor(parts: CalendarWatchParts) {
    this.#parts = parts;
    this.#bells = new Map(
      parts.calendars.map((calendarId) => [
        calendarId,
        {
          ...{ wantedUntilMs: undefined, why: 'poll', failures: 0, isBackingOff: false, dueAtMs: undefined },
          ping: 0,
          lastBeganAtMs: Number.NEGATIVE_INFINITY,
        },
      ]),
    );
  }

  /**
   * Something has just changed there. Returns immediately; if a sync is running, another one follows. `ping`: its number in the calendar's
   * cursor, so that a sync by another process answers it too. Their clocks may differ by more than the age of the change.
   */
  ring(calendarId: string, ping: number): void {
    this.#hurry(calendarId);
    this.#want(calendarId, { untilMs: 0, ping, why: 'rung' });
  }

  /** Less may be known of the calendar than before. */
  look(calendarId: string, untilMs: number): void {
    this.#want(calendarId, { untilMs, why: 'look' });
  }

  /** The calendar has its turn, unless a process has read it up to that moment. */
  poll(calendarId: string, untilMs: number): void {
    this.#want(calendarId, { untilMs, why: 'poll' });
  }

  /** The signal interrupts running syncs after their current page; they continue there next time. */
  async run(signal: AbortSignal): Promise<void> {
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      const news = this.#news.signal;
      const next = running.size < SYNCS_AT_ONCE ? this.#next() : undefined;
      if (next === undefined) {
        await aborted(signal, news);
      } else if (next.dueAtMs > performance.now()) {
        await asleep(next.dueAtMs - performance.now(), [signal, news]);
      } else {
        const sync = this.#begin(next, signal).finally(() => {
          running.delete(sync);
          this.#news.call();
        });
        running.add(sync);
      }
    }
    await Promise.all(running);
  }

  /** After Google's ping, a back-off of minutes is pointless. A pause that Google requested is kept. */
  #hurry(calendarId: string): void {
    const bell = this.#bells.get(calendarId);
    if (bell === undefined || !bell.isBackingOff) return;
    bell.isBackingOff = false;
    // Never later than without the ring.
    this.#due(bell, Math.min(bell.dueAtMs ?? Number.POSITIVE_INFINITY, bell.lastBeganAtMs + HURRIED_MS));
  }

  #due(bell: Bell, atMs: number): void {
    bell.dueAtMs = Math.max(performance.now(), atMs);
    this.#news.call();
  }

  #want(calendarId: string, { untilMs, ping = 0, why }: Want, waitMs = 0): void {
    const bell = this.#bells.get(calendarId);
    if (bell === undefined) return;
    const isRung = bell.wantedUntilMs !== undefined;
    bell.wantedUntilMs = Math.max(bell.wantedUntilMs ?? 0, untilMs);
    bell.ping = Math.max(bell.ping, ping);
    bell.why = isRung && WHYS.indexOf(bell.why) < WHYS.indexOf(why) ? bell.why : why;
    if (isRung) return;
    this.#due(bell, Math.max(bell.lastBeganAtMs + this.#parts.settleMs, performance.now() + waitMs));
  }

  /** The calendar that is due first. */
  #next(): Due | undefined {
    let next: Due | undefined;
    for (const [calendarId, bell] of this.#bells) {
      const { dueAtMs } = bell;
      if (dueAtMs !== undefined && dueAtMs < (next?.dueAtMs ?? Number.POSITIVE_INFINITY))
        next = { calendarId, bell, dueAtMs };
    }
    return next;
  }

  #begin({ calendarId, bell }: Due, signal: AbortSignal): Promise<void> {
    const want = { untilMs: bell.wantedUntilMs ?? 0, ping: bell.ping, why: bell.why };
    // From here on, a ring may report a change that this sync misses: it gets a sync of its own.
    bell.wantedUntilMs = undefined;
    bell.ping = 0;
    bell.dueAtMs = undefined;
    bell.isBackingOff = false;
    bell.lastBeganAtMs = performance.now();
    return this.#sync({ calendarId, bell, want }, signal);
  }

  async #sync(
    { calendarId, bell, want }: Omit<Due, 'dueAtMs'> & { readonly want: Want },
    signal: AbortSignal,
  ): Promise<void> {
    const { leases, meter } = this.#parts;
    try {
      if (!(await this.#parts.isCurrent())) return;
      const held = await leases.hold(
        `calendar:${calendarId}`,
        (lease) => this.#syncOnce(calendarId, want, lease),
        { until: signal },
      );
      bell.failures = 0;
      if (held !== undefined) meter.add('slotbridge_calendar_syncs_total', { end: held.result });
      // Another process is reading it and may have begun too early, or has taken the lease over: look once more when it is done.
      if (held === undefined || held.result === 'interrupted')
        return this.#want(calendarId, want, this.#parts.settleMs);
    } catch (error) {
      if (signal.aborted) return;
      bell.failures += 1;
      this.#tell(calendarId, error);
      const { backoff = backoffMs } = this.#parts;
      const isAsked = error instanceof DeferredError;
      const isRung = bell.wantedUntilMs !== undefined;
      this.#want(calendarId, want, isAsked ? deferredForMs(error, bell.failures) : backoff(bell.failures));
      bell.isBackingOff = !isAsked && !isRung;
      await this.#noteWait(calendarId, error);
    }
  }

  async #syncOnce(
    calendarId: string,
    { untilMs, ping = 0, why }: Want,
    lease: Lease,
  ): Promise<SyncEnd | 'read-already'> {
    const { coveredUntilMs, coveredPings = 0 } = await this.#parts.cursors.read(calendarId);
    const isProof = coveredUntilMs !== undefined && canHaveBeen(coveredUntilMs, this.#parts.clock.now());
    if (isProof && coveredUntilMs >= untilMs && coveredPings >= ping) return 'read-already';
    const { api, pollApi = api } = this.#parts;
    const parts = { ...this.#parts, api: why === 'rung' ? api : pollApi };
    return syncCalendar(parts, calendarId, { lease, isPoll: why === 'poll' });
  }

  /** Shows people why the calendar is not read. Without the store they cannot ask, so its errors are ignored. */
  async #noteWait(calendarId: string, error: unknown): Promise<void> {
    if (!(error instanceof DeferredError) || error.quota === undefined) return;
    const untilMs = this.#parts.clock.now() + error.retryAfterMs + TRIED_WITHIN_MS;
    await this.#parts.quotas.waits(`calendar:${calendarId}`, [error.quota], untilMs).catch(() => undefined);
  }

  #tell(calendarId: string, error: unknown): void {
    const { log, meter } = this.#parts;
    meter.add('slotbridge_calendar_syncs_total', { end: 'failed' });
    const known = error instanceof WorkerError ? error : undefined;
    const target = `calendar:${calendarId}`;
    const fields = { target, code: known?.code ?? 'unexpected', err: error };
    if (known instanceof DeferredError) log.info(fields, 'calendar sync put off');
    else log.warn(fields, 'calendar sync failed');
  }
}
