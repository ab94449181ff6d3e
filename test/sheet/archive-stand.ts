// A sheet mirror with an archive over real parts: Redis, Google's sandbox, the target, the flusher and the check; one clock in the hand.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import { parseKey } from '../../src/engine/object.ts';
import type { Outbox } from '../../src/engine/outbox.ts';
import { type ReconcileParts, reconcile } from '../../src/engine/reconcile.ts';
import type { RowMoves } from '../../src/engine/sheet-rows.ts';
import { sweepOnce } from '../../src/engine/sweep.ts';
import type { WorkStore } from '../../src/engine/work-store.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { SheetsApi } from '../../src/google/sheets-api.ts';
import { SheetChecker } from '../../src/sheet/check.ts';
import { createSheetFlusher } from '../../src/sheet/flush.ts';
import { placesOf, RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { createSheetTarget } from '../../src/sheet/target.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { directory } from '../calendar/stand.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { WORKER_DEFAULTS } from '../stand/defaults.ts';
import { openTestStore } from '../stand/store.ts';
import { sweepParts } from '../stand/sweep-parts.ts';
import { id, WORKER } from './stand.ts';

export const DAY_MS = 86_400_000;
export const NOW = Date.UTC(2026, 2, 2, 9);
export const OFFICE = 'office';
export const CELLAR = 'cellar';
/** The ISO time so many days from the beginning. */
export const day = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

export const APPOINTMENTS: SheetMirror = {
  kind: 'sheet',
  name: 'visits',
  from: 'appointment',
  where: { sinceMs: 3_650 * DAY_MS },
  spreadsheetId: OFFICE,
  tab: 'Visits',
  timezone: 'UTC',
  columns: [
    { header: 'ID', template: '{{ id }}' },
    { header: 'Who', template: '{{ customer_name }}' },
    { header: 'Status', template: '{{ status }}' },
  ],
  keyHeader: 'ID',
  unmatched: 'clear',
  deleted: 'clear',
  check: { everyMs: 600_000, removed: 'restore', edited: 'restore' },
  archive: { spreadsheetId: CELLAR, tab: 'Old', by: 'starts_at', afterMs: 30 * DAY_MS, blankRows: 'delete' },
};

/** What a worker stands on, so that a test can put something in between. */
export interface ArchiveGround {
  readonly work: WorkStore;
  readonly outbox: Outbox;
  readonly moves: RowMoves;
  readonly api: SheetsApi;
}

export type ArchiveStand = Awaited<ReturnType<typeof startArchiveStand>>;

export async function startArchiveStand(redisUrl: string, change: Partial<SheetMirror> = {}) {
  const mirror = { ...APPOINTMENTS, ...change } as SheetMirror;
  const clock = new HandClock(NOW);
  const sandbox = await GoogleSandbox.start({
    quotas: { sheetsReadsPerMinutePerUser: 100_000, sheetsWritesPerMinutePerUser: 100_000 },
  });
  sandbox.addSpreadsheet(OFFICE, {
    shareWith: [WORKER],
    tabs: [{ title: 'Visits' }, { title: 'Old' }],
  });
  sandbox.addSpreadsheet(CELLAR, { shareWith: [WORKER], tabs: [{ title: 'Old' }] });
  const folder = mkdtempSync(join(tmpdir(), 'archive-stand-'));
  const credentialsPath = join(folder, 'key.json');
  writeFileSync(credentialsPath, JSON.stringify(sandbox.serviceAccountKey(WORKER)));
  const store = openTestStore(redisUrl, { now: () => clock.now() });
  await store.ready();
  const log = new KeptLog();
  const meter = new KeptMeter();
  const problems = new MemoryProblemBoard();
  const api = new SheetsApi({
    credential: createGoogleAuth({ credentialsPath, tokenUrl: sandbox.tokenUrl, timeoutMs: 5_000 }),
    rootUrl: `${sandbox.url}/`,
    budget: new CountingBudget(),
    ...{ problems, clock: { now: Date.now }, timeoutMs: 5_000 },
  });
  const ground: ArchiveGround = { work: store.work, outbox: store.outbox, moves: store.rowMoves, api };

  /** Everything that one process holds. */
  const process = (own: ArchiveGround, mapped: SheetMirror) => {
    const shared = { clock, log, meter };
    const tabs = new RememberedTabs(store.memory);
    const target = createSheetTarget({
      ...{ ...shared, mirror: mapped, outbox: own.outbox, waker: { wake() {} } },
      directory: { current: () => directory },
    });
    const parts: ReconcileParts = {
      ...{ ...shared, work: own.work, history: store.history, handlers: [target] },
      reader: { get: async () => undefined } as unknown as ReconcileParts['reader'],
      editCarrier: { carry: async (claim) => ({ claim, failures: [] }) },
      ...WORKER_DEFAULTS,
    };
    const flusher = createSheetFlusher({
      ...{
        ...shared,
        api: own.api,
        outbox: own.outbox,
        moves: own.moves,
        unkept: store.unkept,
        mirrors: placesOf(mapped),
        tabs,
        problems,
      },
      onTabBegun: (place) => store.outbox.rewriteAll(place),
    });
    return { parts, target, flusher };
  };

  const stand = {
    ...{ clock, sandbox, store, log, problems, ground, mirror },
    staff: sandbox.staff.sheets,
    /** An appointment of that number is as given now. */
    async seen(n: number, fields: Record<string, unknown> = {}): Promise<void> {
      clock.advance(1_000);
      const key = { kind: 'appointment', id: id(n) } as const;
      const snapshot = {
        id: id(n),
        ...{ status: 'confirmed', customer_name: `Name ${n}`, created_at: day(-100) },
        starts_at: day(0),
        updated_at: new Date(clock.now()).toISOString(),
        ...fields,
      };
      const seen = { as: 'snapshot', snapshot } as const;
      await store.intake.observe({ key, source: 'webhook', occurredAtMs: clock.now(), seen });
    },
    /** One round of all that a worker does: what is due has its turn, and every spreadsheet is flushed. */
    async round(own: ArchiveGround = ground, mapped: SheetMirror = mirror): Promise<void> {
      const { parts, flusher } = process(own, mapped);
      const due: string[] = [];
      const queue = { add: (keys: readonly string[]) => void due.push(...keys), addLater: () => undefined };
      await sweepOnce(sweepParts({ ...store, clock, queue }));
      for (const key of due) if (parseKey(key)) await reconcile(parts, key);
      const waiting = (await store.outbox.waiting()).map(({ spreadsheetId }) => spreadsheetId).sort();
      for (const spreadsheetId of waiting) {
        await flusher.flush(spreadsheetId, new AbortController());
      }
    },
    /** Rounds until nothing is left to do at this moment. */
    async settle(mapped: SheetMirror = mirror): Promise<void> {
      for (let rounds = 0; rounds < 20; rounds += 1) {
        clock.advance(60_000);
        await stand.round(ground, mapped);
        if ((await stand.open()) === 0) return;
      }
      throw new Error('still not settled after twenty rounds');
    },
    /** What an audit expects of the appointment in the tabs. */
    async expected(n: number) {
      const claim = await store.ledger.peek({ kind: 'appointment', id: id(n) });
      return claim === undefined ? [] : process(ground, mirror).target.expected(claim);
    },
    /** Objects and rows that wait. */
    async open(): Promise<number> {
      const { objects } = await store.ledger.pending();
      return objects + (await store.outbox.waiting()).reduce((sum, { rows }) => sum + rows, 0);
    },
    async check(): Promise<void> {
      const checker = new SheetChecker({
        ...{
          api,
          rows: store.sheetRows,
          unkept: store.unkept,
          mirrors: [mirror],
          tabs: new RememberedTabs(store.memory),
        },
        zones: new SheetZones({ api, memory: store.memory, problems }),
        ...{ problems, clock, log },
      });
      const spreadsheets = new Set(placesOf(mirror).map(({ spreadsheetId }) => spreadsheetId));
      for (const spreadsheetId of spreadsheets) await checker.check(spreadsheetId);
    },
    /** Number and name of every appointment that stands in the tab, blank rows left aside. */
    standing(spreadsheetId: string, tab: string): string[] {
      return sandbox.truth
        .values(spreadsheetId, tab)
        .slice(1)
        .filter((row) => row.some((cell) => cell !== ''))
        .map((row) =>
          row
            .map(String)
            .join(' ')
            .replace(/^0{8}-0{4}-4000-8000-0+/, '')
            .trim(),
        );
    },
    home: () => stand.standing(OFFICE, 'Visits').sort(),
    old: () => stand.standing(mirror.archive?.spreadsheetId ?? CELLAR, 'Old').sort(),
    /** What is remembered of the rows of both tabs: the numbers of the appointments. */
    async index(): Promise<{ home: string[]; old: string[] }> {
      const [home, old] = await Promise.all(
        placesOf(mirror).map(async ({ name, spreadsheetId, tab }) =>
          [...(await store.sheetRows.known({ mirror: name, spreadsheetId, tab })).keys()]
            .map((key) => String(Number(key.slice(-12))))
            .sort(),
        ),
      );
      return { home: home ?? [], old: old ?? [] };
    },
    async close(): Promise<void> {
      store.close();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return stand;
}
