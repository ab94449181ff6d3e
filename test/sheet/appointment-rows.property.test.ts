// Whatever hands do to a tab of appointments by mistake, nothing in it is believed to be a wish (P7). The rules alone, without a sheet.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentHash } from '../../src/engine/object.ts';
import type { RowEdit, RowNote, SheetCarry, ShownCells } from '../../src/engine/row-edit.ts';
import { judgeRows } from '../../src/sheet/cell-judge.ts';
import { cellMark } from '../../src/sheet/cells.ts';
import { decideAppointmentEdit } from '../../src/sheet/decide-appointment-cell.ts';
import type { SeenRow } from '../../src/sheet/edited-rows.ts';
import { runsOf } from '../stand/runs.ts';

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
const HEADERS = ['ID', 'Start', 'Name', 'Service', 'Cancel'] as const;
type Header = (typeof HEADERS)[number];
type Row = Readonly<Record<Header, unknown>>;

/** 2026-03-03 09:00, as Google keeps it. */
const NINE = 46_084 + 9 / 24;
/** Few of each, so that they meet. */
const row = fc.record({
  start: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
  Name: fc.constantFrom('Ada', 'Bea', 'Cleo', ''),
  Service: fc.constantFrom('Haircut', 'Colour'),
});
const tab = fc.array(row, { minLength: 2, maxLength: 9 }).map((rows) =>
  rows.map(
    ({ start: [day, hour], Name, Service }, i): Row => ({
      ...{ ID: `id-${i}`, Start: NINE + day + hour / 24, Name, Service, Cancel: false },
    }),
  ),
);

/** What people do to cells without meaning any one appointment. */
type Slip = (rows: readonly Row[]) => readonly Row[];
const column = fc.constantFrom(...HEADERS);
const at = fc.nat({ max: 8 });
const slips: fc.Arbitrary<Slip> = fc.oneof(
  // A column, or some side by side, is sorted without the others.
  fc.record({ from: fc.nat({ max: 4 }), width: fc.integer({ min: 1, max: 4 }), down: fc.boolean() }).map(
    ({ from, width, down }): Slip =>
      (rows) => {
        const sorted = HEADERS.slice(from, from + width);
        const [by = 'Start'] = sorted;
        const order = [...rows].sort((a, b) => String(a[by]).localeCompare(String(b[by])) * (down ? -1 : 1));
        return rows.map((each, i) => ({ ...each, ...part(order[i], sorted) }));
      },
  ),
  // A cell is filled down over the rows below it: the same, or a day on each.
  fc.record({ column, at, count: fc.integer({ min: 1, max: 8 }), step: fc.constantFrom(0, 1) }).map(
    ({ column: header, at: from, count, step }): Slip =>
      (rows) =>
        rows.map((each, i) => {
          const source = rows[from]?.[header];
          if (i <= from || i > from + count || source === undefined || header === 'Cancel') return each;
          return { ...each, [header]: typeof source === 'number' ? source + step * (i - from) : source };
        }),
  ),
  // Ticks over several rows.
  fc.record({ at, count: fc.integer({ min: 2, max: 9 }) }).map(
    ({ at: from, count }): Slip =>
      (rows) =>
        rows.length - from < 2
          ? rows
          : rows.map((each, i) => (i >= from && i < from + count ? { ...each, Cancel: true } : each)),
  ),
  // A row, or some cells of it, is pasted over another.
  fc.record({ at, to: at, from: fc.nat({ max: 3 }), width: fc.integer({ min: 2, max: 5 }) }).map(
    ({ at: source, to, from, width }): Slip =>
      (rows) =>
        rows.map((each, i) =>
          i === to ? { ...each, ...part(rows[source], HEADERS.slice(from, from + width)) } : each,
        ),
  ),
  // A cell is cut out, and those below it move up; or one is put in, and they move down.
  fc
    .record({
      column: fc.constantFrom('ID' as const, 'Start' as const, 'Name' as const),
      at,
      up: fc.boolean(),
    })
    .map(
      ({ column: header, at: from, up }): Slip =>
        (rows) =>
          rows.map((each, i) =>
            i < from
              ? each
              : {
                  ...each,
                  [header]: (up ? rows[i + 1] : i === from ? undefined : rows[i - 1])?.[header] ?? '',
                },
          ),
    ),
  // A column is emptied.
  column.map(
    (header): Slip =>
      (rows) =>
        rows.map((each) => ({ ...each, [header]: '' })),
  ),
  // Two ids change places, or one is written over another; and the row is ticked.
  fc.record({ at, to: at, isSwapped: fc.boolean(), isTicked: fc.boolean() }).map(
    ({ at: a, to: b, isSwapped, isTicked }): Slip =>
      (rows) =>
        a === b || rows[a] === undefined || rows[b] === undefined
          ? rows
          : rows.map((each, i) => {
              if (i === b) return { ...each, ID: rows[a]?.ID, ...(isTicked && { Cancel: true }) };
              return i === a ? { ...each, ID: isSwapped ? rows[b]?.ID : '' } : each;
            }),
  ),
);

