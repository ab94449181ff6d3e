// Drop-downs of a booking sheet, over the sandboxes and Redis: what people see in the cells, and what they do meanwhile.

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isAppointmentWord } from '../../../src/engine/booking-answer.ts';
import { DirectoryKeeper } from '../../../src/engine/directory-keeper.ts';
import { createRowTimes } from '../../../src/engine/extract-booking.ts';
import type { SheetBookings } from '../../../src/engine/outside-booking.ts';
import { createBookingTemplates } from '../../../src/mapping/phone-filter.ts';
import { createPlatformWriter } from '../../../src/platform/client.ts';
import { DropDowns } from '../../../src/sheet/drop-downs.ts';
import { listTabId, type OfferedNames } from '../../../src/sheet/list-tab.ts';
import { RememberedTabs } from '../../../src/sheet/tab-survey.ts';
import { BOOK, HEADERS, IntakeStands, type IntakeWorld, TAB } from '../../stand/intake-sheet.ts';
import { atLength, strideOf } from '../../stand/runs.ts';

const MINUTE_MS = 60_000;
const LISTS = 'slotbridge lists';
const NAMES: OfferedNames = {
  service: ['Haircut', 'Massage'],
  resource: ['Anna', 'Boris'],
  branch: ['Main'],
};

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function start(rules: Partial<SheetBookings> = { dropDowns: ['service', 'resource'] }) {
  const world = await stands.start(rules);
  const client = world.platform.client();
  const directory = new DirectoryKeeper(client.reader, world.clock);
  await directory.refresh();
  /** `atSlots`: what people do while the platform is asked. */
  const state: { names: OfferedNames | undefined; slotCalls: number; atSlots: (() => void) | undefined } = {
    ...{ names: NAMES, slotCalls: 0, atSlots: undefined },
  };
  const desk = {
    ...world,
    state,
    /** One life of the worker. */
    open(
      mappings: readonly SheetBookings[] = [world.mapping],
      mortal = <Part extends object>(part: Part): Part => part,
    ): DropDowns {
      const writer = createPlatformWriter(client);
      const times = createRowTimes({
        writer: {
          slots: (search) => {
            state.slotCalls += 1;
            state.atSlots?.();
            state.atSlots = undefined;
            return writer.slots(search);
          },
        },
        templatesOf: ({ region }) => createBookingTemplates({ region, serviceNames: () => [] }),
        ...{ directory, clock: world.clock },
      });
      return new DropDowns({
        ...{
          mappings,
          installation: 'slotbridge',
          api: world.api,
          tabs: new RememberedTabs(world.store.memory),
        },
        ...{ names: () => desk.state.names, times, isAnswer: isAppointmentWord },
        ...{ memory: mortal(world.store.memory), leases: world.store.leases, problems: world.store.problems },
        ...{ clock: world.clock, log: world.log },
      });
    },
    /** A round, a minute after the last one. */
    async look(dropDowns: DropDowns = desk.open()): Promise<void> {
      world.clock.advance(MINUTE_MS);
      await dropDowns.look(new AbortController().signal);
    },
  };
  return desk;
}

/** A life that ends right before its n-th call of Google or Redis, or right after it. */
function mortal(open: Awaited<ReturnType<typeof start>>['open'], step: number) {
  let left = step;
  const live = () => {
    left -= 1;
    if (left === 0) throw new Error('killed');
  };
  const dropDowns = open(
    undefined,
    (part) =>
      new Proxy(part, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            if (left <= 0) throw new Error('dead already');
            live();
            const result: unknown = await Reflect.apply(value, target, args);
            live();
            return result;
          };
        },
      }),
  );
  return { dropDowns, hasDied: () => left <= 0 };
}

interface Shown {
  properties: { title: string; sheetId: number; hidden?: boolean };
  data: { rowData: { values?: { dataValidation?: Rule }[] }[] }[];
}
interface Rule {
  condition: { type: string; values?: { userEnteredValue: string }[] };
  strict?: boolean;
}

function tabOf(world: IntakeWorld, title: string): Shown | undefined {
  const { sheets } = world.google.truth.spreadsheet(BOOK) as unknown as { sheets: Shown[] };
  return sheets.find(({ properties }) => properties.title === title);
}

