// A process may die, or lose its connection, between a write and the look at what it hit. Input: the notes of such writes. Output: tabs in
// which none of their cells stands in the wrong place, or a problem that names the place. It empties a cell only where the tab proves that
// the worker wrote it, and only while the cell still holds that text.
import { TerminalError } from '../../engine/domain/errors.ts';
import type { KeyedTab } from '../../engine/domain/mirror.ts';
import { formatKey } from '../../engine/domain/object.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import type { OpenWrite, Outbox, SentRow, SentRows } from '../../engine/ports/rows.ts';
import type { Clock, Log } from '../../engine/ports/runtime.ts';
import { type SheetRequest, type SheetsApi, WRITE_LANDS_MS } from '../../google/sheets-api.ts';
import { assertHeld, type Turn } from './held.ts';
import { type Cut, cutCells, type Emptied, isAdded, notedCells } from './noted-cells.ts';
import type { TabPlan } from './plan.ts';
import { cellsCovered, namedCells } from './tab-problems.ts';

export interface CutWritesParts {
  readonly api: SheetsApi;
  readonly mirrors: readonly KeyedTab[];
  readonly sent: SentRows;
  readonly outbox: Pick<Outbox, 'rewrite'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks in a row, while people move what is to be emptied. */
const LOOKS_MAX = 3;

export class CutWrites {
  readonly #parts: CutWritesParts;
  /** Spreadsheet and write to the time of the last look. */
  readonly #lookedAtMs = new Map<string, number>();

  constructor(parts: CutWritesParts) {
    this.#parts = parts;
  }

  /** Call before the write leaves: if the process is killed, Google may still perform it. */
  async note(spreadsheetId: string, plans: readonly TabPlan[]): Promise<OpenWrite | undefined> {
    const rows = plans.flatMap(notedCells);
    return rows.length === 0 ? undefined : this.#parts.sent.sent(spreadsheetId, rows);
  }

  /** `next` takes its place. If this fails, the write stays open: the next look finds nothing of it. */
  async ended(spreadsheetId: string, open: OpenWrite | undefined, next?: OpenWrite): Promise<void> {
    if (open === undefined || open.sentAtMs === next?.sentAtMs) return;
    await this.#parts.sent.ended(spreadsheetId, open).catch(() => undefined);
  }

  /**
   * Looks at each open write once, and again when it can no longer arrive. Takes one read for each tab of such a write. The caller holds the
   * lease of the spreadsheet.
   */
  async lookOnce(spreadsheetId: string, turn: Turn): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const open = await this.#parts.sent.open(spreadsheetId);
    const due = open.filter(({ sentAtMs }) => {
      const before = this.#lookedAtMs.get(`${spreadsheetId} ${sentAtMs}`);
      return before === undefined || Math.abs(nowMs - before) >= WRITE_LANDS_MS;
    });
    await this.#lookAt(spreadsheetId, due, turn);
  }

  /** Looks at all open writes. Returns those of which cells are still in the wrong place. */
  async look(spreadsheetId: string, turn: Turn): Promise<ReadonlySet<OpenWrite['sentAtMs']>> {
    return this.#lookAt(spreadsheetId, await this.#parts.sent.open(spreadsheetId), turn);
  }

