import { describe, expect, test } from 'vitest';
import type { SheetLink } from '../../src/engine/link.ts';
import type {
  AppointmentSheetMirror,
  ContactSheetMirror,
  Directory,
  SheetMirror,
} from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { Outbox, Put } from '../../src/engine/outbox.ts';
import type { SheetCarry } from '../../src/engine/row-edit.ts';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import type { Claim } from '../../src/engine/work.ts';
import type { SheetsApi } from '../../src/google/sheets-api.ts';
import { carriedHash } from '../../src/sheet/carrier.ts';
import type { TabSurvey } from '../../src/sheet/tab-survey.ts';
import { CLEARED, cellsById, createSheetTarget, LEFT, sheetPlaces } from '../../src/sheet/target.ts';
import { cellsHash, type SheetZones } from '../../src/sheet/typed-cell.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog, KeptMeter } from '../doubles/listener.ts';
import { CountingWaker } from '../doubles/waker.ts';
import { double } from '../stand/double.ts';

const NOW = Date.parse('2026-05-04T08:00:00Z');
const DAY_MS = 86_400_000;
const ID = '00000000-0000-4000-8000-000000000001';
const day = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
const VISITS: AppointmentSheetMirror = {
  ...{ kind: 'sheet', name: 'visits', from: 'appointment', where: { sinceMs: 3_650 * DAY_MS } },
  ...{ spreadsheetId: 'office', tab: 'Visits', timezone: 'UTC' },
  columns: [
    { header: ' ID ', template: '{{ status }}' },
    { header: ' Who ', template: '{{ customer_name }}' },
    { header: 'Status', template: '{{ status }}' },
  ],
  ...{ keyHeader: 'ID ', unmatched: 'clear', deleted: 'clear' },
};
const HOME = { spreadsheetId: 'office', tab: 'Visits' };
const OLD = { spreadsheetId: 'cellar', tab: 'Old' };
const GONE = { spreadsheetId: 'former', tab: 'Visits' };
const ARCHIVED: AppointmentSheetMirror = {
  ...VISITS,
  archive: { ...OLD, by: 'starts_at', afterMs: 30 * DAY_MS, blankRows: 'delete' },
};
const CONFIRMED = { ...VISITS, where: { ...VISITS.where, statuses: ['confirmed'] } };
const [AT_HOME, AT_OLD] = ['spreadsheet:office/Visits', 'spreadsheet:cellar/Old'];
const DIRECTORY: Directory = { resources: new Map(), branches: new Map(), services: new Map() };

const visit = (about: object = {}): Snapshot => ({
  ...{ id: ID, project_id: 'p1', status: 'confirmed', customer_name: 'Ada', resource_ids: [] },
  ...{ starts_at: day(1), created_at: day(-1), ...about },
});

function bench(mirror: SheetMirror, zones?: SheetZones) {
  const clock = new HandClock(NOW);
  const waker = new CountingWaker();
  const puts: { row: OutboxRow; others: readonly string[] }[] = [];
  const asked: unknown[] = [];
  const said = { put: 'queued' as Put, waits: new Set<string>() };
  const outbox = double<Outbox>({
    put: async (_: Claim, row: OutboxRow, others: readonly string[]) => {
      puts.push({ row, others });
      return said.put;
    },
    waits: async (row: { readonly spreadsheetId: string }) => {
      asked.push(row);
      return said.waits.has(row.spreadsheetId);
    },
  });
  const target = createSheetTarget({
    ...{ mirror, outbox, waker, clock, log: new KeptLog(), meter: new KeptMeter() },
    ...(zones !== undefined && { zones }),
    directory: { current: () => DIRECTORY },
  });
  const claim = (snapshot: Snapshot | undefined, sheet?: Partial<SheetLink>, about: Partial<Claim> = {}) =>
    ({
      ...{ key: { kind: mirror.from, id: ID }, fence: '1', desiredRev: 1, syncedRev: 0, snapshot },
      ...{ deleted: false, verify: false, sightings: [], projectId: 'p1', pendingSinceMs: NOW },
      links: sheet === undefined ? {} : { [mirror.name]: { sheet: { ...HOME, hash: 'x', ...sheet } } },
      ...about,
    }) as Claim;
  /** The row that a turn puts; undefined if it puts none. */
  const put = async (...about: Parameters<typeof claim>): Promise<OutboxRow | undefined> => {
    puts.splice(0);
    await target.reconcile(claim(...about));
    return puts[0]?.row;
  };
  return { target, clock, waker, puts, asked, said, claim, put };
}

