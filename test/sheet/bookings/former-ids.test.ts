// Which row gets the id back that its cell lost, and which rows exchanged their times: from what is stored, without a sheet.
import { describe, expect, test } from 'vitest';
import { rowOrigin } from '../../../src/engine/ids.ts';
import type { BookingRecord, OwnAppointment, SheetBookings } from '../../../src/engine/outside-booking.ts';
import { strongestMark } from '../../../src/engine/person.ts';
import type { Claim } from '../../../src/engine/work.ts';
import {
  type Elsewhere,
  exchangedRows,
  FormerIds,
  isAnswered,
  type LastSeen,
  lookElsewhere,
  printOf,
  resourceIn,
  split,
  TRACES_KEPT_MS,
  traceOf,
} from '../../../src/sheet/booking-judge.ts';
import { customerInRow, FLAGS, type TabReading, type TypedRow } from '../../../src/sheet/tab-reading.ts';
import { anyRowId } from '../../stand/row-ids.ts';

const BOOK = 'book';
const [ONE, TWO, THREE] = [anyRowId(BOOK), anyRowId(BOOK), anyRowId(BOOK)];
const APPOINTMENT = '0d3b2f6a-91c4-4f0e-8a55-000000000001';
const NOW_MS = Date.parse('2026-12-01T00:00:00Z');
const LATER = '2026-12-03T09:00:00.000Z';

type Cells = TypedRow['cells'];
const ANN: Cells = { name: 'Ann', service: 'Cut', resource: 'Room 1', starts_at: 'then' };
const BOB: Cells = { ...ANN, name: 'Bob' };

function rowOf(cells: Cells, more: Partial<TypedRow> = {}): TypedRow {
  const print = printOf({ id: '', cells });
  const rest = { id: '', status: '', appointment: '', ready: true, cancel: false };
  return { row: 1, ...rest, startsAt: LATER, cells, print, ...more };
}

const told = { is: 'nothing' } as const;
const answeredAt = (startsAt: string) => ({ is: 'due', answer: { startsAt } }) as never;
const ownOf = (cells: Cells): OwnAppointment => ({
  id: APPOINTMENT,
  wish: { is: 'carried', wished: { who: customerInRow(cells) } as never },
});
const booked = (cells: Cells, more: Partial<BookingRecord> = {}) =>
  ({ state: 'booked', own: ownOf(cells), told, ...more }) as BookingRecord;
const NEW: BookingRecord = { state: 'new', told };

interface Stored {
  readonly cells: Cells;
  readonly record?: BookingRecord | undefined;
  readonly startsAt?: string;
  readonly mapping?: string;
  readonly link?: object;
}

/** What is stored under each id, and the appointments of the platform. */
function former(
  stored: Readonly<Record<string, Stored>>,
  {
    standing = [],
    appointments = {},
    traces,
  }: {
    standing?: readonly string[];
    appointments?: Readonly<Record<string, object>>;
    traces?: Readonly<Record<string, readonly string[]>>;
  } = {},
) {
  const asked: string[] = [];
  const byTrace = new Map<string, string[]>(Object.entries(traces ?? {}).map(([at, ids]) => [at, [...ids]]));
  for (const [id, { cells }] of Object.entries(stored))
    for (const trace of [printOf({ id: '', cells }), strongestMark(customerInRow(cells)) ?? ''])
      byTrace.set(trace, [...(byTrace.get(trace) ?? []), id]);
  const ids = new FormerIds(
    {
      originMark: 'origin',
      reader: {
        get: async ({ id }: { id: string }) => {
          asked.push(id);
          return appointments[id] as never;
        },
      },
      register: {
        find: async (mapping: string, wanted: readonly string[]) => {
          expect(mapping).toBe('desk');
          return new Map(
            wanted.flatMap((each) => (byTrace.has(each) ? [[each, byTrace.get(each) ?? []]] : [])),
          );
        },
      } as never,
      view: {
        peek: async ({ id }: { id: string }) => {
          const known = stored[id];
          if (known === undefined) return undefined;
          const { cells, record, startsAt = LATER, mapping = 'desk', link } = known;
          const links = {
            ...(record && { desk: { booking: record } }),
            ...(link && { answers: { sheet: link } }),
          };
          return { snapshot: { mapping, cells, starts_at: startsAt }, links } as unknown as Claim;
        },
      },
    },
    {
      spreadsheetIds: [BOOK],
      mapping: 'desk',
      answers: 'answers',
      standing: new Set(standing),
      nowMs: NOW_MS,
    },
  );
  return { ids, asked };
}

