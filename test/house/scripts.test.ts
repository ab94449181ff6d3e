import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

const ARGS_MAX = 6;
/** `ARGV[7]`; `ARGV[i + 6]` of an item of a list. */
const NTH = /ARGV\[(?:(\d+)|\w+ \+ (\d+))\]/g;
/** `local a, b = unpack(ARGV)`. */
const UNPACKED = /local ([\w, ]+) = unpack\(ARGV/g;

/** How many arguments a Lua script tells apart by their places alone. */
function positions(text: string): number {
  const places = [...text.matchAll(NTH)].map(([, nth, behind]) => Number(nth ?? Number(behind) + 1));
  const lists = [...text.matchAll(UNPACKED)].map(([, names = '']) => names.split(',').length);
  return Math.max(0, ...places, ...lists);
}

test.each([
  ['an index', 'local key, now = ARGV[1], ARGV[7]', 7],
  ['a place in an item', 'for i = 1, #ARGV, 7 do put(ARGV[i], ARGV[i + 6]) end', 7],
  ['a list of names', 'local a, b, c, d, e, f, g = unpack(ARGV)', 7],
  ['nothing', 'return redis.call(key)', 0],
])('places are counted by %s', (_, lua, count) => {
  expect(positions(lua)).toBe(count);
});

test('no script takes more than six arguments by place: with more, they have names (NamedScript)', () => {
  const files = trackedFiles().filter((path) => /^src\/.*\.ts$/.test(path));
  const counted = files.map((path) => ({ path, count: positions(read(path)) }));
  expect(counted.filter(({ count }) => count > 0).length).toBeGreaterThan(5);
  expect(counted.filter(({ count }) => count > ARGS_MAX)).toEqual([]);
});
