import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell, PendingRow } from '../../src/engine/sheet-row.ts';
import { planFlush, type TabPlan, type TabView } from '../../src/sheet/flush-plan.ts';
import { inspect, isAsPlanned } from '../../src/sheet/flush-settle.ts';
import { holdsAll, requestsOf, writtenAreas } from '../../src/sheet/flush-write.ts';
import { isTabFault, readLayout } from '../../src/sheet/tab-layout.ts';
import { runsOf } from '../stand/runs.ts';
import { ModelSheet } from './model-sheet.ts';
import { CONTACTS, id, row } from './stand.ts';

const OWNED = ['Name', 'Phone'];
const HEADERS = ['ID', ...OWNED, 'Note', 'Colour'];
const IDS = 8;

const header = fc.shuffledSubarray(HEADERS, { minLength: HEADERS.length });
const cell = fc.oneof(
  fc.constantFrom<Cell>(null, '', '=1+1', true, 0, 3.5),
  fc.string({ maxLength: 4 }).map((text) => `t${text}`),
);
const number = fc.integer({ min: 1, max: IDS });
/** What a row of the tab has: the key of an object, no key, or something of people's in the key's place. */
const line = fc.record({
  key: fc.oneof(
    number.map(id),
    number.map((n) => `  ${id(n)} `),
    fc.constantFrom('', 'Total', 'x'),
  ),
  cells: fc.array(cell, { minLength: 4, maxLength: 4 }),
});
const wish = fc.record({ Name: cell, Phone: cell }, { noNullPrototype: true });
const wishes = fc.uniqueArray(fc.record({ n: number, cells: fc.option(wish, { nil: undefined }) }), {
  selector: ({ n }) => n,
});

function pending(n: number, cells: Record<string, Cell> | undefined): PendingRow {
  return { ...row(n, cells), version: n };
}

function viewOf(sheet: ModelSheet): TabView {
  const layout = readLayout(sheet.values()[0] ?? [], CONTACTS);
  if (isTabFault(layout)) throw new Error(layout.message);
  return { sheetId: 0, layout, keys: sheet.column(layout.keyColumn), rowCount: sheet.rows.length };
}

function perform(sheet: ModelSheet, plan: TabPlan, isolated = false): void {
  sheet.perform(requestsOf(plan, isolated).map(({ request }) => request));
}

/** Blank, null and empty text look the same in a sheet. */
const shown = (value: unknown) => value ?? '';