const foundIn = async (found: Promise<ReadonlyMap<TypedRow, string>>) => [...(await found).values()];

describe('by its content, a row gets back', () => {
  test('the id under which it said the same', async () => {
    const { ids, asked } = former({ [ONE]: { cells: ANN, record: booked(ANN) } });
    const rows = [rowOf(BOB), rowOf(ANN), rowOf(ANN)];
    const found = await ids.byContent(rows);
    expect([...found]).toEqual([[rows[1], ONE]]);
    expect(asked).toEqual([]);
    expect(await ids.byContent([])).toEqual(new Map());
  });

  test.each<[string, Stored, Partial<TypedRow>?]>([
    ['that its tab shows elsewhere', { cells: ANN, record: NEW }, { row: -1 }],
    ['of another entry', { cells: ANN, record: NEW, mapping: 'other' }],
    [
      'whose booking is over: typed again, it is a new wish',
      { cells: ANN, record: { state: 'refused', code: 'taken', told } },
    ],
    ['that was ignored', { cells: ANN, record: { state: 'ignored', code: 'x', told } }],
    ['under which something else was said', { cells: BOB, record: NEW }],
  ])('no id %s', async (_, stored, more = {}) => {
    const traces = { [rowOf(ANN).print]: [ONE] };
    const { ids } = former({ [ONE]: stored }, { traces, standing: more.row === -1 ? [ONE] : [] });
    expect(await foundIn(ids.byContent([rowOf(ANN, more)]))).toEqual([]);
  });

  test('no id of another spreadsheet, and none that nothing is known of', async () => {
    const other = anyRowId('another-book');
    const traces = { [rowOf(ANN).print]: [TWO] };
    const { ids } = former({ [other]: { cells: ANN, record: NEW } }, { traces });
    expect(await foundIn(ids.byContent([rowOf(ANN)]))).toEqual([]);
  });

  test.each<[string, BookingRecord | undefined]>([
    ['that has no record yet', undefined],
    ['on which nothing is decided', NEW],
    ['that is over, but whose wish is under way', { state: 'refused', code: 'x', told, asked: {} as never }],
  ])('an id %s', async (_, record) => {
    const { ids } = former({ [ONE]: { cells: ANN, record } });
    expect(await foundIn(ids.byContent([rowOf(ANN)]))).toEqual([ONE]);
  });

  test('an id that is over, where the worker wrote another over it, unless the row was refused', async () => {
    const over = { [ONE]: { cells: ANN, record: { state: 'refused', code: 'x', told } as BookingRecord } };
    const row = rowOf(ANN, { id: TWO });
    expect(await foundIn(former(over).ids.byContent([row]))).toEqual([ONE]);
    expect(await foundIn(former(over).ids.byContent([row], new Set([row])))).toEqual([]);
    const live = { [ONE]: { cells: ANN, record: NEW } };
    expect(await foundIn(former(live).ids.byContent([row], new Set([row])))).toEqual([ONE]);
  });

  test('of several ids, the one whose appointment it names', async () => {
    const second = { ...ownOf(ANN), id: '0d3b2f6a-91c4-4f0e-8a55-000000000002' };
    const both = {
      [ONE]: { cells: ANN, record: booked(ANN) },
      [TWO]: { cells: ANN, record: { ...booked(ANN), own: second } as BookingRecord },
    };
    expect(await foundIn(former(both).ids.byContent([rowOf(ANN, { appointment: second.id })]))).toEqual([
      TWO,
    ]);
    expect(await foundIn(former(both).ids.byContent([rowOf(ANN)]))).toEqual([ONE]);
    const unbooked = { [ONE]: { cells: ANN, record: NEW }, [TWO]: both[TWO] as Stored };
    expect(await foundIn(former(unbooked).ids.byContent([rowOf(ANN)]))).toEqual([ONE]);
  });

  test('no id whose appointment the platform has for another customer', async () => {
    const of = (record: BookingRecord, name: string) =>
      former({ [ONE]: { cells: ANN, record } }, { appointments: { [APPOINTMENT]: { customer_name: name } } });
    const typedOver = of(booked(BOB), 'Bob');
    expect(await foundIn(typedOver.ids.byContent([rowOf(ANN)]))).toEqual([]);
    expect(typedOver.asked).toEqual([APPOINTMENT]);
    expect(await foundIn(of(booked(BOB), 'Ann').ids.byContent([rowOf(ANN)]))).toEqual([ONE]);
    const unknown = { ...booked(ANN), own: { id: APPOINTMENT, wish: { is: 'unknown' } } } as BookingRecord;
    expect(await foundIn(of(unknown, 'Bob').ids.byContent([rowOf(ANN)]))).toEqual([]);
    const gone = former({ [ONE]: { cells: ANN, record: unknown } });
    expect(await foundIn(gone.ids.byContent([rowOf(ANN)]))).toEqual([ONE]);
  });

  test('one of the first fifty ids of its content, in their order', async () => {
    const many = Array.from({ length: 51 }, () => anyRowId(BOOK));
    const traces = { [rowOf(ANN).print]: many };
    const fact = (nth: number) => ({ [many[nth] ?? '']: { cells: { ...ANN }, record: NEW } });
    const stored = (nth: number) => former(fact(nth), { traces });
    const only = (nth: number) => {
      const { ids } = stored(nth);
      return foundIn(ids.byContent([rowOf(ANN)]));
    };
    expect(await only(0)).toEqual([many[0]]);
    expect(await only(20)).toEqual([many[20]]);
    expect(await only(49)).toEqual([many[49]]);
    expect(await only(50)).toEqual([]);
  });
});

