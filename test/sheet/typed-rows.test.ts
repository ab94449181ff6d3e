// Typed cells on their way through the outbox into a tab, as people see them there (case 64).

import { DateTime } from 'luxon';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppointmentSheetMirror, Directory, SheetColumn } from '../../src/engine/mirror.ts';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import { readSheetZone } from '../../src/google/sheets-api.ts';
import { SheetChecker } from '../../src/sheet/check.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { createSheetTarget } from '../../src/sheet/target.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemorySheetRows } from '../doubles/sheet-rows.ts';
import { CountingWaker } from '../doubles/waker.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, id, type Stand, startStand } from './stand.ts';

const COLUMNS: readonly SheetColumn[] = [
  { header: 'ID', template: '{{ id }}' },
  { header: 'Start', template: '{{ starts_at }}', as: 'datetime' },
  { header: 'Who', template: '{{ customer_name }}' },
  { header: 'Price', template: '{{ price }}', as: 'money', currency: '{{ price_currency }}' },
];
const APPOINTMENTS: AppointmentSheetMirror = {
  ...CONTACTS,
  name: 'visits',
  from: 'appointment',
  tab: 'Visits',
  where: { sinceMs: 100_000 * 86_400_000 },
  columns: COLUMNS,
};
const NOBODY: Directory = { resources: new Map(), branches: new Map(), services: new Map() };
const AT = { spreadsheetId: BOOK, tab: 'Visits' };

