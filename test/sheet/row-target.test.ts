import { describe, expect, test } from 'vitest';
import type { SheetLink } from '../../src/engine/link.ts';
import type { AppointmentSheetMirror, SheetMirror } from '../../src/engine/mirror.ts';
import type { Put } from '../../src/engine/outbox.ts';
import type { Claim } from '../../src/engine/work.ts';
import { CLEARED, LEFT } from '../../src/sheet/target.ts';
import { cellsHash } from '../../src/sheet/typed-cell.ts';
import {
  ARCHIVED,
  AT_HOME,
  AT_OLD,
  bench,
  CONFIRMED,
  DAY_MS,
  DIRECTORY,
  day,
  GONE,
  HOME,
  hashOf,
  ID,
  MEETINGS,
  meeting,
  NOW,
  OLD,
} from './row-bench.ts';

describe('a turn', () => {
  test('names the mirror and its kind', () => {
    expect(bench(MEETINGS).target).toMatchObject({ name: 'visits', from: 'appointment' });
  });

  test.each<[Put, string, object]>([
    ['queued', 'queued', { office: 1 }],
    ['waiting', 'queued', {}],
    ['unchanged', 'nothing', {}],
  ])('whose row is %s is %s', async (put, action, wakes) => {
    const b = bench(MEETINGS);
    b.said.put = put;
    expect(await b.target.reconcile(b.claim(meeting()))).toBe(action);
    expect(b.waker.wakes).toEqual(wakes);
  });

  test('puts nothing while an edit of this row waits, whatever waits of other mirrors', async () => {
    const b = bench(MEETINGS);
    const edits = (...mirrors: string[]) => ({ rowEdits: mirrors.map((mirror) => ({ mirror })) }) as never;
    expect(await b.target.reconcile(b.claim(meeting(), {}, edits('other', 'visits')))).toBe('nothing');
    expect(b.puts).toEqual([]);
    expect(await b.target.reconcile(b.claim(meeting(), {}, edits('other')))).toBe('queued');
    expect(await b.target.reconcile(b.claim(meeting(), {}, edits()))).toBe('queued');
  });

  test('names the other spreadsheets of the mirror, from which a waiting row must go', async () => {
    const others = async (mirror: SheetMirror) => {
      const b = bench(mirror);
      await b.put(meeting());
      return b.puts[0]?.others;
    };
    expect(await others(MEETINGS)).toEqual([]);
    expect(await others(ARCHIVED)).toEqual(['cellar']);
    const same = { ...ARCHIVED, archive: { ...ARCHIVED.archive, spreadsheetId: 'office' } };
    expect(await others(same as SheetMirror)).toEqual([]);
  });

  test('a condition that cannot be read stops it, except for what is gone', async () => {
    const asked: unknown[] = [];
    const judge = (about: object) => {
      asked.push(about);
      return 'failed' as const;
    };
    const b = bench({ ...MEETINGS, where: { ...MEETINGS.where, condition: { source: 'x', judge } } });
    await expect(b.put(meeting())).rejects.toMatchObject({ code: 'condition-failed' });
    expect(asked).toEqual([{ kind: 'appointment', snapshot: meeting(), directory: DIRECTORY }]);
    expect(await b.put(meeting(), {}, { deleted: true })).toMatchObject({ cells: undefined });
    expect(await b.put(undefined, {})).toBeUndefined();
  });

  test('an object of which nothing is known puts nothing', async () => {
    const b = bench({ ...MEETINGS, deleted: 'keep' });
    expect(await b.put(undefined)).toBeUndefined();
    expect(await b.put(undefined, undefined, { deleted: true })).toBeUndefined();
    expect(await b.put(undefined, { hash: 'x' }, { deleted: true })).toBeUndefined();
    expect(await b.target.preview(b.claim(undefined))).toBe('nothing');
  });

  test('a row says what it is of, and what of it is known', async () => {
    const row = await bench(MEETINGS).put(meeting());
    expect(row).toEqual({
      ...{ ...HOME, mirror: 'visits', key: `appointment/${ID}`, rowKey: ID, occurredAtMs: NOW },
      ...{ cells: { Who: 'Ada', Status: 'confirmed' }, hash: cellsHash({ Who: 'Ada', Status: 'confirmed' }) },
      standing: expect.any(String),
    });
    expect(await bench(MEETINGS).put(undefined, undefined, { deleted: true })).toEqual({
      ...{ ...HOME, mirror: 'visits', key: `appointment/${ID}`, rowKey: ID, occurredAtMs: NOW },
      ...{ cells: undefined, hash: CLEARED },
    });
    const sheet = { ...GONE, hash: 'x' };
    expect(await bench(MEETINGS).put(meeting(), sheet)).toMatchObject({ ...HOME, hadRow: true });
  });
});