test('a row is orphaned while an id of its content or its customer is in no row', async () => {
  const moved = rowOf({ ...ANN, starts_at: 'later' });
  const nameless = rowOf({ service: 'Cut' });
  const rows = [rowOf(ANN), moved, rowOf(BOB), nameless];
  const stored = { [ONE]: { cells: ANN, record: NEW } };
  const orphans = async (standing: readonly string[]) => [
    ...(await former(stored, { standing }).ids.orphaned(rows)),
  ];
  expect(await orphans([])).toEqual([rows[0], moved]);
  expect(await orphans([ONE])).toEqual([]);
  expect(await former(stored).ids.orphaned([])).toEqual(new Set());
  const both = { ...stored, [TWO]: { cells: ANN, record: NEW } };
  expect([...(await former(both, { standing: [ONE] }).ids.orphaned([rowOf(ANN)]))]).toHaveLength(1);
});

describe('by the hour of its own appointment, a row gets back', () => {
  const at = (startsAt: string) => booked(ANN, { told: answeredAt(startsAt) } as never);
  test.each<[string, Stored, TypedRow, string | undefined]>([
    ['the id', { cells: ANN, record: at(LATER) }, rowOf(ANN), ONE],
    [
      'the id, in other words',
      { cells: { ...ANN, resource: 'ROOM 1 ' }, record: at('2026-12-03T10:00:00+01:00') },
      rowOf(ANN),
      ONE,
    ],
    ['nothing at another hour', { cells: ANN, record: at('2026-12-03T10:00:00Z') }, rowOf(ANN), undefined],
    [
      'nothing for another service',
      { cells: { ...ANN, service: 'Colour' }, record: at(LATER) },
      rowOf(ANN),
      undefined,
    ],
    [
      'nothing in another room',
      { cells: { ...ANN, resource: 'Room 2' }, record: at(LATER) },
      rowOf(ANN),
      undefined,
    ],
    [
      'nothing with another phone',
      { cells: { ...ANN, phone: '1234567', contact_id: 'c' }, record: at(LATER) },
      rowOf({ ...ANN, phone: '7654321', contact_id: 'c' }),
      undefined,
    ],
    [
      'nothing without an hour',
      { cells: ANN, record: at(LATER) },
      rowOf(ANN, { startsAt: undefined }),
      undefined,
    ],
    ['nothing without an answer', { cells: ANN, record: booked(ANN) }, rowOf(ANN), undefined],
    ['nothing without a record', { cells: ANN }, rowOf(ANN), undefined],
    [
      'nothing that has begun',
      { cells: ANN, record: at(LATER), startsAt: '2026-12-01T00:00:00Z' },
      rowOf(ANN),
      undefined,
    ],
    [
      'nothing that is over',
      { cells: ANN, record: { ...at(LATER), state: 'cancelled' } as BookingRecord },
      rowOf(ANN),
      undefined,
    ],
  ])('%s', async (_, stored, ...[row, expected]) => {
    expect(await former({ [ONE]: stored }).ids.byHour(row)).toBe(expected);
  });

  test('nothing of two that fit, and each id once', async () => {
    const stored = { cells: ANN, record: at(LATER) };
    expect(await former({ [ONE]: stored, [TWO]: stored }).ids.byHour(rowOf(ANN))).toBeUndefined();
    const { ids } = former({ [ONE]: stored });
    expect([await ids.byHour(rowOf(ANN)), await ids.byHour(rowOf(ANN))]).toEqual([ONE, undefined]);
    expect(await former({ [ONE]: stored }, { standing: [ONE] }).ids.byHour(rowOf(ANN))).toBeUndefined();
    const service: Cells = { service: 'Cut' };
    expect(await former({ [ONE]: { ...stored, cells: service } }).ids.byHour(rowOf(service))).toBeUndefined();
  });

  test('nothing of an appointment that is another customer’s', async () => {
    const record = { ...at(LATER), own: { id: APPOINTMENT, wish: { is: 'unknown' } } } as BookingRecord;
    const of = (name: string) =>
      former({ [ONE]: { cells: ANN, record } }, { appointments: { [APPOINTMENT]: { customer_name: name } } });
    expect(await of('Bob').ids.byHour(rowOf(ANN))).toBeUndefined();
    expect(await of('Ann').ids.byHour(rowOf(ANN))).toBe(ONE);
  });
});

