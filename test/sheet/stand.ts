// A flusher against the Google sandbox, over real HTTP; the outbox and the memory are in memory.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleSandbox, type SpreadsheetOptions } from '@slotbridge/sandbox/google/sandbox';
import type { TerminalError } from '../../src/engine/errors.ts';
import type { ContactSheetMirror } from '../../src/engine/mirror.ts';
import { contentHash } from '../../src/engine/object.ts';
import type { Cell, OutboxRow, PendingRow } from '../../src/engine/sheet-row.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { SheetsApi, type SheetsApiOptions } from '../../src/google/sheets-api.ts';
import { createSheetFlusher, type FlushResult, type SheetFlusherParts } from '../../src/sheet/flush.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { MemoryUnkeptRows } from '../doubles/unkept-rows.ts';
import { double } from '../stand/double.ts';

export const WORKER = 'worker@slotbridge-sandbox.iam.gserviceaccount.com';
export const BOOK = 'book-1';

export const CONTACTS: ContactSheetMirror = {
  kind: 'sheet',
  name: 'contacts',
  from: 'contact',
  where: {},
  spreadsheetId: BOOK,
  tab: 'Contacts',
  timezone: undefined,
  columns: [
    { header: 'ID', template: '{{ id }}' },
    { header: 'Name', template: '{{ name }}' },
    { header: 'Phone', template: '{{ phone }}' },
  ],
  keyHeader: 'ID',
  unmatched: 'clear',
  deleted: 'clear',
};

export type Stand = Awaited<ReturnType<typeof startStand>>;

/** `tabs`: of the one spreadsheet; default an empty `Contacts`. */
export async function startStand(
  options: {
    tabs?: SpreadsheetOptions['tabs'];
    /** The spreadsheet's zone; default UTC. */
    timeZone?: string;
    parts?: Partial<SheetFlusherParts>;
    timeouts?: { timeoutMs?: number; writeTimeoutMs?: number };
  } = {},
) {
  const sandbox = await GoogleSandbox.start({
    quotas: { sheetsReadsPerMinutePerUser: 10_000, sheetsWritesPerMinutePerUser: 10_000 },
  });
  sandbox.addSpreadsheet(BOOK, {
    shareWith: [WORKER],
    tabs: options.tabs ?? [{ title: 'Contacts' }],
    ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
  });
  const folder = mkdtempSync(join(tmpdir(), 'sheet-stand-'));
  const keyFile = join(folder, 'key.json');
  writeFileSync(keyFile, JSON.stringify(sandbox.serviceAccountKey(WORKER)));
  const clock = { now: () => Date.now() };
  const outbox = new MemoryOutbox();
  const problems = new MemoryProblemBoard();
  problems.now = () => clock.now();
  const budget = new CountingBudget();
  const log = new KeptLog();
  const meter = new KeptMeter();
  const unkept = new MemoryUnkeptRows(outbox.confirmations);
  const refused: { row: PendingRow; error: TerminalError }[] = [];
  const apiOptions: SheetsApiOptions = {
    credential: createGoogleAuth({
      credentialsPath: keyFile,
      tokenUrl: sandbox.tokenUrl,
      timeoutMs: 5_000,
    }),
    rootUrl: `${sandbox.url}/`,
    budget,
    problems,
    clock,
    timeoutMs: 5_000,
    ...options.timeouts,
  };
  const api = new SheetsApi(apiOptions);
  const parts: SheetFlusherParts = {
    api,
    outbox,
    mirrors: [CONTACTS],
    unkept: double(unkept),
    tabs: new RememberedTabs(new MapMemory()),
    problems,
    clock,
    log,
    meter,
    onRefused: (row, error) => {
      refused.push({ row, error });
      outbox.refuse(row);
    },
    ...options.parts,
  };
  let flusher = createSheetFlusher(parts);
  const goes = new AbortController();
  const flush = (): Promise<FlushResult> => flusher.flush(BOOK, goes);
  return {
    sandbox,
    api,
    apiOptions,
    keyFile,
    outbox,
    problems,
    budget,
    log,
    meter,
    unkept,
    refused,
    flush,
    /** Another process, which takes turns with this one. */
    otherProcess(): () => Promise<FlushResult> {
      const other = createSheetFlusher(parts);
      return () => other.flush(BOOK, goes);
    },
    flushWith: (signal: AbortSignal) => flusher.flush(BOOK, { signal }),
    /** The process dies and another takes over: what it knew by heart is gone. */
    restart(): void {
      flusher = createSheetFlusher(parts);
    },
    /** Flushes until nothing waits, as the worker would; at most ten times. */
    async flushAll(): Promise<void> {
      for (let i = 0; i < 10; i += 1) if ((await flush()).remaining === 0) return;
      throw new Error('rows still wait after ten flushes');
    },
    put(...rows: OutboxRow[]): void {
      outbox.queue(rows);
    },
    async waiting(): Promise<string[]> {
      return (await outbox.pending(BOOK, 100_000)).map(({ rowKey }) => rowKey);
    },
    values: (tab = 'Contacts') => sandbox.truth.values(BOOK, tab),
    /** Flushes, and lets people do something while the write is under way but not yet performed. */
    async flushWhile(people: () => void): Promise<FlushResult> {
      const before = sandbox.faults.hits();
      const remove = sandbox.faults.add({
        path: /:batchUpdate/,
        times: 1,
        fault: { kind: 'delay', ms: 120 },
      });
      const flushed = flush();
      flushed.catch(() => undefined);
      while (sandbox.faults.hits() === before) await new Promise((done) => setTimeout(done, 2));
      people();
      try {
        return await flushed;
      } finally {
        remove();
      }
    },
    async close(): Promise<void> {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The n-th id. */
export function id(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

export function row(
  n: number,
  cells: Record<string, Cell> | undefined,
  about: Partial<OutboxRow> = {},
): OutboxRow {
  return {
    spreadsheetId: BOOK,
    tab: 'Contacts',
    mirror: 'contacts',
    key: `contact/${id(n)}`,
    rowKey: id(n),
    cells,
    hash: cells === undefined ? 'cleared' : contentHash(cells),
    occurredAtMs: undefined,
    ...about,
  };
}

/** A contact's row. */
export function contact(n: number, name = `Name ${n}`, phone = `+4178000${n}`): OutboxRow {
  return row(n, { Name: name, Phone: phone });
}

/** The line that stands in the sheet for it. */
export function line(n: number, name = `Name ${n}`, phone = `+4178000${n}`): string[] {
  return [id(n), name, phone];
}
