import type { Lag } from './lag.ts';
import type { Reading } from './reading.ts';

/** What `GET /status` and `slotbridge status --json` say. Times are ISO 8601 in UTC, ages whole seconds. */
export interface StatusReport {
  readonly version: string;
  /** When it was read. */
  readonly at: string;
  readonly worker: 'running' | 'not-running';
  readonly started_at: string | null;
  /** Nothing is pending, at work or waiting, and the coverage is fresh and without a hole. */
  readonly idle: boolean;
  /** One sentence per reason; empty when idle. */
  readonly not_idle_because: readonly string[];
  readonly coverage: {
    readonly feed: CoverageReport;
    /** The watched calendars, in the order of the mapping. */
    readonly calendars: readonly CalendarCoverageReport[];
    /** The entries of `bookings` that read a sheet, in the order of the file. */
    readonly intake_sheets: readonly IntakeCoverageReport[];
    /** The entries of `blocks`, in the order of the file; absent where there are none. */
    readonly blocks?: readonly IntakeCoverageReport[];
  };
  readonly holes: readonly HoleReport[];
  readonly pending: PendingReport;
  readonly dead_letters: {
    readonly count: number;
    /** All of them, by the code of their first reason. */
    readonly by_code: Readonly<Record<string, number>>;
    readonly recent: readonly DeadLetterReport[];
  };
  /** Deliveries and events that could not be understood. */
  readonly quarantined: number;
  readonly lag_s: Lag;
  readonly problems: readonly ProblemReport[];
  /** Google's budgets that were used within the last hour. */
  readonly quotas: readonly QuotaReport[];
}

export interface QuotaReport {
  /** `google-calendar:<credential>`, `google-sheets-read:<credential>`, `google-sheets-write:<credential>`. */
  readonly name: string;
  /** `calendar:<id>` when Google limits this one alone, and the others go on; null for the budget as a whole. */
  readonly target: string | null;
  /** Requests of the last minute that Google did not refuse. */
  readonly spent: number;
  /** Requests per minute that are admitted now; less than `limit` after Google's refusals. */
  readonly admitted: number;
  /** Requests per minute that the settings allow. */
  readonly limit: number;
  /** Until when nobody calls because of Google's own refusal; null when nothing is stopped. `reason`: Google's word for the last refusal. */
  readonly paused_until: string | null;
  readonly reason: string | null;
  /** Objects, calendars to be read and spreadsheets that wait for it. */
  readonly waiting: number;
}

export interface CoverageReport {
  /** Everything before this moment has been taken in, the holes apart; null before the first walk has ended. */
  readonly covered_until: string | null;
  readonly proved_at: string | null;
  readonly proved_ago_s: number | null;
  /** The proof is not older than two rounds of the walk, or two intervals of polling, and 15 s. */
  readonly fresh: boolean;
  /** Whether what is not fresh is being read; only `unread` needs somebody. */
  readonly reading: Reading;
  readonly walk_open: boolean;
}

export interface IntakeCoverageReport extends Omit<CoverageReport, 'walk_open'> {
  /** Until when Google limits it; null when it does not, or nobody knows. */
  readonly limited_until: string | null;
  /** Name of the entry of `bookings` or `blocks`. */
  readonly entry: string;
}

export interface CalendarCoverageReport extends CoverageReport {
  /** The calendar's id. */
  readonly calendar: string;
  /** The interval at which it is polled now. */
  readonly read_every_s: number;
  /** Google's pings for it arrive, so that it is polled for those that get lost only. */
  readonly pinged: boolean;
  /** When everything in it was listed the last time. */
  readonly listed_at: string | null;
  /** Until when Google limits it; null when it does not, or nobody knows. */
  readonly limited_until: string | null;
}

export interface HoleReport {
  readonly id: string;
  readonly source: string;
  /** Null is the beginning of time. */
  readonly from: string | null;
  /** Null while it is still growing. */
  readonly to: string | null;
  readonly cause: string;
  readonly found_at: string;
}

export interface PendingReport {
  readonly objects: number;
  readonly oldest_age_s: number | null;
  /** Counts the answering process only; null when that is not the worker. */
  readonly in_flight: number | null;
  readonly sheet_rows: number;
}

export interface DeadLetterReport {
  /** `appointment/<id>`, `contact/<id>` */
  readonly key: string;
  readonly at: string;
  readonly attempts: number;
  readonly reasons: readonly {
    readonly mirror: string;
    readonly code: string;
    readonly message: string;
    readonly advice: string | null;
  }[];
}

export interface ProblemReport {
  /** `platform`, `calendar:<id>`, `spreadsheet:<id>/<tab>`, … */
  readonly target: string;
  readonly code: string;
  readonly message: string;
  readonly advice: string | null;
  readonly since: string;
  readonly last_at: string;
}