describe('a row that people deleted', () => {
  const LEAVING: AppointmentSheetMirror = {
    ...MEETINGS,
    check: { everyMs: 1, removed: 'leave', edited: 'leave' },
  };

  test.each<[string | undefined, boolean]>([
    ['x', true],
    [CLEARED, false],
    ['', false],
    [undefined, false],
  ])('stays away where the link says %j: %s', async (hash, stays) => {
    const row = await bench(LEAVING).put(meeting(), hash === undefined ? undefined : { hash });
    expect(row?.staysAway === true).toBe(stays);
    expect('staysAway' in (row ?? {})).toBe(stays);
  });

  test('stays away only where the setting says so, and a row that is emptied never', async () => {
    const restoring = { ...LEAVING, check: { everyMs: 1, removed: 'restore', edited: 'leave' } } as const;
    expect(await bench(restoring).put(meeting(), { hash: 'x' })).not.toHaveProperty('staysAway');
    expect(await bench(MEETINGS).put(meeting(), { hash: 'x' })).not.toHaveProperty('staysAway');
    const emptied = await bench(LEAVING).put(meeting(), { hash: 'x' }, { deleted: true });
    expect(emptied).not.toHaveProperty('staysAway');
    expect(await bench(LEAVING).put(meeting(), { hash: LEFT })).toBeUndefined();
    const written = await bench(MEETINGS).put(meeting(), { hash: LEFT });
    expect(written?.hash).toBe((await bench(MEETINGS).put(meeting()))?.hash);
    expect(written?.cells).toMatchObject((await bench(MEETINGS).put(meeting()))?.cells ?? { none: true });
  });

  test('may be missing', async () => {
    const b = bench(LEAVING);
    const [seen, ...more] = await b.target.expected(b.claim(meeting(), { hash: LEFT }));
    expect([seen, more]).toEqual([
      {
        ...{ place: AT_HOME, linked: 'Visits', rule: 'may', because: 'left', isConfirmed: false },
        isRight: expect.any(Function),
      },
      [],
    ]);
    expect(seen?.isRight(await hashOf(LEAVING, meeting()))).toBe(true);
    const restored = bench(MEETINGS);
    const claim = restored.claim(meeting(), { hash: LEFT });
    expect(await restored.target.expected(claim)).toMatchObject([{ rule: 'must' }]);
    for (const link of [{ hash: 'x' }, undefined]) {
      const shown = await b.target.expected(b.claim(meeting(), link));
      expect(shown).toMatchObject([{ rule: 'must' }]);
    }
  });
});

