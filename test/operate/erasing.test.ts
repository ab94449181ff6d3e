import { beforeEach, describe, expect, test } from 'vitest';
import { type ErasureOrder, type MovedRow, NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import type { Claim } from '../../src/engine/work.ts';
import { type ForgetParts, planForget, runForget } from '../../src/operate/forget/forget.ts';
import type { LeftPlace, PersonalPlace } from '../../src/operate/forget/look.ts';
import { withoutSleep } from '../doubles/sleeps.ts';
import { double } from '../stand/double.ts';

import {
  clock,
  erasures,
  ID,
  known,
  MEETING,
  NOW,
  PHONE,
  parts,
  places,
  redis,
  renew,
  stop,
} from './erasure-bench.ts';

/** How long the code has slept, ms. `onSleep`: what happens meanwhile. */
const slept: number[] = [];
let onSleep: () => void;
/** Those that an end of the turn cuts short. */
const stoppable: number[] = [];
beforeEach(() => {
  slept.splice(0);
  stoppable.splice(0);
  onSleep = () => undefined;
  renew();
  return withoutSleep((ms, signal) => {
    slept.push(ms);
    if (signal !== undefined) stoppable.push(ms);
    onSleep();
  });
});

/** What the next looks of a place do; nothing after them. */
type Look = Awaited<ReturnType<PersonalPlace['erase']>> | Error;
const place = (name: string, looks: readonly Look[], seen: unknown[] = []): PersonalPlace => {
  const next = [...looks];
  return {
    name,
    async *texts() {},
    erase: async ({ act, terms, moved, count }) => {
      seen.push([act, terms.ids[0]]);
      const look = next.shift() ?? { left: [] };
      if (look instanceof Error) throw look;
      const { moved: rows = [], ...done } = look as typeof look & { readonly moved?: readonly MovedRow[] };
      moved.push(...rows);
      const { left: _, ...erased } = done;
      await count?.(erased);
      return done;
    },
  };
};
const LEFT: LeftPlace = { kind: 'event', where: 'calendar anna', name: 'e', by: ['name'] };

describe('a plan', () => {
  test('counts what would be done, and writes nothing', async () => {
    const seen: unknown[] = [];
    const gone = new DeferredError('calendar-gone', 'no', { retryAfterMs: 1 });
    places.push(
      place('calendar anna', [{ events: 2, rewritten: 1, left: [LEFT] }], seen),
      place('spreadsheet book', [{ cells: 5, left: [] }], seen),
      place('calendar boris', [gone]),
    );
    Object.assign(redis, {
      ...{ [`object:contact/${ID}`]: '{}', [`forgetting`]: ID, [`forgotten:${ID}`]: '', [`lease:${ID}`]: '' },
      ...{ 'receipts:x': ID, [`forgottenish:${ID}`]: '', [`old:lease:${ID}`]: '', stranger: 'Oleg' },
    });
    const at = (id: string, status: string, ends_at: string) => ({ id, status, ends_at, contact_id: ID });
    const listed = {
      [`contact_id ${ID}`]: [
        at('dddddddd', 'pending', '2026-07-09T09:00:00Z'),
        at('aaaaaaaa', 'confirmed', '2026-07-03T09:00:01Z'),
        at('bbbbbbbb', 'confirmed', '2026-07-03T09:00:00Z'),
        at('cccccccc', 'cancelled', '2026-07-04T09:00:00Z'),
      ],
    };
    const plan = await planForget(ID, parts({ listed }));
    expect(plan).toMatchObject({
      ...{ events: 2, rewritten: 1, cells: 5, keys: 3, upcoming: 2, left: [LEFT] },
      unread: [{ place: 'calendar boris', code: 'calendar-gone' }],
    });
    expect(plan.order.contactId).toBe(ID);
    expect(seen).toEqual([
      [false, ID],
      [false, ID],
    ]);
    expect(erasures.orders.size).toBe(0);
  });
});

describe('a run', () => {
  const order = (more: Partial<ErasureOrder> = {}): ErasureOrder => ({
    ...{ contactId: ID, keys: [`contact/${ID}`], begunAtMs: NOW - 99, erased: NOTHING_ERASED },
    terms: { ids: [ID], phones: [PHONE], emails: [], names: [], hashes: [] },
    ...more,
  });

  test('ends after two looks that find nothing, and its receipt names nobody', async () => {
    const seen: unknown[] = [];
    places.push(place('calendar anna', [], seen));
    const outcome = await runForget(order(), parts());
    const receipt = {
      ...{ version: 1, person: `#contact/${ID}`, begun: new Date(NOW).toISOString() },
      ...{ verified: new Date(NOW).toISOString(), erased: { ...NOTHING_ERASED }, left: [] },
      ...{ recognisedBy: ['id', 'phone'], outOfReach: ['log files'] },
    };
    expect(outcome).toEqual({ state: 'erased', receipt, left: [] });
    expect(seen).toEqual([
      [true, ID],
      [true, ID],
    ]);
    expect([slept, erasures.orders.size, erasures.receipts.get(ID)]).toEqual([[2_000], 0, receipt]);
  });

  test('begins when it runs, or when it was begun first', async () => {
    const begins: number[] = [];
    const { begin } = erasures;
    erasures.begin = (each) => {
      begins.push(each.begunAtMs);
      return begin.call(erasures, each);
    };
    await runForget(order(), parts());
    expect(new Set(begins)).toEqual(new Set([NOW]));
    begins.splice(0);
    erasures.receipts.clear();
    erasures.orders.set(ID, order({ begunAtMs: NOW - 7 }));
    const outcome = await runForget(order(), parts());
    expect(new Set(begins)).toEqual(new Set([NOW - 7]));
    expect(outcome).toMatchObject({ receipt: { begun: new Date(NOW - 7).toISOString() } });
  });

  test('is verified when its last look began', async () => {
    onSleep = () => clock.advance(60_000);
    const outcome = await runForget(order(), parts());
    expect(outcome).toMatchObject({ receipt: { verified: new Date(NOW + 60_000).toISOString() } });
  });

  test.each<[string, () => void]>([
    ['an event', () => places.push(place('p', [{ left: [] }, { events: 1, left: [] }]))],
    ['a person in an event', () => places.push(place('p', [{ left: [] }, { rewritten: 1, left: [] }]))],
    ['a cell', () => places.push(place('p', [{ left: [] }, { cells: 1, left: [] }]))],
    [
      'an event and a person',
      () => places.push(place('p', [{ left: [] }, { events: 1, rewritten: 1, left: [] }])),
    ],
    ['an event and a cell', () => places.push(place('p', [{ left: [] }, { events: 1, cells: 1, left: [] }]))],
    [
      'an event and a key before the look',
      () => {
        places.push(place('p', [{ left: [] }, { events: 1, left: [] }]));
        erasures.found.push({}, {}, { inbox: 1 });
      },
    ],
    ['a key before and one after the look', () => erasures.found.push({}, {}, { inbox: 1 }, { inbox: 1 })],
    ['a key before the look', () => erasures.found.push({}, {}, { inbox: 1 })],
    ['a key after the look', () => erasures.found.push({}, {}, {}, { inbox: 1 })],
  ])('looks once more after a look that found %s', async (_, meet) => {
    meet();
    const outcome = await runForget(order(), parts());
    expect([outcome.state, slept]).toEqual(['erased', [2_000, 2_000]]);
  });

  test('adds everything up, from earlier runs too, and stores the counts at each look', async () => {
    const row: MovedRow = { kind: 'row', where: 's', name: 'row 2', by: [], why: 'moved' };
    places.push(
      place('a', [{ events: 1, rewritten: 2, left: [], moved: [row] } as Look]),
      place('b', [{ cells: 3, left: [] }]),
    );
    erasures.found.push({ inbox: 1 }, { inbox: 2, object: 1 });
    erasures.orders.set(ID, order({ erased: { ...NOTHING_ERASED, events: 10 } }));
    const proof = { erased: { ...NOTHING_ERASED, events: 100 }, begun: 'long ago', left: [] };
    erasures.receipts.set(ID, proof as never);
    const stored: unknown[] = [];
    onSleep = () => void stored.push(erasures.orders.get(ID)?.erased);
    const outcome = await runForget(order(), parts());
    const erased = { events: 11, rewritten: 2, cells: 3, keys: { inbox: 3, object: 1 } };
    expect(stored).toEqual([{ ...erased, moved: [row] }]);
    expect(outcome).toMatchObject({
      receipt: {
        erased,
        begun: 'long ago',
        left: [{ kind: 'row', by: [], why: 'moved', place: '#s row 2' }],
      },
      left: [row],
    });
    expect(outcome).not.toHaveProperty('receipt.erased.moved');
  });

  test('P1: keeps what was erased after its plan was made, and the rows of others that were hit', async () => {
    const hit = { kind: 'row', by: [], why: 'moved', place: '#s row 9' };
    const left = [{ kind: 'event', by: ['name'], place: '#calendar anna e' }, hit];
    erasures.receipts.set(ID, {
      erased: { ...NOTHING_ERASED, events: 100 },
      begun: 'long ago',
      left,
    } as never);
    places.push(place('a', [{ events: 1, left: [] }]));
    expect(await runForget(order(), parts())).toMatchObject({
      receipt: { erased: { ...NOTHING_ERASED, events: 101 }, begun: 'long ago', left: [hit] },
    });
  });

  test('keeps what another process has erased while it waited for its turn', async () => {
    const { leases } = parts();
    let asked = 0;
    const hold = (async (...given: Parameters<typeof leases.hold>) => {
      asked += 1;
      if (asked > 1) return leases.hold(...given);
      erasures.orders.clear();
      erasures.receipts.set(ID, { erased: { ...NOTHING_ERASED, events: 50 }, begun: 'a', left: [] } as never);
      return undefined;
    }) as typeof leases.hold;
    const outcome = await runForget(order(), parts({}, { leases: double({ hold }) }));
    expect(outcome).toMatchObject({ receipt: { erased: { events: 50 }, begun: 'a' } });
  });

  test('begins with the counts of its order, where nothing else is known', async () => {
    const outcome = await runForget(order({ erased: { ...NOTHING_ERASED, events: 9 } }), parts());
    expect(outcome).toMatchObject({ receipt: { erased: { events: 9 } } });
  });

  test('tells what is left, places and keys, as hashes and as names', async () => {
    places.push(place('a', [{ left: [] }, { left: [LEFT] }]));
    Object.assign(redis, { 'history:x': `for ${ID}`, forgetting: ID });
    const outcome = await runForget(order(), parts());
    expect(outcome).toMatchObject({
      left: [LEFT, { kind: 'key', where: 'Redis, history', name: 'history:x', by: ['id'] }],
      receipt: {
        left: [
          { kind: 'event', by: ['name'], place: '#calendar anna e' },
          { kind: 'key', by: ['id'], place: '#Redis, history history:x' },
        ],
      },
    });
    expect(outcome).not.toHaveProperty('receipt.left.0.why');
  });

  test('stops where a place cannot be read, after all others were done, and keeps the order', async () => {
    const gone = new DeferredError('calendar-gone', 'no', { retryAfterMs: 1 });
    places.push(place('a', [gone]), place('b', [{ events: 1, left: [] }]));
    expect(await runForget(order(), parts())).toEqual({
      ...{ state: 'unfinished', unread: [{ place: 'a', code: 'calendar-gone' }] },
      erased: { ...NOTHING_ERASED, events: 1 },
    });
    expect(erasures.orders.get(ID)?.erased.events).toBe(1);
    expect(erasures.receipts.size).toBe(0);
  });

  test('ends with an error where places are filled again as fast as they are emptied', async () => {
    places.push(
      place(
        'a',
        Array.from({ length: 10 }, () => ({ events: 1, left: [] })),
      ),
    );
    await expect(runForget(order(), parts())).rejects.toMatchObject({
      ...{ family: 'retryable', code: 'erasure-contended', advice: expect.stringContaining('again') },
    });
    expect(erasures.looks).toBe(20);
    erasures.looks = 0;
    places.splice(
      0,
      1,
      place(
        'a',
        Array.from({ length: 8 }, () => ({ events: 1, left: [] })),
      ),
    );
    expect(await runForget(order(), parts())).toMatchObject({ state: 'erased' });
  });

  test('looks again where Redis was lost meanwhile, and once more where it is lost at the end', async () => {
    let nth = 0;
    onSleep = () => {
      nth += 1;
      if (nth === 1) erasures.orders.clear();
    };
    await runForget(order(), parts());
    expect(slept).toHaveLength(2);
    slept.splice(0);
    const { end } = erasures;
    const ends: string[] = [];
    erasures.end = async (each, receipt) => {
      ends.push(receipt.verified);
      return ends.length > 1 && end.call(erasures, each, receipt);
    };
    await runForget(order(), parts());
    expect([slept.length, ends.length]).toEqual([1, 2]);
  });

  test('waits for its turn', async () => {
    const { leases } = parts();
    let asked = 0;
    const hold = (async (...given: Parameters<typeof leases.hold>) => {
      asked += 1;
      return asked < 3 ? undefined : leases.hold(...given);
    }) as typeof leases.hold;
    await runForget(order(), parts({}, { leases: double({ hold }) }));
    expect([slept, stoppable]).toEqual([[500, 500, 2_000], [2_000]]);
    expect(asked).toBe(3);
  });

  test('that has lost its turn writes nothing more', async () => {
    stop.abort();
    await expect(runForget(order(), parts())).rejects.toThrow();
    expect(erasures.looks).toBe(0);
  });

  test('wakes the classes of its appointments before they are erased', async () => {
    const steps: unknown[] = [];
    const meeting = known(`appointment/${MEETING}`, {}) as Claim;
    const peek: ForgetParts['view']['peek'] = async (key) => {
      steps.push(`peek ${key.kind}`);
      return key.id === MEETING ? meeting : undefined;
    };
    const wakeClasses = async (claim: Claim) => void steps.push(claim === meeting && erasures.looks);
    const keys = [`contact/${ID}`, `appointment/${MEETING}`, 'appointment/gone', 'nonsense'];
    await runForget(order({ keys }), parts({}, { view: { peek }, wakeClasses }));
    const one = (looks: number) => ['peek appointment', looks, 'peek appointment'];
    expect(steps).toEqual([...one(0), ...one(2)]);
  });

  describe('waits for handlers', () => {
    const run = (queue: Partial<ForgetParts['queue']>) =>
      runForget(order(), parts({}, { queue: { ...parts().queue, ...queue } }));

    test('of the person, after what is stored was erased and before anything else is', async () => {
      const looks: unknown[] = [];
      places.push(place('a', [], looks));
      let atWork = 2;
      await run({
        forget: async (keys) => {
          expect([...keys]).toEqual([`contact/${ID}`]);
          if (atWork > 0) expect([erasures.looks, looks]).toEqual([1, []]);
          atWork -= 1;
          return atWork >= 0 ? ['contact'] : [];
        },
      });
      expect(slept).toEqual([250, 250, 2_000]);
    });

    test('of classes that had begun by then, and of no later ones', async () => {
      const turns = [['a', 'b'], ['b', 'c'], ['c']];
      await run({ turns: async () => new Set(turns.shift() ?? []) });
      expect(slept).toEqual([250, 250, 2_000]);
    });

    test('of the person and of a class alike', async () => {
      const [turns, atWork] = [
        [['a'], ['a']],
        [['contact'], []],
      ];
      await run({
        turns: async () => new Set(turns.shift() ?? []),
        forget: async () => atWork.shift() ?? [],
      });
      expect(slept).toEqual([250, 250, 2_000]);
    });

    test('of no class where none had begun', async () => {
      let asked = 0;
      let atWork = 3;
      await run({
        turns: async () => {
          asked += 1;
          return new Set(asked === 1 ? [] : ['late']);
        },
        forget: async () => {
          atWork -= 1;
          return atWork >= 0 && asked === 1 ? ['contact'] : [];
        },
      }).catch(() => undefined);
      expect(slept.slice(0, 4)).toEqual([250, 250, 250, 2_000]);
    });

    test('for a minute, and then the command is to be run again', async () => {
      await expect(run({ forget: async () => ['contact'] })).rejects.toMatchObject({
        ...{ code: 'handler-at-work', family: 'retryable', advice: expect.stringContaining('minute') },
      });
      expect(slept).toEqual(Array.from({ length: 240 }, () => 250));
    });

    test('and not on once its turn is lost', async () => {
      onSleep = () => stop.abort();
      await expect(run({ forget: async () => ['contact'] })).rejects.toThrow();
      expect([slept, stoppable]).toEqual([[250], [250]]);
    });
  });

  test('a failure of Redis ends it', async () => {
    const down = new RetryableError('store-unavailable', 'no');
    erasures.eraseState = () => Promise.reject(down);
    await expect(runForget(order(), parts())).rejects.toBe(down);
  });
});