/** What a look at the tab would say of the row that the mirror writes now. */
async function hashOf(mirror: SheetMirror, snapshot: Snapshot): Promise<string> {
  return (await bench(mirror).put(snapshot))?.hash ?? '';
}

describe('a turn', () => {
  test('names the mirror and its kind', () => {
    expect(bench(VISITS).target).toMatchObject({ name: 'visits', from: 'appointment' });
  });

  test.each<[Put, string, object]>([
    ['queued', 'queued', { office: 1 }],
    ['waiting', 'queued', {}],
    ['unchanged', 'nothing', {}],
  ])('whose row is %s is %s', async (put, action, wakes) => {
    const b = bench(VISITS);
    b.said.put = put;
    expect(await b.target.reconcile(b.claim(visit()))).toBe(action);
    expect(b.waker.wakes).toEqual(wakes);
  });

  test('puts nothing while an edit of this row waits, whatever waits of other mirrors', async () => {
    const b = bench(VISITS);
    const edits = (...mirrors: string[]) => ({ rowEdits: mirrors.map((mirror) => ({ mirror })) }) as never;
    expect(await b.target.reconcile(b.claim(visit(), {}, edits('other', 'visits')))).toBe('nothing');
    expect(b.puts).toEqual([]);
    expect(await b.target.reconcile(b.claim(visit(), {}, edits('other')))).toBe('queued');
    expect(await b.target.reconcile(b.claim(visit(), {}, edits()))).toBe('queued');
  });

  test('names the other spreadsheets of the mirror, from which a waiting row must go', async () => {
    const others = async (mirror: SheetMirror) => {
      const b = bench(mirror);
      await b.put(visit());
      return b.puts[0]?.others;
    };
    expect(await others(VISITS)).toEqual([]);
    expect(await others(ARCHIVED)).toEqual(['cellar']);
    const same = { ...ARCHIVED, archive: { ...ARCHIVED.archive, spreadsheetId: 'office' } };
    expect(await others(same as SheetMirror)).toEqual([]);
  });

  test('a condition that cannot be read stops it, except for what is gone', async () => {
    const condition = { source: 'x', judge: () => 'failed' as const };
    const b = bench({ ...VISITS, where: { ...VISITS.where, condition } });
    await expect(b.put(visit())).rejects.toMatchObject({ code: 'condition-failed' });
    expect(await b.put(visit(), {}, { deleted: true })).toMatchObject({ cells: undefined });
    expect(await b.put(undefined, {})).toBeUndefined();
  });

  test('an object of which nothing is known puts nothing', async () => {
    const b = bench({ ...VISITS, deleted: 'keep' });
    expect(await b.put(undefined)).toBeUndefined();
    expect(await b.put(undefined, undefined, { deleted: true })).toBeUndefined();
    expect(await b.put(undefined, { hash: 'x' }, { deleted: true })).toBeUndefined();
    expect(await b.target.preview(b.claim(undefined))).toBe('nothing');
  });

  test('a row says what it is of, and what of it is known', async () => {
    const row = await bench(VISITS).put(visit());
    expect(row).toEqual({
      ...{ ...HOME, mirror: 'visits', key: `appointment/${ID}`, rowKey: ID, occurredAtMs: NOW },
      ...{ cells: { Who: 'Ada', Status: 'confirmed' }, hash: cellsHash({ Who: 'Ada', Status: 'confirmed' }) },
      standing: expect.any(String),
    });
    expect(await bench(VISITS).put(undefined, undefined, { deleted: true })).toEqual({
      ...{ ...HOME, mirror: 'visits', key: `appointment/${ID}`, rowKey: ID, occurredAtMs: NOW },
      ...{ cells: undefined, hash: CLEARED },
    });
    const sheet = { ...GONE, hash: 'x' };
    expect(await bench(VISITS).put(visit(), sheet)).toMatchObject({ ...HOME, hadRow: true });
  });
});

