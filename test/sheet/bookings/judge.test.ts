// Who is whose among the rows of a tab, for any mixture of copies, edits, foreign ids and notes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeBookingRows, type Knowledge } from '../../../src/sheet/booking-judge.ts';
import { asideText, customerInRow, FLAGS, type TypedRow } from '../../../src/sheet/tab-reading.ts';
import { anyRowId } from '../../stand/row-ids.ts';

const BOOK = 'book';
const IDS = [anyRowId(BOOK), anyRowId(BOOK), anyRowId(BOOK)] as const;
const [ID] = IDS;

/** `Ann 10`: Ann, at ten. */
function rowAt(
  row: number,
  { id, says, status = '' }: { readonly id: string; readonly says: string; readonly status?: string },
): TypedRow {
  const [name = '', hour = ''] = says.split(' ');
  const cells = { ...(name !== '' && { name }), ...(hour !== '' && { starts_at: hour }) };
  const rest = { appointment: '', startsAt: undefined, ready: true, cancel: false };
  return { row, id, status, cells, print: says, ...rest };
}

function knowing(
  last: Readonly<Record<string, string | undefined>>,
  sentTo: Readonly<Record<string, string>> = {},
): Knowledge {
  return {
    spreadsheetIds: [BOOK],
    last: (id) => {
      const says = last[id];
      return says === undefined
        ? undefined
        : { print: says, customer: customerInRow(rowAt(0, { id: '', says }).cells) };
    },
    sentTo: (id) => sentTo[id],
  };
}

const says = fc.constantFrom('', 'Ann 10', 'Ann 11', 'Bob 10', 'Bob 11');
const rowsOf = fc
  .array(
    fc.record({
      id: fc.constantFrom(
        ...['', 'Total', 'NEW', anyRowId('another-book'), ...IDS],
        ...[
          asideText('copy', ID, 'Ann 10'),
          asideText('which', ID, 'Ann 11'),
          asideText('which', IDS[1], 'Bob 10'),
        ],
      ),
      status: fc.constantFrom('', 'Booked.', FLAGS.en.copy, FLAGS.ru.foreign, FLAGS.en.which),
      says,
    }),
    { maxLength: 12 },
  )
  .map((rows) => rows.map((each, i) => rowAt(i + 1, each)));
const known = fc.record(
  Object.fromEntries(IDS.map((id) => [id, fc.option(says.filter(Boolean), { nil: undefined })])),
);
const sent = fc.dictionary(fc.constantFrom(...IDS), says.filter(Boolean), { maxKeys: 2 });

test('P2: no id has two bearers, and every row with something in it is judged once', () => {
  fc.assert(
    fc.property(rowsOf, known, sent, (rows, last, sentTo) => {
      const judgement = judgeBookingRows(rows, knowing(last, sentTo));
      const { bearers, doubtful, newcomers, aside, foreign } = judgement;
      const ids = [...bearers, ...doubtful].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(IDS).toContain(id);
      const judged = [...[...bearers, ...doubtful, ...newcomers, ...aside].map(({ row }) => row), ...foreign];
      expect(new Set(judged).size).toBe(judged.length);
      for (const row of rows) if (row.print !== '') expect(judged).toContain(row);
    }),
  );
});

test('P7: a bearer says what was known under its id or sent with it, or names the same customer', () => {
  fc.assert(
    fc.property(rowsOf, known, sent, (rows, last, sentTo) => {
      const asked = new Set(
        rows.flatMap(({ id }) =>
          id.startsWith('which') ? [id.slice('which '.length, 'which '.length + ID.length)] : [],
        ),
      );
      for (const { row, id } of judgeBookingRows(rows, knowing(last, sentTo)).bearers) {
        // A person has taken the id from all the other rows.
        if (row.id !== id && asked.has(id)) continue;
        if (sentTo[id] !== undefined && row.id === id) expect(row.print).toBe(sentTo[id]);
        else expect(row.print.split(' ')[0]).toBe(last[id]?.split(' ')[0]);
      }
    }),
  );
});

test('whatever is copied beside it, above or below, edited or not: the row that says what was known stays the bearer', () => {
  fc.assert(
    fc.property(rowsOf, fc.nat(), (others, at) => {
      const original = rowAt(99, { id: ID, says: 'Eve 10', status: 'Booked.' });
      const rows = [...others];
      rows.splice(at % (rows.length + 1), 0, original);
      const { bearers } = judgeBookingRows(rows, knowing({ [ID]: 'Eve 10' }));
      expect(bearers.filter(({ id }) => id === ID)).toEqual([{ row: original, id: ID }]);
    }),
  );
});

