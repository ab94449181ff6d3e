import { describe, expect, test } from 'vitest';
import type { SheetLink } from '../../src/engine/link.ts';
import type { AppointmentSheetMirror, ContactSheetMirror, SheetMirror } from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { SheetCarry } from '../../src/engine/row-edit.ts';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import type { SheetsApi } from '../../src/google/sheets-api.ts';
import { carriedHash } from '../../src/sheet/carrier.ts';
import type { TabSurvey } from '../../src/sheet/tab-survey.ts';
import { CLEARED, cellsById, LEFT, sheetPlaces } from '../../src/sheet/target.ts';
import { cellsHash, type SheetZones } from '../../src/sheet/typed-cell.ts';
import { double } from '../stand/double.ts';
import {
  ARCHIVED,
  AT_HOME,
  AT_OLD,
  bench,
  CONFIRMED,
  DAY_MS,
  day,
  hashOf,
  ID,
  MEETINGS,
  meeting,
  OLD,
} from './row-bench.ts';

describe('what a look expects', () => {
  const look = async (mirror: SheetMirror, ...about: Parameters<ReturnType<typeof bench>['claim']>) => {
    const b = bench(mirror);
    return b.target.expected(b.claim(...about));
  };
  const other = meeting({ status: 'pending' });

  test('of a row that was written', async () => {
    const hash = await hashOf(MEETINGS, meeting());
    const [seen, ...more] = await look(MEETINGS, meeting(), { hash });
    expect(seen).toMatchObject({ place: AT_HOME, linked: 'Visits', rule: 'must', isConfirmed: true });
    expect(seen).not.toHaveProperty('because');
    expect([seen?.isRight(hash), seen?.isRight('other'), more]).toEqual([true, false, []]);
    expect(await look(MEETINGS, meeting(), { hash: 'x' })).toMatchObject([
      { rule: 'must', isConfirmed: false },
    ]);
    expect(await look(MEETINGS, meeting())).toMatchObject([{ rule: 'must', isConfirmed: false }]);
  });

  test('of a row whose formats differ', async () => {
    const columns = [...MEETINGS.columns, { header: 'Price', template: '{{ price }}', as: 'money' as const }];
    const priced = { ...MEETINGS, columns };
    const snapshot = meeting({ price_amount: 1_250 });
    const hash = await hashOf(priced, snapshot);
    const [seen] = await look(priced, snapshot, { hash });
    expect([hash.includes('-'), seen?.isRight(hash.split('-')[0]), seen?.isRight(hash)]).toEqual([
      ...[true, true, false],
    ]);
  });

  test.each<[string, SheetMirror, Parameters<ReturnType<typeof bench>['claim']>, object[]]>([
    [
      'of what was removed',
      MEETINGS,
      [meeting(), { hash: CLEARED }, { deleted: true }],
      [{ rule: 'must-not', isConfirmed: true }],
    ],
    [
      'of what is to be removed',
      MEETINGS,
      [meeting(), {}, { deleted: true }],
      [{ rule: 'must-not', isConfirmed: false }],
    ],
    [
      'of what left the mirror',
      CONFIRMED,
      [other, { released: true, standing: 'y' }],
      [{ rule: 'must-not' }],
    ],
    [
      'of what is deleted and kept, unseen',
      { ...MEETINGS, deleted: 'keep' },
      [undefined, undefined, { deleted: true }],
      [{ rule: 'may' }],
    ],
    [
      'of what is deleted and kept, where only others stay',
      { ...MEETINGS, unmatched: 'keep' },
      [undefined, undefined, { deleted: true }],
      [{ rule: 'must-not' }],
    ],
    [
      'of nobody, where the unmatched stay',
      { ...MEETINGS, unmatched: 'keep' },
      [undefined],
      [{ rule: 'may' }],
    ],
    [
      'of nobody, where the unmatched go',
      { ...MEETINGS, deleted: 'keep' },
      [undefined],
      [{ rule: 'must-not' }],
    ],
    ['of nobody, where lists decide', { ...CONFIRMED, unmatched: 'keep' }, [undefined], [{ rule: 'may' }]],
    [
      'of a row that is too old to begin',
      { ...MEETINGS, where: { sinceMs: DAY_MS } },
      [meeting({ starts_at: day(-2) }), {}],
      [{ rule: 'must' }],
    ],
    [
      'of a deleted and kept row that left the mirror',
      { ...CONFIRMED, deleted: 'keep' },
      [other, {}, { deleted: true }],
      [{ rule: 'must' }],
    ],
    [
      'of a kept row that is unknown',
      { ...CONFIRMED, unmatched: 'keep' },
      [other],
      [{ rule: 'may', isConfirmed: false }],
    ],
    ['of a kept row that is known', { ...CONFIRMED, unmatched: 'keep' }, [other, {}], [{ rule: 'must' }]],
    [
      'of a kept row that was removed',
      { ...CONFIRMED, unmatched: 'keep' },
      [other, { hash: CLEARED }],
      [{ rule: 'may', isConfirmed: true }],
    ],
  ])('%s', async (_, ...[mirror, about, expected]) => {
    const seen = await look(mirror, ...about);
    expect(seen).toMatchObject(expected);
    expect(seen).toHaveLength(expected.length);
  });

  test('of a kept row that is unknown is right as it would be written', async () => {
    const [seen] = await look({ ...CONFIRMED, unmatched: 'keep' }, other);
    expect(seen?.isRight(await hashOf(MEETINGS, other))).toBe(true);
    expect(seen?.isRight('other')).toBe(false);
    expect(seen).not.toHaveProperty('because');
  });

  test('of nothing, no content is right', async () => {
    const [seen] = await look(MEETINGS, meeting(), {}, { deleted: true });
    expect(seen?.isRight(await hashOf(MEETINGS, meeting()))).toBe(false);
  });

  test.each<[string, Partial<SheetLink> | undefined, Snapshot, string[]]>([
    ['must hold none', {}, meeting(), [AT_HOME, 'must', AT_OLD, 'must-not']],
    [
      'must hold none of a row in the archive',
      OLD,
      meeting({ starts_at: day(-40) }),
      [AT_OLD, 'must', AT_HOME, 'must-not'],
    ],
    [
      'may hold a copy of a row that moves',
      {},
      meeting({ starts_at: day(-40) }),
      [AT_HOME, 'must', AT_OLD, 'may'],
    ],
    ['may hold a copy of a row that has moved', { former: OLD }, meeting(), [AT_HOME, 'must', AT_OLD, 'may']],
    ['may hold a copy of a row bound for it', { bound: OLD }, meeting(), [AT_HOME, 'must', AT_OLD, 'may']],
    ['must hold none of a new row', undefined, meeting(), [AT_HOME, 'must', AT_OLD, 'must-not']],
  ])('the other tab %s', async (_, ...[link, snapshot, rules]) => {
    const seen = await look(ARCHIVED, snapshot, link);
    expect(seen.flatMap(({ place, rule }) => [place, rule])).toEqual(rules);
    expect(seen[1]).toMatchObject({ isConfirmed: false, linked: rules[2]?.split('/')[1] });
    expect(seen[1]?.isRight(await hashOf(ARCHIVED, snapshot))).toBe(false);
  });

  test('the other tab is judged like the first one, where the object has no row', async () => {
    const rules = async (...about: Parameters<typeof look>) => (await look(...about)).map(({ rule }) => rule);
    expect(await rules(ARCHIVED, meeting(), {}, { deleted: true })).toEqual(['must-not', 'must-not']);
    const keep = { ...ARCHIVED, unmatched: 'keep', where: CONFIRMED.where } as const;
    expect(await rules(keep, other)).toEqual(['may', 'may']);
    expect(await rules(keep, other, { hash: CLEARED })).toEqual(['may', 'may']);
    const leaving = { ...ARCHIVED, check: { everyMs: 1, removed: 'leave', edited: 'leave' } } as const;
    expect(await rules(leaving, meeting(), { hash: LEFT })).toEqual(['may', 'must-not']);
    const narrower = { ...ARCHIVED, where: CONFIRMED.where };
    expect(await rules(narrower, other, {})).toEqual(['may', 'must-not']);
  });
});

