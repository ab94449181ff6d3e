import type { KeyedTab } from '../../../domain/mirror.ts';
import { trimmedCell } from '../../../domain/sheet-row.ts';
import type { SheetsApi } from '../../../google/sheets-api.ts';
import type { Log } from '../../../ports/runtime.ts';
import type { AddedColumns } from '../flush/plan.ts';
import {
  headerMissing,
  headersOf,
  isTabFault,
  keyRenamed,
  type Layout,
  layoutWithAdded,
  missingHeaders,
  type TabFault,
} from './layout.ts';
import type { KnownColumns, TabMemory } from './tab-memory.ts';

/**
 * Distinguishes new columns of the mapping from columns that users renamed or deleted, by the headers that were last complete in the tab.
 * The worker adds new columns, and asks users about the others.
 */
export class ColumnSurvey {
  readonly #api: SheetsApi;
  readonly #memory: TabMemory;
  readonly #log: Log;

  constructor(parts: { api: SheetsApi; memory: TabMemory; log: Log }) {
    this.#api = parts.api;
    this.#memory = parts.memory;
    this.#log = parts.log;
  }

  /** Call when all headers of the mirror are in its tab. Headers that left the mapping are logged once; their columns stay. */
  async note(mirror: KeyedTab): Promise<void> {
    const { spreadsheetId, tab } = mirror;
    const headers = headersOf(mirror);
    const key = mirror.keyHeader.trim();
    const before = await this.#memory.columns(spreadsheetId, tab);
    // Redis is the only record. A copy in this process would outlive a wiped Redis and grow with every look.
    if (before !== undefined && isSame(before, { key, headers })) return;
    const gone = before?.headers.filter((header) => !headers.includes(header)) ?? [];
    if (gone.length > 0) {
      const advice = 'Delete the columns if nobody needs them: the worker no longer touches them.';
      this.#log.info({ mirror: mirror.name, headers: gone, advice }, 'columns left the mapping');
    }
    await this.#memory.setColumns(spreadsheetId, tab, { key, headers });
  }

  /**
   * Where the missing columns will be inserted, if they are new in the mapping. Otherwise the fault, with a more precise message where
   * possible.
   */
  async added(
    mirror: KeyedTab,
    seen: { readonly sheetId: number; readonly header: readonly unknown[]; readonly fault: TabFault },
  ): Promise<{ readonly layout: Layout; readonly addedColumns: AddedColumns } | TabFault> {
    const { sheetId, header, fault } = seen;
    const missing = missingHeaders(header, mirror);
    const known = await this.#memory.columns(mirror.spreadsheetId, mirror.tab);
    if (missing.length === 0 || known === undefined) return fault;
    const key = mirror.keyHeader.trim();
    if (missing.includes(key)) {
      const isRenamed = key !== known.key && header.map(trimmedCell).includes(known.key);
      return isRenamed ? keyRenamed(known.key, key) : fault;
    }
    const lost = missing.filter((name) => known.headers.includes(name));
    if (lost.length > 0) return headerMissing(lost);
    // Users may have columns without a header, so look for the last column that holds anything.
    const [whole] = await this.#api.read(mirror.spreadsheetId, [{ sheetId }]);
    const tab = (await this.#api.tabs(mirror.spreadsheetId)).find((info) => info.sheetId === sheetId);
    if (whole === undefined || tab === undefined) return fault;
    const at = whole.rows.reduce((width, row) => Math.max(width, row.length), header.length);
    const layout = layoutWithAdded(header, mirror, at);
    if (isTabFault(layout)) return layout;
    return { layout, addedColumns: { at, headers: missing, isLast: at >= tab.columns } };
  }
}

function isSame(a: KnownColumns, b: KnownColumns): boolean {
  const headers = new Set(a.headers);
  return (
    a.key === b.key &&
    headers.size === new Set(b.headers).size &&
    b.headers.every((header) => headers.has(header))
  );
}