describe('a row that people deleted', () => {
  const LEAVING: AppointmentSheetMirror = {
    ...VISITS,
    check: { everyMs: 1, removed: 'leave', edited: 'leave' },
  };

  test.each<[string | undefined, boolean]>([
    ['x', true],
    [CLEARED, false],
    ['', false],
    [undefined, false],
  ])('stays away where the link says %j: %s', async (hash, stays) => {
    const row = await bench(LEAVING).put(visit(), hash === undefined ? undefined : { hash });
    expect(row?.staysAway === true).toBe(stays);
    expect('staysAway' in (row ?? {})).toBe(stays);
  });

  test('stays away only where the setting says so, and a row that is emptied never', async () => {
    const restoring = { ...LEAVING, check: { everyMs: 1, removed: 'restore', edited: 'leave' } } as const;
    expect(await bench(restoring).put(visit(), { hash: 'x' })).not.toHaveProperty('staysAway');
    expect(await bench(VISITS).put(visit(), { hash: 'x' })).not.toHaveProperty('staysAway');
    const emptied = await bench(LEAVING).put(visit(), { hash: 'x' }, { deleted: true });
    expect(emptied).not.toHaveProperty('staysAway');
    expect(await bench(LEAVING).put(visit(), { hash: LEFT })).toBeUndefined();
    expect(await bench(VISITS).put(visit(), { hash: LEFT })).toBeDefined();
  });

  test('may be missing', async () => {
    const b = bench(LEAVING);
    const [seen, ...more] = await b.target.expected(b.claim(visit(), { hash: LEFT }));
    expect([seen, more]).toEqual([
      {
        ...{ place: AT_HOME, linked: 'Visits', rule: 'may', because: 'left', isConfirmed: false },
        isRight: expect.any(Function),
      },
      [],
    ]);
    expect(seen?.isRight(await hashOf(LEAVING, visit()))).toBe(true);
    const restored = bench(VISITS);
    const claim = restored.claim(visit(), { hash: LEFT });
    expect(await restored.target.expected(claim)).toMatchObject([{ rule: 'must' }]);
    const shown = await b.target.expected(b.claim(visit(), { hash: 'x' }));
    expect(shown).toMatchObject([{ rule: 'must' }]);
  });
});