describe('cells that people may change', () => {
  const CARRY: SheetCarry = {
    ...{ answerHeader: 'Answer', conflict: 'latest', language: 'en', notifyCustomer: false },
    columns: [{ header: 'Name', field: 'name' }],
  };
  const CONTACTS: ContactSheetMirror = {
    ...{
      kind: 'sheet',
      name: 'contacts',
      from: 'contact',
      where: {},
      spreadsheetId: 'office',
      tab: 'Contacts',
    },
    ...{ timezone: undefined, keyHeader: 'ID', unmatched: 'clear', deleted: 'keep', carry: CARRY },
    columns: [
      { header: 'ID', template: '{{ id }}' },
      { header: 'Name', template: '{{ name }}' },
    ],
  };
  const CANCELLING: AppointmentSheetMirror = {
    ...MEETINGS,
    columns: [
      { header: 'ID', template: '{{ id }}' },
      { header: 'Cancel', template: '{{ nothing }}' },
      { header: 'Who', template: '{{ customer_name }}' },
    ],
    carry: {
      ...CARRY,
      columns: [
        { header: 'Cancel', field: 'cancel' },
        { header: 'Who', field: 'shown' },
      ],
    },
  };
  const ada = { id: ID, project_id: 'p1', name: 'Ada', lifecycle: 'customer' };
  const sheet = { tab: 'Contacts' };
  const shown = (cells: Record<string, string>, was?: Record<string, string[]>) =>
    ({ shown: { as: 'a', cells, ...(was && { was }) } }) as const;

  test('are marked as written, and their earlier marks are kept, newest first', async () => {
    const b = bench(CONTACTS);
    const first = await b.put(ada);
    const mark = first?.shown?.['Name'] ?? '';
    expect([mark === '', first?.was, first?.cells]).toEqual([
      false,
      undefined,
      { Name: 'Ada', Answer: null },
    ]);
    expect(await b.put(ada, { ...sheet, ...shown({ Name: mark }) })).not.toHaveProperty('was');
    expect(await b.put(ada, { ...sheet, ...shown({ Name: 'm1' }) })).toMatchObject({
      ...{ shown: { Name: mark }, was: { Name: ['m1'] } },
    });
    const before = shown({ Name: 'm1' }, { Name: ['m2', mark, 'm1', 'm3', 'm4', 'm5'] });
    expect((await b.put(ada, { ...sheet, ...before }))?.was).toEqual({ Name: ['m1', 'm2', 'm3', 'm4'] });
    expect(await b.put(ada, { ...sheet, ...shown({ Other: 'm1' }) })).not.toHaveProperty('was');
  });

  test('of a row that is emptied, or of a mirror that carries none, are not marked', async () => {
    expect(
      await bench({ ...CONTACTS, deleted: 'clear' }).put(ada, sheet, { deleted: true }),
    ).not.toHaveProperty('shown');
    const { carry: _, ...plain } = CONTACTS;
    const row = await bench(plain).put(ada);
    expect([row?.cells, row?.shown]).toEqual([{ Name: 'Ada' }, undefined]);
    const leads = { ...CONTACTS, from: 'lead', where: { sinceMs: 1 } } as unknown as SheetMirror;
    const lead = await bench(leads).put({ ...ada, created_at: day(0) });
    expect(lead).not.toHaveProperty('shown');
  });

  const note = (about: object) => ({
    rowNotes: {
      contacts: { done: ['Name'], refused: [], of: '', answered: [], sent: [], ...about },
    } as never,
  });
  const answer = (row: OutboxRow | undefined) => row?.cells?.['Answer'];

  test('have their answer beside them until something of the object changes', async () => {
    const b = bench(CONTACTS);
    const of = carriedHash('contact', ada);
    expect(answer(await b.put(ada, sheet, note({ of })))).toEqual(expect.stringContaining('Name'));
    expect(answer(await b.put({ ...ada, name: 'Eva' }, sheet, note({ of })))).toBeNull();
    expect(answer(await b.put(ada, sheet))).toBeNull();
    expect(answer(await b.put(ada, sheet, { ...note({ of }), deleted: true }))).toBeNull();
    const held = [{ header: 'Name', text: 'Ida' }];
    const waits = answer(await b.put({ ...ada, name: 'Eva' }, sheet, note({ of, held })));
    expect(waits).toEqual(expect.stringContaining('Ida'));
    const { rowNotes } = note({ of }) as { rowNotes: { contacts: object } };
    const others = { rowNotes: { other: rowNotes.contacts } as never };
    expect(answer(await b.put(ada, sheet, others))).toBeNull();
  });

  test('that cancel are boxes', async () => {
    const row = await bench(CANCELLING).put(meeting());
    expect(row?.formats).toEqual({ Cancel: { type: 'CHECKBOX', pattern: 'checkbox' } });
    expect(Object.keys(row?.shown ?? {})).toEqual(['Cancel', 'Who']);
    expect(row?.cells).toHaveProperty('Answer', null);
  });

  test('a start is marked with its zone, a phone with its country', async () => {
    const columns = [
      ...CANCELLING.columns,
      { header: 'Start', template: '{{ starts_at }}', as: 'datetime' as const },
    ];
    const carried = { ...CARRY, columns: [{ header: 'Start', field: 'start' as const }] };
    const row = await bench({ ...CANCELLING, columns, timezone: 'Asia/Tokyo', carry: carried }).put(
      meeting(),
    );
    expect(row?.shown?.['Start']).toMatch(/ Asia\/Tokyo$/);
    const phones = [...CONTACTS.columns, { header: 'Phone', template: '{{ phone }}' }];
    const phone = (region: string, number: string) =>
      bench({
        ...{ ...CONTACTS, columns: phones },
        carry: { ...CARRY, region, columns: [{ header: 'Phone', field: 'phone' }] },
      }).put({ ...ada, phone: number });
    const [here, whole] = [await phone('CH', '078 123 45 67'), await phone('CH', '+41781234567')];
    expect(here?.shown).toEqual(whole?.shown);
    expect((await phone('DE', '078 123 45 67'))?.shown).not.toEqual(whole?.shown);
  });

  test('are personal in a plan where they answer', async () => {
    const b = bench(CONTACTS);
    const [step] = (await b.target.planned?.(b.claim(ada, { ...sheet, hash: 'x' }))) ?? [];
    expect(step?.row?.cells.map(({ header, isPersonal }) => [header, isPersonal])).toEqual([
      ['Name', true],
      ['Answer', true],
    ]);
  });
});

