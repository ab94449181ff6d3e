import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { common, merged, overlaps, spansWithout } from '../../../src/calendar/block-plan.ts';
import { openSpans, tilesFor } from '../../../src/calendar/block-wanted.ts';
import type { Span } from '../../../src/engine/block.ts';
import type { ServiceLengths } from '../../../src/engine/mirror.ts';

const MIN = 60_000;
const DAY_MS = Date.parse('2026-03-03T00:00:00Z');
const LENGTHS: ServiceLengths = { minMin: 30, maxMin: 240, stepMin: 15 };

/** Minutes of one day. */
const span = (fromMin: number, toMin: number): Span => ({
  startMs: DAY_MS + fromMin * MIN,
  endMs: DAY_MS + toMin * MIN,
});
const minutes = (spans: readonly Span[]) =>
  spans.map(({ startMs, endMs }) => [(startMs - DAY_MS) / MIN, (endMs - DAY_MS) / MIN]);

const OPEN = [span(540, 1080)];

function tiles(busy: readonly Span[], more: Partial<Parameters<typeof tilesFor>[0]> = {}) {
  const { blocks, tooShort } = tilesFor({ busy, open: OPEN, taken: [], lengths: LENGTHS, ...more });
  return { blocks: minutes(blocks), tooShort: minutes(tooShort) };
}

describe('busy time becomes blocks', () => {
  const cases: readonly [
    string,
    { busy: readonly Span[]; more: Partial<Parameters<typeof tilesFor>[0]> },
    number[][],
  ][] = [
    ['as long as the event', { busy: [span(600, 660)], more: {} }, [[600, 660]]],
    ['of a length that can be booked', { busy: [span(600, 640)], more: {} }, [[600, 645]]],
    ['of the shortest length at least', { busy: [span(600, 605)], more: {} }, [[600, 630]]],
    ['within the hours only', { busy: [span(480, 600)], more: {} }, [[540, 600]]],
    ['none outside of them', { busy: [span(300, 500)], more: {} }, []],
    [
      'that end with the day where they would last longer',
      { busy: [span(1060, 1090)], more: {} },
      [[1050, 1080]],
    ],
    [
      'that are split where the service is shorter',
      { busy: [span(540, 1080)], more: {} },
      [
        [540, 780],
        [780, 1020],
        [1020, 1080],
      ],
    ],
    [
      'that become one where they would overlap',
      { busy: [span(600, 605), span(620, 650)], more: {} },
      [[600, 660]],
    ],
    [
      'that stay apart otherwise',
      { busy: [span(600, 605), span(640, 650)], more: {} },
      [
        [600, 630],
        [640, 670],
      ],
    ],
    [
      'around appointments',
      { busy: [span(540, 1080)], more: { taken: [span(720, 780)] } },
      [
        [540, 720],
        [780, 1020],
        [1020, 1080],
      ],
    ],
    [
      'before an appointment, when there is no room behind',
      { busy: [span(690, 710)], more: { taken: [span(710, 780)] } },
      [[680, 710]],
    ],
    [
      'as far as there is room',
      { busy: [span(600, 640)], more: { taken: [span(540, 600), span(640, 700)] } },
      [[600, 630]],
    ],
    [
      'as far as there is room, and no further than somebody is busy',
      {
        busy: [span(540, 558)],
        more: { taken: [span(567, 1_080)], lengths: { minMin: 5, maxMin: 29, stepMin: 12 } },
      },
      [
        [540, 557],
        [557, 562],
      ],
    ],
    [
      'nothing before somebody is busy',
      {
        busy: [span(560, 567)],
        more: { taken: [span(567, 1_080)], lengths: { minMin: 5, maxMin: 35, stepMin: 30 } },
      },
      [[560, 565]],
    ],
    [
      'none where nothing fits',
      { busy: [span(600, 620)], more: { taken: [span(540, 600), span(620, 700)] } },
      [],
    ],
  ];
  it.each(cases)('%s', (_, { busy, more }, blocks) => {
    expect(tiles(busy, more).blocks).toEqual(blocks);
  });

  it('and tells of what is not covered', () => {
    expect(tiles([span(600, 640)], { taken: [span(540, 600), span(640, 700)] }).tooShort).toEqual([
      [630, 640],
    ]);
    expect(tiles([span(600, 640)]).tooShort).toEqual([]);
  });
});

