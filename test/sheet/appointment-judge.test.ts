/** Which changes in a tab of appointments are believed, and why the others are not (P7). `appointment-rows.property.test.ts` plays any slip. */
import { describe, expect, test } from 'vitest';
import type { SheetCarry, ShownCells } from '../../src/engine/row-edit.ts';
import { judgeRows } from '../../src/sheet/cell-judge.ts';
import { cellMark } from '../../src/sheet/cells.ts';
import type { JudgedBy, SeenRow } from '../../src/sheet/edited-rows.ts';

const ZONE = 'Europe/Berlin';
const CARRY: SheetCarry = {
  ...{ answerHeader: 'Answer', conflict: 'platform', language: 'en', notifyCustomer: false },
  columns: [
    { header: 'Start', field: 'start' },
    { header: 'Name', field: 'shown' },
    { header: 'Service', field: 'shown' },
    { header: 'Cancel', field: 'cancel' },
  ],
};
/** A day in March 2026, as Google keeps it, at an hour. */
const at = (hour: number, minute = 0, day = 3) => 46_081 + day + (hour + minute / 60) / 24;
const figures = (hour: string, day = 3) => `2026-03-0${day}T${hour}:00`;
type Cells = Readonly<Record<string, unknown>>;

/** Ada at nine, Bea at ten, … */
const TAB = ['Ada', 'Bea', 'Cleo', 'Dora', 'Eva', 'Fay'].map(
  (Name, i): Cells => ({ Start: at(9 + i), Name, Service: 'Haircut', Cancel: false }),
);
const row = (n: number, cells: Cells = {}, more: Partial<SeenRow> = {}): SeenRow => ({
  ...{ key: `id-${n}`, cells: { ...TAB[n], ...cells } },
  ...more,
});

function shownAs(cells: Cells, more: Partial<ShownCells> = {}): ShownCells {
  const marks = CARRY.columns.flatMap(({ header, field }) =>
    header in cells ? [[header, cellMark(cells[header], { field, zone: ZONE })] as const] : [],
  );
  return { as: '7', cells: Object.fromEntries(marks), ...more };
}

/** `shown`: what single rows were shown as instead. */
function judged(
  rows: readonly SeenRow[],
  more: Partial<Omit<JudgedBy, 'shown'>> & { shown?: Record<string, ShownCells | undefined> } = {},
) {
  const { shown = {}, ...about } = more;
  const known = new Map(TAB.map((cells, n) => [`id-${n}`, shownAs(cells)]));
  for (const [key, cells] of Object.entries(shown)) {
    if (cells === undefined) known.delete(key);
    else known.set(key, cells);
  }
  return judgeRows(rows, {
    ...{
      mirror: 'calendar',
      carry: CARRY,
      shown: known,
      doubled: new Set(),
      tried: () => [],
      rows: TAB.length,
    },
    ...{ zone: ZONE, sinceMs: 1, nowMs: 2 },
    ...about,
  });
}

/** `<row> <header>`, and behind it the doubt. */
function said(...asked: Parameters<typeof judged>): readonly string[] {
  return [...judged(...asked)].flatMap(([key, edits]) =>
    edits.map(({ header, doubt }) => `${key.slice(3)} ${header}${doubt === undefined ? '' : `: ${doubt}`}`),
  );
}

test('a change says what was written, over which showing, and between which looks', () => {
  const of = (cells: Cells, more = {}) => [...judged([row(1, cells)], more).values()][0];
  const start = `${figures('10:00')} ${ZONE}`;
  const common = { mirror: 'calendar', as: '7', base: start, sinceMs: 1, seenAtMs: 2 };
  expect(of({ Start: at(20) })).toEqual([
    { ...common, header: 'Start', text: expect.any(String), startsAt: '2026-03-03T19:00:00.000Z' },
  ]);
  // A tick is about the hour that the row shows.
  expect(of({ Cancel: true })).toEqual([{ ...common, header: 'Cancel', text: 'true' }]);
  expect(of({ Name: 'Zoe' })).toMatchObject([
    { header: 'Name', text: 'Zoe', base: shownAs({ Name: 'Bea' }).cells['Name'] },
  ]);
  const unknown = of({ Cancel: true }, { shown: { 'id-1': undefined } });
  expect(unknown?.map(({ header, as, base, doubt }) => [header, as, base, doubt])).toEqual([
    ['Start', '', undefined, 'unknown'],
    ['Name', '', undefined, undefined],
    ['Service', '', undefined, undefined],
    ['Cancel', '', undefined, 'unknown'],
  ]);
});

type Row = readonly [string, readonly SeenRow[], readonly string[], Parameters<typeof judged>[1]?];
const tells = (cases: readonly Row[]) =>
  test.each(cases.map(([name, rows, expected, more]) => [name, { rows, expected, more }] as const))(
    '%s',
    (_, { rows, expected, more }) => {
      expect(said(rows, more)).toEqual(expected);
    },
  );