describe('the zone of a spreadsheet', () => {
  it.each([
    ['Europe/Zurich', 'Europe/Zurich'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT+7', 'Etc/GMT+7'],
    ['GMT', 'GMT'],
    // A custom one is shown so (Sheets API, SpreadsheetProperties.timeZone).
    ['GMT-07:00', 'UTC-07:00'],
    ['GMT+05:30', 'UTC+05:30'],
    ['GMT+3', 'UTC+03:00'],
    ['GMT-70:00', undefined],
    ['Mars/Olympus', undefined],
    ['-07:00', undefined],
    ['', undefined],
  ])('%s is %s', (shown, zone) => {
    expect(readSheetZone(shown)).toBe(zone);
    // 12 hours UTC on the clock of that zone.
    const at = DateTime.fromISO('2026-05-04T12:00:00Z').setZone(zone ?? 'utc');
    expect(at.isValid).toBe(true);
    if (shown === 'GMT-07:00') expect(at.hour).toBe(5);
  });
});

describe('typed cells', () => {
  let stand: Stand;
  let mirror = APPOINTMENTS;
  let fence = 0;
  let tabs: RememberedTabs;
  beforeEach(async () => {
    mirror = APPOINTMENTS;
    tabs = new RememberedTabs(new MapMemory());
    stand = await startStand({
      tabs: [{ title: 'Visits' }],
      timeZone: 'Europe/Zurich',
      parts: { mirrors: [APPOINTMENTS], tabs },
    });
  });
  afterEach(() => stand.close());

  /** The worker looks at an appointment. */
  async function look(n: number, about: object = {}): Promise<string> {
    const target = createSheetTarget({
      mirror,
      outbox: stand.outbox,
      waker: new CountingWaker(),
      zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
      directory: { current: () => NOBODY },
      clock: { now: () => Date.now() },
      log: stand.log,
      meter: stand.meter,
    });
    fence += 1;
    const link = stand.outbox.link(`appointment/${id(n)}`, 'visits');
    return target.reconcile({
      key: { kind: 'appointment', id: id(n) },
      ...{ fence: String(fence), desiredRev: fence, syncedRev: 0, deleted: false, verify: false },
      snapshot: {
        ...{ id: id(n), status: 'confirmed', timezone: 'Asia/Tokyo', customer_name: 'Ada' },
        ...{ starts_at: '2026-05-04T10:00:00Z', price_amount: 12_050, price_currency: 'RUB' },
        ...about,
      },
      ...{ projectId: 'p1', pendingSinceMs: undefined, sightings: [] },
      links: link === undefined ? {} : { [APPOINTMENTS.name]: { sheet: link } },
    });
  }

  const seen = () => stand.sandbox.truth.formatted(BOOK, 'Visits').slice(1);
  const plain = () => stand.sandbox.truth.values(BOOK, 'Visits').slice(1);
  const repaint = (row: number, column: number, pattern: string) =>
    stand.sandbox.staff.sheets.request({
      spreadsheetId: BOOK,
      request: {
        repeatCell: {
          range: {
            sheetId: 0,
            startRowIndex: row - 1,
            endRowIndex: row,
            startColumnIndex: column,
            endColumnIndex: column + 1,
          },
          cell: { userEnteredFormat: { numberFormat: { type: 'NUMBER', pattern } } },
          fields: 'userEnteredFormat.numberFormat',
        },
      },
    });

  it('are serial numbers in the zone of the spreadsheet, and read as dates and amounts', async () => {
    await look(1);
    await look(2, { starts_at: '2026-01-04T10:00:00Z', price_currency: 'EUR' });
    await look(3, { starts_at: null, price_amount: null });
    expect(await stand.flush()).toEqual({ written: 3, remaining: 0 });
    expect(plain()).toEqual([
      [id(1), 46_146.5, 'Ada', 120.5],
      [id(2), 46_026 + 11 / 24, 'Ada', 120.5],
      [id(3), '', 'Ada'],
    ]);
    expect(seen()[0]?.[1]).toMatch(/^2026-05-04 12:00/);
    expect(formatOf(stand, 1, 3)).toMatchObject({ type: 'CURRENCY', pattern: '#,##0.00" RUB"' });
    expect(formatOf(stand, 2, 3)).toMatchObject({ pattern: '#,##0.00" EUR"' });
    expect(formatOf(stand, 1, 2)).toBeUndefined();
  });

  it('are confirmed by their plain values: what people see of them is no matter', async () => {
    await look(1);
    await stand.flush();
    repaint(2, 3, '0.0000');
    repaint(2, 1, '0');
    stand.sandbox.resetCounts();
    await look(1, { customer_name: 'Eva' });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.values.batchGetByDataFilter']).toBe(1);
  });

  it('are on the clock of a zone that Google shows as an offset', async () => {
    const properties = { timeZone: 'GMT-07:00' };
    const request = { updateSpreadsheetProperties: { properties, fields: 'timeZone' } };
    stand.sandbox.staff.sheets.request({ spreadsheetId: BOOK, request });
    await look(1);
    await stand.flush();
    expect(plain()[0]?.[1]).toBe(46_146 + 3 / 24);
    expect(stand.problems.codes()).toEqual({});
  });

  it('wait for a zone that is known, which is told, and never stand in another one', async () => {
    const unknown = { properties: { timeZone: 'Mars/Olympus' }, sheets: [] };
    const remove = stand.sandbox.faults.add({
      path: /fields=properties\.timeZone/,
      fault: { kind: 'status', status: 200, body: JSON.stringify(unknown), contentType: 'application/json' },
    });
    const code = 'sheet-zone-unknown';
    await expect(look(1)).rejects.toMatchObject({ family: 'deferred', code });
    expect(stand.problems.codes()).toEqual({ [`spreadsheet-zone:${BOOK}`]: code });
    const [problem] = await stand.problems.list();
    expect(problem).toMatchObject({
      message: expect.stringContaining('Mars/Olympus'),
      advice: expect.stringContaining('timezone'),
    });
    // Who may not try asks nobody.
    stand.problems.isTurn = false;
    stand.sandbox.resetCounts();
    await expect(look(1)).rejects.toMatchObject({ family: 'deferred', code });
    expect(stand.sandbox.stats().calls).toBe(0);
    stand.problems.isTurn = true;
    remove();
    await look(1);
    await stand.flush();
    expect(plain()[0]?.[1]).toBe(46_146.5);
    expect(stand.problems.codes()).toEqual({});
  });

  it('keep the format that people gave them, whatever is written (P6)', async () => {
    await look(1);
    await stand.flush();
    repaint(2, 1, 'mmm d');
    repaint(2, 3, '0.0');
    await look(1, { starts_at: '2026-05-05T10:00:00Z', price_amount: 9_900 });
    await stand.flush();
    expect(plain()).toEqual([[id(1), 46_147.5, 'Ada', 99]]);
    expect(formatOf(stand, 1, 1)).toMatchObject({ pattern: 'mmm d' });
    expect(formatOf(stand, 1, 3)).toMatchObject({ pattern: '0.0' });
  });

  it('are found unchanged by a look at the tab, whatever format people gave them, and changed by a minute', async () => {
    await look(1);
    await look(2, { starts_at: '2026-05-04T10:07:00Z', price_amount: 1_999 });
    await stand.flush();
    repaint(2, 1, 'mmm d');
    const checker = new SheetChecker({
      ...{
        api: stand.api,
        rows: double(new MemorySheetRows(stand.outbox)),
        unkept: double(stand.unkept),
        tabs: new RememberedTabs(new MapMemory()),
      },
      mirrors: [{ ...APPOINTMENTS, check: { everyMs: 1_000, removed: 'restore', edited: 'restore' } }],
      zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
      ...{ problems: stand.problems, clock: { now: () => Date.now() }, log: stand.log },
    });
    await checker.check(BOOK);
    expect(await stand.waiting()).toEqual([]);
    stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B3', value: 46_146.5 + 8 / 1_440 });
    await checker.check(BOOK);
    expect(await stand.waiting()).toEqual([id(2)]);
  });

  it('get another format when the currency is another one, or when the mapping gives the column a type', async () => {
    await look(1);
    mirror = { ...APPOINTMENTS, columns: COLUMNS.map(({ header, template }) => ({ header, template })) };
    await look(2);
    await stand.flush();
    expect(plain()[1]?.[1]).toBe('2026-05-04T19:00:00+09:00');
    mirror = APPOINTMENTS;
    await look(1, { price_currency: 'EUR' });
    await look(2);
    await stand.flush();
    expect(formatOf(stand, 1, 3)).toMatchObject({ pattern: '#,##0.00" EUR"' });
    expect(formatOf(stand, 2, 1)).toMatchObject({ type: 'DATE_TIME' });
    expect(await look(1, { price_currency: 'EUR' })).toBe('nothing');
  });

  it('that get a value later get their format with it', async () => {
    await look(1, { price_amount: null });
    await stand.flush();
    await look(1);
    await stand.flush();
    expect(formatOf(stand, 1, 3)).toMatchObject({ pattern: '#,##0.00" RUB"' });
  });

  describe('in a table with typed columns', () => {
    const PRICE_TYPED = [
      { columnIndex: 1, columnName: 'Start', columnType: 'DATE_TIME' },
      { columnIndex: 3, columnName: 'Price', columnType: 'CURRENCY' },
    ];
    /** People convert the rows to a table; Google gives the columns their types by what stands there. */
    const convert = (columnProperties: readonly Record<string, string | number>[]) =>
      stand.sandbox.staff.sheets.request({
        spreadsheetId: BOOK,
        request: {
          addTable: {
            table: {
              name: 'Plan',
              range: { sheetId: 0, startRowIndex: 0, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 4 },
              columnProperties: [...columnProperties],
            },
          },
        },
      });
    const check = async () => {
      const checked = { everyMs: 600_000, removed: 'restore' as const, edited: 'restore' as const };
      const checker = new SheetChecker({
        ...{ api: stand.api, rows: double(new MemorySheetRows(stand.outbox)), unkept: double(stand.unkept) },
        ...{ mirrors: [{ ...APPOINTMENTS, check: checked }], tabs, problems: stand.problems, log: stand.log },
        zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
        clock: { now: () => Date.now() },
      });
      await checker.check(BOOK);
    };

    it('P1: no row is given up: Google refuses a format there, and the type formats the cells', async () => {
      await look(1);
      await look(2);
      await stand.flush();
      convert(PRICE_TYPED);
      await look(2, { price_currency: 'EUR', price_amount: 500 });
      await look(3);
      expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
      expect(plain()).toEqual([
        [id(1), 46_146.5, 'Ada', 120.5],
        [id(2), 46_146.5, 'Ada', 5],
        [id(3), 46_146.5, 'Ada', 120.5],
      ]);
      expect(formatOf(stand, 2, 3)).toMatchObject({ pattern: '#,##0.00" RUB"' });
      expect([stand.problems.codes(), await stand.waiting()]).toEqual([{}, []]);
    });

    it('once the table was seen nothing is refused, also for a row that is inserted into it', async () => {
      await look(1);
      await look(2);
      await stand.flush();
      stand.sandbox.staff.sheets.insertRow({ ...AT, row: 4, values: ['', '', 'Total'] });
      stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'A4', value: '' });
      convert(PRICE_TYPED);
      await check();
      const { answersByStatus } = stand.sandbox.stats();
      await look(2, { price_currency: 'EUR' });
      await look(3);
      expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
      expect(answersByStatus['400']).toBe(undefined);
      expect(plain().map(([, , who]) => who)).toEqual(['Ada', 'Ada', 'Ada', 'Total']);
    });

    it('a format beside the typed column is written', async () => {
      await look(1);
      await look(2);
      await stand.flush();
      convert(PRICE_TYPED.slice(0, 1));
      await look(2, { price_currency: 'EUR' });
      expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
      expect(formatOf(stand, 2, 3)).toMatchObject({ pattern: '#,##0.00" EUR"' });
    });
  });

  it('in thousands cost a handful of writes, each within what Google recommends', async () => {
    const before = stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0;
    const priced = (n: number): OutboxRow => ({
      ...{ spreadsheetId: BOOK, tab: 'Visits', mirror: 'visits', key: `appointment/${id(n)}`, rowKey: id(n) },
      cells: { Start: 46_146.5, Who: 'Ada', Price: n },
      hash: `${n}`,
      formats: {
        Start: { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' },
        Price: { type: 'CURRENCY', pattern: n % 2 === 0 ? '0.00" RUB"' : '0.00" EUR"' },
      },
      occurredAtMs: undefined,
    });
    stand.put(...Array.from({ length: 2_000 }, (_, n) => priced(n + 1)));
    await stand.flushAll();
    expect(plain()).toHaveLength(2_000);
    const writes = (stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0) - before;
    expect(writes).toBeLessThanOrEqual(2);
    expect(formatOf(stand, 2_000, 3)).toMatchObject({ type: 'CURRENCY' });
  });

  it('text of strangers is text also where a date or an amount is meant', async () => {
    mirror = {
      ...APPOINTMENTS,
      columns: COLUMNS.map((column) => ({
        ...column,
        template: column.header === 'ID' ? '{{ id }}' : '{{ customer_name }}',
      })),
    };
    await look(1, { customer_name: '=1+1' });
    await stand.flush();
    expect(stand.sandbox.truth.formulas(BOOK, 'Visits')[1]).toEqual([id(1), '=1+1', '=1+1', '=1+1']);
    expect(plain()[0]).toEqual([id(1), '=1+1', '=1+1', '=1+1']);
  });

  it('a row hit by accident while people sorted gets its own currency back', async () => {
    await look(1);
    await look(2, { price_currency: 'EUR', price_amount: 100 });
    await stand.flush();
    await look(1, { price_currency: 'CHF' });
    await stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'Price' }));
    await look(2, { price_currency: 'EUR', price_amount: 100 });
    await stand.flushAll();
    const rowOf = (n: number) => plain().findIndex(([key]) => key === id(n)) + 1;
    expect(formatOf(stand, rowOf(1), 3)).toMatchObject({ pattern: '#,##0.00" CHF"' });
    expect(formatOf(stand, rowOf(2), 3)).toMatchObject({ pattern: '#,##0.00" EUR"' });
  });
});

function formatOf(stand: Stand, row: number, column: number): unknown {
  const book = stand.sandbox.truth.spreadsheet(BOOK) as {
    sheets: { data: { rowData: { values?: { userEnteredFormat?: { numberFormat?: unknown } }[] }[] }[] }[];
  };
  return book.sheets[0]?.data[0]?.rowData[row]?.values?.[column]?.userEnteredFormat?.numberFormat;
}