/** What the drop-down of a cell offers: its items; the type of a rule that is none. By row as people number them. */
function offered(world: IntakeWorld, header: string, row: number): readonly unknown[] | string | undefined {
  const column = (world.google.truth.values(BOOK, TAB)[0] ?? []).indexOf(header);
  const rule = tabOf(world, TAB)?.data[0]?.rowData[row - 1]?.values?.[column]?.dataValidation;
  if (rule === undefined) return undefined;
  expect(rule.strict ?? false).toBe(false);
  const text = rule.condition.values?.[0]?.userEnteredValue ?? '';
  const [, title = '', letters = ''] = /^='?([^'!]+)'?!\$([A-Z]+)\$2:\$[A-Z]+\$501$/.exec(text) ?? [];
  if (title === '') return text || rule.condition.type;
  const at = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  const items = world.google.truth.values(BOOK, title).slice(1);
  return items.flatMap((cells) => (cells[at] === undefined || cells[at] === '' ? [] : [cells[at]]));
}

const writes = (world: IntakeWorld) => world.google.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0;
const calls = (world: IntakeWorld) =>
  Object.values(world.google.stats().callsByMethod).reduce((a, b) => a + b, 0);
const own = (type = 'TEXT_IS_EMAIL') => ({ condition: { type } });
const ruleOf = (
  column: number,
  rule: (ReturnType<typeof own> & { inputMessage?: string }) | undefined,
  sheetId: number,
) => ({
  setDataValidation: {
    range: { sheetId, startRowIndex: 1, startColumnIndex: column, endColumnIndex: column + 1 },
    ...(rule === undefined ? {} : { rule }),
  },
});