describe('a mirror with an archive', () => {
  test('a row moves once its object is old enough', async () => {
    const b = bench(ARCHIVED);
    expect(await b.put(visit({ starts_at: day(-29) }), {})).not.toHaveProperty('movesFrom');
    expect(await b.put(visit({ starts_at: day(-30) }), {})).toMatchObject({ ...OLD, movesFrom: HOME });
    expect(await b.put(visit({ starts_at: day(-30) }), OLD)).not.toHaveProperty('movesFrom');
    const emptied = await b.put(visit({ starts_at: day(-30) }), { hash: CLEARED });
    expect(emptied).toMatchObject(OLD);
    expect(emptied).not.toHaveProperty('movesFrom');
  });

  test('where no link is known, the other tab may hold it', async () => {
    const b = bench(ARCHIVED);
    expect(await b.put(visit({ created_at: day(-31) }))).toMatchObject({ ...HOME, movesFrom: OLD });
    expect(await b.put(visit({ created_at: day(-29) }))).not.toHaveProperty('movesFrom');
  });

  test('a row with text of people beside it stays until its moment', async () => {
    const b = bench(ARCHIVED);
    const old = visit({ starts_at: day(-30) });
    expect(await b.put(old, { staysUntilMs: NOW + 1 })).toMatchObject({ ...HOME, staysUntilMs: NOW + 1 });
    const moved = await b.put(old, { staysUntilMs: NOW });
    expect(moved).toMatchObject({ ...OLD, movesFrom: HOME });
    expect(moved).not.toHaveProperty('staysUntilMs');
    expect(await b.put(old, {})).toMatchObject(OLD);
  });

  test('a row that is emptied is emptied where it stands', async () => {
    const b = bench(ARCHIVED);
    const old = visit({ starts_at: day(-30) });
    expect(await b.put(old, {}, { deleted: true })).toMatchObject({ ...HOME, cells: undefined });
    expect(await b.put(old, undefined, { deleted: true })).toMatchObject({ ...OLD, cells: undefined });
  });

  test.each<[string, Partial<SheetLink>, object | undefined]>([
    ['before its last move', { former: OLD }, { ...OLD, leftBehind: { forced: false } }],
    [
      'before a move that people forced',
      { former: { ...OLD, forced: true } },
      { ...OLD, leftBehind: { forced: true } },
    ],
    ['where it was bound to', { bound: OLD }, { ...OLD, leftBehind: { forced: true } }],
    ['in a tab that the YAML no longer names', { former: GONE }, undefined],
  ])('a copy %s goes first', async (_, link, left) => {
    const row = await bench(ARCHIVED).put(visit(), link);
    expect(row).toMatchObject(left === undefined ? HOME : { ...left, cells: undefined, hash: CLEARED });
    expect(row !== undefined && 'leftBehind' in row).toBe(left !== undefined);
  });

  test('a link to a tab that the YAML no longer names is none', async () => {
    const b = bench(ARCHIVED);
    expect(await b.put(visit({ created_at: day(-31) }), GONE)).toMatchObject({ ...HOME, movesFrom: OLD });
    expect(await b.put(visit(), OLD)).toMatchObject({ ...HOME, movesFrom: OLD });
  });

  test('a kept row may wait in any of its spreadsheets', async () => {
    const mirror = { ...ARCHIVED, unmatched: 'keep', where: CONFIRMED.where } as const;
    const b = bench(mirror);
    const other = visit({ status: 'pending' });
    expect(await b.put(other)).toMatchObject({ onlyIfThere: true });
    expect(b.asked).toEqual([]);
    expect(await b.put(other, undefined, { desiredRev: 2 })).toMatchObject({ onlyIfThere: true });
    const key = `appointment/${ID}`;
    expect(b.asked).toEqual([
      { mirror: 'visits', spreadsheetId: 'office', key },
      { mirror: 'visits', spreadsheetId: 'cellar', key },
    ]);
    b.said.waits.add('cellar');
    expect(await b.put(other, undefined, { desiredRev: 2 })).not.toHaveProperty('onlyIfThere');
    const same = bench({ ...mirror, archive: { ...ARCHIVED.archive, spreadsheetId: 'office' } as never });
    await same.put(other, undefined, { desiredRev: 2 });
    expect(same.asked).toHaveLength(1);
  });

  test('the next turn is when the row moves, or when a postponed move is tried again', async () => {
    const b = bench(ARCHIVED);
    const next = (...about: Parameters<typeof b.claim>) => b.target.nextTurnAtMs?.(b.claim(...about), NOW);
    expect(next(visit())).toBe(NOW + 31 * DAY_MS);
    expect(next(visit({ starts_at: day(-30) }))).toBeUndefined();
    const old = visit({ starts_at: day(-31) });
    expect(next(old, { staysUntilMs: NOW + 5 })).toBe(NOW + 5);
    expect(next(old, { ...OLD, staysUntilMs: NOW + 5 })).toBeUndefined();
    expect(next(visit(), { staysUntilMs: NOW + 5 })).toBe(NOW + 31 * DAY_MS);
    expect(bench(VISITS).target.nextTurnAtMs?.(b.claim(visit()), NOW)).toBeUndefined();
  });

  test('a row that is not there does not move, one that is there does although its object is left out', async () => {
    const b = bench({ ...ARCHIVED, where: CONFIRMED.where });
    const other = visit({ status: 'pending' });
    const next = (...about: Parameters<typeof b.claim>) => b.target.nextTurnAtMs?.(b.claim(...about), NOW);
    expect(next(other)).toBeUndefined();
    expect(next(other, { hash: CLEARED })).toBeUndefined();
    expect(next(other, {})).toBe(NOW + 31 * DAY_MS);
  });
});

describe('the next turn of an object that `until` keeps out', () => {
  const SOON = { ...VISITS, where: { ...VISITS.where, untilMs: 2 * DAY_MS } };
  const far = visit({ starts_at: day(5) });

  test('is when it enters', () => {
    const b = bench(SOON);
    const next = (...about: Parameters<typeof b.claim>) => b.target.nextTurnAtMs?.(b.claim(...about), NOW);
    expect(next(far)).toBe(NOW + 3 * DAY_MS);
    expect(next(visit())).toBeUndefined();
    expect(next(far, {})).toBeUndefined();
    expect(next(far, { hash: CLEARED })).toBe(NOW + 3 * DAY_MS);
    expect(next(far, undefined, { deleted: true })).toBeUndefined();
    expect(next(undefined)).toBeUndefined();
  });

  test('is the earlier one, where the row also moves', () => {
    const b = bench({ ...ARCHIVED, where: { ...SOON.where } });
    expect(b.target.nextTurnAtMs?.(b.claim(far, { hash: CLEARED }), NOW)).toBe(NOW + 3 * DAY_MS);
  });

  test('is for appointments only', () => {
    const contacts = { ...VISITS, from: 'contact', where: { untilMs: 1 } } as unknown as SheetMirror;
    const b = bench(contacts);
    expect(b.target.nextTurnAtMs?.(b.claim(far), NOW)).toBeUndefined();
  });
});