describe('by its appointment, a row gets back', () => {
  const appointment = (id: string, name = 'Ann') => ({
    [APPOINTMENT]: { metadata: { origin: rowOrigin(id) }, customer_name: name },
  });
  const named = rowOf(ANN, { appointment: APPOINTMENT });
  test.each<[string, TypedRow, object, readonly string[], string | undefined]>([
    ['the id of the row that booked it', named, appointment(ONE), [], ONE],
    ['nothing while a row has it', named, appointment(ONE), [ONE], undefined],
    ['nothing that another customer booked', named, appointment(ONE, 'Bob'), [], undefined],
    ['nothing of another spreadsheet', named, appointment(anyRowId('another-book')), [], undefined],
    ['nothing of an event', named, { [APPOINTMENT]: { metadata: { origin: 'calendar/x' } } }, [], undefined],
    ['nothing without metadata', named, { [APPOINTMENT]: { metadata: null } }, [], undefined],
    ['nothing that the platform does not have', named, {}, [], undefined],
    [
      'nothing by what is no id',
      rowOf(ANN, { appointment: `${APPOINTMENT}0` }),
      appointment(ONE),
      [],
      undefined,
    ],
    [
      'nothing by a text around an id',
      rowOf(ANN, { appointment: `x${APPOINTMENT}` }),
      appointment(ONE),
      [],
      undefined,
    ],
  ])('%s', async (_, row, ...[appointments, standing, expected]) => {
    const { ids, asked } = former({}, { appointments: appointments as never, standing });
    expect(await ids.byAppointment(row)).toBe(expected);
    expect(asked).toEqual(row === named ? [APPOINTMENT] : []);
    if (expected !== undefined) expect(await ids.byAppointment(row)).toBeUndefined();
  });

  test('it shows another row’s answer while that row is there, or got its id back', async () => {
    const there = former({}, { appointments: appointment(ONE), standing: [ONE] }).ids;
    expect(await there.showsAnothers(named)).toBe(true);
    expect(await there.showsAnothers(rowOf(ANN))).toBe(false);
    const { ids } = former({}, { appointments: appointment(ONE) });
    expect(await ids.showsAnothers(named)).toBe(false);
    expect(await ids.byAppointment(named)).toBe(ONE);
    expect(await ids.showsAnothers(named)).toBe(true);
    expect(await former({}).ids.showsAnothers(named)).toBe(false);
  });
});