describe('names', () => {
  it('are offered in every row of their columns, from a hidden tab, and people may type anything', async () => {
    const desk = await start();
    await desk.look();
    expect(tabOf(desk, LISTS)?.properties).toMatchObject({ hidden: true, sheetId: listTabId('slotbridge') });
    for (const row of [2, 30, 50]) {
      expect(offered(desk, 'Service', row)).toEqual(NAMES.service);
      expect(offered(desk, 'Resource', row)).toEqual(NAMES.resource);
    }
    for (const header of HEADERS.filter((each) => each !== 'Service' && each !== 'Resource'))
      expect(offered(desk, header, 2)).toBeUndefined();
    expect(offered(desk, 'Service', 1)).toBeUndefined();
    expect(await desk.problems()).toEqual([]);
  });

  it('follow the platform without a rule being written, and nothing is written while nothing differs', async () => {
    const desk = await start();
    const dropDowns = desk.open();
    await desk.look(dropDowns);
    desk.state.names = { ...NAMES, service: ['Massage', '=HYPERLINK("x")'] };
    await desk.look(dropDowns);
    expect(offered(desk, 'Service', 9)).toEqual(['Massage', '=HYPERLINK("x")']);
    expect(desk.google.truth.formulas(BOOK, LISTS)[2]?.[0]).toBe('=HYPERLINK("x")');
    const before = writes(desk);
    for (let minutes = 0; minutes < 12; minutes += 1) await desk.look(dropDowns);
    expect(writes(desk)).toBe(before);
  });

  it('are looked after once in five minutes while all is calm, and at most once a minute, in each life', async () => {
    const desk = await start();
    await desk.look();
    await desk.look();
    const before = calls(desk);
    for (let minutes = 0; minutes < 4; minutes += 1) await desk.look();
    expect(calls(desk)).toBe(before);
    await desk.look();
    expect(calls(desk)).toBe(before + 2);
    desk.state.names = { ...NAMES, service: ['Massage'] };
    await desk.open().look(new AbortController().signal);
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
    await desk.look();
    expect(offered(desk, 'Service', 2)).toEqual(['Massage']);
  });

  it('are not taken away while the lists of the platform were not read yet', async () => {
    const desk = await start();
    await desk.look();
    desk.state.names = undefined;
    desk.clock.advance(10 * MINUTE_MS);
    await desk.look();
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
  });

  atLength.test('come back where people removed, sorted, renamed or deleted what holds them', async () => {
    const desk = await start();
    await desk.look();
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(0, undefined, sheetId) });
    desk.staff.sortTab({ spreadsheetId: BOOK, tab: LISTS, column: 'A', descending: true, headerRows: 0 });
    desk.staff.setCell({ spreadsheetId: BOOK, tab: LISTS, cell: 'B2', value: 'Nobody' });
    desk.staff.renameTab({ spreadsheetId: BOOK, tab: LISTS, to: "It's ours" });
    desk.clock.advance(5 * MINUTE_MS);
    await desk.look();
    expect(desk.google.truth.tabs(BOOK)).toEqual([TAB, "It's ours"]);
    const lists = desk.google.truth.values(BOOK, "It's ours");
    expect(lists.slice(0, 3).map((cells: readonly unknown[]) => cells.slice(0, 2))).toEqual([
      ['slotbridge service', 'slotbridge resource'],
      ['Haircut', 'Anna'],
      ['Massage', 'Boris'],
    ]);
    desk.staff.deleteTab({ spreadsheetId: BOOK, tab: "It's ours" });
    desk.clock.advance(5 * MINUTE_MS);
    await desk.look();
    expect(desk.google.truth.tabs(BOOK)).toEqual([TAB, LISTS]);
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
    desk.staff.deleteColumn({ spreadsheetId: BOOK, tab: LISTS, column: 'A' });
    for (let row = 0; row < 20; row += 1) desk.staff.deleteRow({ spreadsheetId: BOOK, tab: LISTS, row: 2 });
    desk.clock.advance(5 * MINUTE_MS);
    await desk.look();
    expect(offered(desk, 'Service', 50)).toEqual(NAMES.service);
    expect(offered(desk, 'Resource', 50)).toEqual(NAMES.resource);
  });

  it("never take the place of a tab of people's that has the same name", async () => {
    const desk = await start();
    desk.staff.addTab({ spreadsheetId: BOOK, tab: 'SLOTBRIDGE LISTS' });
    await desk.look();
    expect(desk.google.truth.tabs(BOOK)).toEqual([TAB, 'SLOTBRIDGE LISTS', `${LISTS} 2`]);
    expect(desk.google.truth.values(BOOK, 'SLOTBRIDGE LISTS')).toEqual([]);
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
  });

  atLength.test('reach rows that people add, and leave the look that people gave a drop-down', async () => {
    const desk = await start();
    await desk.look();
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    const rule = tabOf(desk, TAB)?.data[0]?.rowData[4]?.values?.[0]?.dataValidation;
    desk.staff.request({
      spreadsheetId: BOOK,
      request: {
        setDataValidation: {
          range: { sheetId, startRowIndex: 4, endRowIndex: 5, startColumnIndex: 0, endColumnIndex: 1 },
          rule: { ...rule, inputMessage: 'Ask first' } as never,
        },
      },
    });
    desk.staff.request({
      spreadsheetId: BOOK,
      request: { appendDimension: { sheetId, dimension: 'ROWS', length: 10 } },
    });
    desk.clock.advance(5 * MINUTE_MS);
    await desk.look();
    expect(offered(desk, 'Service', 60)).toEqual(NAMES.service);
    expect(tabOf(desk, TAB)?.data[0]?.rowData[4]?.values?.[0]?.dataValidation).toMatchObject({
      inputMessage: 'Ask first',
    });
  });

  atLength.test(
    'follow their header, and are taken back from a column that slipped under the write',
    async () => {
      const desk = await start();
      desk.api.beforeWrite = () => desk.staff.insertColumn({ ...desk.at, before: 'Service', header: 'Mood' });
      await desk.look();
      expect(offered(desk, 'Mood', 2)).toEqual(NAMES.service);
      await desk.look();
      expect(offered(desk, 'Mood', 2)).toBeUndefined();
      expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
      // The column that now stands where "Resource" stood.
      expect(offered(desk, 'Phone', 2)).toBeUndefined();
      expect(offered(desk, 'Resource', 2)).toEqual(NAMES.resource);
      desk.staff.moveColumn({ ...desk.at, column: 'Service', before: 'Notes' });
      const before = writes(desk);
      await desk.look();
      expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
      expect(writes(desk)).toBe(before);
    },
  );

  atLength.test("give a column of people's that slipped under the write its own rules back", async () => {
    const desk = await start({ dropDowns: ['starts_at'] });
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    const box = { ...own('BOOLEAN'), strict: false, inputMessage: 'Tick me' };
    desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(5, box, sheetId) });
    desk.staff.moveColumn({ ...desk.at, column: 'Ready', before: 'Start' });
    const row = desk.type({ Start: '04.03.2026', Ready: '' });
    desk.staff.setRow({
      ...desk.at,
      row,
      values: ['Haircut', false, '04.03.2026', 'Vera', '84950001101', 'Anna'],
    });
    const dropDowns = desk.open();
    desk.api.beforeWrite = () => desk.staff.insertColumn({ ...desk.at, before: 'A', header: 'Mood' });
    await desk.look(dropDowns);
    expect(offered(desk, 'Ready', row)).toContain('2026-03-04 10:00');
    await desk.look(dropDowns);
    expect(tabOf(desk, TAB)?.data[0]?.rowData[row - 1]?.values?.[2]?.dataValidation).toEqual(box);
    expect(offered(desk, 'Start', row)).toContain('2026-03-04 10:00');
    expect(offered(desk, 'Ready', row + 1)).toBe('BOOLEAN');
  });

  atLength.test(
    "leave the rules of people's other columns alone, and the cells that people copied",
    async () => {
      const desk = await start();
      const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
      desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(11, own(), sheetId) });
      desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(1, own('DATE_IS_VALID'), sheetId) });
      desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(0, own(), sheetId) });
      await desk.look();
      expect(offered(desk, 'Notes', 2)).toBe('TEXT_IS_EMAIL');
      expect(offered(desk, 'Start', 2)).toBe('DATE_IS_VALID');
      expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
    },
  );

  it('go with the setting, and the rest of the tab stays', async () => {
    const desk = await start();
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(11, own(), sheetId) });
    desk.type();
    await desk.look();
    const { dropDowns: _, ...without } = desk.mapping;
    await desk.look(desk.open([{ ...without, dropDowns: ['resource'] }]));
    expect([offered(desk, 'Service', 2), offered(desk, 'Resource', 2)]).toEqual([undefined, NAMES.resource]);
    const rows = desk.rows();
    for (let rounds = 0; rounds < 3; rounds += 1) await desk.look(desk.open([without]));
    expect([offered(desk, 'Service', 2), offered(desk, 'Resource', 2)]).toEqual([undefined, undefined]);
    expect(offered(desk, 'Notes', 2)).toBe('TEXT_IS_EMAIL');
    expect(desk.rows()).toEqual(rows);
    const before = calls(desk);
    desk.clock.advance(10 * MINUTE_MS);
    await desk.look(desk.open([without]));
    expect(calls(desk)).toBe(before);
  });
});

