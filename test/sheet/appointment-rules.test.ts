/** How a wish in an appointment's row leaves: through the guards of calendar staff edits, and one request at a time. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CarriedCell } from '../../src/engine/carriers.ts';
import { EditGuard } from '../../src/engine/edit-guard.ts';
import type { Verdict, Wish } from '../../src/engine/outside-booking.ts';
import type { RowEdit, SheetCarry } from '../../src/engine/row-edit.ts';
import type { BookingSubmitter } from '../../src/engine/submitter.ts';
import { createAppointmentRules } from '../../src/sheet/carrier.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore, type TestStore } from '../stand/store.ts';

const HOUR = Date.parse('2026-03-03T12:00:00Z');
const iso = (n: number) => new Date(HOUR + n * 60_000).toISOString();
const KEY = { kind: 'appointment', id: '1' } as const;
const ORIGIN = 'appointment/1';
type Answer = Verdict & { readonly earlier?: Wish };
type End = Awaited<ReturnType<BookingSubmitter['finish']>>;
const DONE: Answer = { outcome: 'done', appointment: { id: '1' } };
const REFUSED: Answer = { outcome: 'refused', refusal: { code: 'slot-unavailable', slots: [] } };
const EARLIER: Wish = {
  op: 'move',
  appointmentId: '1',
  startsAt: '2026-03-03T14:00:00+02:00',
  notifyCustomer: false,
};

let redis: TestRedis;
let store: TestStore;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  store = openTestStore(redis.url);
  await store.ready();
});
afterEach(() => store.close());

/** A platform that answers so, the last answer for ever. `ended`: how the open request of the appointment ended. */
function rulesOver({
  answers = [DONE],
  ended,
  upcoming = 0,
}: {
  answers?: readonly Answer[];
  ended?: End;
  upcoming?: number;
} = {}) {
  const wishes: Wish[] = [];
  const withdrawn: string[] = [];
  const left = [...answers];
  const submitter = {
    submit: async (_: string, wish: Wish) => {
      wishes.push(wish);
      return (left.length > 1 ? left.shift() : left[0]) ?? DONE;
    },
    finish: async () => ended,
    withdraw: async (origin: string) => void withdrawn.push(origin),
  };
  const guard = new EditGuard({
    ...{ tally: store.tally, memory: new MapMemory(), clock: { now: Date.now } },
    events: { upcoming: async () => 0 },
  });
  const refusalText = ({ code }: { readonly code: string }) => `no: ${code}`;
  const rules = createAppointmentRules({ submitter, guard, upcoming: async () => upcoming, refusalText });
  return { rules, wishes, withdrawn };
}

function cell(
  field: 'start' | 'cancel',
  n = 0,
  more: { id?: string; as?: string; notifyCustomer?: boolean } = {},
): CarriedCell {
  const { id = '1', as = `${n}`, notifyCustomer = false } = more;
  const value = field === 'start' ? iso(n) : '';
  const text = field === 'start' ? value : 'true';
  return {
    claim: { key: { kind: 'appointment', id }, fence: '' },
    edit: { mirror: 'visits', header: field, text, as, sinceMs: 0, seenAtMs: 0 } as RowEdit,
    carry: { notifyCustomer } as SheetCarry,
    decision: { type: 'carry', field, value, over: '' },
  };
}

describe('what leaves', () => {
  test.each<[string, CarriedCell, Wish]>([
    ['a start', cell('start'), { op: 'move', appointmentId: '1', startsAt: iso(0), notifyCustomer: false }],
    ['a tick', cell('cancel'), { op: 'cancel', appointmentId: '1', notifyCustomer: false }],
    [
      'a start with a mail',
      cell('start', 0, { notifyCustomer: true }),
      { op: 'move', appointmentId: '1', startsAt: iso(0), notifyCustomer: true },
    ],
  ])('%s', async (_, asked, wish) => {
    const { rules, wishes } = rulesOver();
    expect(await rules.carry(asked)).toEqual({ object: { id: '1' } });
    expect(wishes).toEqual([wish]);
  });

  test.each<[string, readonly Answer[], object, number]>([
    ['a refusal is said in words', [REFUSED], { code: 'refused', said: 'no: slot-unavailable' }, 1],
    [
      'an earlier request that was done changed the appointment',
      [{ ...DONE, earlier: EARLIER }],
      { code: 'changed-meanwhile' },
      1,
    ],
    [
      'after an earlier one that was refused it leaves again',
      [{ ...REFUSED, earlier: EARLIER }, DONE],
      { object: { id: '1' } },
      2,
    ],
  ])('%s', async (_, answers, ...[verdict, times]) => {
    const { rules, wishes } = rulesOver({ answers });
    expect(await rules.carry(cell('start'))).toEqual(verdict);
    expect(wishes).toHaveLength(times);
  });

  test('it waits while one earlier request follows another', async () => {
    const { rules } = rulesOver({ answers: [{ ...REFUSED, earlier: EARLIER }] });
    await expect(rules.carry(cell('start'))).rejects.toMatchObject({
      family: 'retryable',
      code: 'intent-contended',
    });
  });
});

