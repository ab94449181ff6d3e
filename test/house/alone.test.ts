import { expect, it } from 'vitest';
import { read, trackedFiles } from './tree.ts';

// One letter of each word stands in brackets, so that the patterns do not find themselves.

it('no file names a folder of the machine it was written on', () => {
  const folder = /(^|[^\w.])[/](work|farm|Users|root|home(?![/]node))[/]\w/m;
  expect(filesWith(folder)).toEqual([]);
});

it('no file leans on something that is not in the clone', () => {
  const beside = /[s]ub-?agent|[D]EVELOPERS\.md|[b]efore-stop|\.\.[/]shared\b|[/]\.library\b/i;
  expect(filesWith(beside)).toEqual([]);
});

function filesWith(pattern: RegExp): string[] {
  return trackedFiles().filter((path) => pattern.test(read(path)));
}