describe('by its customer, a row', () => {
  const unseen: Stored = { cells: { ...ANN, starts_at: 'before' }, record: booked(ANN) };
  const answered = rowOf(ANN, { status: 'Booked.' });

  test('without an answer gets the id that never showed one, once', async () => {
    const { ids } = former({ [ONE]: unseen });
    expect(await ids.byCustomer(rowOf(BOB), false)).toBeUndefined();
    expect(await ids.byCustomer(rowOf(ANN), false)).toBe(ONE);
    expect(await ids.byCustomer(rowOf(ANN), false)).toBeUndefined();
    expect(
      await former({ [ONE]: { ...unseen, link: { unshown: true } } }).ids.byCustomer(rowOf(ANN), false),
    ).toBe(ONE);
    expect(
      await former({ [ONE]: { ...unseen, link: {} } }).ids.byCustomer(rowOf(ANN), false),
    ).toBeUndefined();
    expect(await former({ [ONE]: unseen }).ids.byCustomer(rowOf({ service: 'Cut' }), false)).toBeUndefined();
  });

  test('that cancels asks, except at the hour of its own appointment', async () => {
    const cancelling = rowOf(ANN, { cancel: true });
    expect(await former({ [ONE]: unseen }).ids.byCustomer(cancelling, false)).toBe('ask');
    const own: Stored = { cells: ANN, record: booked(ANN, { told: answeredAt(LATER) } as never), link: {} };
    expect(await former({ [ONE]: own }).ids.byCustomer(cancelling, false)).toBe(ONE);
  });

  test('with an answer asks, and what was asked of is still free', async () => {
    const { ids } = former({ [ONE]: unseen });
    expect(await ids.byCustomer(answered, false)).toBe('ask');
    expect(await ids.byCustomer(answered, false)).toBe('ask');
    expect(await ids.byCustomer(rowOf(ANN), false)).toBe(ONE);
    expect(await ids.byCustomer(answered, false)).toBe('ask');
    expect(await ids.byCustomer(rowOf(BOB, { status: 'Booked.' }), false)).toBeUndefined();
  });

  test('that shows an answer and names nobody asks once such a row got an id back', async () => {
    const nobody = rowOf({ service: 'Cut' }, { status: 'Booked.' });
    const { ids } = former({ [ONE]: { cells: nobody.cells, record: NEW } });
    expect(await ids.byCustomer(nobody, false)).toBeUndefined();
    expect(await foundIn(ids.byContent([nobody]))).toEqual([ONE]);
    expect(await ids.byCustomer(nobody, false)).toBe('ask');
  });

  test('with the answer of a row that is there is a copy, unless its id went astray as well', async () => {
    const copy = rowOf(ANN, { appointment: APPOINTMENT });
    const facts = {
      standing: [TWO],
      appointments: { [APPOINTMENT]: { metadata: { origin: rowOrigin(TWO) } } },
    };
    expect(await former({ [ONE]: unseen }, facts).ids.byCustomer(copy, false)).toBeUndefined();
    expect(await former({ [ONE]: unseen }, facts).ids.byCustomer(copy, true)).toBe('ask');
  });
});