describe('under faults', () => {
  it('a lost answer makes no second tab', async () => {
    const desk = await start();
    desk.google.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
    await desk.look();
    await desk.look();
    await desk.look();
    expect(desk.google.truth.tabs(BOOK)).toEqual([TAB, LISTS]);
    expect(writes(desk)).toBe(1);
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
  });

  it('a write that failed is made again, and Redis that was lost changes nothing', async () => {
    const desk = await start();
    desk.google.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'status', status: 500 } });
    await desk.look();
    expect(desk.google.truth.tabs(BOOK)).toEqual([TAB]);
    await desk.look();
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
    await desk.loseRedis();
    const before = writes(desk);
    await desk.look();
    expect(desk.google.truth.tabs(BOOK)).toEqual([TAB, LISTS]);
    expect(writes(desk)).toBe(before);
  });

  it('a worker that is killed at any step leaves nothing that the next one does not mend', async () => {
    for (let step = 1; ; step += strideOf(1)) {
      const desk = await start({ dropDowns: ['service', 'starts_at'] });
      desk.type({ Start: '04.03.2026', Ready: false });
      const dying = mortal(desk.open, step);
      await desk.look(dying.dropDowns);
      for (let rounds = 0; rounds < 3; rounds += 1) await desk.look();
      expect(desk.google.truth.tabs(BOOK)).toEqual([TAB, LISTS]);
      expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
      expect(offered(desk, 'Start', 2)).toContain('2026-03-04 10:00');
      expect(await desk.problems()).toEqual([]);
      await stands.closeWorlds();
      if (!dying.hasDied()) break;
      expect(step).toBeLessThan(30);
    }
  });

  atLength.test('several workers write once, and none undoes what another wrote', async () => {
    const desk = await start();
    desk.clock.advance(MINUTE_MS);
    const signal = new AbortController().signal;
    await Promise.all([desk.open().look(signal), desk.open().look(signal), desk.open().look(signal)]);
    expect(writes(desk)).toBe(1);
    for (let rounds = 0; rounds < 6; rounds += 1) await desk.look(desk.open());
    expect(writes(desk)).toBe(1);
  });

  atLength.test('what somebody else takes away again and again is written five times an hour', async () => {
    const desk = await start();
    const dropDowns = desk.open();
    await desk.look(dropDowns);
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    const before = writes(desk);
    for (let rounds = 0; rounds < 20; rounds += 1) {
      desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(0, undefined, sheetId) });
      await desk.look(dropDowns);
    }
    expect(writes(desk) - before).toBe(5);
    desk.clock.advance(60 * MINUTE_MS);
    await desk.look(dropDowns);
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
  });

  atLength.test('a protected column is told, the other one is kept, and booking goes on', async () => {
    const desk = await start();
    desk.staff.protectRange({ ...desk.at, range: 'A:A' });
    await desk.look();
    expect(await desk.problems()).toEqual([`drop-downs:${BOOK} drop-downs-protected`]);
    const [told] = await desk.store.problems.list();
    // The Russian pages show these, not the message.
    expect(told?.names).toEqual([`${TAB}/Service`]);
    expect(told?.message).toContain(`the column "Service" of the tab "${TAB}"`);
    expect([offered(desk, 'Service', 2), offered(desk, 'Resource', 2)]).toEqual([undefined, NAMES.resource]);
    desk.type();
    await desk.settle();
    expect(desk.booked()).toHaveLength(1);
    const protection = tabOf(desk, TAB) as unknown as { protectedRanges: { protectedRangeId: number }[] };
    const protectedRangeId = protection.protectedRanges[0]?.protectedRangeId ?? 0;
    desk.staff.request({ spreadsheetId: BOOK, request: { deleteProtectedRange: { protectedRangeId } } });
    desk.clock.advance(5 * MINUTE_MS);
    await desk.look();
    expect(await desk.problems()).toEqual([]);
    expect(offered(desk, 'Service', 2)).toEqual(NAMES.service);
  });

  it('a protected row is told, and all other rows get theirs', async () => {
    const desk = await start();
    desk.staff.protectRange({ ...desk.at, range: 'A5:L6' });
    const dropDowns = desk.open();
    await desk.look(dropDowns);
    const services = () => [2, 4, 5, 6, 7, 50].map((row) => offered(desk, 'Service', row));
    const all = NAMES.service;
    expect(services()).toEqual([all, all, undefined, undefined, all, all]);
    expect((await desk.store.problems.list()).map(({ code, names }) => [code, names])).toEqual([
      ['drop-downs-protected', [`${TAB}/Service`, `${TAB}/Resource`]],
    ]);
    const before = writes(desk);
    for (let minutes = 0; minutes < 6; minutes += 1) await desk.look(dropDowns);
    expect(writes(desk)).toBe(before);
  });

  it('many rules of people between protected rows are replaced, each row by itself', async () => {
    const desk = await start();
    const dropDowns = desk.open();
    await desk.look(dropDowns);
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    const rows = Array.from({ length: 24 }, (_, i) => 2 * i + 1);
    for (const row of rows) {
      const range = {
        sheetId,
        startRowIndex: row,
        endRowIndex: row + 1,
        startColumnIndex: 0,
        endColumnIndex: 1,
      };
      desk.staff.request({ spreadsheetId: BOOK, request: { setDataValidation: { range, rule: own() } } });
    }
    desk.staff.protectRange({ ...desk.at, range: 'A21:L21' });
    desk.clock.advance(5 * MINUTE_MS);
    await desk.look(dropDowns);
    expect(rows.map((row) => offered(desk, 'Service', row + 1))).toEqual(rows.map(() => NAMES.service));
    expect(await desk.problems()).toEqual([]);
  });

  it('a column that a table types is told, and the other column is kept', async () => {
    const desk = await start();
    const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
    desk.type();
    const range = { sheetId, startRowIndex: 0, endRowIndex: 4, startColumnIndex: 0, endColumnIndex: 12 };
    const columnType = { columnIndex: 0, columnName: 'Service', columnType: 'TEXT' };
    const table = { name: 'Desk', range, columnProperties: [columnType] };
    desk.staff.request({ spreadsheetId: BOOK, request: { addTable: { table } } });
    const dropDowns = desk.open();
    for (let minutes = 0; minutes < 3; minutes += 1) await desk.look(dropDowns);
    expect([2, 4, 5].map((row) => offered(desk, 'Service', row))).toEqual([
      undefined,
      undefined,
      NAMES.service,
    ]);
    expect(offered(desk, 'Resource', 2)).toEqual(NAMES.resource);
    expect((await desk.store.problems.list()).map(({ code, names }) => [code, names])).toEqual([
      ['drop-downs-protected', [`${TAB}/Service`]],
    ]);
  });

  atLength.test(
    'a tab that people renamed in that second is no problem; one that is refused twice is',
    async () => {
      const desk = await start();
      await desk.look();
      desk.state.names = { ...NAMES, service: ['Massage'] };
      const sheetId = tabOf(desk, TAB)?.properties.sheetId ?? -1;
      desk.staff.request({ spreadsheetId: BOOK, request: ruleOf(0, undefined, sheetId) });
      desk.api.beforeWrite = () => desk.staff.renameTab({ spreadsheetId: BOOK, tab: LISTS, to: 'Lists' });
      await desk.look();
      expect(await desk.problems()).toEqual([]);
      await desk.look();
      expect(offered(desk, 'Service', 2)).toEqual(['Massage']);
      for (const names of [['One'], ['Two']]) {
        desk.state.names = { ...NAMES, service: names };
        desk.api.beforeWrite = () => {
          desk.staff.protectRange({ spreadsheetId: BOOK, tab: 'Lists', editors: [] });
        };
        await desk.look();
        const shown = tabOf(desk, 'Lists') as unknown as { protectedRanges: { protectedRangeId: number }[] };
        const [held] = shown.protectedRanges;
        desk.staff.request({
          spreadsheetId: BOOK,
          request: { deleteProtectedRange: { protectedRangeId: held?.protectedRangeId ?? 0 } },
        });
      }
      expect(await desk.problems()).toEqual([`drop-downs:${BOOK} drop-downs-refused`]);
      await desk.look();
      expect(await desk.problems()).toEqual([]);
      expect(offered(desk, 'Service', 2)).toEqual(['Two']);
    },
  );

  atLength.test('a tab whose headers cannot be told is left alone', async () => {
    const desk = await start();
    await desk.look();
    desk.staff.renameHeader({ ...desk.at, from: 'Service', to: 'What' });
    desk.clock.advance(5 * MINUTE_MS);
    const before = writes(desk);
    await desk.look();
    expect(writes(desk)).toBe(before);
  });
});

