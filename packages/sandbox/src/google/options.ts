import type { Role } from './calendar/calendar.ts';
import type { QuotaLimits } from './quotas.ts';
import type { CellValue } from './sheets/cell.ts';
import type { SheetRole } from './sheets/workbook.ts';
import type { Switches } from './switches.ts';

export interface GoogleSandboxOptions {
  host?: string;
  /** 0, the default: any free port. */
  port?: number;
  clock?: { now(): number };
  /** The same seed gives the same ids and the same random faults. */
  seed?: number;
  /** Delay of every answer of the two APIs. */
  latencyMs?: number;
  /** Per minute. Defaults per user: 600 for Calendar, 60 reads and 60 writes for Sheets. */
  quotas?: QuotaLimits;
  switches?: Partial<Switches>;
}

export interface CalendarOptions {
  shareWith: readonly string[];
  /** The role of those it is shared with; default `writer`. */
  role?: Role;
  timeZone?: string;
  summary?: string;
}

export interface SpreadsheetOptions {
  shareWith: readonly string[];
  /** The role of those it is shared with; default `writer`. */
  role?: SheetRole;
  /** Default 1000 rows and 26 columns. `values` are stored as given. */
  tabs: readonly {
    title: string;
    rows?: number;
    columns?: number;
    values?: readonly (readonly CellValue[])[];
  }[];
  title?: string;
  timeZone?: string;
}