test.each<[string, Partial<TypedRow>, boolean]>([
  ['nothing', {}, false],
  ['an appointment', { appointment: 'x' }, true],
  ['an answer', { status: 'Booked.' }, true],
  ['that it is a copy', { status: FLAGS.en.copy }, false],
  ['a question', { status: FLAGS.en.which }, false],
  ['that its id is lost', { status: FLAGS.en.lost }, true],
  ['that its id is foreign', { status: FLAGS.en.foreign }, true],
  ['that it books nothing', { status: FLAGS.en.unbooked }, false],
  ['that nothing is decided', { status: FLAGS.en.undecided }, false],
])('a row in which the worker wrote %s', (_, more, expected) => {
  expect(isAnswered(rowOf(ANN, more))).toBe(expected);
});

test('a trace is kept as long as its appointment is ahead, and 35 days more', () => {
  const mark = strongestMark(customerInRow(ANN));
  const row = rowOf(ANN, { id: ONE });
  const ahead = Date.parse(LATER) - NOW_MS;
  expect(traceOf(row, NOW_MS)).toEqual({
    id: ONE,
    traces: [row.print, mark],
    keepMs: ahead + TRACES_KEPT_MS,
  });
  const past = traceOf({ ...row, startsAt: '2026-11-01T00:00:00Z' }, NOW_MS);
  expect(past.keepMs).toBe(TRACES_KEPT_MS);
  expect(TRACES_KEPT_MS / 86_400_000).toBe(35);
  const nobody = rowOf({ service: 'Cut' }, { startsAt: undefined });
  expect(traceOf(nobody, NOW_MS)).toEqual({ id: '', traces: [nobody.print], keepMs: TRACES_KEPT_MS });
});