describe('rows that share an id, none of which says what was known (Ann at ten)', () => {
  const judged = (
    rows: readonly TypedRow[],
    sentTo: Readonly<Record<string, string>> = {},
    more: Partial<Knowledge> = {},
  ) => {
    const knowledge = { ...knowing({ [ID]: 'Ann 10' }, sentTo), ...more };
    const { bearers, doubtful, newcomers, aside, foreign } = judgeBookingRows(rows, knowledge);
    return [
      ...foreign.map(({ row }) => `${row} foreign`),
      ...bearers.map(({ row }) => `${row.row} bears`),
      ...doubtful.map(({ row }) => `${row.row} in doubt`),
      ...newcomers.map(({ row, as }) => `${row.row} ${as}`),
      ...aside.map(({ row, flag }) => `${row.row} ${flag}`),
    ].sort();
  };

  test.each<[string, TypedRow[], string[]]>([
    ['one that was moved', [rowAt(1, { id: ID, says: 'Ann 11' })], ['1 bears']],
    ['one that names another customer', [rowAt(1, { id: ID, says: 'Bob 11' })], ['1 in doubt']],
    [
      'moved, copied, the upper one typed over',
      [rowAt(1, { id: ID, says: 'Bob 11' }), rowAt(2, { id: ID, says: 'Ann 11' })],
      ['1 copy', '2 bears'],
    ],
    [
      'two that name the customer and say different hours',
      [rowAt(1, { id: ID, says: 'Ann 11' }), rowAt(2, { id: ID, says: 'Ann 12' })],
      ['1 which', '2 which'],
    ],
    [
      'two that name others',
      [rowAt(1, { id: ID, says: 'Bob 10' }), rowAt(2, { id: ID, says: 'Cat 10' })],
      ['1 which', '2 which'],
    ],
    [
      'moved, then copied',
      [rowAt(1, { id: ID, says: 'Ann 11' }), rowAt(2, { id: ID, says: 'Ann 11' })],
      ['1 bears', '2 copy'],
    ],
    [
      'a person has cleared the id of the others',
      [
        rowAt(1, { id: asideText('which', ID, 'Ann 11'), says: 'Ann 11' }),
        rowAt(2, { id: '', says: 'Ann 12' }),
      ],
      ['1 bears', '2 blank'],
    ],
    [
      'they were asked before',
      [
        rowAt(1, { id: asideText('which', ID, 'Ann 11'), says: 'Ann 11' }),
        rowAt(2, { id: asideText('which', ID, 'Ann 12'), says: 'Ann 12' }),
      ],
      ['1 which', '2 which'],
    ],
    [
      'the original of a copy is gone, and the copy was typed over',
      [rowAt(1, { id: asideText('copy', ID, 'Bob 10'), says: 'Bob 10' })],
      ['1 copy'],
    ],
    [
      'the mark of a copy was meant for another row and hit this one',
      [
        rowAt(1, { id: ID, says: 'Ann 10' }),
        rowAt(2, { id: asideText('copy', ID, 'Ann 10'), says: 'Bob 10' }),
      ],
      ['1 bears', '2 hit'],
    ],
    [
      'a marked copy was changed for the same customer',
      [
        rowAt(1, { id: ID, says: 'Ann 10' }),
        rowAt(2, { id: asideText('copy', ID, 'Ann 10'), says: 'Ann 12' }),
      ],
      ['1 bears', '2 copy'],
    ],
    [
      'the original of a copy is gone, and the copy says the same',
      [rowAt(1, { id: asideText('copy', ID, 'Ann 10'), says: 'Ann 10' })],
      ['1 bears'],
    ],
  ])('%s', (_, rows, expected) => {
    expect(judged(rows)).toEqual(expected);
  });

  test.each<[string, TypedRow[], string[]]>([
    ['a person says that it is new', [rowAt(1, { id: 'NEW', says: 'Ann 10' })], ['1 said']],
    ['its id is none of the worker', [rowAt(1, { id: 'Total', says: 'Ann 10' })], ['1 foreign']],
    ['it says nothing', [rowAt(1, { id: 'Total', says: '' }), rowAt(2, { id: '', says: '' })], []],
    [
      'a copy that was flagged stands above the original',
      [rowAt(1, { id: ID, says: 'Ann 10', status: FLAGS.en.copy }), rowAt(2, { id: ID, says: 'Ann 10' })],
      ['1 copy', '2 bears'],
    ],
    [
      'a copy that was flagged is left, and was changed',
      [rowAt(1, { id: ID, says: 'Ann 11', status: FLAGS.en.copy })],
      ['1 copy'],
    ],
    [
      'both were changed, and one was flagged',
      [rowAt(1, { id: ID, says: 'Ann 11', status: FLAGS.en.copy }), rowAt(2, { id: ID, says: 'Ann 12' })],
      ['1 copy', '2 bears'],
    ],
    [
      'nothing is known of the id, and its row was flagged',
      [rowAt(1, { id: IDS[1], says: 'Ann 10', status: FLAGS.en.copy })],
      ['1 in doubt'],
    ],
    ['the mark of a copy names no row', [rowAt(1, { id: `copy ${ID}`, says: 'Bob 10' })], ['1 copy']],
    [
      'one of two that were asked says what was known',
      [
        rowAt(1, { id: asideText('which', ID, 'Ann 10'), says: 'Ann 10' }),
        rowAt(2, { id: asideText('which', ID, 'Ann 11'), says: 'Ann 11' }),
      ],
      ['1 bears', '2 copy'],
    ],
    [
      'one was asked, and the original is there',
      [
        rowAt(1, { id: asideText('which', ID, 'Ann 11'), says: 'Ann 11' }),
        rowAt(2, { id: ID, says: 'Ann 10' }),
      ],
      ['1 copy', '2 bears'],
    ],
  ])('%s', (_, rows, expected) => {
    expect(judged(rows)).toEqual(expected);
  });

  test('an id that another tab has makes copies here, and so does one whose own tab shows nothing', () => {
    const rows = [
      rowAt(1, { id: ID, says: 'Ann 10' }),
      rowAt(2, { id: asideText('which', ID, 'Ann 11'), says: 'Ann 11' }),
    ];
    const [ids, unread] = [new Set<string>(), new Set<string>()];
    const last = (entry: string): Knowledge['last'] => {
      const { last: known } = knowing({ [ID]: 'Ann 10' });
      return (id) => {
        const seen = known(id);
        return seen && { ...seen, entry };
      };
    };
    const copies = ['1 copy', '2 copy'];
    const bears = ['1 bears', '2 copy'];
    expect(judged(rows, {}, { elsewhere: { ids: new Set([ID]), unread } })).toEqual(copies);
    expect(judged(rows, {}, { elsewhere: { ids: new Set([IDS[1]]), unread } })).toEqual(bears);
    const away = { ids, unread: new Set(['back']) };
    expect(judged(rows, {}, { elsewhere: away, last: last('back') })).toEqual(copies);
    expect(judged(rows, {}, { elsewhere: away, last: last('front') })).toEqual(bears);
    const unknown = [rowAt(1, { id: IDS[1], says: 'Ann 10' })];
    expect(judged(unknown, {}, { elsewhere: away })).toEqual(['1 in doubt']);
  });

  test('an id sent anew counts in the row to which it was sent, not in that of its former content', () => {
    const rows = [rowAt(1, { id: ID, says: 'Ann 11' })];
    expect(judged(rows, { [ID]: 'Ann 11' })).toEqual(['1 bears']);
  });

  test('fifty rows that an id on its way has hit are compared', () => {
    const rows = Array.from({ length: 50 }, (_, at) => rowAt(at + 1, { id: ID, says: `Guest${at} 11` }));
    expect(judged(rows, { [ID]: 'Ann 10' })).toEqual(rows.map(({ row }) => `${row} hit`).sort());
  });

  test('an id on its way that lands in another row is not that row’s', () => {
    expect(judged([rowAt(1, { id: ID, says: 'Bob 10' })], { [ID]: 'Ann 10' })).toEqual(['1 hit']);
    expect(
      judged([rowAt(1, { id: ID, says: 'Bob 10' }), rowAt(2, { id: ID, says: 'Ann 10' })], {
        [ID]: 'Ann 10',
      }),
    ).toEqual(['1 hit', '2 bears']);
  });

  test.each<[string, TypedRow[], string[]]>([
    [
      'moved and copied before it was seen: one wish, not two',
      [rowAt(1, { id: ID, says: 'Ann 12' }), rowAt(2, { id: ID, says: 'Ann 11' })],
      ['1 which', '2 which'],
    ],
    [
      'copied, then moved',
      [rowAt(1, { id: ID, says: 'Ann 12' }), rowAt(2, { id: ID, says: 'Ann 10' })],
      ['1 copy', '2 bears'],
    ],
    [
      'moved, then copied',
      [rowAt(1, { id: ID, says: 'Ann 11' }), rowAt(2, { id: ID, says: 'Ann 11' })],
      ['1 hit', '2 copy'],
    ],
    [
      'filled down over a hundred rows, and typed over',
      Array.from({ length: 100 }, (_, at) => rowAt(at + 1, { id: ID, says: `Guest${at} 11` })),
      Array.from({ length: 100 }, (_, at) => `${at + 1} which`).sort(),
    ],
    [
      'copied and typed over for others',
      [
        rowAt(1, { id: ID, says: 'Bob 11' }),
        rowAt(2, { id: ID, says: 'Cat 11' }),
        rowAt(3, { id: ID, says: 'Ann 10' }),
      ],
      ['1 hit', '2 hit', '3 bears'],
    ],
  ])('an id on its way to a row that is %s', (_, rows, expected) => {
    expect(judged(rows, { [ID]: 'Ann 10' })).toEqual(expected);
  });
});
