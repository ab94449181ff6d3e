import { afterEach, expect, test } from 'vitest';
import { MirroredRows } from '../../src/operate/mirrored-rows.ts';
import { BOOK, CONTACTS, type Stand, startStand } from '../sheet/stand.ts';

let stand: Stand;
afterEach(() => stand.close());

const VERA = { kind: 'contact', id: 'c-vera' } as const;

async function open(): Promise<MirroredRows> {
  stand = await startStand({
    tabs: [
      {
        title: 'Contacts',
        values: [['Notes', 'Name', ' ID '], ['x', 'Pavel', 'c-pavel'], [], ['y', 'Vera', ' c-vera ']],
      },
      { title: 'Old visits', values: [['ID'], ['c-old']] },
      { title: 'Private', values: [['ID'], ['c-private']] },
    ],
  });
  const archive = {
    spreadsheetId: BOOK,
    tab: 'Old visits',
    by: 'created_at',
    afterMs: 1,
    blankRows: 'keep',
  } as const;
  const { from: _, where: __, ...rest } = CONTACTS;
  return new MirroredRows({
    api: stand.api,
    mirrors: [{ ...rest, from: 'contact', where: {}, archive }],
    bookings: [],
  });
}

test('a row is the object whose id stands in it now, whatever people have sorted', async () => {
  const rows = await open();
  expect(await rows.at({ tab: 'contacts', row: 4 })).toEqual([VERA]);
  expect(await rows.at({ row: 2 })).toEqual([
    { kind: 'contact', id: 'c-pavel' },
    { kind: 'contact', id: 'c-old' },
  ]);
  stand.sandbox.staff.sheets.sortTab({
    spreadsheetId: BOOK,
    tab: 'Contacts',
    column: 'Name',
    descending: true,
  });
  expect(await rows.at({ tab: 'Contacts', row: 2 })).toEqual([VERA]);
});

test('an empty row, one beyond the end, and a tab that the YAML does not name, are nobody', async () => {
  const rows = await open();
  expect(await rows.at({ tab: 'Contacts', row: 3 })).toEqual([]);
  expect(await rows.at({ tab: 'Contacts', row: 9_999_999 })).toEqual([]);
  expect(await rows.at({ tab: 'Private', row: 2 })).toEqual([]);
});

test('the place of an object is where its id stands now, in the tab or in its archive', async () => {
  const rows = await open();
  const sheetId = (await stand.api.tabs(BOOK))[0]?.sheetId;
  expect(await rows.placeOf(VERA, 'contacts')).toEqual({ spreadsheetId: BOOK, sheetId, row: 4 });
  expect(await rows.placeOf({ kind: 'contact', id: 'c-old' }, 'contacts')).toMatchObject({ row: 2 });
  expect(await rows.placeOf({ kind: 'contact', id: 'ID' }, 'contacts')).toBe(undefined);
  expect(await rows.placeOf({ kind: 'contact', id: 'c-gone' }, 'contacts')).toBe(undefined);
  expect(await rows.placeOf({ kind: 'lead', id: 'c-vera' }, 'contacts')).toBe(undefined);
});