function part(from: Row | undefined, headers: readonly Header[]): Partial<Row> {
  return from === undefined ? {} : Object.fromEntries(headers.map((header) => [header, from[header]]));
}

function shownAs(rows: readonly Row[]): ReadonlyMap<string, ShownCells> {
  return new Map(
    rows.map((each) => {
      const marks = CARRY.columns.map(({ header, field }) => {
        return [header, cellMark(each[header as Header], { field, zone: ZONE })] as const;
      });
      return [String(each.ID), { as: '1', cells: Object.fromEntries(marks) }] as const;
    }),
  );
}

/** As a look reads them: of rows with one id the first, each with the cells above and below it. */
function seen(rows: readonly Row[]): readonly SeenRow[] {
  const known = new Set<unknown>(['']);
  return rows.flatMap((each, i) => {
    if (known.has(each.ID)) return [];
    known.add(each.ID);
    return [{ key: String(each.ID), cells: { ...each }, beside: [{ ...rows[i - 1] }, { ...rows[i + 1] }] }];
  });
}

function judge(before: readonly Row[], after: readonly Row[]) {
  const ids = after.map(({ ID }) => String(ID));
  const strays = after.filter(
    ({ ID, Cancel }, i) => Cancel === true && (!/^id-/.test(String(ID)) || ids.indexOf(String(ID)) < i),
  );
  const doubled = new Set(ids.filter((id, i) => id !== '' && ids.indexOf(id) !== i));
  return judgeRows(seen(after), {
    ...{ mirror: 'visits', carry: CARRY, shown: shownAs(before), doubled, tried: () => [] },
    ...{ rows: before.length, strayTicks: strays.length, zone: ZONE, sinceMs: 1, nowMs: 2 },
  });
}

/** What would be carried, were the platform willing. */
function believed(found: ReadonlyMap<string, readonly RowEdit[]>): readonly string[] {
  return [...found].flatMap(([key, edits]) =>
    edits.flatMap(({ header, text, startsAt, doubt }) => {
      const isWish =
        (header === 'Start' && startsAt !== undefined) || (header === 'Cancel' && text === 'true');
      return isWish && doubt === undefined ? [`${key} ${header}`] : [];
    }),
  );
}

test('no slip between two looks is believed', () => {
  fc.assert(
    fc.property(tab, slips, (rows, slip) => {
      expect(believed(judge(rows, slip(rows)))).toEqual([]);
    }),
    { numRuns: runsOf(4_000) },
  );
});

test('of two slips between two looks nothing is believed but one cell that alone changed: a wish looks the same', () => {
  fc.assert(
    fc.property(tab, fc.array(slips, { minLength: 2, maxLength: 2 }), (rows, made) => {
      const found = judge(
        rows,
        made.reduce<readonly Row[]>((now, slip) => slip(now), rows),
      );
      const carried = believed(found);
      expect(carried.length).toBeLessThanOrEqual(1);
      const [header = ''] = carried.map((each) => each.split(' ')[1]);
      const changed = [...found].filter(([, edits]) => edits.some((edit) => edit.header === header));
      expect(changed.length).toBeLessThanOrEqual(carried.length);
    }),
    { numRuns: runsOf(4_000) },
  );
});

test('a start that was typed before the column lost its order is believed in no other row', () => {
  const sorted = fc.tuple(
    fc.integer({ min: 2, max: 5 }),
    at,
    fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
  );
  fc.assert(
    fc.property(sorted, ([count, typed, order]) => {
      const rows = Array.from(
        { length: count },
        (_, i): Row => ({
          ...{
            ID: `id-${i}`,
            Start: NINE + (1.5 * i) / 24,
            Name: `Guest ${i}`,
            Service: 'Haircut',
            Cancel: false,
          },
        }),
      );
      const own = typed % count;
      const starts = rows.map(({ Start }, i) => (i === own ? NINE + 20 + 7 / 1440 : Start));
      const moved = starts.map((start, i) => [order[i] ?? 0, start] as const).sort(([a], [b]) => a - b);
      const found = believed(
        judge(
          rows,
          rows.map((each, i) => ({ ...each, Start: moved[i]?.[1] })),
        ),
      );
      expect(found.filter((cell) => cell !== `id-${own} Start`)).toEqual([]);
    }),
    { numRuns: runsOf(4_000) },
  );
});

test('a ticked row that lost its id counts as a second tick', () => {
  const rows = ['Ada', 'Bea', 'Cleo'].map(
    (Name, i): Row => ({
      ...{ ID: `id-${i}`, Start: NINE + i / 24, Name, Service: 'Haircut', Cancel: false },
    }),
  );
  const ticked = (lost: number) =>
    rows.map((each, i) => ({ ...each, Cancel: i < 2, ...(i === lost && { ID: '' }) }));
  for (const lost of [0, 1]) expect(believed(judge(rows, ticked(lost)))).toEqual([]);
  expect(
    believed(
      judge(
        rows,
        rows.map((each, i) => ({ ...each, Cancel: i === 0 })),
      ),
    ),
  ).toEqual(['id-0 Cancel']);
});