describe('a mirror with an archive', () => {
  test('a row moves once its object is old enough', async () => {
    const b = bench(ARCHIVED);
    expect(await b.put(meeting({ starts_at: day(-29) }), {})).not.toHaveProperty('movesFrom');
    expect(await b.put(meeting({ starts_at: day(-30) }), {})).toMatchObject({ ...OLD, movesFrom: HOME });
    expect(await b.put(meeting({ starts_at: day(-30) }), OLD)).not.toHaveProperty('movesFrom');
    const emptied = await b.put(meeting({ starts_at: day(-30) }), { hash: CLEARED });
    expect(emptied).toMatchObject(OLD);
    expect(emptied).not.toHaveProperty('movesFrom');
  });

  test('where no link is known, the other tab may hold it', async () => {
    const b = bench(ARCHIVED);
    expect(await b.put(meeting({ created_at: day(-31) }))).toMatchObject({ ...HOME, movesFrom: OLD });
    expect(await b.put(meeting({ created_at: day(-29) }))).not.toHaveProperty('movesFrom');
  });

  test('a row with text of people beside it stays until its moment', async () => {
    const b = bench(ARCHIVED);
    const old = meeting({ starts_at: day(-30) });
    expect(await b.put(old, { staysUntilMs: NOW + 1 })).toMatchObject({ ...HOME, staysUntilMs: NOW + 1 });
    const moved = await b.put(old, { staysUntilMs: NOW });
    expect(moved).toMatchObject({ ...OLD, movesFrom: HOME });
    expect(moved).not.toHaveProperty('staysUntilMs');
    expect(await b.put(old, {})).toMatchObject(OLD);
  });

  test('a row that is emptied is emptied where it stands', async () => {
    const b = bench(ARCHIVED);
    const old = meeting({ starts_at: day(-30) });
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
    const row = await bench(ARCHIVED).put(meeting(), link);
    expect(row).toMatchObject(left === undefined ? HOME : { ...left, cells: undefined, hash: CLEARED });
    expect(row !== undefined && 'leftBehind' in row).toBe(left !== undefined);
  });

  test('a link to a tab that the YAML no longer names is none', async () => {
    const b = bench(ARCHIVED);
    expect(await b.put(meeting({ created_at: day(-31) }), GONE)).toMatchObject({ ...HOME, movesFrom: OLD });
    expect(await b.put(meeting(), OLD)).toMatchObject({ ...HOME, movesFrom: OLD });
  });

  test('a kept row may wait in any of its spreadsheets', async () => {
    const mirror = { ...ARCHIVED, unmatched: 'keep', where: CONFIRMED.where } as const;
    const b = bench(mirror);
    const other = meeting({ status: 'pending' });
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
    expect(next(meeting())).toBe(NOW + 31 * DAY_MS);
    expect(next(meeting({ starts_at: day(-30) }))).toBeUndefined();
    const old = meeting({ starts_at: day(-31) });
    expect(next(old, { staysUntilMs: NOW + 5 })).toBe(NOW + 5);
    expect(next(old, { ...OLD, staysUntilMs: NOW + 5 })).toBeUndefined();
    expect(next(meeting(), { staysUntilMs: NOW + 5 })).toBe(NOW + 31 * DAY_MS);
    expect(next(meeting(), { ...OLD, staysUntilMs: NOW + 5 })).toBe(NOW + 5);
    expect(bench(MEETINGS).target.nextTurnAtMs?.(b.claim(meeting()), NOW)).toBeUndefined();
  });

  test('a row that is not there does not move, one that is there does although its object is left out', async () => {
    const b = bench({ ...ARCHIVED, where: CONFIRMED.where });
    const other = meeting({ status: 'pending' });
    const next = (...about: Parameters<typeof b.claim>) => b.target.nextTurnAtMs?.(b.claim(...about), NOW);
    expect(next(other)).toBeUndefined();
    expect(next(other, { hash: CLEARED })).toBeUndefined();
    expect(next(other, {})).toBe(NOW + 31 * DAY_MS);
  });
});

describe('the next turn of an object that `until` keeps out', () => {
  const SOON = { ...MEETINGS, where: { ...MEETINGS.where, untilMs: 2 * DAY_MS } };
  const far = meeting({ starts_at: day(5) });

  test('is when it enters', () => {
    const b = bench(SOON);
    const next = (...about: Parameters<typeof b.claim>) => b.target.nextTurnAtMs?.(b.claim(...about), NOW);
    expect(next(far)).toBe(NOW + 3 * DAY_MS);
    expect(next(meeting())).toBeUndefined();
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
    const contacts = { ...MEETINGS, from: 'contact', where: { untilMs: 1 } } as unknown as SheetMirror;
    const b = bench(contacts);
    expect(b.target.nextTurnAtMs?.(b.claim(far), NOW)).toBeUndefined();
  });
});