describe('what is a change', () => {
  const { Service: _, ...old } = TAB[1] ?? {};
  tells([
    ['not the same cells', [row(1)], []],
    [
      'not what a write without a known end may have left',
      [row(1, { Start: at(20) })],
      [],
      { tried: (_, header) => (header === 'Start' ? [`${figures('20:00')} UTC`] : []) },
    ],
    [
      'not a column that is new in the mapping',
      [row(1, { Service: 'Colour' })],
      [],
      { shown: { 'id-1': shownAs(old) } },
    ],
    [
      'not an empty cell of a row that was never shown',
      [row(1, { Start: at(20), Name: ' ', Service: '' })],
      ['1 Start: unknown'],
      { shown: { 'id-1': undefined } },
    ],
    ['a typed start', [row(1, { Start: at(20) })], ['1 Start']],
    ['a start that is none', [row(1, { Start: 'soon' })], ['1 Start']],
    ['a tick', [row(1, { Cancel: true })], ['1 Cancel']],
  ]);
});

describe('whose row it is', () => {
  const start = (more: Cells = {}) => [row(1, { Start: at(20), ...more })];
  const nameless = { ...TAB[1], Name: '', Service: '' };
  const { Service: _, ...old } = TAB[1] ?? {};
  const likeBea = (hour: number) => ({ 'id-4': shownAs({ ...TAB[1], Start: at(hour) }) });
  tells([
    ['nobody’s, if it was copied', start(), ['1 Start: copied'], { doubled: new Set(['id-1']) }],
    [
      'another’s, if a cell that tells who it is changed',
      start({ Service: 'Colour' }),
      ['1 Start: mixed', '1 Service'],
    ],
    [
      'nobody’s, if no cell tells who it is',
      [row(1, { ...nameless, Start: at(20) })],
      ['1 Start: mixed'],
      { shown: { 'id-1': shownAs(nameless) } },
    ],
    ['its own, if a column is new in the mapping', start(), ['1 Start'], { shown: { 'id-1': shownAs(old) } }],
    ['unknown, if the tab has another zone since', start(), ['1 Start: renewed'], { zone: 'Asia/Tokyo' }],
    ['unknown, if a write went over it', start(), ['1 Start: renewed'], { isOverwritten: true }],
    ['one of two that say the same', start(), ['1 Start: elsewhere'], { shown: likeBea(10) }],
    ['its own, beside another of the same customer', start(), ['1 Start'], { shown: likeBea(16) }],
  ]);
});

describe('how many at once', () => {
  const named = (count: number) => Array.from({ length: count }, (_, n) => row(n, { Name: `Other ${n}` }));
  tells([
    ['five rows', named(5), named(5).map((_, n) => `${n} Name`)],
    ['six rows', named(6), named(6).map((_, n) => `${n} Name: many`)],
    [
      'two ticks',
      [row(1, { Cancel: true }), row(2, { Cancel: true })],
      ['1 Cancel: ticks', '2 Cancel: ticks'],
    ],
    [
      'a tick and a start in one row',
      [row(1, { Cancel: true, Start: at(20) })],
      ['1 Start: mixed', '1 Cancel: mixed'],
    ],
    [
      'a tick in one row and a start in another',
      [row(1, { Cancel: true }), row(2, { Start: at(20) })],
      ['1 Cancel', '2 Start'],
    ],
    [
      'a tick, and one of nobody came or went',
      [row(1, { Cancel: true })],
      ['1 Cancel: ticks'],
      { strayTicks: 1 },
    ],
    [
      'a tick, and one that a write went over',
      [row(1, { Cancel: true })],
      ['1 Cancel: ticks'],
      gone('id-2', 'Cancel', 'true'),
    ],
    [
      'a tick that a write went over',
      [row(1, { Cancel: true })],
      ['1 Cancel'],
      gone('id-1', 'Cancel', 'true'),
    ],
    [
      'a tick, and a start that a write went over',
      [row(1, { Cancel: true })],
      ['1 Cancel'],
      gone('id-2', 'Start', 'x'),
    ],
    ['two starts', [row(1, { Start: at(20) }), row(2, { Start: at(21) })], ['1 Start', '2 Start']],
    [
      'two starts at one hour',
      [row(1, { Start: at(20) }), row(2, { Start: at(20, 0, 4) })],
      ['1 Start: elsewhere', '2 Start: elsewhere'],
    ],
    [
      'two starts, one of them none',
      [row(1, { Start: at(20) }), row(2, { Start: 'soon' })],
      ['1 Start: elsewhere', '2 Start'],
    ],
    [
      'two starts, one of them in doubt',
      [row(1, { Start: at(20) }), row(2, { Start: at(9) })],
      ['1 Start: elsewhere', '2 Start: elsewhere'],
    ],
  ]);
});

