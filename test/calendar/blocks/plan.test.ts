import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BlockPlan,
  guarded,
  overlaps,
  planBlocks,
  type StandingBlock,
} from '../../../src/calendar/block-plan.ts';
import { tilesFor } from '../../../src/calendar/block-wanted.ts';
import type { Span } from '../../../src/engine/block.ts';

const MIN = 60_000;
const DAY_MS = Date.parse('2026-03-03T00:00:00Z');
const at = (minute: number) => DAY_MS + minute * MIN;
const span = (fromMin: number, toMin: number): Span => ({ startMs: at(fromMin), endMs: at(toMin) });
const block = (id: string, fromMin: number, toMin: number): StandingBlock => ({
  id,
  origin: `block/${id}`,
  ...span(fromMin, toMin),
});
const LENGTHS = { minMin: 30, maxMin: 240, stepMin: 30 };

function told(plan: BlockPlan) {
  const minutes = ({ startMs, endMs }: Span) => [(startMs - DAY_MS) / MIN, (endMs - DAY_MS) / MIN];
  return {
    cancels: plan.cancels.map(({ id }) => id),
    moves: plan.moves.map(({ block: { id }, to }) => [id, ...minutes(to)]),
    books: plan.books.map(minutes),
    kept: plan.kept,
  };
}

const plan = (wanted: readonly Span[], standing: readonly StandingBlock[], nowMin = 0) =>
  planBlocks(wanted, standing, { nowMs: at(nowMin), ...LENGTHS });

describe('the plan', () => {
  const NOTHING = { cancels: [], moves: [], books: [], kept: 0 };
  const cases: readonly [
    string,
    { wanted: Span[]; standing: StandingBlock[]; nowMin: number },
    Partial<ReturnType<typeof told>>,
  ][] = [
    [
      'books what is not there',
      { wanted: [span(600, 660)], standing: [], nowMin: 0 },
      { books: [[600, 660]] },
    ],
    [
      'keeps what is there',
      { wanted: [span(600, 660)], standing: [block('a', 600, 660)], nowMin: 0 },
      { kept: 1 },
    ],
    [
      'cancels what is wanted no more',
      { wanted: [], standing: [block('a', 600, 660)], nowMin: 0 },
      { cancels: ['a'] },
    ],
    [
      'moves a block of the same length',
      { wanted: [span(630, 690)], standing: [block('a', 600, 660)], nowMin: 0 },
      { moves: [['a', 630, 690]] },
    ],
    [
      'cancels and books where the length has changed',
      { wanted: [span(600, 690)], standing: [block('a', 600, 660)], nowMin: 0 },
      { cancels: ['a'], books: [[600, 690]] },
    ],
    [
      'moves the one that is in the way first',
      {
        wanted: [span(630, 690), span(690, 750)],
        standing: [block('a', 600, 660), block('b', 660, 720)],
        nowMin: 0,
      },
      {
        moves: [
          ['b', 690, 750],
          ['a', 630, 690],
        ],
      },
    ],
    ['leaves what is over', { wanted: [], standing: [block('a', 600, 660)], nowMin: 660 }, {}],
    [
      'cancels the rest of what was called off meanwhile',
      { wanted: [], standing: [block('a', 600, 660)], nowMin: 630 },
      { cancels: ['a'] },
    ],
    [
      'moves nothing that has begun',
      { wanted: [span(660, 720)], standing: [block('a', 600, 660)], nowMin: 630 },
      { cancels: ['a'], books: [[660, 720]] },
    ],
    [
      'books the rest of what has begun, from a step on',
      { wanted: [span(600, 720)], standing: [], nowMin: 610 },
      { books: [[630, 720]] },
    ],
    [
      'keeps the rest that was booked late',
      { wanted: [span(600, 720)], standing: [block('a', 630, 720)], nowMin: 640 },
      { kept: 1 },
    ],
    [
      'keeps that rest also before its own beginning',
      { wanted: [span(600, 720)], standing: [block('a', 630, 720)], nowMin: 615 },
      { kept: 1 },
    ],
    ['lets be what is nearly over', { wanted: [span(600, 660)], standing: [], nowMin: 640 }, {}],
    [
      'keeps one of two that stand at once',
      { wanted: [span(600, 660)], standing: [block('a', 600, 660), block('b', 600, 660)], nowMin: 0 },
      { kept: 1, cancels: ['b'] },
    ],
  ];
  it.each(cases)('%s', (_, { wanted, standing, nowMin }, found) => {
    expect(told(plan(wanted, standing, nowMin))).toEqual({ ...NOTHING, ...found });
  });
});

