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

test('what is left is told beside the count, and no count goes beyond what is known', () => {
  const { progress, goTo, said } = written({ isTTY: false });
  for (const [second, objects, leftS] of [
    [0, 500, undefined],
    [5, 1_000, 15],
    [10, 1_500, 261],
    [20, 2_500, undefined],
    [30, 2_600, undefined],
  ] as const) {
    goTo(second);
    const step = { reading: 'contact', objects, ...(leftS !== undefined && { leftS }) };
    progress.showCount(step, { known: 2_500, done: 'compared' });
  }
  expect(said().split('\n')).toEqual([
    'contact: 500 of 2,500 known objects compared',
    'contact: 1,000 of 2,500 known objects compared, about 15 s left',
    'contact: 1,500 of 2,500 known objects compared, about 4 min 20 s left',
    'contact: 2,500 objects compared',
    'contact: 2,600 objects compared',
    '',
  ]);
});