describe('whatever people have in their calendars,', () => {
  const spans = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 1_430 }), fc.integer({ min: 1, max: 300 })), { maxLength: 12 })
    .map((all) => all.map(([from, long]) => span(from, Math.min(1_440, from + long))));
  const lengths = fc
    .tuple(fc.integer({ min: 5, max: 90 }), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 60 }))
    .map(([minMin, more, stepMin]): ServiceLengths => ({ minMin, maxMin: minMin + more, stepMin }));

  it('blocks have lengths of the service, lie in free open time, and never overlap; what they miss has no room', () => {
    fc.assert(
      fc.property(fc.tuple(spans, spans, spans), lengths, ([busy, open, taken], service) => {
        const days = merged(open);
        const { blocks, tooShort } = tilesFor({ busy, open: days, taken, lengths: service });
        for (const [at, block] of blocks.entries()) {
          const lengthMin = (block.endMs - block.startMs) / MIN;
          expect(lengthMin).toBeGreaterThanOrEqual(service.minMin);
          expect(lengthMin).toBeLessThanOrEqual(service.maxMin);
          expect((lengthMin - service.minMin) % service.stepMin).toBe(0);
          expect(taken.some((other) => overlaps(other, block))).toBe(false);
          expect(spansWithout([block], days)).toEqual([]);
          expect(blocks.some((other, index) => index !== at && overlaps(other, block))).toBe(false);
          // Nobody is blocked for nothing.
          expect(common([block], merged(busy)).length).toBeGreaterThan(0);
        }
        const free = spansWithout(days, taken);
        const needed = common(free, merged(busy));
        expect(spansWithout(needed, [...blocks, ...tooShort])).toEqual([]);
        for (const missed of tooShort)
          expect(missed.endMs - missed.startMs).toBeLessThan(Math.max(service.minMin, service.stepMin) * MIN);
      }),
    );
  });

  it('an event elsewhere changes no block of another day', () => {
    fc.assert(
      fc.property(spans, spans, lengths, (busy, more, service) => {
        const nextDay = more.map(({ startMs, endMs }) => ({
          startMs: startMs + 86_400_000,
          endMs: endMs + 86_400_000,
        }));
        const open = [span(0, 1_440), span(1_440, 2_880)];
        const parts = { open, taken: [], lengths: service };
        const alone = tilesFor({ busy, ...parts }).blocks;
        const both = tilesFor({ busy: [...busy, ...nextDay], ...parts }).blocks;
        expect(both.filter(({ startMs }) => startMs < DAY_MS + 86_400_000)).toEqual(alone);
      }),
    );
  });
});

describe('the hours of a week', () => {
  const HOURS = {
    1: [
      [540, 720],
      [780, 1080],
    ],
    7: [[0, 1_440]],
  } as const;

  it('are spans of the days in the zone, by the clock on the wall', () => {
    const spans = openSpans(HOURS, 'Europe/Berlin', {
      startMs: Date.parse('2026-03-29T06:00:00Z'),
      endMs: Date.parse('2026-03-30T06:00:00Z'),
    });
    expect(
      spans.map(({ startMs, endMs }) => [new Date(startMs).toISOString(), new Date(endMs).toISOString()]),
    ).toEqual([
      // The day on which an hour is skipped.
      ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['2026-03-30T07:00:00.000Z', '2026-03-30T10:00:00.000Z'],
      ['2026-03-30T11:00:00.000Z', '2026-03-30T16:00:00.000Z'],
    ]);
  });

  it('form one span where they overlap, so that busy time across both is fully covered', () => {
    const within = { startMs: DAY_MS, endMs: DAY_MS + 1_380 * MIN };
    const twice = { 2: [[540, 780] as const, [720, 1080] as const] };
    const open = openSpans(twice, 'UTC', within);
    expect(minutes(open)).toEqual([[540, 1080]]);
    expect(tiles([span(690, 840)], { open })).toEqual({ blocks: [[690, 840]], tooShort: [] });
  });
});