describe('formats and zones', () => {
  const TIMED: AppointmentSheetMirror = {
    ...MEETINGS,
    timezone: undefined,
    columns: [
      { header: 'ID', template: '{{ id }}' },
      { header: 'Start', template: '{{ starts_at }}', as: 'datetime' },
      { header: 'Price', template: '{{ price }}', as: 'money', currency: '{{ status }}' },
    ],
  };
  const zones = (asked: string[]) =>
    double<SheetZones>({
      zoneOf: async (id: string) => {
        asked.push(id);
        return 'Asia/Tokyo';
      },
    });
  const priced = meeting({ price_amount: 1_250 });
  const MONEY = '#,##0.00" confirmed"';

  test('a format is written once, and again when its pattern or its tab changes', async () => {
    const b = bench({ ...TIMED, archive: ARCHIVED.archive as never });
    const formats = { Start: 'yyyy-mm-dd hh:mm', Price: MONEY };
    expect(await b.put(priced)).toMatchObject({
      formats: { Start: { type: 'DATE_TIME' }, Price: { type: 'CURRENCY', pattern: MONEY } },
      reformat: ['Start', 'Price'],
    });
    const same = await b.put(priced, { formats });
    expect([same?.formats?.['Price']?.pattern, same && 'reformat' in same]).toEqual([MONEY, false]);
    expect(await b.put(priced, { formats: { ...formats, Price: 'old' } })).toMatchObject({
      reformat: ['Price'],
    });
    expect(await b.put(priced, { ...OLD, formats })).toMatchObject({ reformat: ['Start', 'Price'] });
    expect(await b.put(priced, {})).toMatchObject({ reformat: ['Start', 'Price'] });
    expect(await bench(MEETINGS).put(meeting())).not.toHaveProperty('formats');
    expect(await b.put(priced, {}, { deleted: true })).not.toHaveProperty('formats');
  });

  test('times are those of the mirror, else of the spreadsheet, which is asked only for typed times', async () => {
    const asked: string[] = [];
    const start = async (mirror: SheetMirror, known?: SheetZones) =>
      (await bench(mirror, known).put(meeting({ starts_at: '2026-05-05T00:00:00Z' })))?.cells?.['Start'];
    const utc = await start(TIMED);
    expect(await start({ ...TIMED, timezone: 'UTC' }, zones(asked))).toBe(utc);
    expect(asked).toEqual([]);
    expect(Number(await start(TIMED, zones(asked))) - Number(utc)).toBeCloseTo(9 / 24);
    expect(asked).toEqual(['office']);
    await bench({ ...MEETINGS, timezone: undefined }, zones(asked)).put(meeting());
    expect(asked).toEqual(['office']);
  });

  test('a template that does not parse is told with its column', () => {
    const broken = (about: object) => () =>
      bench({ ...MEETINGS, columns: [...MEETINGS.columns, { header: 'Bad', template: '', ...about }] });
    for (const about of [{ template: '{% if %}' }, { as: 'money', currency: '{% if %}' }])
      expect(broken(about)).toThrow(expect.objectContaining({ setting: ['columns', 'Bad'] }));
  });

  test('cells hold only what a sheet keeps', async () => {
    const row = await bench(MEETINGS).put(meeting({ customer_name: 'a\r\nb', status: '' }));
    expect(row?.cells).toEqual({ Who: 'a\nb', Status: null });
  });
});