test('a start of its own in one row, or a tick, is believed wherever the row was sorted to', () => {
  fc.assert(
    fc.property(tab, at, fc.tuple(fc.boolean(), fc.nat({ max: 8 })), (rows, index, [isTick, turn]) => {
      const chosen = rows[index % rows.length];
      if (chosen === undefined) return;
      const isAlike = ({ Name, Service }: Row) => Name === chosen.Name && Service === chosen.Service;
      fc.pre(rows.filter(isAlike).length === 1);
      const changed = rows.map((each) =>
        each === chosen
          ? { ...each, ...(isTick ? { Cancel: true } : { Start: NINE + 20 + 7 / 1440 }) }
          : each,
      );
      const sorted = [...changed.slice(turn % rows.length), ...changed.slice(0, turn % rows.length)];
      expect(believed(judge(rows, sorted))).toEqual([`${String(chosen.ID)} ${isTick ? 'Cancel' : 'Start'}`]);
    }),
    { numRuns: runsOf(1_000) },
  );
});

test('a zone that changes, of the tab or of what is typed into it, makes no change of any row', () => {
  fc.assert(
    fc.property(tab, fc.constantFrom('Asia/Tokyo', 'UTC', 'America/New_York'), (rows, zone) => {
      const found = judgeRows(seen(rows), {
        ...{ mirror: 'visits', carry: CARRY, shown: shownAs(rows), doubled: new Set<string>() },
        ...{ tried: () => [], rows: rows.length, zone, sinceMs: 1, nowMs: 2 },
      });
      expect(found.size).toBe(0);
    }),
  );
});

const NOW = Date.parse('2026-03-02T09:00:00Z');
const HOUR = 3_600_000;
const hour = fc.integer({ min: -3, max: 4 }).map((n) => NOW + n * HOUR);
const iso = (atMs: number) => new Date(atMs).toISOString();
const figures = (atMs: number) => `${iso(atMs + HOUR).slice(0, 19)} ${ZONE}`;

test('only an appointment that is still to come, is what its author saw, and was not changed since the wish left, is moved or cancelled', () => {
  const facts = fc.record({
    isTick: fc.boolean(),
    text: fc.constantFrom('true', 'yes', ''),
    wishMs: fc.option(hour, { nil: undefined }),
    baseMs: fc.option(hour, { nil: undefined }),
    startMs: hour,
    status: fc.constantFrom('pending', 'confirmed', 'arrived', 'completed', 'no_show', 'cancelled', 'new'),
    doubt: fc.constantFrom(undefined, undefined, 'again' as const, 'many' as const, 'mixed' as const),
    conflict: fc.constantFrom('platform' as const, 'staff' as const, 'latest' as const),
    updatedMs: hour,
    sinceMs: hour,
    sentOver: fc.constantFrom(undefined, undefined, 'something else'),
  });
  fc.assert(
    fc.property(facts, (f) => {
      const startsAt = f.wishMs === undefined || f.isTick ? {} : { startsAt: iso(f.wishMs) };
      const edit: RowEdit = {
        ...{ mirror: 'visits', header: f.isTick ? 'Cancel' : 'Start', text: f.text, ...startsAt, as: '7' },
        ...(f.baseMs !== undefined && { base: figures(f.baseMs) }),
        ...{ sinceMs: f.sinceMs, seenAtMs: NOW },
        ...(f.doubt !== undefined && { doubt: f.doubt }),
      };
      const hash = contentHash(edit.startsAt ?? edit.text);
      const sent = f.sentOver === undefined ? [] : [{ header: edit.header, hash, over: f.sentOver }];
      const note: RowNote = { done: [], refused: [], of: '', answered: [], sent };
      const object = {
        ...{ id: '1', status: f.status, starts_at: iso(f.startMs), ends_at: iso(f.startMs + HOUR) },
        ...{ resource_id: 'r', resource_ids: ['r'], updated_at: iso(f.updatedMs) },
      };
      const decision = decideAppointmentEdit({
        ...{ edit, carry: { ...CARRY, conflict: f.conflict }, object, note, nowMs: NOW },
      });
      if (decision.type !== 'carry') return;
      expect(f.doubt).toBeUndefined();
      expect(['pending', 'confirmed']).toContain(f.status);
      expect(f.startMs).toBeGreaterThan(NOW);
      expect(f.sentOver).toBeUndefined();
      if (f.isTick) expect(f.text).toBe('true');
      else {
        expect(f.wishMs).toBeGreaterThan(NOW);
        expect(f.wishMs).not.toBe(f.startMs);
        expect(decision.value).toBe(iso(f.wishMs ?? 0));
      }
      if (f.conflict === 'platform') expect(f.baseMs).toBe(f.startMs);
      if (f.conflict === 'latest' && f.baseMs !== f.startMs) expect(f.updatedMs).toBeLessThan(f.sinceMs);
    }),
    { numRuns: runsOf(5_000) },
  );
});