  async #lookAt(
    spreadsheetId: string,
    open: readonly OpenWrite[],
    turn: Turn,
  ): Promise<ReadonlySet<OpenWrite['sentAtMs']>> {
    const { clock, mirrors, sent } = this.#parts;
    const left = new Set<SentRow>();
    const rows = open.flatMap((write) => write.rows.filter(({ cells }) => cells !== undefined));
    for (const place of mirrors) {
      const own = rows.filter(({ mirror, tab }) => mirror === place.name && tab === place.tab);
      if (place.spreadsheetId !== spreadsheetId || own.length === 0) continue;
      for (const row of await this.#mend(place, own, turn)) left.add(row);
    }
    const kept = new Set<number>();
    for (const write of open) {
      const nowMs = clock.now();
      this.#lookedAtMs.set(`${spreadsheetId} ${write.sentAtMs}`, nowMs);
      if (write.rows.some((row) => left.has(row))) kept.add(write.sentAtMs);
      // The sheet check looks for doubles of new rows, and ends their writes.
      else if (nowMs - write.sentAtMs >= WRITE_LANDS_MS && !write.rows.some(isAdded)) {
        await sent.ended(spreadsheetId, write);
        this.#lookedAtMs.delete(`${spreadsheetId} ${write.sentAtMs}`);
      }
    }
    return kept;
  }

  /** Returns the rows of which cells stay in the wrong place. */
  async #mend(place: KeyedTab, rows: readonly SentRow[], turn: Turn): Promise<ReadonlySet<SentRow>> {
    const { api, outbox, problems, log } = this.#parts;
    const { name, spreadsheetId, tab } = place;
    const target = `sheet-cells:${name}${this.#isHome(place) ? '' : `/${tab}`}`;
    const sheetId = rows[0]?.cells?.sheetId ?? 0;
    for (let looks = 1; ; looks += 1) {
      const grid = await this.#read(spreadsheetId, sheetId);
      const cut = cutCells(place, rows, grid);
      if (cut === undefined) return new Set(rows);
      const keys = cut.hit.map((id) => formatKey({ kind: place.from, id }));
      if (keys.length > 0) await outbox.rewrite(keys, name);
      const left = cut.emptied.length === 0 || looks > LOOKS_MAX ? [...cut.left, ...cut.emptied] : undefined;
      if (left !== undefined) {
        if (left.length === 0) await problems.clear(target);
        else await problems.raise({ target, names: [tab], ...leftProblem(tab, left) });
        return new Set(left.map(({ sent }) => sent));
      }
      assertHeld(turn, spreadsheetId);
      try {
        await api.write(
          spreadsheetId,
          cut.emptied.flatMap((each) => requestsOf(sheetId, each)),
        );
      } catch (error) {
        // A protection covers the cells.
        if (!(error instanceof TerminalError)) throw error;
        looks = LOOKS_MAX;
      }
      const covered = cut.emptied.filter(({ covers }) => covers.length > 0);
      const cells = covered.map(({ row, covers }) => ({ row, columns: covers }));
      if (cells.length > 0) await problems.raise(cellsCovered(place, cells));
      log.warn(
        { mirror: name, rows: cut.emptied.length },
        'cells of a write that was cut off are taken back',
      );
    }
  }

  /** Nothing if the tab is gone. */
  async #read(spreadsheetId: string, sheetId: number) {
    try {
      const [read] = await this.#parts.api.readTyped(spreadsheetId, [{ sheetId }]);
      return read?.rows ?? [];
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      return [];
    }
  }

  /** A mirror lists its main tab first. */
  #isHome({ name, tab }: KeyedTab): boolean {
    return this.#parts.mirrors.find((mirror) => mirror.name === name)?.tab === tab;
  }
}

function leftProblem(tab: string, left: readonly Cut[]) {
  return {
    code: 'cells-left',
    message: `a write that was cut off may have left cells in the tab ${tab}: ${namedCells(left)}`,
    advice: 'Empty these cells if nobody typed them. The problem ends with the next sheet check.',
  };
}

/** Empties a cell only if it still holds the text: people may have moved the rows once more. */
function requestsOf(sheetId: number, { row, cells, id }: Emptied): readonly SheetRequest[] {
  return [...cells].map(([column, cell]) => {
    const range = {
      ...{ sheetId, startRowIndex: row, endRowIndex: row + 1 },
      ...{ startColumnIndex: column, endColumnIndex: column + 1 },
    };
    if (typeof cell !== 'string') {
      const start = { sheetId, rowIndex: row, columnIndex: column };
      return { updateCells: { start, rows: [{ values: [{}] }], fields: 'userEnteredValue' } };
    }
    const replacement = id?.column === column ? id.text : '';
    return { findReplace: { find: cell, matchCase: true, matchEntireCell: true, replacement, range } };
  });
}