describe('the rows of a tab', () => {
  const other = '00000000-0000-4000-8000-000000000002';
  const KEYS = {
    keyColumn: 2,
    columns: new Map([
      ['Who', 0],
      ['Status', 3],
    ]),
  };

  /** Google omits blank cells at the end. */
  const trimmed = (cells: readonly unknown[]) =>
    cells
      .slice(0, cells.findLastIndex((cell) => cell !== undefined) + 1)
      .map((cell) => (cell === undefined ? [] : [cell]));

  function tabs(
    grid: readonly (readonly unknown[])[],
    { view, lost }: { readonly view?: object | undefined; readonly lost?: boolean } = {},
  ) {
    const areas: { startRow: number; endRow: number; startColumn: number; endColumn: number }[] = [];
    const looked: unknown[] = [];
    const api = double<SheetsApi>({
      read: (async (id: string, asked: typeof areas) => {
        expect(id).toBe('office');
        areas.push(...asked);
        return asked.map(({ startRow, endRow, startColumn }, nth) =>
          lost === true && nth === 1
            ? undefined
            : { rows: trimmed(grid.slice(startRow, endRow).map((row) => row[startColumn])) },
        );
      }) as never,
    });
    const seen = { sheetId: 7, layout: KEYS, keys: { length: grid.length } };
    const survey = double<TabSurvey>({
      look: (async (id: string, asked: readonly object[]) => {
        looked.push([id, asked.length]);
        return new Map(asked.map((tab) => [tab, view ?? seen]));
      }) as never,
    });
    return { areas, looked, parts: { api, survey } };
  }
  const GRID = [
    ['Who', '', 'ID', 'Status'],
    ['Ada', '', ` ${ID} `, 'confirmed'],
    ['Sum', '', 'total', 5],
    ['Eva', '', other],
    ['Ida', '', ID, 'pending'],
    ['Sum'],
  ];
  async function standing(place: string, { parts }: ReturnType<typeof tabs>, mirror: SheetMirror = MEETINGS) {
    const found: unknown[] = [];
    for await (const each of sheetPlaces(mirror, parts).standing(place)) found.push(each);
    return found;
  }

  test('are told with their ids, row numbers and hashes', async () => {
    const t = tabs(GRID);
    const places = sheetPlaces(ARCHIVED, t.parts);
    expect([places.mirror, places.places]).toEqual(['visits', [AT_HOME, AT_OLD]]);
    const row = (id: string, nth: number, cells: object) => ({
      ...{ place: AT_HOME, id, name: `row ${nth}`, content: cellsHash({ ...cells }), isOurs: true },
    });
    expect(await standing(AT_HOME, t, ARCHIVED)).toEqual([
      row(ID, 2, { Who: 'Ada', Status: 'confirmed' }),
      row(other, 4, { Who: 'Eva', Status: undefined }),
      row(ID, 5, { Who: 'Ida', Status: 'pending' }),
    ]);
    expect(t.looked).toEqual([['office', 1]]);
    expect(t.areas).toEqual(
      [2, 0, 3].map((at) => ({ sheetId: 7, startRow: 1, endRow: 6, startColumn: at, endColumn: at + 1 })),
    );
  });

  test('of a place that is no tab of the mirror are not read', async () => {
    const t = tabs(GRID);
    expect([await standing('spreadsheet:office/Other', t), t.looked]).toEqual([[], []]);
  });

  test('count once by id, the first of them', async () => {
    const found = await cellsById(MEETINGS, tabs(GRID).parts);
    expect([...found]).toEqual([
      [ID, { Who: 'Ada', Status: 'confirmed' }],
      [other, { Who: 'Eva', Status: undefined }],
    ]);
  });

  test('of a tab that nobody has seen are none, and a tab with a fault is told', async () => {
    const { parts } = tabs(GRID);
    const blind = { ...parts, survey: double<TabSurvey>({ look: async () => new Map() }) };
    expect((await cellsById(MEETINGS, blind)).size).toBe(0);
    const fault = { code: 'tab-not-found', message: 'no', advice: 'make it' };
    await expect(cellsById(MEETINGS, tabs(GRID, { view: fault }).parts)).rejects.toMatchObject({
      ...fault,
      ...{ family: 'terminal', target: AT_HOME },
    });
  });

  test('of a tab that people change while it is read are not told', async () => {
    await expect(cellsById(MEETINGS, tabs(GRID, { lost: true }).parts)).rejects.toMatchObject({
      ...{ code: 'sheet-changed', family: 'retryable', target: AT_HOME },
    });
  });

  test('of a header alone are not read, and large tabs are read in parts', async () => {
    const empty = tabs(GRID.slice(0, 1));
    await cellsById(MEETINGS, empty.parts);
    expect(empty.areas).toEqual([]);
    const many = Array.from({ length: 10_002 }, (_, nth) => (nth === 10_001 ? GRID[1] : GRID[0]) ?? []);
    const large = tabs(many);
    expect(await standing(AT_HOME, large)).toMatchObject([{ name: 'row 10002' }]);
    expect(large.areas.map(({ startRow, endRow }) => [startRow, endRow])).toEqual([
      ...[1, 1, 1].map(() => [1, 10_001]),
      ...[1, 1, 1].map(() => [10_001, 10_002]),
    ]);
    const whole = tabs(many.slice(0, 10_001));
    await standing(AT_HOME, whole);
    expect(whole.areas).toHaveLength(3);
  });
});
