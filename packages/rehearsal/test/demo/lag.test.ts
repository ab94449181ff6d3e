import { describe, expect, it } from 'vitest';
import { percentile } from '../../demo/lag/percentile.ts';
import { Stopwatch } from '../../demo/lag/stopwatch.ts';

const shows = (state: string) => (wanted: string) => wanted === state;

describe('the lag', () => {
  it('runs from the change to the write that shows it', () => {
    const watch = new Stopwatch<string>();
    watch.changed('a', { atMs: 100, wanted: 'x', isShown: false });
    watch.written('a', { atMs: 150, shows: shows('something else') });
    expect(watch.samples()).toEqual({ all: [], delivered: [], open: 1 });
    watch.written('a', { atMs: 400, shows: shows('x') });
    expect(watch.samples()).toEqual({ all: [300], delivered: [300], open: 0 });
  });

  it('ends for every change by a write that shows a later one', () => {
    const watch = new Stopwatch<string>();
    for (const [index, wanted] of ['x', 'y', 'z'].entries()) {
      watch.changed('a', { atMs: index * 100, wanted, isShown: false });
    }
    watch.written('a', { atMs: 500, shows: shows('y') });
    expect(watch.samples()).toEqual({ all: [500, 400], delivered: [500, 400], open: 1 });
  });

  it('counts a change whose webhook was lost among all, not among the delivered', () => {
    const watch = new Stopwatch<string>();
    watch.changed('a', { atMs: 0, wanted: 'x', isShown: false });
    watch.lost('a', 0);
    watch.written('a', { atMs: 2_000, shows: shows('x') });
    expect(watch.samples()).toEqual({ all: [2_000], delivered: [], open: 0 });
  });

  it('is not measured for a change that the mirror shows already', () => {
    const watch = new Stopwatch<string>();
    watch.changed('a', { atMs: 0, wanted: 'x', isShown: true });
    watch.written('a', { atMs: 9, shows: shows('x') });
    expect(watch.samples()).toEqual({ all: [], delivered: [], open: 0 });
  });

  it('has the nearest-rank percentiles, and none of nothing', () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([percentile(samples, 50), percentile(samples, 99), percentile([7], 99)]).toEqual([50, 99, 7]);
    expect(percentile([], 50)).toBeNull();
  });
});