describe('a preview', () => {
  test('tells what a turn would do, without a look at the tab', async () => {
    const b = bench(ARCHIVED);
    const preview = (...about: Parameters<typeof b.claim>) => b.target.preview?.(b.claim(...about));
    const hash = await hashOf(ARCHIVED, visit());
    expect(await preview(visit(), { hash })).toBe('nothing');
    expect(await preview(visit(), { hash: 'x' })).toBe('queued');
    expect(await preview(visit(), { ...OLD, hash })).toBe('queued');
    expect(await preview(visit())).toBe('queued');
    expect(await preview(visit(), undefined, { deleted: true })).toBe('nothing');
    expect(await preview(visit(), {}, { deleted: true })).toBe('queued');
    expect(b.puts).toEqual([]);
    const kept = bench({ ...CONFIRMED, unmatched: 'keep' });
    expect(await kept.target.preview?.(kept.claim(visit({ status: 'pending' })))).toBe('nothing');
  });
});

describe('a plan', () => {
  test.each<[string, Partial<SheetLink> | undefined, Partial<Claim> & { is?: object }, object[]]>([
    ['a first row', undefined, {}, [{ action: 'created', place: AT_HOME }]],
    ['a row that was removed', { hash: CLEARED }, {}, [{ action: 'created', place: AT_HOME }]],
    ['a row that people deleted', { hash: LEFT }, {}, [{ action: 'created', place: AT_HOME }]],
    [
      'another content',
      { hash: 'x' },
      {},
      [{ action: 'updated', place: AT_HOME, fields: [{ field: 'cells' }] }],
    ],
    [
      'another tab',
      { ...OLD, hash: 'x' },
      {},
      [{ action: 'moved', place: AT_HOME, from: AT_OLD, fields: [{ field: 'cells' }] }],
    ],
    ['a deletion', { hash: 'x' }, { deleted: true }, [{ action: 'removed', place: AT_HOME }]],
    ['a deletion of what has no row', undefined, { deleted: true }, []],
    ['a deletion of what was removed', { hash: CLEARED }, { deleted: true }, []],
    ['a copy that a move left', { hash: 'x', former: OLD }, {}, [{ action: 'removed', place: AT_OLD }]],
  ])('of %s', async (_, ...[link, about, steps]) => {
    const b = bench(ARCHIVED);
    const told = await b.target.planned?.(b.claim(visit(), link, about));
    expect(told).toMatchObject(steps);
    expect(told).toHaveLength(steps.length);
  });

  test('of a right row changes nothing, and moves it where its object is old', async () => {
    const b = bench(ARCHIVED);
    const hash = await hashOf(ARCHIVED, visit());
    const same = await b.target.planned?.(b.claim(visit(), { hash }));
    expect(same).toEqual([{ action: 'same', place: AT_HOME }]);
    const old = visit({ starts_at: day(-40) });
    const moved = await b.target.planned?.(b.claim(old, { hash: await hashOf(ARCHIVED, old) }));
    expect(moved).toMatchObject([{ action: 'moved', place: AT_OLD, from: AT_HOME, fields: [] }]);
  });

  test('of a row that an edit of the YAML left out keeps it', async () => {
    const b = bench(CONFIRMED);
    const other = visit({ status: 'pending' });
    const told = await b.target.planned?.(b.claim(other, { hash: 'x' }));
    expect(told).toEqual([{ action: 'kept', place: AT_HOME }]);
    const expected = await b.target.expected(b.claim(other, { hash: 'x' }));
    expect(expected).toMatchObject([{ rule: 'may', because: 'changed-mapping', isConfirmed: false }]);
    expect(expected[0]?.isRight(await hashOf(VISITS, other))).toBe(true);
    expect(expected[0]?.isRight('other')).toBe(false);
  });

  test('of a row that stays away, and of one that nobody has begun', async () => {
    const leaving = bench({ ...VISITS, check: { everyMs: 1, removed: 'leave', edited: 'leave' } });
    expect(await leaving.target.planned?.(leaving.claim(visit(), { hash: LEFT }))).toEqual([]);
    const b = bench({ ...CONFIRMED, unmatched: 'keep' });
    const other = visit({ status: 'pending' });
    expect(await b.target.planned?.(b.claim(other))).toEqual([]);
    const keeping = bench({ ...VISITS, deleted: 'keep' });
    const gone = keeping.claim(undefined, { hash: 'x' }, { deleted: true });
    expect(await keeping.target.planned?.(gone)).toEqual([{ action: 'same', place: AT_HOME }]);
  });

  test('shows the cells, and which of them name somebody', async () => {
    const columns = [...VISITS.columns, { header: ' Price ', template: '{{ price }}', as: 'money' as const }];
    const b = bench({ ...VISITS, columns });
    const snapshot = visit({ price_amount: 1_250 });
    const [step] = (await b.target.planned?.(b.claim(snapshot, { hash: 'x' }))) ?? [];
    expect(step?.row).toEqual({
      id: ID,
      cells: [
        { header: 'Who', value: 'Ada', as: undefined, isPersonal: true },
        { header: 'Status', value: 'confirmed', as: undefined, isPersonal: false },
        { header: 'Price', value: 12.5, as: 'money', isPersonal: false },
      ],
      harmless: expect.arrayContaining(['confirmed']),
    });
    expect(step?.row?.harmless).not.toContain('Ada');
  });
});

