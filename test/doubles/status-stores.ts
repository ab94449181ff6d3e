import type { Channel } from '../../src/calendar/stores.ts';
import type { Coverage, Hole } from '../../src/engine/coverage.ts';
import type { CalendarCursor } from '../../src/engine/poll-pace.ts';
import type { PlatformBudget, QuotaState } from '../../src/engine/quotas.ts';
import type { DeadLetter, Problem } from '../../src/engine/work.ts';
import type { Lag } from '../../src/operate/process-reports.ts';
import type { StatusParts } from '../../src/operate/status.ts';
import { double } from '../stand/double.ts';
import { HandClock } from './hand-clock.ts';

const UNREAD = {
  open: undefined,
  coveredUntilMs: undefined,
  provedAtMs: undefined,
  listedAtMs: undefined,
  changedAtMs: undefined,
  pingedAtMs: undefined,
  missedAtMs: undefined,
};

/** What the stores are to say; a quiet worker until a test changes it. */
export class StatusStores {
  readonly clock = new HandClock(Date.parse('2026-11-21T14:03:34.000Z'));
  coverage: Coverage = {
    coveredUntilMs: Date.parse('2026-11-21T14:03:22.000Z'),
    provedAtMs: Date.parse('2026-11-21T14:03:22.000Z'),
    anchors: [],
    anchorAtMs: undefined,
    open: undefined,
    holes: [],
  };
  holes: Hole[] = [];
  pending: { objects: number; oldestSinceMs: number | undefined } = { objects: 0, oldestSinceMs: undefined };
  letters: DeadLetter[] = [];
  quarantined = 0;
  rows: { spreadsheetId: string; rows: number }[] = [];
  problems: Problem[] = [];
  quotas: QuotaState[] = [];
  platformBudget: PlatformBudget = { limit: undefined, left: undefined, renewedInMs: 0, pausedForMs: 0 };
  inFlight: number | undefined = 0;
  /** How late writes were lately. */
  lag: Lag = { p50: null, p99: null, samples: 0 };
  /** Watched calendars; none of them was ever read. */
  calendarIds: string[] = [];
  /** When all of them were last read through; absent: never. */
  calendarsReadAtMs: number | undefined;
  /** What else the cursor of each says. */
  calendarCursor: Partial<CalendarCursor> = {};
  channels: Channel[] = [];
  /** Every read waits for it. */
  gate: Promise<unknown> = Promise.resolve();

  /** The parts of a status source that read from here, live. */
  parts(): StatusParts {
    const answer = async <T>(read: () => T): Promise<T> => {
      await this.gate;
      return read();
    };
    return {
      version: '1.2.3',
      ledger: double({
        pending: () => answer(() => this.pending),
        deadLetters: (limit) =>
          answer(() => ({
            count: this.letters.length,
            letters: this.letters.slice(0, limit),
            codes: this.#codes(),
          })),
        quarantined: () => answer(() => this.quarantined),
      }),
      coverage: { read: () => answer(() => this.coverage), holes: () => answer(() => this.holes) },
      outbox: { waiting: () => answer(() => this.rows) },
      problems: { list: () => answer(() => this.problems) },
      quotas: { read: () => answer(() => this.quotas) },
      writeProbe: { problem: async () => undefined },
      inFlight: () => this.inFlight,
      lag: async () => this.lag,
      calendars: {
        ids: this.calendarIds,
        cursors: {
          states: (ids) =>
            answer(() => {
              const readAtMs = this.calendarsReadAtMs;
              const state = { ...UNREAD, coveredUntilMs: readAtMs, provedAtMs: readAtMs };
              return ids.map((id) => [id, { ...state, ...this.calendarCursor }] as const);
            }),
        },
        channels: { all: async () => this.channels },
        address: 'https://worker.example/webhooks/google',
        pace: { everyMs: 60_000, quietEveryMs: 900_000, perMinute: 150 },
      },
      feedEveryMs: 60_000,
      clock: this.clock,
      worker: 'running',
      startedAtMs: Date.parse('2026-11-21T08:00:12.000Z'),
    };
  }

  #codes(): Record<string, number> {
    const codes: Record<string, number> = {};
    for (const { reasons } of this.letters) {
      const code = reasons[0]?.code ?? 'unknown';
      codes[code] = (codes[code] ?? 0) + 1;
    }
    return codes;
  }
}