describe('a preview', () => {
  test('tells what a turn would do, without a look at the tab', async () => {
    const b = bench(ARCHIVED);
    const preview = (...about: Parameters<typeof b.claim>) => b.target.preview?.(b.claim(...about));
    const hash = await hashOf(ARCHIVED, meeting());
    expect(await preview(meeting(), { hash })).toBe('nothing');
    expect(await preview(meeting(), { hash: 'x' })).toBe('queued');
    expect(await preview(meeting(), { ...OLD, hash })).toBe('queued');
    expect(await preview(meeting())).toBe('queued');
    expect(await preview(meeting(), undefined, { deleted: true })).toBe('nothing');
    expect(await preview(meeting(), {}, { deleted: true })).toBe('queued');
    expect(b.puts).toEqual([]);
    const kept = bench({ ...CONFIRMED, unmatched: 'keep' });
    expect(await kept.target.preview?.(kept.claim(meeting({ status: 'pending' })))).toBe('nothing');
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
    const told = await b.target.planned?.(b.claim(meeting(), link, about));
    expect(told).toMatchObject(steps);
    expect(told).toHaveLength(steps.length);
  });

  test('of a right row changes nothing, and moves it where its object is old', async () => {
    const b = bench(ARCHIVED);
    const hash = await hashOf(ARCHIVED, meeting());
    const same = await b.target.planned?.(b.claim(meeting(), { hash }));
    expect(same).toEqual([{ action: 'same', place: AT_HOME }]);
    const old = meeting({ starts_at: day(-40) });
    const moved = await b.target.planned?.(b.claim(old, { hash: await hashOf(ARCHIVED, old) }));
    expect(moved).toMatchObject([{ action: 'moved', place: AT_OLD, from: AT_HOME, fields: [] }]);
  });

  test('of a row that an edit of the YAML left out keeps it', async () => {
    const b = bench(CONFIRMED);
    const other = meeting({ status: 'pending' });
    const told = await b.target.planned?.(b.claim(other, { hash: 'x' }));
    expect(told).toEqual([{ action: 'kept', place: AT_HOME }]);
    const expected = await b.target.expected(b.claim(other, { hash: 'x' }));
    expect(expected).toMatchObject([{ rule: 'may', because: 'changed-mapping', isConfirmed: false }]);
    expect(expected[0]?.isRight(await hashOf(MEETINGS, other))).toBe(true);
    expect(expected[0]?.isRight('other')).toBe(false);
  });

  test('of a row that stays away, and of one that nobody has begun', async () => {
    const leaving = bench({ ...MEETINGS, check: { everyMs: 1, removed: 'leave', edited: 'leave' } });
    expect(await leaving.target.planned?.(leaving.claim(meeting(), { hash: LEFT }))).toEqual([]);
    const b = bench({ ...CONFIRMED, unmatched: 'keep' });
    const other = meeting({ status: 'pending' });
    expect(await b.target.planned?.(b.claim(other))).toEqual([]);
    const keeping = bench({ ...MEETINGS, deleted: 'keep' });
    const gone = keeping.claim(undefined, { hash: 'x' }, { deleted: true });
    expect(await keeping.target.planned?.(gone)).toEqual([{ action: 'same', place: AT_HOME }]);
  });

  test('shows the cells, and which of them name somebody', async () => {
    const columns = [
      ...MEETINGS.columns,
      { header: ' Price ', template: '{{ price }}', as: 'money' as const },
    ];
    const b = bench({ ...MEETINGS, columns });
    const snapshot = meeting({ price_amount: 1_250 });
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

describe('a row whose object `where` no longer takes', () => {
  const other = meeting({ status: 'pending' });

  test('is kept after an edit of the YAML, and emptied otherwise', async () => {
    const b = bench(CONFIRMED);
    expect(await b.put(other, { hash: 'x' })).toMatchObject({ cells: { Status: 'pending' } });
    for (const link of [{ hash: CLEARED }, { released: true, standing: undefined }, undefined])
      expect(await b.put(other, link as never)).toMatchObject({ cells: undefined });
    const written = await bench(MEETINGS).put(other);
    const mark = { hash: 'x', standing: written?.standing ?? '' };
    expect(await b.put(other, mark)).toMatchObject({ cells: { Status: 'pending' } });
    expect(await b.put(meeting({ status: 'cancelled' }), mark)).toMatchObject({ cells: undefined });
    expect(await b.put(other, { ...mark, released: true })).toMatchObject({ cells: undefined });
    expect(await b.put(other, { ...mark, hash: CLEARED })).toMatchObject({ cells: undefined });
  });

  test('keeps the mark of the lines that took it, while nobody knows what they say of it now', async () => {
    const where = { ...MEETINGS.where, customerLifecycles: ['customer'] };
    const standing = 'fields-lines';
    const known = { customer: { lifecycle: 'customer' } };
    const b = bench({ ...MEETINGS, where });
    expect((await b.put(meeting(), { standing }))?.standing).toMatch(/^[0-9a-f]+-lines$/);
    const taken = await b.put(meeting(), { standing }, known);
    expect(taken?.standing).toMatch(/^[0-9a-f]+-[0-9a-f]+$/);
  });
});
