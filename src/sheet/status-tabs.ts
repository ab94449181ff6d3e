// Keeps one tab in each spreadsheet that tells its users how current the data is. A round compares what users must know with what the
// worker wrote last. It writes at most once a minute, and only if that differs, rows were written, or users typed over the text. A later
// time alone is no reason. A lease lets one process at a time do this. Redis keeps what was written last; if the process dies before
// storing it, the next round only writes the same text again.

import { DeferredError, TerminalError } from '../engine/errors.ts';
import { tabIdOf } from '../engine/ids.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import { contentHash, readFact } from '../engine/object.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import type { SheetRequest, SheetsApi, TabInfo } from '../google/sheets-api.ts';
import { storable } from './tab-survey.ts';
import type { SheetZones } from './typed-cell.ts';

/** `lines`: the text for the users of a spreadsheet. `matter`: the part of it whose change justifies a write. */
interface Text {
  readonly lines: readonly string[];
  readonly matter: string;
}

export interface StatusTabsParts {
  readonly api: Pick<SheetsApi, 'read' | 'tabs' | 'write'>;
  readonly title: string;
  /** Prefix of the keys in Redis: two installations have two tabs. */
  readonly installation: string;
  readonly spreadsheets: readonly string[];
  /** Reads the state once. The result renders it for one spreadsheet, with times in the given zone. */
  readonly read: () => Promise<(spreadsheetId: string, zone: string) => Text>;
  readonly zones: SheetZones;
  readonly memory: Pick<RedisMemory, 'get' | 'setUnder'>;
  readonly leases: Leases;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shortest interval between two writes: users read no faster, and each write takes one of the sixty that Google allows per minute. */
const WRITE_EVERY_MS = 60_000;
/** Interval between two checks whether users typed over the text or deleted the tab. */
const READ_EVERY_MS = 5 * 60_000;
const LEASE = 'status-tabs';

export class StatusTabs {
  readonly #parts: StatusTabsParts;
  /** Spreadsheet to the time its tab was last read. */
  readonly #readAtMs = new Map<string, number>();

  constructor(parts: StatusTabsParts) {
    this.#parts = parts;
  }

  /** One round over all spreadsheets. A spreadsheet that refuses the write does not hold up the others. */
  async look(signal: AbortSignal): Promise<void> {
    const { leases, read, spreadsheets, log } = this.#parts;
    const round = async (lease: Lease) => {
      const textFor = await read();
      for (const spreadsheetId of spreadsheets) {
        if (lease.signal.aborted) return;
        try {
          await this.#keep(spreadsheetId, { textFor, lease });
        } catch (error) {
          log.warn({ spreadsheet: spreadsheetId, err: error }, 'status tab not written');
        }
      }
    };
    await leases.hold(LEASE, round, { until: signal });
  }

