import type { Lag } from './process-reports.ts';
import type { Reading } from './reading.ts';

/** The output of `GET /status` and `slotbridge status --json`. Times are ISO 8601 in UTC, ages are whole seconds. */
export interface StatusReport {
  readonly version: string;
  /** `installationOf` the worker's configuration; absent in the answer of an older worker. */
  readonly installation?: string;
  /** Absent in the answer of an older worker. */
  readonly time_zones?: ZonesReport;
  /** When the report was read. */
  readonly at: string;
  /** `silent`: its process accepts connections and does not answer. */
  readonly worker: 'running' | 'silent' | 'not-running';
  /** When the worker's process began. */
  readonly started_at: string | null;
  /** When it took up its YAML: at its start, or at the last reload. Absent in the answer of an older worker. */
  readonly configured_at?: string | null;
  /** Nothing is pending, in flight or waiting, and the coverage is fresh and without holes. */
  readonly idle: boolean;
  /** One sentence per reason; empty when idle. */
  readonly not_idle_because: readonly string[];
  readonly coverage: {
    readonly feed: CoverageReport;
    /** The watched calendars, in the order of the mapping. */
    readonly calendars: readonly CalendarCoverageReport[];
    /** The entries of `bookings` that read a sheet, in the order of the file. */
    readonly intake_sheets: readonly IntakeCoverageReport[];
    /** The entries of `blocks`, in the order of the file; absent if there are none. */
    readonly blocks?: readonly IntakeCoverageReport[];
  };
  readonly holes: readonly HoleReport[];
  readonly pending: PendingReport;
  readonly dead_letters: {
    readonly count: number;
    /** All dead letters, by the code of their first reason. */
    readonly by_code: Readonly<Record<string, number>>;
    readonly recent: readonly DeadLetterReport[];
  };
  /** Deliveries and events that could not be understood. */
  readonly quarantined: number;
  readonly lag_s: Lag;
  readonly problems: readonly ProblemReport[];
  /** Google's budgets that were used within the last hour. */
  readonly quotas: readonly QuotaReport[];
  /** The hosts whose workers reported within the last two minutes; absent if there are none. */
  readonly hosts?: readonly HostReport[];
}

export interface HostReport {
  readonly host: string;
  /** By how much its clock is ahead of that of Redis; negative: behind. */
  readonly clock_ahead_s: number;
  /** For how long the side has not answered this host; 0 while it answers, null if nothing is known. */
  readonly platform_unreached_s: number | null;
  readonly google_unreached_s: number | null;
}

export interface ZonesReport {
  /** Release of IANA's database that slotbridge brings, such as `2026f`, and that of Node; null if Node does not say. */
  readonly version: string;
  readonly node_version: string | null;
  /** Zones in use that are unknown or differ from Node's, and rules that are old: one sentence or two each, with what to do. */
  readonly notices: readonly string[];
}

export interface QuotaReport {
  /** `google-calendar:<credential>`, `google-sheets-read:<credential>`, `google-sheets-write:<credential>`. */
  readonly name: string;
  /** `calendar:<id>` when Google limits only this calendar and others continue; null for the whole budget. */
  readonly target: string | null;
  /** Requests of the last minute that Google did not refuse. */
  readonly spent: number;
  /** Requests per minute that are admitted now; less than `limit` after Google's refusals. */
  readonly admitted: number;
  /** Requests per minute that the settings allow. */
  readonly limit: number;
  /** Until when calls are stopped because Google refused; null when they are not. `reason`: Google's reason for the last refusal. */
  readonly paused_until: string | null;
  readonly reason: string | null;
  /** Objects, calendars to be read and spreadsheets that wait for this budget. */
  readonly waiting: number;
}

export interface CoverageReport {
  /**
   * All events before this moment have been taken in, except in holes; null before the first walk has ended. In the future if a clock was
   * ahead: then nothing is proved.
   */
  readonly covered_until: string | null;
  readonly proved_at: string | null;
  /** Null without a proof, and if proof or covered moment lie in the future. */
  readonly proved_ago_s: number | null;
  /** The proof is at most two walks, or two polling intervals, plus 15 s old. */
  readonly fresh: boolean;
  /** Whether a source without a fresh proof is being read; only `unread` needs a person. */
  readonly reading: Reading;
  readonly walk_open: boolean;
}

export interface IntakeCoverageReport extends Omit<CoverageReport, 'walk_open'> {
  /** Until when Google limits it; null if it does not, or the end is unknown. */
  readonly limited_until: string | null;
  /** Name of the entry of `bookings` or `blocks`. */
  readonly entry: string;
}

export interface CalendarCoverageReport extends CoverageReport {
  /** The calendar's id. */
  readonly calendar: string;
  /** The current polling interval. */
  readonly read_every_s: number;
  /** Google's pings for it arrive, so polling only has to find changes whose ping was lost. */
  readonly pinged: boolean;
  /** When everything in it was last listed in full. */
  readonly listed_at: string | null;
  /** Until when Google limits it; null if it does not, or the end is unknown. */
  readonly limited_until: string | null;
}

export interface HoleReport {
  readonly id: string;
  readonly source: string;
  /** Null means the beginning of time. */
  readonly from: string | null;
  /** Null while the hole is still growing. */
  readonly to: string | null;
  readonly cause: string;
  readonly found_at: string;
}

export interface PendingReport {
  readonly objects: number;
  readonly oldest_age_s: number | null;
  /** How long an object has been due whose turn has not come; absent if none is due. */
  readonly overdue_s?: number;
  /** Counts only the answering process; null if that is not the worker. */
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
  /** What the message names, such as headers; absent if nothing. */
  readonly names?: readonly string[];
  readonly since: string;
  readonly last_at: string;
}