describe('free times', () => {
  const TIMES: Partial<SheetBookings> = { dropDowns: ['service', 'starts_at'] };

  it('are offered for the service, the person and the day of the row, until it is booked', async () => {
    const desk = await start(TIMES);
    const next = desk.type({ Start: '', Ready: false });
    const day = desk.type({ Name: 'Ira', Start: '04.03.2026', Ready: false });
    await desk.look();
    const ofDay = offered(desk, 'Start', day);
    expect(ofDay).toContain('2026-03-04 10:00');
    expect((ofDay as string[]).every((time) => time.startsWith('2026-03-04 '))).toBe(true);
    expect((offered(desk, 'Start', next) as string[]).length).toBeGreaterThan(3);
    expect(offered(desk, 'Start', day + 1)).toBeUndefined();
    // Chosen as people choose: Google enters it as if it were typed.
    desk.put(day, 'Start', '2026-03-04 10:00');
    desk.put(day, 'Ready', true);
    await desk.settle();
    expect(desk.booked()).toEqual(['2026-03-04T07:00:00.000Z Anna Ira']);
    await desk.look();
    expect(offered(desk, 'Start', day)).toBeUndefined();
    expect((offered(desk, 'Start', next) as string[]).length).toBeGreaterThan(3);
  });

  atLength.test('change with the service, the person and the day', async () => {
    const desk = await start(TIMES);
    const row = desk.type({ Start: '04.03.2026', Ready: false });
    const dropDowns = desk.open();
    await desk.look(dropDowns);
    desk.put(row, 'Start', '05.03.2026');
    await desk.look(dropDowns);
    expect((offered(desk, 'Start', row) as string[])[0]).toMatch(/^2026-03-05 /);
    desk.put(row, 'Service', 'No such thing');
    await desk.look(dropDowns);
    expect(offered(desk, 'Start', row)).toBeUndefined();
  });

  atLength.test(
    'that were written into another row, because people sorted, are put right a minute later',
    async () => {
      const desk = await start(TIMES);
      const first = desk.type({ Name: 'Vera', Start: '05.03.2026', Ready: false });
      const second = desk.type({ Name: 'Ada', Start: '04.03.2026', Ready: false });
      desk.api.beforeWrite = () => desk.staff.sortTab({ ...desk.at, column: 'Name' });
      const dropDowns = desk.open();
      await desk.look(dropDowns);
      await desk.look(dropDowns);
      expect((offered(desk, 'Start', first) as string[])[0]).toMatch(/^2026-03-04 /);
      expect((offered(desk, 'Start', second) as string[])[0]).toMatch(/^2026-03-05 /);
      expect(desk.booked()).toEqual([]);
    },
  );

  atLength.test(
    'reach the row that they are for, although people sort while the platform is asked',
    async () => {
      const desk = await start(TIMES);
      const first = desk.type({ Name: 'Vera', Start: '05.03.2026', Ready: false });
      const second = desk.type({ Name: 'Ada', Start: '04.03.2026', Ready: false });
      desk.state.atSlots = () => desk.staff.sortTab({ ...desk.at, column: 'Name' });
      await desk.look();
      expect((offered(desk, 'Start', first) as string[])[0]).toMatch(/^2026-03-04 /);
      expect((offered(desk, 'Start', second) as string[])[0]).toMatch(/^2026-03-05 /);
      expect(writes(desk)).toBe(1);
    },
  );

  it('ask the platform for a few lists in a minute, however many rows there are', async () => {
    const desk = await start(TIMES);
    const rows = Array.from({ length: 20 }, (_, nth) =>
      desk.type({ Name: `N${nth}`, Start: `${String(nth + 3).padStart(2, '0')}.03.2026`, Ready: false }),
    );
    const dropDowns = desk.open();
    await desk.look(dropDowns);
    expect(desk.state.slotCalls).toBe(6);
    for (let rounds = 0; rounds < 3; rounds += 1) await desk.look(dropDowns);
    expect(desk.state.slotCalls).toBe(20);
    // Rows of the same wish share a list.
    const twin = desk.type({ Name: 'Twin', Start: '05.03.2026', Ready: false });
    await desk.look(dropDowns);
    expect(desk.state.slotCalls).toBe(20);
    expect(offered(desk, 'Start', twin)).toContain('2026-03-05 10:00');
    expect(offered(desk, 'Start', twin)).toEqual(offered(desk, 'Start', rows[2] ?? 0));
  });

  atLength.test(
    'of days that are over are not offered, and a restart keeps what is offered until it has asked again',
    async () => {
      const desk = await start(TIMES);
      const over = desk.type({ Start: '01.03.2026', Ready: false });
      const row = desk.type({ Name: 'Ira', Start: '04.03.2026', Ready: false });
      await desk.look();
      expect(offered(desk, 'Start', over)).toBeUndefined();
      const before = offered(desk, 'Start', row);
      desk.platform.sandbox.faults.add({
        path: /slots/,
        times: 5,
        fault: { kind: 'status', status: 503 },
      } as never);
      await desk.look(desk.open());
      expect(offered(desk, 'Start', row)).toEqual(before);
    },
  );
});