  async #keep(
    spreadsheetId: string,
    { textFor, lease }: { textFor: (spreadsheetId: string, zone: string) => Text; lease: Lease },
  ): Promise<void> {
    const { memory, clock, problems } = this.#parts;
    const target = `status-tab:${spreadsheetId}`;
    const last = await readFact<Last>(memory, nameOf(spreadsheetId));
    const nowMs = clock.now();
    if (last !== undefined && distanceMs(last.atMs, nowMs) < WRITE_EVERY_MS) return;
    const text = textFor(spreadsheetId, await this.#zoneOf(spreadsheetId));
    const rowsAt = (await memory.get(`rows-written ${spreadsheetId}`)) ?? '';
    const matter = `${text.matter} ${rowsAt}`;
    if (last?.matter === matter && !(await this.#isTouched(spreadsheetId, last.said))) return;
    // Store this before calling Google, so that a refused write or a lost answer is not repeated immediately either.
    if (
      !(await memory.setUnder(lease, {
        [nameOf(spreadsheetId)]: JSON.stringify({ matter: '', atMs: nowMs }),
      }))
    )
      return;
    // What cannot stand in a cell would be refused, or read back as another text.
    const lines = text.lines.map((line) => String(storable(line) ?? ''));
    if (!(await this.#write(spreadsheetId, { lines, target }))) return;
    await memory.setUnder(lease, {
      [nameOf(spreadsheetId)]: JSON.stringify({ matter, atMs: nowMs, said: contentHash(lines) }),
    });
    await problems.clear(target);
  }

  /** True when the tab no longer shows what was written last. This check is one or two cheap reads. */
  async #isTouched(spreadsheetId: string, said: string | undefined): Promise<boolean> {
    const { api, clock, installation } = this.#parts;
    const nowMs = clock.now();
    const readAtMs = this.#readAtMs.get(spreadsheetId) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(nowMs - readAtMs) < READ_EVERY_MS) return false;
    this.#readAtMs.set(spreadsheetId, nowMs);
    const sheetId = statusTabId(installation);
    if (!(await api.tabs(spreadsheetId)).some((tab) => tab.sheetId === sheetId)) return true;
    const [values] = await api.read(spreadsheetId, [{ sheetId, startColumn: 0, endColumn: 1 }]);
    return values !== undefined && contentHash(values.rows.map(([cell]) => String(cell ?? ''))) !== said;
  }

  async #zoneOf(spreadsheetId: string): Promise<string> {
    try {
      return await this.#parts.zones.zoneOf(spreadsheetId);
    } catch (error) {
      // Mirrors that write dates report the unknown zone. Here, a time in UTC is better than none.
      if (error instanceof DeferredError && error.code === 'sheet-zone-unknown') return 'UTC';
      throw error;
    }
  }

  async #write(
    spreadsheetId: string,
    { lines, target }: { readonly lines: readonly string[]; readonly target: string },
  ): Promise<boolean> {
    const { api, title, installation, problems } = this.#parts;
    const plan = planStatusTab(await api.tabs(spreadsheetId), {
      ...{ sheetId: statusTabId(installation), title, lines },
    });
    if (plan === 'taken') {
      await problems.raise({ target, ...TAKEN });
      return false;
    }
    try {
      await api.write(spreadsheetId, plan);
      return true;
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      await problems.raise({ target, ...REFUSED });
      return false;
    }
  }
}

const TAKEN = {
  code: 'status-tab-taken',
  message: 'people have a tab with the name of worker.status_tab, so nothing is written into it',
  advice: 'Rename that tab, or choose another name for worker.status_tab.',
};
const REFUSED = {
  code: 'status-tab-refused',
  message: 'Google refuses what the worker writes into its status tab',
  advice:
    'See whether the tab is protected, or the spreadsheet full. You can delete the tab: the worker makes another one.',
};

function nameOf(spreadsheetId: string): string {
  return `status-tab ${spreadsheetId}`;
}

interface Last {
  readonly matter: string;
  readonly atMs: number;
  /** Hash of the lines. Absent while a write is in progress, or after it failed. */
  readonly said?: string;
}

// Input: the tabs of a spreadsheet and the lines to show. Output: the requests that make the status tab show them. Pure.

/** Lines that each write covers: blank ones after the text erase what was there before. */
export const LINES_MAX = 15;
const WIDTH_PIXELS = 640;

export function statusTabId(installation: string): number {
  return tabIdOf(`slotbridge status ${installation}`);
}

/** `taken`: users already have a tab of that name, and it belongs to them. */
function planStatusTab(
  tabs: readonly TabInfo[],
  {
    sheetId,
    title,
    lines,
  }: { readonly sheetId: number; readonly title: string; readonly lines: readonly string[] },
): readonly SheetRequest[] | 'taken' {
  const own = tabs.find((tab) => tab.sheetId === sheetId);
  // Google ignores case when it compares tab titles.
  const isTaken = tabs.some((tab) => tab.title.toLowerCase() === title.toLowerCase());
  if (own === undefined && isTaken) return 'taken';
  return [...(own === undefined ? made(sheetId, title) : grown(own)), written(sheetId, lines)];
}

function made(sheetId: number, title: string): SheetRequest[] {
  const gridProperties = { rowCount: LINES_MAX, columnCount: 1 };
  const range = { sheetId, dimension: 'COLUMNS', startIndex: 0, endIndex: 1 };
  return [
    { addSheet: { properties: { sheetId, title, gridProperties } } },
    { updateDimensionProperties: { range, properties: { pixelSize: WIDTH_PIXELS }, fields: 'pixelSize' } },
  ];
}

/** Adds the rows that users have deleted. */
function grown({ sheetId, rows }: TabInfo): SheetRequest[] {
  if (rows >= LINES_MAX) return [];
  return [{ appendDimension: { sheetId, dimension: 'ROWS', length: LINES_MAX - rows } }];
}

/** Writes values only: users' formatting of the cells stays. */
function written(sheetId: number, lines: readonly string[]): SheetRequest {
  const rows = Array.from({ length: LINES_MAX }, (_, index) => {
    const line = lines[index];
    return { values: [line === undefined ? {} : { userEnteredValue: { stringValue: line } }] };
  });
  return {
    updateCells: { start: { sheetId, rowIndex: 0, columnIndex: 0 }, rows, fields: 'userEnteredValue' },
  };
}