describe('a plan, performed on the tab that it was made for', () => {
  const tab = fc.record({ header, lines: fc.array(line, { maxLength: 12 }), wishes, isolated: fc.boolean() });

  function sheetOf(about: { header: string[]; lines: { key: string; cells: Cell[] }[] }): ModelSheet {
    const key = about.header.indexOf('ID');
    const rows = about.lines.map(({ key: text, cells }) => cells.toSpliced(key, 0, text));
    return new ModelSheet([about.header, ...rows.map((cells) => cells.map(shown))]);
  }

  it('gives one row per key with the wanted cells, and leaves every cell of people untouched', () => {
    fc.assert(
      fc.property(tab, (about) => {
        const sheet = sheetOf(about);
        const before = sheetOf(about);
        const view = viewOf(sheet);
        const plan = planFlush(
          CONTACTS,
          view,
          about.wishes.map(({ n, cells }) => pending(n, cells)),
        );
        perform(sheet, plan, about.isolated);

        const keyAt = view.layout.keyColumn;
        const keysBefore = before.column(keyAt);
        const keysNow = sheet.column(keyAt);
        const owned = (at: number) => [keyAt, ...view.layout.columns.values()].includes(at);
        for (const { n, cells } of about.wishes) {
          const times = keysBefore.filter((key) => key === id(n)).length;
          const now = keysNow.filter((key) => key === id(n)).length;
          if (cells === undefined) expect(now).toBe(Math.max(0, times - 1));
          else {
            expect(now).toBe(Math.max(1, times));
            const first = sheet.rows[keysNow.indexOf(id(n))]?.cells ?? [];
            for (const name of OWNED) {
              expect(shown(first[about.header.indexOf(name)])).toEqual(shown(cells[name as 'Name']));
            }
          }
        }
        const wanted = new Set(about.wishes.map(({ n }) => keysBefore.indexOf(id(n))));
        for (const [place, old] of before.rows.entries()) {
          const now = sheet.rows.find(({ origin }) => origin === place)?.cells ?? [];
          for (const [at, value] of old.cells.entries()) {
            if (place > 0 && wanted.has(place) && owned(at)) continue;
            expect(shown(now[at])).toEqual(shown(value));
          }
        }
        for (const { origin, cells } of sheet.rows) {
          if (origin === 'fresh')
            for (const [at, value] of cells.entries()) if (!owned(at)) expect(shown(value)).toBe('');
        }
        // The order of what was there is what it was.
        expect(sheet.rows.flatMap(({ origin }) => (origin === 'fresh' ? [] : [origin]))).toEqual([
          ...before.rows.keys(),
        ]);
        expect(isAsPlanned(plan, viewOf(sheet))).toBe(true);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('performed twice is the same as once', () => {
    fc.assert(
      fc.property(tab, (about) => {
        const sheet = sheetOf({
          ...about,
          lines: about.lines.filter(
            ({ key }, i, all) => all.findIndex((other) => other.key.trim() === key.trim()) === i,
          ),
        });
        const rows = about.wishes.map(({ n, cells }) => pending(n, cells));
        perform(sheet, planFlush(CONTACTS, viewOf(sheet), rows));
        const once = sheet.values();
        perform(sheet, planFlush(CONTACTS, viewOf(sheet), rows));
        expect(sheet.values()).toEqual(once);
      }),
      { numRuns: runsOf(300) },
    );
  });
});

describe('a plan, performed on a tab that people have changed meanwhile', () => {
  const KEYS = Array.from({ length: IDS - 2 }, (_, i) => i + 1);
  /** Each object and version has cells of its own, so that a mix-up shows. */
  const named = (n: number, version: number) => ({
    Name: `${(n * 5) % 7} name ${n}.${version}`,
    Phone: `phone ${n}`,
  });
  const place = fc.nat({ max: KEYS.length + 2 });
  type Deed = (sheet: ModelSheet) => void;
  const inside = (sheet: ModelSheet, at: number) => 1 + (at % Math.max(1, sheet.rows.length - 1));
  const sort: fc.Arbitrary<Deed> = fc.record({ column: fc.nat({ max: 4 }), descending: fc.boolean() }).map(
    ({ column, descending }) =>
      (sheet) =>
        sheet.sort(column, descending),
  );
  const deed: fc.Arbitrary<Deed> = fc.oneof(
    sort,
    place.map(
      (at): Deed =>
        (sheet) =>
          sheet.insertRow(inside(sheet, at)),
    ),
    place.map(
      (at): Deed =>
        (sheet) =>
          sheet.deleteRow(inside(sheet, at)),
    ),
    fc.tuple(place, place).map(
      ([from, to]): Deed =>
        (sheet) =>
          sheet.moveRow(inside(sheet, from), inside(sheet, to)),
    ),
  );
  const story = fc.record({
    header,
    order: fc.shuffledSubarray(KEYS, { minLength: 1 }),
    wishes: fc.uniqueArray(fc.record({ n: number, isCleared: fc.boolean() }), {
      selector: ({ n }) => n,
      minLength: 1,
    }),
    before: fc.array(deed, { maxLength: 2 }),
    after: fc.array(sort, { maxLength: 2 }),
  });

  it('comes right: one row per object with its newest cells, none without a key, and people’s cells stay', () => {
    fc.assert(
      fc.property(story, (about) => {
        const at = (name: string) => about.header.indexOf(name);
        const newest = new Map<number, Record<string, Cell> | undefined>(
          about.order.map((n) => [n, named(n, 0)]),
        );
        const rows = about.order.map((n) => {
          const cells = about.header.map(() => '' as Cell);
          cells[at('ID')] = id(n);
          for (const name of OWNED) cells[at(name)] = named(n, 0)[name as 'Name'];
          cells[at('Note')] = `note ${n}`;
          return cells;
        });
        const sheet = new ModelSheet([about.header, ...rows]);
        const waiting = new Map<number, PendingRow>();
        for (const { n, isCleared } of about.wishes) {
          newest.set(n, isCleared ? undefined : named(n, 1));
          waiting.set(n, pending(n, newest.get(n)));
        }
        const deleted = new Set<string>();
        for (let flush = 0; waiting.size > 0; flush += 1) {
          expect(flush).toBeLessThan(10);
          let plan = planFlush(CONTACTS, viewOf(sheet), [...waiting.values()]);
          for (const done of plan.absent) waiting.delete(done.version);
          const keysBefore = new Set(sheet.column(at('ID')));
          if (flush === 0) for (const act of about.before) act(sheet);
          for (const key of keysBefore) if (!sheet.column(at('ID')).includes(key)) deleted.add(key);
          for (let round = 0; round < 4; round += 1) {
            // What lies outside of the grid is refused as a whole, and planned again.
            const rowsNeeded = Math.max(
              -1,
              ...plan.inPlace.keys(),
              plan.fresh.length > 0 ? plan.insertAt - 1 : -1,
            );
            if (rowsNeeded >= sheet.rows.length) break;
            perform(sheet, plan);
            if (flush === 0 && round === 0) for (const act of about.after) act(sheet);
            const after = viewOf(sheet);
            const isWritten = writtenAreas(plan).every((written) =>
              holdsAll(written, sheet.area(written.area)),
            );
            if (isWritten && isAsPlanned(plan, after)) {
              for (const write of [...plan.inPlace.values(), ...plan.fresh])
                waiting.delete(write.pending?.version ?? 0);
              break;
            }
            const found = inspect(plan, after.layout, sheet.values());
            for (const { version } of found.stands) waiting.delete(version);
            for (const key of found.hit) {
              const n = Number(key.slice(-12));
              if (newest.has(n)) waiting.set(n, pending(n, newest.get(n)));
            }
            if (found.leftovers.size === 0) break;
            plan = {
              ...plan,
              view: after,
              inPlace: found.leftovers,
              fresh: [],
              absent: [],
              insertAt: after.keys.length,
            };
          }
        }
        const keys = sheet.column(at('ID'));
        for (const [n, cells] of newest) {
          const places = keys.flatMap((key, i) => (key === id(n) ? [i] : []));
          const isLeftDeleted =
            places.length === 0 && deleted.has(id(n)) && !about.wishes.some((w) => w.n === n);
          if (isLeftDeleted) continue;
          expect(places).toHaveLength(cells === undefined ? 0 : 1);
          const found = sheet.rows[places[0] ?? 0]?.cells ?? [];
          if (cells !== undefined) for (const name of OWNED) expect(found[at(name)]).toEqual(cells[name]);
        }
        for (const [i, key] of keys.entries()) {
          if (key !== '') continue;
          for (const name of OWNED) expect(shown(sheet.rows[i]?.cells[at(name)])).toBe('');
        }
        // A note is gone only with a row that people deleted.
        const notes = sheet.values().map((cells) => cells[at('Note')]);
        const kept = about.order.filter((n) => !deleted.has(id(n)) && !about.before.length);
        for (const n of kept) expect(notes).toContain(`note ${n}`);
        if (about.wishes.every(({ isCleared }) => !isCleared)) {
          for (const [i, note] of notes.entries()) {
            if (typeof note === 'string' && note.startsWith('note'))
              expect(keys[i]).toBe(id(Number(note.slice(5))));
          }
        }
      }),
      { numRuns: runsOf(1_000) },
    );
  });
});
