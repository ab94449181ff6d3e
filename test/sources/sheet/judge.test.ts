// Who is whose among the rows of a tab, for any mixture of copies, edits, foreign ids and notes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newRowId } from '../../../src/domain/row-id.ts';
import { FLAGS } from '../../../src/sources/sheet/flags.ts';
import { judge } from '../../../src/sources/sheet/judge.ts';
import type { TypedRow } from '../../../src/sources/sheet/typed-row.ts';

const BOOK = 'book';
const IDS = [newRowId(BOOK), newRowId(BOOK), newRowId(BOOK)];

const rowsOf = fc
  .array(
    fc.record({
      id: fc.constantFrom('', 'Total', newRowId('another-book'), ...IDS),
      status: fc.constantFrom('', 'Booked.', FLAGS.en.copy, FLAGS.ru.foreign),
      name: fc.constantFrom('', 'Ann', 'Bob'),
    }),
    { maxLength: 12 },
  )
  .map((rows) =>
    rows.map(
      ({ id, status, name }, i): TypedRow => ({
        ...{ row: i + 1, id, status, appointment: '', startsAt: undefined, ready: true, cancel: false },
        cells: name === '' ? {} : { name },
        print: name,
      }),
    ),
  );
const known = fc.record(
  Object.fromEntries(IDS.map((id) => [id, fc.constantFrom(undefined, '', 'Ann', 'Bob')])),
);

test('no id has two bearers, and every row with something in it is a bearer, new, or told why not', () => {
  fc.assert(
    fc.property(rowsOf, known, (rows, prints) => {
      const { bearers, newcomers, flagged } = judge(rows, {
        spreadsheetId: BOOK,
        lastPrint: (id) => prints[id],
      });
      expect(new Set(bearers.map(({ id }) => id)).size).toBe(bearers.length);
      const judged = [...bearers, ...newcomers, ...flagged.map(({ row }) => row)];
      expect(new Set(judged).size).toBe(judged.length);
      for (const row of rows) if (row.print !== '') expect(judged).toContain(row);
      for (const row of bearers) expect(IDS).toContain(row.id);
    }),
  );
});

test('whatever is copied beside it, above or below, edited or not: the row that says what was known stays the bearer', () => {
  fc.assert(
    fc.property(rowsOf, fc.nat(), (others, at) => {
      const [id = ''] = IDS;
      const original: TypedRow = {
        ...{
          row: 99,
          id,
          status: 'Booked.',
          appointment: '',
          startsAt: undefined,
          ready: true,
          cancel: false,
        },
        ...{ cells: { name: 'Eve' }, print: 'Eve' },
      };
      const rows = [...others];
      rows.splice(at % (rows.length + 1), 0, original);
      const { bearers } = judge(rows, { spreadsheetId: BOOK, lastPrint: () => 'Eve' });
      expect(bearers.filter((row) => row.id === id)).toEqual([original]);
    }),
  );
});