describe('an id in several tabs', () => {
  const columns = { id: 'ID', name: 'Name', starts_at: 'Start', status: 'Status' };
  const entry = (name: string) => ({ kind: 'sheet', name, spreadsheetId: BOOK, columns }) as SheetBookings;
  const ofOwn = { of: () => [BOOK] };
  const [front, back, third] = [entry('front'), entry('back'), entry('third')];
  const tab = (
    rows: readonly (readonly string[])[] | undefined,
    header = ['Name', 'ID', 'Start', 'Status'],
  ) => ({ sheetId: 1, grid: rows && [header, ...rows] }) as TabReading;
  const look = async (
    readings: readonly (readonly [SheetBookings, TabReading])[],
    last: Record<string, string> = {},
  ) => {
    const known = new Map<SheetBookings, Elsewhere>();
    const peek = async ({ id }: { id: string }) =>
      last[id] === undefined ? undefined : ({ snapshot: { mapping: last[id] } } as unknown as Claim);
    await lookElsewhere(known, new Map(readings), { view: { peek }, former: ofOwn });
    return readings.map(([each]) => [...(known.get(each)?.ids ?? ['not asked'])]);
  };

  test('is that of the tab whose entry handed its row on last, else of the first', async () => {
    const both = [
      [
        front,
        tab([
          ['Ann', ONE],
          ['Bob', TWO],
          ['', 'x'],
        ]),
      ],
      [
        back,
        tab([
          ['Ann', ONE],
          ['Cat', THREE],
        ]),
      ],
    ] as const;
    expect(await look(both)).toEqual([[THREE], [TWO, ONE].sort((a) => (a === ONE ? -1 : 1))]);
    expect(await look(both, { [ONE]: 'back' })).toEqual([[ONE, THREE], [TWO]]);
    expect(await look(both, { [ONE]: 'front', [TWO]: 'back' })).toEqual([[THREE], [ONE, TWO]]);
    const all = [
      [front, tab([['Ann', ONE]])],
      [back, tab([['', ONE]])],
      [third, tab([['', ONE]])],
    ] as const;
    expect(await look(all, { [ONE]: 'third' })).toEqual([[ONE], [ONE], []]);
  });

  test('counts in every cell of a tab without its headers, and in no other column of one with them', async () => {
    const beside = [
      [front, tab([[ONE, TWO]])],
      [back, tab([])],
    ] as const;
    expect(await look(beside)).toEqual([[], [TWO]]);
    const bare = [
      [front, tab([[` ${ONE} `, TWO]], ['a', 'b'])],
      [back, tab([])],
    ] as const;
    expect(await look(bare)).toEqual([[], [ONE, TWO]]);
    expect(
      await look([
        [front, tab([[anyRowId('another-book'), anyRowId('another-book')]])],
        [back, tab([])],
      ]),
    ).toEqual([[], []]);
    const headed = [
      [front, tab([], ['Name', ONE, 'Start', 'Status'])],
      [back, tab([])],
    ] as const;
    expect(await look(headed)).toEqual([[], []]);
  });

  test('of a tab that shows nothing now is remembered by its entry', async () => {
    const known = new Map<SheetBookings, Elsewhere>();
    const fault = { code: 'tab-missing', message: '', names: [], advice: '' } as TabReading;
    const readings = new Map([
      [front, tab(undefined)],
      [back, tab([])],
      [third, fault],
    ]);
    await lookElsewhere(known, readings, { view: { peek: async () => undefined }, former: ofOwn });
    expect([...(known.get(back)?.unread ?? [])]).toEqual(['front', 'third']);
    expect(known.get(front)?.ids).toEqual(new Set());
  });
});