describe('what a look expects', () => {
  const look = async (mirror: SheetMirror, ...about: Parameters<ReturnType<typeof bench>['claim']>) => {
    const b = bench(mirror);
    return b.target.expected(b.claim(...about));
  };
  const other = visit({ status: 'pending' });

  test('of a row that was written', async () => {
    const hash = await hashOf(VISITS, visit());
    const [seen, ...more] = await look(VISITS, visit(), { hash });
    expect(seen).toMatchObject({ place: AT_HOME, linked: 'Visits', rule: 'must', isConfirmed: true });
    expect(seen).not.toHaveProperty('because');
    expect([seen?.isRight(hash), seen?.isRight('other'), more]).toEqual([true, false, []]);
    expect(await look(VISITS, visit(), { hash: 'x' })).toMatchObject([{ rule: 'must', isConfirmed: false }]);
    expect(await look(VISITS, visit())).toMatchObject([{ rule: 'must', isConfirmed: false }]);
  });

  test('of a row whose formats differ', async () => {
    const columns = [...VISITS.columns, { header: 'Price', template: '{{ price }}', as: 'money' as const }];
    const priced = { ...VISITS, columns };
    const snapshot = visit({ price_amount: 1_250 });
    const hash = await hashOf(priced, snapshot);
    const [seen] = await look(priced, snapshot, { hash });
    expect([hash.includes('-'), seen?.isRight(hash.split('-')[0]), seen?.isRight(hash)]).toEqual([
      ...[true, true, false],
    ]);
  });

  test.each<[string, SheetMirror, Parameters<ReturnType<typeof bench>['claim']>, object[]]>([
    [
      'of what was removed',
      VISITS,
      [visit(), { hash: CLEARED }, { deleted: true }],
      [{ rule: 'must-not', isConfirmed: true }],
    ],
    [
      'of what is to be removed',
      VISITS,
      [visit(), {}, { deleted: true }],
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
      { ...VISITS, deleted: 'keep' },
      [undefined, undefined, { deleted: true }],
      [{ rule: 'may' }],
    ],
    [
      'of what is deleted and kept, where only others stay',
      { ...VISITS, unmatched: 'keep' },
      [undefined, undefined, { deleted: true }],
      [{ rule: 'must-not' }],
    ],
    ['of nobody, where the unmatched stay', { ...VISITS, unmatched: 'keep' }, [undefined], [{ rule: 'may' }]],
    [
      'of nobody, where the unmatched go',
      { ...VISITS, deleted: 'keep' },
      [undefined],
      [{ rule: 'must-not' }],
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
    expect(seen?.isRight(await hashOf(VISITS, other))).toBe(true);
    expect(seen?.isRight('other')).toBe(false);
    expect(seen).not.toHaveProperty('because');
  });

  test('of nothing, no content is right', async () => {
    const [seen] = await look(VISITS, visit(), {}, { deleted: true });
    expect(seen?.isRight(await hashOf(VISITS, visit()))).toBe(false);
  });

  test.each<[string, Partial<SheetLink> | undefined, Snapshot, string[]]>([
    ['must hold none', {}, visit(), [AT_HOME, 'must', AT_OLD, 'must-not']],
    [
      'must hold none of a row in the archive',
      OLD,
      visit({ starts_at: day(-40) }),
      [AT_OLD, 'must', AT_HOME, 'must-not'],
    ],
    [
      'may hold a copy of a row that moves',
      {},
      visit({ starts_at: day(-40) }),
      [AT_HOME, 'must', AT_OLD, 'may'],
    ],
    ['may hold a copy of a row that has moved', { former: OLD }, visit(), [AT_HOME, 'must', AT_OLD, 'may']],
    ['may hold a copy of a row bound for it', { bound: OLD }, visit(), [AT_HOME, 'must', AT_OLD, 'may']],
    ['must hold none of a new row', undefined, visit(), [AT_HOME, 'must', AT_OLD, 'must-not']],
  ])('the other tab %s', async (_, ...[link, snapshot, rules]) => {
    const seen = await look(ARCHIVED, snapshot, link);
    expect(seen.flatMap(({ place, rule }) => [place, rule])).toEqual(rules);
    expect(seen[1]).toMatchObject({ isConfirmed: false, linked: rules[2]?.split('/')[1] });
    expect(seen[1]?.isRight(await hashOf(ARCHIVED, snapshot))).toBe(false);
  });

  test('the other tab is judged like the first one, where the object has no row', async () => {
    const rules = async (...about: Parameters<typeof look>) => (await look(...about)).map(({ rule }) => rule);
    expect(await rules(ARCHIVED, visit(), {}, { deleted: true })).toEqual(['must-not', 'must-not']);
    const keep = { ...ARCHIVED, unmatched: 'keep', where: CONFIRMED.where } as const;
    expect(await rules(keep, other)).toEqual(['may', 'may']);
    expect(await rules(keep, other, { hash: CLEARED })).toEqual(['may', 'may']);
    const leaving = { ...ARCHIVED, check: { everyMs: 1, removed: 'leave', edited: 'leave' } } as const;
    expect(await rules(leaving, visit(), { hash: LEFT })).toEqual(['may', 'must-not']);
    const narrower = { ...ARCHIVED, where: CONFIRMED.where };
    expect(await rules(narrower, other, {})).toEqual(['may', 'must-not']);
  });
});

describe('a row whose object `where` no longer takes', () => {
  const other = visit({ status: 'pending' });

  test('is kept after an edit of the YAML, and emptied otherwise', async () => {
    const b = bench(CONFIRMED);
    expect(await b.put(other, { hash: 'x' })).toMatchObject({ cells: { Status: 'pending' } });
    for (const link of [{ hash: CLEARED }, { released: true, standing: undefined }, undefined])
      expect(await b.put(other, link as never)).toMatchObject({ cells: undefined });
    const written = await bench(VISITS).put(other);
    const mark = { hash: 'x', standing: written?.standing ?? '' };
    expect(await b.put(other, mark)).toMatchObject({ cells: { Status: 'pending' } });
    expect(await b.put(visit({ status: 'cancelled' }), mark)).toMatchObject({ cells: undefined });
    expect(await b.put(other, { ...mark, released: true })).toMatchObject({ cells: undefined });
    expect(await b.put(other, { ...mark, hash: CLEARED })).toMatchObject({ cells: undefined });
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
    ...VISITS,
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
    const row = await bench(CANCELLING).put(visit());
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
    const row = await bench({ ...CANCELLING, columns, timezone: 'Asia/Tokyo', carry: carried }).put(visit());
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
    ...VISITS,
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
  const priced = visit({ price_amount: 1_250 });
  const MONEY = '#,##0.00" confirmed"';

  test('a format is written once, and again when its pattern or its tab changes', async () => {
    const b = bench({ ...TIMED, archive: ARCHIVED.archive as never });
    const formats = { Start: 'yyyy-mm-dd hh:mm', Price: MONEY };
    expect(await b.put(priced)).toMatchObject({
      formats: { Start: { type: 'DATE_TIME' }, Price: { type: 'CURRENCY', pattern: MONEY } },
      reformat: ['Start', 'Price'],
    });
    expect(await b.put(priced, { formats })).not.toHaveProperty('reformat');
    expect(await b.put(priced, { formats: { ...formats, Price: 'old' } })).toMatchObject({
      reformat: ['Price'],
    });
    expect(await b.put(priced, { ...OLD, formats })).toMatchObject({ reformat: ['Start', 'Price'] });
    expect(await b.put(priced, {})).toMatchObject({ reformat: ['Start', 'Price'] });
    expect(await bench(VISITS).put(visit())).not.toHaveProperty('formats');
    expect(await b.put(priced, {}, { deleted: true })).not.toHaveProperty('formats');
  });

  test('times are those of the mirror, else of the spreadsheet, which is asked only for typed times', async () => {
    const asked: string[] = [];
    const start = async (mirror: SheetMirror, known?: SheetZones) =>
      (await bench(mirror, known).put(visit({ starts_at: '2026-05-05T00:00:00Z' })))?.cells?.['Start'];
    const utc = await start(TIMED);
    expect(await start({ ...TIMED, timezone: 'UTC' }, zones(asked))).toBe(utc);
    expect(asked).toEqual([]);
    expect(Number(await start(TIMED, zones(asked))) - Number(utc)).toBeCloseTo(9 / 24);
    expect(asked).toEqual(['office']);
    await bench({ ...VISITS, timezone: undefined }, zones(asked)).put(visit());
    expect(asked).toEqual(['office']);
  });

  test('a template that does not parse is told with its column', () => {
    const broken = (about: object) => () =>
      bench({ ...VISITS, columns: [...VISITS.columns, { header: 'Bad', template: '', ...about }] });
    for (const about of [{ template: '{% if %}' }, { as: 'money', currency: '{% if %}' }])
      expect(broken(about)).toThrow(expect.objectContaining({ setting: ['columns', 'Bad'] }));
  });

  test('cells hold only what a sheet keeps', async () => {
    const row = await bench(VISITS).put(visit({ customer_name: 'a\r\nb', status: '' }));
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
            : { rows: grid.slice(startRow, endRow).map((row) => [row[startColumn]]) },
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
  ];
  async function standing(place: string, { parts }: ReturnType<typeof tabs>, mirror: SheetMirror = VISITS) {
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
      [2, 0, 3].map((at) => ({ sheetId: 7, startRow: 1, endRow: 5, startColumn: at, endColumn: at + 1 })),
    );
  });

  test('of a place that is no tab of the mirror are not read', async () => {
    const t = tabs(GRID);
    expect([await standing('spreadsheet:office/Other', t), t.looked]).toEqual([[], []]);
  });

  test('count once by id, the first of them', async () => {
    const found = await cellsById(VISITS, tabs(GRID).parts);
    expect([...found]).toEqual([
      [ID, { Who: 'Ada', Status: 'confirmed' }],
      [other, { Who: 'Eva', Status: undefined }],
    ]);
  });

  test('of a tab that nobody has seen are none, and a tab with a fault is told', async () => {
    const { parts } = tabs(GRID);
    const blind = { ...parts, survey: double<TabSurvey>({ look: async () => new Map() }) };
    expect((await cellsById(VISITS, blind)).size).toBe(0);
    const fault = { code: 'tab-not-found', message: 'no', advice: 'make it' };
    await expect(cellsById(VISITS, tabs(GRID, { view: fault }).parts)).rejects.toMatchObject({
      ...fault,
      ...{ family: 'terminal', target: AT_HOME },
    });
  });

  test('of a tab that people change while it is read are not told', async () => {
    await expect(cellsById(VISITS, tabs(GRID, { lost: true }).parts)).rejects.toMatchObject({
      ...{ code: 'sheet-changed', family: 'retryable', target: AT_HOME },
    });
  });

  test('of a header alone are not read, and large tabs are read in parts', async () => {
    const empty = tabs(GRID.slice(0, 1));
    await cellsById(VISITS, empty.parts);
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