/** As the platform does it: a request for time that is taken is refused. */
function perform(standing: readonly StandingBlock[], { cancels, moves, books }: BlockPlan): StandingBlock[] {
  let blocks = [...standing];
  const place = (one: StandingBlock): void => {
    const inTheWay = blocks.find((other) => other.id !== one.id && overlaps(other, one));
    if (inTheWay !== undefined) throw new Error(`${one.id} would overlap ${inTheWay.id}`);
    blocks = [...blocks.filter(({ id }) => id !== one.id), one];
  };
  for (const { id } of cancels) blocks = blocks.filter((each) => each.id !== id);
  for (const { block: moved, to } of moves) place({ ...moved, ...to });
  for (const [index, to] of books.entries()) place({ id: `new${index}`, origin: '', ...to });
  return blocks;
}

describe('whatever stands and whatever is wanted,', () => {
  const days = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 2_800 }), fc.integer({ min: 1, max: 400 })), { maxLength: 10 })
    .map((all) => all.map(([from, long]) => span(from, from + long)));
  const wantedOf = (busy: readonly Span[]) =>
    tilesFor({ busy, open: [span(0, 1_440), span(1_440, 2_880)], taken: [], lengths: LENGTHS }).blocks;
  const blocksOf = (busy: readonly Span[]): StandingBlock[] =>
    wantedOf(busy).map((each, index) => ({ id: `b${index}`, origin: `block/${index}`, ...each }));
  const now = fc.integer({ min: -10, max: 2_900 });

  it('no step is in the way of another, all that is ahead stands afterwards, and a second plan is empty', () => {
    fc.assert(
      fc.property(days, days, now, (before, after, nowMin) => {
        const wanted = wantedOf(after);
        const first = plan(wanted, blocksOf(before), nowMin);
        const done = perform(blocksOf(before), first);
        const ahead = wanted.filter(({ startMs }) => startMs > at(nowMin) + MIN);
        for (const each of ahead)
          expect(done.some((one) => one.startMs === each.startMs && one.endMs === each.endMs)).toBe(true);
        expect(told(plan(wanted, done, nowMin))).toMatchObject({ cancels: [], moves: [], books: [] });
      }),
    );
  });

  it('time alone cancels and moves nothing', () => {
    fc.assert(
      fc.property(days, now, fc.integer({ min: 0, max: 2_000 }), (busy, nowMin, laterMin) => {
        const wanted = wantedOf(busy);
        const done = perform([], plan(wanted, [], nowMin));
        expect(told(plan(wanted, done, nowMin + laterMin))).toMatchObject({
          cancels: [],
          moves: [],
          books: [],
        });
      }),
    );
  });

  it('while a calendar is unknown nothing is cancelled or moved, and nothing is booked over what stays', () => {
    fc.assert(
      fc.property(days, days, now, (before, after, nowMin) => {
        const standing = blocksOf(before);
        const { plan: careful, held } = guarded(plan(wantedOf(after), standing, nowMin), {
          isWhole: false,
          standing: standing.length,
        });
        expect(told(careful)).toMatchObject({ cancels: [], moves: [] });
        const done = perform(standing, careful);
        expect(standing.every((each) => done.includes(each))).toBe(true);
        expect(held).toBeLessThanOrEqual(standing.length);
      }),
    );
  });
});

describe('many cancellations at once wait for a person:', () => {
  const standing = Array.from({ length: 20 }, (_, index) => block(`b${index}`, index * 60, index * 60 + 60));

  it('an emptied calendar cancels nothing', () => {
    const { plan: held, held: count } = guarded(plan([], standing, -10), { isWhole: true, standing: 20 });
    expect([told(held).cancels, count]).toEqual([[], 20]);
  });

  it('a part of them may go', () => {
    const wanted = standing.slice(10).map(({ startMs, endMs }) => ({ startMs, endMs }));
    const { plan: free, held } = guarded(plan(wanted, standing, -10), { isWhole: true, standing: 20 });
    expect([told(free).cancels.length, held]).toEqual([10, 0]);
  });

  it('what would need the room of those is not booked, and not moved there either', () => {
    const wanted = [span(0, 90), span(1_230, 1_290)];
    const { plan: held } = guarded(plan(wanted, standing, -10), { isWhole: true, standing: 20 });
    expect(told(held)).toMatchObject({ cancels: [], moves: [['b0', 1_230, 1_290]], books: [] });
  });
});
