// A read budget that allows a few calls at a time ends what begins anew each time before it is through (P1, P8).

import { afterEach, beforeEach, expect, it } from 'vitest';
import { DeferredError } from '../../src/engine/errors.ts';
import type { Lease } from '../../src/engine/leases.ts';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import { WakeAll } from '../../src/engine/supervisor.ts';
import { SheetChecker } from '../../src/sheet/check.ts';
import { limitedPauseMs, watchSheets } from '../../src/sheet/check-loop.ts';
import { LateDoubles } from '../../src/sheet/late-doubles.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { cellsHash, SheetZones } from '../../src/sheet/typed-cell.ts';
import { KeptLog } from '../doubles/listener.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemorySentRows } from '../doubles/sent-rows.ts';
import { MemorySheetRows } from '../doubles/sheet-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, type Stand, startStand } from './stand.ts';

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six'];
/** Fewer than the tabs. */
const READS = 4;
const LANDED_MS = 240_000;

let stand: Stand;
let sent: MemorySentRows;
let nowMs = 0;
beforeEach(async () => {
  nowMs = Date.now();
  sent = new MemorySentRows();
  sent.now = () => {
    nowMs += 1;
    return nowMs;
  };
  const tabs = NAMES.map((title) => ({ title, rows: 20, columns: 8 }));
  stand = await startStand({
    ...{ tabs, parts: { mirrors: MIRRORS, sent: double(sent), clock: { now: () => nowMs } } },
  });
  stand.put(...NAMES.map((name, n) => inTab(name, n)));
  await stand.flushAll();
});
afterEach(() => stand.close());

const MIRRORS: readonly SheetMirror[] = NAMES.map((name) => ({
  ...{ ...CONTACTS, name, tab: name },
  check: { everyMs: 600_000, removed: 'restore', edited: 'restore' },
}));
const inTab = (name: string, n: number, said?: string) => ({ ...contact(n, said), mirror: name, tab: name });

/** Until the next call, only so many reads are admitted. */
function allowReads({ budget }: Pick<Stand, 'budget'>): void {
  const { spend } = Object.getPrototypeOf(budget);
  let left = READS;
  budget.spend = async (name, spending) => {
    if (name.startsWith('google-sheets-read')) left -= 1;
    if (left < 0)
      throw new DeferredError('quota-spent', 'spent', { target: name, quota: name, retryAfterMs: 1 });
    return spend.call(budget, name, spending);
  };
}

/** Works with few reads at a time. Resolves with the number of turns that a spent budget ended. */
async function inTurns(work: () => Promise<unknown>, of: Pick<Stand, 'budget'> = stand): Promise<number> {
  for (let turns = 0; turns < 10; turns += 1) {
    allowReads(of);
    try {
      await work();
      return turns;
    } catch (error) {
      expect(error).toMatchObject({ code: 'quota-spent' });
    }
  }
  throw new Error('ten turns, and no end');
}

/** One write fills a row of each tab, in which people move a column, and nobody sees where it went. */
async function cutOff(): Promise<void> {
  stand.put(...NAMES.map((name, n) => inTab(name, n, `New ${n}`)));
  const blind: (() => void)[] = [];
  const onStrike = () => {
    for (const tab of NAMES)
      stand.sandbox.staff.sheets.insertColumn({ spreadsheetId: BOOK, tab, before: 'ID', header: 'Mine' });
    blind.push(stand.sandbox.faults.add({ path: /batchGetByDataFilter/, fault: { kind: 'reset' } }));
  };
  stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'delay', ms: 0 }, onStrike });
  await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
  for (const remove of blind) remove();
  stand.restart();
}

const whole = (n: number, name = `New ${n}`) => ['', id(n), name, `+4178000${n}`];

it('a flush looks at all tabs of a write that was cut off, a few at a time, and then writes the rows', async () => {
  await cutOff();
  stand.put(inTab('six', 5, 'Newest'));
  expect(await inTurns(() => stand.flushAll())).toBeGreaterThan(1);
  expect(NAMES.map((tab) => stand.values(tab)[1])).toEqual(
    [0, 1, 2, 3, 4].map((n) => whole(n)).concat([whole(5, 'Newest')]),
  );
  expect(await stand.waiting()).toEqual([]);
  expect(stand.problems.codes()).toEqual({});
});