describe('what is stopped', () => {
  test('the eleventh change of one appointment within ten minutes: two programs fight over its row', async () => {
    const { rules, wishes } = rulesOver();
    for (let n = 1; n <= 10; n += 1) await rules.carry(cell('start', n));
    // The same change, tried again.
    await rules.carry(cell('start', 10));
    await expect(rules.carry(cell('start', 11))).rejects.toMatchObject({ code: 'edit-loop' });
    // In another showing of the row it is another change.
    await expect(rules.carry(cell('start', 10, { as: '12' }))).rejects.toMatchObject({ code: 'edit-loop' });
    await rules.carry(cell('start', 11, { id: '2' }));
    expect(wishes).toHaveLength(12);
  });

  test('the sixth tick, if more than a quarter of the rows to come would go (P7)', async () => {
    const { rules, wishes } = rulesOver({ upcoming: 17 });
    for (let n = 1; n <= 5; n += 1) await rules.carry(cell('cancel', n, { id: `${n}` }));
    const sixth = cell('cancel', 6, { id: '6' });
    await expect(rules.carry(sixth)).rejects.toMatchObject({ code: 'mass-deletion', target: 'tab:visits' });
    expect(wishes).toHaveLength(5);
    await rules.carry(cell('start', 7, { id: '7' }));
    await rulesOver({ upcoming: 18 }).rules.carry(sixth);
  });

  test('the twenty-first mail within ten minutes, but no change without a mail', async () => {
    const { rules, wishes } = rulesOver();
    for (let n = 1; n <= 20; n += 1)
      await rules.carry(cell('start', n, { id: `${n}`, notifyCustomer: true }));
    const next = (notifyCustomer: boolean) => rules.carry(cell('start', 21, { id: '21', notifyCustomer }));
    await expect(next(true)).rejects.toMatchObject({ code: 'mail-storm' });
    await next(false);
    expect(wishes).toHaveLength(21);
  });
});

describe('a request that was sent before', () => {
  const open = { outcome: 'open', earlier: EARLIER } as const;
  const cancelled = {
    ...DONE,
    earlier: { op: 'cancel', appointmentId: '1', notifyCustomer: false },
  } as const;
  test.each<[string, End, object | undefined]>([
    ['is none', undefined, undefined],
    ['is open', open, undefined],
    ['was done', { ...DONE, earlier: EARLIER }, { object: { id: '1' }, asked: iso(0) }],
    [
      'was refused',
      { ...REFUSED, earlier: EARLIER },
      { code: 'refused', said: 'no: slot-unavailable', asked: iso(0) },
    ],
    ['was a cancellation', cancelled, { object: { id: '1' }, asked: 'cancel' }],
  ])('%s', async (_, ended, expected) => {
    expect(await rulesOver({ ended }).rules.finish?.(KEY)).toEqual(expected);
  });

  test.each<[string, End, readonly string[], readonly string[]]>([
    ['is withdrawn while it is open', open, ['cancel', iso(0)], [ORIGIN]],
    ['stays if it is another', open, ['cancel'], []],
    ['stays if there is none', undefined, [iso(0)], []],
  ])('%s', async (_, ended, ...[asked, expected]) => {
    const { rules, withdrawn } = rulesOver({ ended });
    await rules.withdraw?.(KEY, asked);
    expect(withdrawn).toEqual(expected);
  });

  test('is not withdrawn once it has ended: the row must show how', async () => {
    const { rules, withdrawn } = rulesOver({ ended: cancelled });
    await expect(rules.withdraw?.(KEY, ['cancel'])).rejects.toMatchObject({ code: 'edit-unsettled' });
    expect(withdrawn).toEqual([]);
  });
});