describe('a start that may come from another cell', () => {
  const nine = [row(1, { Start: at(9) })];
  const eight = (more: Partial<SeenRow> = {}) => [row(1, { Start: at(20) }, more)];
  const resources = (own: readonly string[], others: readonly string[]) => ({
    'id-0': shownAs(TAB[0] ?? {}, { resources: others }),
    'id-1': shownAs(TAB[1] ?? {}, { resources: own }),
  });
  const known = (key: string) => ({ [key]: resources(['anna'], ['boris'])[key as 'id-0'] });
  const twenty = figures('20:00');
  const beside = (cells: Cells) => ({ beside: [{}, cells] });
  tells([
    ['that shows it', nine, ['1 Start: again']],
    [
      'that shows it, of the same resource',
      nine,
      ['1 Start: again'],
      { shown: resources(['anna', 'room'], ['room']) },
    ],
    ['that shows it, of another resource', nine, ['1 Start'], { shown: resources(['anna'], ['boris']) }],
    ['that shows it, while its own resource is unknown', nine, ['1 Start: again'], { shown: known('id-0') }],
    [
      'that shows it, while the other resource is unknown',
      nine,
      ['1 Start: again'],
      { shown: known('id-1') },
    ],
    [
      'of the same customer',
      nine,
      ['1 Start: elsewhere'],
      { shown: { 'id-0': shownAs({ ...TAB[1], Start: at(9) }) } },
    ],
    [
      'of another resource that moved as well',
      [...nine, row(0, { Start: at(21) })],
      ['1 Start: elsewhere', '0 Start: elsewhere'],
      { shown: resources(['anna'], ['boris']) },
    ],
    ['that shows it now', eight(), ['1 Start: again'], { starts: [twenty, twenty] }],
    ['that it is itself', eight(), ['1 Start'], { starts: [twenty, figures('21:00')] }],
    [
      'that shows it now, of another resource',
      nine,
      ['1 Start'],
      { shown: resources(['anna'], ['boris']), starts: [figures('09:00'), figures('09:00')] },
    ],
    [
      'that shows it now, beside another resource',
      nine,
      ['1 Start: again'],
      { shown: resources(['anna'], ['boris']), starts: Array(3).fill(figures('09:00')) },
    ],
    ['that showed it before a write', eight(), ['1 Start: again'], gone('id-2', 'Start', twenty)],
    ['that was emptied before a write', eight(), ['1 Start: again'], gone('id-2', 'Start', '')],
    ['that showed another before a write', eight(), ['1 Start'], gone('id-2', 'Start', figures('21:00'))],
    ['that is its own before a write', eight(), ['1 Start'], gone('id-1', 'Start', twenty)],
    ['that is no start', eight(), ['1 Start'], gone('id-2', 'Cancel', '')],
    ['above or below it', eight(beside({ Start: at(20) })), ['1 Start: again']],
    ['a day before', eight(beside({ Start: at(20, 0, 2) })), ['1 Start: again']],
    ['a day after', eight(beside({ Start: at(20, 0, 4) })), ['1 Start: again']],
    ['two days after', eight(beside({ Start: at(20, 0, 5) })), ['1 Start']],
    ['at another minute', eight(beside({ Start: at(20, 15) })), ['1 Start']],
    ['that shows none', eight(beside({ Start: 'soon' })), ['1 Start']],
  ]);
});

describe('a start in a column of which other cells have moved', () => {
  const eight = [row(1, { Start: at(20) })];
  const ten = figures('10:00');
  const all = (more: readonly string[]) => ({
    starts: ['09:00', '11:00', '12:00', '20:00'].map((hour) => figures(hour)).concat(more),
  });
  tells([
    ['its own stands in a row of nobody known', eight, ['1 Start: displaced'], all([ten])],
    ['its own stands nowhere', eight, ['1 Start'], all([])],
    [
      'its own stands in the row of another, as always',
      eight,
      ['1 Start'],
      { ...all([ten]), shown: { 'id-5': shownAs({ ...TAB[5], Start: at(10) }, { resources: ['boris'] }) } },
    ],
    [
      'its own stood in another row before a write',
      eight,
      ['1 Start: displaced'],
      gone('id-2', 'Start', ten),
    ],
    ['its own stood in its row before a write', eight, ['1 Start'], gone('id-1', 'Start', ten)],
    ['its own stood beside starts before a write', eight, ['1 Start'], gone('id-2', 'Cancel', ten)],
    [
      'it changed places with the start of another row',
      [row(1, { Start: at(9) }), row(0, { Start: at(20) })],
      ['1 Start: elsewhere', '0 Start: displaced'],
      all([figures('10:00')]),
    ],
    ['it is a tick', [row(1, { Cancel: true })], ['1 Cancel'], all([ten, ten])],
  ]);
});

function gone(key: string, header: string, text: string) {
  return { goneCells: [{ key, header, said: text, foundAtMs: 1 }] };
}