it('P1: a tab that needs more reads than the budget admits at once is compared to its end, and a row there is restored', async () => {
  const ROWS = 30_001;
  const ids = Array.from({ length: ROWS }, (_, n) => id(n + 1));
  const values = [['ID', 'Name', 'Phone'], ...ids.map((key) => [key, 'Name', 'Phone'])];
  const tabs = [{ title: 'Contacts', rows: ROWS + 1, columns: 3, values }];
  const large = await startStand({ tabs });
  const restored: string[] = [];
  const shown = cellsHash({ Name: 'Name', Phone: 'Phone' });
  const known = new Map(ids.map((key, n) => [`contact/${key}`, n === ROWS - 1 ? 'changed' : shown]));
  const looking = new SheetChecker({
    ...{ api: large.api, unkept: double(large.unkept), problems: large.problems, log: large.log },
    mirrors: [{ ...CONTACTS, check: { everyMs: 600_000, removed: 'restore', edited: 'restore' } }],
    rows: double({
      known: async () => known,
      restore: async (keys: readonly string[]) => void restored.push(...keys),
    }),
    tabs: double(new RememberedTabs(new MapMemory())),
    zones: new SheetZones({ api: large.api, memory: new MapMemory(), problems: large.problems }),
    clock: { now: () => nowMs },
  });
  expect(await inTurns(() => looking.check(BOOK), large)).toBeGreaterThan(1);
  await large.close();
  expect(restored).toEqual([`contact/${ids.at(-1)}`]);
});

it('the sheet check looks at all of them, too, and none of the writes ends before all of its tabs were looked at', async () => {
  await cutOff();
  nowMs += LANDED_MS;
  const doubles = new LateDoubles({
    ...{
      api: stand.api,
      mirrors: MIRRORS,
      sent: double(sent),
      outbox: stand.outbox,
      problems: stand.problems,
    },
    ...{ tabs: new RememberedTabs(new MapMemory()), rows: double(new MemorySheetRows(stand.outbox)) },
    ...{
      history: { note: () => undefined },
      clock: { now: () => nowMs },
      log: stand.log,
      meter: stand.meter,
    },
  });
  const takeBack = () => doubles.takeBack(BOOK, { signal: new AbortController().signal });
  allowReads(stand);
  await expect(takeBack()).rejects.toMatchObject({ code: 'quota-spent' });
  expect(await sent.open()).toHaveLength(1);
  await inTurns(takeBack);
  const strays = NAMES.flatMap((tab) =>
    stand
      .values(tab)
      .slice(1)
      .flatMap(([cell]) => (cell === '' ? [] : [cell])),
  );
  expect(strays).toEqual([]);
});

it('the sheet check compares all tabs, a few at a time, and each again at the next check', async () => {
  const checker = new SheetChecker({
    ...{ api: stand.api, mirrors: MIRRORS, unkept: double(stand.unkept), problems: stand.problems },
    ...{ tabs: new RememberedTabs(new MapMemory()), rows: double(new MemorySheetRows(stand.outbox)) },
    zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
    ...{ clock: { now: () => nowMs }, log: stand.log },
  });
  await checker.check(BOOK);
  for (let checks = 0; checks < 2; checks += 1) {
    for (const tab of NAMES)
      stand.sandbox.staff.sheets.setCell({ spreadsheetId: BOOK, tab, cell: 'B2', value: 'typed' });
    expect(await inTurns(() => checker.check(BOOK))).toBeGreaterThan(1);
    expect(await stand.waiting()).toEqual(NAMES.map((_, n) => id(n)));
    stand.budget.spend = Object.getPrototypeOf(stand.budget).spend;
    await stand.flushAll();
  }
  expect(NAMES.map((tab) => stand.values(tab)[1]?.[1])).toEqual(NAMES.map((_, n) => `Name ${n}`));
});

it('a check that the budget ends is noted as waiting, and comes back at its next turn at the latest', async () => {
  const over = new AbortController();
  const waits: [string, readonly string[], number][] = [];
  const log = new KeptLog();
  let checks = 0;
  await watchSheets(
    {
      ...{
        mirrors: MIRRORS.map((mirror) => ({
          ...mirror,
          check: { everyMs: 5, removed: 'leave', edited: 'leave' },
        })),
      },
      check: async () => {
        checks += 1;
        if (checks > 2) over.abort();
        else throw new DeferredError('quota-spent', 'spent', { quota: 'reads', retryAfterMs: 1 });
      },
      leases: {
        hold: async <T>(_: string, work: (lease: Lease) => Promise<T>) => ({
          result: await work(double({})),
        }),
      },
      quotas: { waits: async (...wait) => void waits.push(wait) },
      ...{ isCurrent: async () => true, wakeAll: new WakeAll(), clock: { now: () => 1_000 }, log },
    },
    over.signal,
  );
  expect(waits).toEqual([1, 2].map(() => [`check:${BOOK}`, ['reads'], 1_005]));
  expect(log.lines.map(({ message }) => message)).toEqual(Array(2).fill('sheet check waits for a quota'));
});

it('the pause grows with each check that the budget ends, up to the interval', () => {
  const pauses = [0, 1, 2, 9].map((limited) =>
    limitedPauseMs(limited, { retryAfterMs: 1, everyMs: 600_000 }),
  );
  expect(pauses).toEqual([15_000, 30_000, 60_000, 600_000]);
  expect(limitedPauseMs(0, { retryAfterMs: 20_000, everyMs: 600_000 })).toBe(20_000);
});
