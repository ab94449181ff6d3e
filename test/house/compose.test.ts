import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

const LINES_MAX = 120;

test('no file of src/compose has more lines than wiring needs', () => {
  const files = trackedFiles().filter((path) => path.startsWith('src/compose/'));
  expect(files.length).toBeGreaterThan(30);
  const long = files.flatMap((path) => {
    const lines = read(path).split('\n').length - 1;
    return lines > LINES_MAX ? [`${path}: ${lines} lines`] : [];
  });
  expect(long).toEqual([]);
});

/** A loop, a timer, a file, something remembered: what belongs into a room of its own. */
const LOGIC = /\bwhile \(|\bset(?:Timeout|Interval)\b|'node:fs'|^\s*let |= new (?:Map|Set)\(\);|\brepeat\(/m;

test('no file of src/compose holds a loop, a timer, a file or remembered state', () => {
  expect(LOGIC.test('  let known = 0;\n')).toBe(true);
  const files = trackedFiles().filter((path) => path.startsWith('src/compose/'));
  expect(files.filter((path) => LOGIC.test(read(path)))).toEqual([]);
});
