import { expect, test } from 'vitest';
import { Progress } from '../../src/cli/progress.ts';

/** What is written to standard error, by a clock that is set by hand. */
function written(about: { readonly isTTY: boolean; readonly isQuiet?: boolean }) {
  let [text, nowMs] = ['', 1_000];
  const write = (part: string) => {
    text += part;
  };
  const stderr = { write, isTTY: about.isTTY };
  const quiet = about.isQuiet === undefined ? {} : { isQuiet: about.isQuiet };
  const progress = new Progress({ io: { stderr }, ...quiet, steady: { now: () => nowMs } });
  const goTo = (seconds: number) => {
    nowMs = 1_000 + seconds * 1_000;
  };
  return { progress, goTo, said: () => text };
}

test('elsewhere than on a terminal a line follows at the earliest 5 s after the one before, and only with news', () => {
  const { progress, goTo, said } = written({ isTTY: false });
  for (const [second, line] of [
    [0, 'a'],
    [1, 'b'],
    [4.9, 'c'],
    [5, 'd'],
    [12, 'd'],
    [13, 'e'],
  ] as const) {
    goTo(second);
    progress.show(line);
  }
  progress.end();
  expect(said()).toBe('a\nd\ne\n');
});

test('on a terminal one line is written again each time, and removed in the end', () => {
  const { progress, said } = written({ isTTY: true });
  progress.show('a');
  progress.show('b');
  progress.end();
  progress.end();
  expect(said()).toBe('\r\u001b[Ka\r\u001b[Kb\r\u001b[K');
});

test('a program that reads the output gets none', () => {
  const { progress, said } = written({ isTTY: true, isQuiet: true });
  progress.show('a');
  progress.end();
  expect(said()).toBe('');
});

test('the rest is told by the rate since the first count, once 5 s have shown one, and never beyond what is known', () => {
  const { progress, goTo, said } = written({ isTTY: false });
  const count = (second: number, objects: number) => {
    goTo(second);
    progress.showCount({ reading: 'contact', objects }, { known: 2_500, done: 'compared' });
  };
  count(0, 500);
  count(5, 1_000);
  count(10, 1_500);
  count(20, 2_500);
  count(30, 2_600);
  expect(said().split('\n')).toEqual([
    'contact: 500 of 2,500 known objects compared',
    'contact: 1,000 of 2,500 known objects compared, at most 15 s left',
    'contact: 1,500 of 2,500 known objects compared, at most 10 s left',
    'contact: 2,500 objects compared',
    'contact: 2,600 objects compared',
    '',
  ]);
});

/** Tells counts, and returns what was said of the rest each time. */
function rests(
  counts: readonly (readonly [second: number, reading: string, objects: number])[],
  about: { readonly known: number; readonly perMinute?: number },
): readonly (string | undefined)[] {
  const { progress, goTo, said } = written({ isTTY: false });
  for (const [second, reading, objects] of counts) {
    goTo(second);
    progress.showCount({ reading, objects }, { ...about, done: 'compared' });
  }
  const lines = said().split('\n').slice(0, -1);
  return lines.map((line) => / compared(?:, at most (.+) left)?$/.exec(line)?.[1]);
}

test('the objects of a first window come at once, and the rest is told by the limit all the same', () => {
  const counts = [
    [0, 'contact', 0],
    [5, 'contact', 4_500],
    [60, 'contact', 4_600],
  ] as const;
  expect(rests(counts, { known: 200_000 })).toEqual([undefined, '3 min', '42 min']);
  expect(rests(counts, { known: 200_000, perMinute: 4_500 })).toEqual([undefined, '43 min', '43 min']);
});

test('a machine slower than the limit tells the rest by its own pace', () => {
  const counts = [
    [0, 'contact', 0],
    [60, 'contact', 1_000],
  ] as const;
  expect(rests(counts, { known: 3_000, perMinute: 45_000 })).toEqual([undefined, '2 min']);
});

test('the minutes in which a calendar is read are no pace of objects', () => {
  const counts = [
    [0, 'calendar:anna', 0],
    [300, 'appointment', 0],
    [310, 'appointment', 1_000],
    [600, 'contact', 1_000],
    [610, 'contact', 2_000],
  ] as const;
  const told = [undefined, undefined, '20 s', '20 s', '10 s'];
  expect(rests(counts, { known: 3_000 })).toEqual(told);
});