describe('rows that have each other’s times', () => {
  const row = (nth: number, startsAt: string | undefined, more: Partial<TypedRow> = {}) =>
    rowOf({ ...ANN, name: `Guest ${nth}`, starts_at: startsAt ?? '' }, { row: nth, startsAt, ...more });
  const last = (nth: number, startsAt: string | undefined, more: Partial<LastSeen> = {}): LastSeen => ({
    print: row(nth, startsAt).print,
    customer: {},
    startsAt,
    ...more,
  });
  const found = (
    rows: readonly (readonly [TypedRow, LastSeen | undefined])[],
    outdated: readonly TypedRow[] = [],
  ) => {
    const marks = new Map(outdated.map((each) => [each, true]));
    const all = exchangedRows(
      rows.map(([each, known]) => ({ row: each, last: known })),
      marks,
    );
    return Object.fromEntries([...all].map(([{ row: nth }, before]) => [nth, before]));
  };

  test('since they were last handed on, and what they said', () => {
    expect(
      found([
        [row(1, '10'), last(1, '11')],
        [row(2, '11'), last(2, '10')],
        [row(3, '12'), last(3, '12')],
      ]),
    ).toEqual({
      1: { starts_at: '11' },
      2: { starts_at: '10' },
    });
    const rooms = { ...ANN, name: 'x', resource: 'Room 2' };
    const [one, two] = [rowOf(rooms, { row: 1 }), rowOf({ ...rooms, resource: 'Room 1' }, { row: 2 })];
    const before = { customer: {}, startsAt: LATER };
    expect(
      found([
        [one, { ...before, print: 'a', resource: 'Room 1' }],
        [two, { ...before, print: 'b', resource: 'Room 2' }],
      ]),
    ).toEqual({ 1: { starts_at: LATER, resource: 'Room 1' }, 2: { starts_at: LATER, resource: 'Room 2' } });
  });

  test.each<[string, readonly (readonly [TypedRow, LastSeen | undefined])[]]>([
    [
      'one moved to the hour that another left',
      [
        [row(1, '10'), last(1, '11')],
        [row(2, '12'), last(2, '10')],
      ],
    ],
    ['one moved', [[row(1, '10'), last(1, '11')]]],
    ['none moved', [[row(1, '11'), last(1, '11')]]],
    [
      'one that is new',
      [
        [row(1, '10'), last(1, '11')],
        [row(2, '11'), undefined],
      ],
    ],
    [
      'an hour that is no time',
      [
        [row(1, undefined), last(1, '11')],
        [row(2, '11'), last(2, undefined)],
      ],
    ],
  ])('are not rows of which %s', (_, rows) => {
    expect(found(rows)).toEqual({});
  });

  test('leave out a chain that ends, however long', () => {
    const chain = Array.from(
      { length: 40 },
      (_, nth) => [row(nth, `${nth + 1}`), last(nth, `${nth}`)] as const,
    );
    expect(found(chain)).toEqual({});
    const ring = [
      [row(90, '91'), last(90, '90')],
      [row(91, '90'), last(91, '91')],
    ] as const;
    expect(Object.keys(found([...chain, ...ring]))).toEqual(['90', '91']);
  });

  test('stay so until they say something else, or were not ready in between', () => {
    const exchanged = { starts_at: '11' };
    expect(found([[row(1, '10'), last(1, '10', { exchanged })]])).toEqual({ 1: exchanged });
    expect(found([[row(1, '10'), last(1, '10', { exchanged, ready: false })]])).toEqual({});
    expect(found([[row(1, '12'), last(1, '10', { exchanged })]])).toEqual({});
    // The second goes back to where it was: both have their own hours again.
    expect(
      found([
        [row(1, '10'), last(1, '10', { exchanged })],
        [row(2, '11'), last(2, '10')],
      ]),
    ).toEqual({
      1: exchanged,
      2: { starts_at: '10' },
    });
  });

  test('keep a tick that came with them for as long as it stays', () => {
    const exchanged = { starts_at: '11', unticked: true } as const;
    const ticked = row(1, '10', { cancel: true });
    expect(found([[ticked, last(1, '10', { exchanged, cancel: true })]])).toEqual({ 1: exchanged });
    expect(found([[row(1, '10'), last(1, '10', { exchanged, cancel: true })]])).toEqual({
      1: { starts_at: '11' },
    });
    const plain = { starts_at: '11' };
    expect(found([[ticked, last(1, '10', { exchanged: plain, cancel: true })]])).toEqual({ 1: plain });
  });

  test('are also those whose answer went back, if they say something else or are ticked since', () => {
    const [same, moved] = [row(1, '10'), row(2, '11')];
    const [ticked, was] = [row(3, '10', { cancel: true }), row(4, '10', { cancel: true })];
    const rows = [
      [same, last(1, '10')],
      [moved, last(2, '12', { resource: 'Room 1' })],
      [ticked, last(3, '10', { cancel: false })],
      [was, last(4, '10', { cancel: true })],
      [row(5, '10'), undefined],
    ] as const;
    expect(
      found(
        rows,
        rows.map(([each]) => each),
      ),
    ).toEqual({
      2: { starts_at: '12', resource: 'Room 1' },
      3: { starts_at: '10', unticked: true },
    });
    const unchecked = new Map([[moved, false]]);
    expect(exchangedRows([{ row: moved, last: last(2, '12') }], unchecked)).toEqual(new Map());
  });
});

test('a resource is compared as text, and rows are parted in their order', () => {
  expect([resourceIn({}), resourceIn({ resource: null }), resourceIn({ resource: 5 })]).toEqual([
    undefined,
    undefined,
    '5',
  ]);
  expect(split([1, 2, 3, 4], (each) => each > 2)).toEqual([
    [3, 4],
    [1, 2],
  ]);
});
