import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PackedTexts } from '../../src/google/large-column.ts';
import { doubledRowsOf, keysAfter, planFlush, type TabView } from '../../src/sheet/flush-plan.ts';
import { isAsPlanned } from '../../src/sheet/flush-settle.ts';
import { KeyColumns } from '../../src/sheet/tab-layout.ts';
import { RememberedTabs, TabSurvey } from '../../src/sheet/tab-survey.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { BOOK, CONTACTS, id, row, startStand } from './stand.ts';

const number = fc.integer({ min: 1, max: 12 });
const key = fc.oneof(
  { weight: 4, arbitrary: number.map(id) },
  number.map((n) => id(n).toUpperCase()),
  fc.constantFrom('', 'Total', 'x'),
);
const wishes = fc.uniqueArray(fc.record({ n: number, isGone: fc.boolean() }), { selector: ({ n }) => n });
const LAYOUT = { keyColumn: 0, columns: new Map([['Name', 1]]) };

const viewOf = (keys: TabView['keys']): TabView => ({
  ...{ sheetId: 7, title: 'Contacts', layout: LAYOUT, header: ['ID', 'Name'], keys, rowCount: 100 },
});

function packedOf(keys: readonly string[]): PackedTexts {
  const texts = new PackedTexts();
  for (const each of keys) texts.push(each);
  return texts;
}

const rowsOf = (asked: readonly { readonly n: number; readonly isGone: boolean }[]) =>
  asked.map(({ n, isGone }) => ({ ...row(n, isGone ? undefined : { Name: 'a' }), version: n }));

test('a flush plans the same with the packed key column of a large tab', () => {
  fc.assert(
    fc.property(fc.array(key), wishes, (keys, asked) => {
      const all = ['ID', ...keys];
      const [plain, packed] = [viewOf(all), viewOf(packedOf(all))];
      const [one, other] = [plain, packed].map((view) => planFlush(CONTACTS, view, rowsOf(asked)));
      const { view: _, ...expected } = one ?? { view: plain };
      expect(other).toMatchObject(expected);
      expect(doubledRowsOf(packed)).toBe(doubledRowsOf(plain));
      if (one === undefined || other === undefined) return;
      const after = keysAfter(one);
      expect(keysAfter(other)).toEqual(after);
      expect(isAsPlanned(other, { layout: LAYOUT, keys: packedOf(after) })).toBe(true);
      expect(isAsPlanned(other, { layout: LAYOUT, keys: packedOf([...after, id(99)]) })).toBe(false);
    }),
  );
});

test('and remembers the same of it, flush after flush', () => {
  fc.assert(
    fc.property(fc.array(key), fc.array(wishes, { minLength: 1, maxLength: 4 }), (keys, flushes) => {
      const all = ['ID', ...keys];
      const memories = [new KeyColumns(), new KeyColumns()];
      let views = [viewOf(all), viewOf(packedOf(all))];
      for (const asked of flushes) {
        const rows = rowsOf(asked);
        const plans = views.map((view) => planFlush(CONTACTS, view, rows));
        for (const [i, plan] of plans.entries()) memories[i]?.note(plan);
        const place = { spreadsheetId: CONTACTS.spreadsheetId, sheetId: 7 };
        const [one, other] = memories.map((memory) => memory.partFor(place, rows));
        expect(other?.spans).toEqual(one?.spans);
        expect(other && [...other.keys]).toEqual(one && [...one.keys]);
        expect(other?.keyed?.last).toBe(one?.keyed?.last);
        if (one === undefined || other === undefined) return;
        views = [one, other];
      }
    }),
  );
});

test('a look at a large tab that a flush remembers is what the flush remembers then', async () => {
  const ROWS = 30_000;
  const values = Array.from({ length: ROWS }, (_, n) => [id(n + 1), 'a', 'b']);
  const stand = await startStand({
    tabs: [{ title: 'Contacts', rows: ROWS + 1, columns: 3, values: [['ID', 'Name', 'Phone'], ...values] }],
  });
  const survey = new TabSurvey({ ...stand, memory: new RememberedTabs(new MapMemory()) });
  const look = async () => (await survey.lookAgain(BOOK, [CONTACTS])).get(CONTACTS) as TabView;
  const partNow = () =>
    survey.keys.partFor({ spreadsheetId: BOOK, sheetId: 0 }, rowsOf([{ n: 7, isGone: false }]));
  const first = await look();
  expect(partNow()).toBeUndefined();
  survey.keys.note(planFlush(CONTACTS, first, []));
  const second = await look();
  expect(second.keys).toBeInstanceOf(PackedTexts);
  expect(partNow()?.keys).toBe(second.keys);
  // Each look at its rows must not make them anew: there may be thousands of looks.
  const [area] = await stand.api.read(BOOK, [{ sheetId: 0, startColumn: 0, endColumn: 1 }]);
  expect(area?.rows.at(-1)).toEqual([id(ROWS)]);
  expect(area?.rows).toBe(area?.rows);
  await stand.close();
});
