import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { countWalk } from '@slotbridge/rehearsal/bench/walk/count';
import { grown } from '@slotbridge/rehearsal/bench/walk/page';
import { describe, expect, it } from 'vitest';

describe('the walk of one change', () => {
  // Three tries on a busy machine take longer than other tests.
  it('is no longer than docs/reference/walk.md says', { timeout: 900_000 }, () => {
    const { status, stderr } = spawnSync('npm', ['run', '--silent', 'walk', '--', '--check'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('counts what all changes run and an idle worker does not, and each step into another folder once', () => {
    const idle = ['src/engine/sweep.ts#run'];
    const changes = [
      [
        'src/engine/sweep.ts#run',
        'src/a/x.ts#one',
        'src/b/z.ts#three',
        'src/a/y.ts#two',
        'src/a/x.ts#one',
        'src/c/chance.ts#retry',
      ],
      ['src/a/x.ts#one', 'src/c/chance.ts#other', 'src/a/y.ts#two', 'src/b/z.ts#three'],
    ];
    expect(countWalk({ idle, changes })).toEqual({
      functions: 3,
      files: 3,
      folders: 2,
      switches: 1,
      order: ['src/a/x.ts', 'src/b/z.ts', 'src/a/y.ts'],
    });
  });

  it('names each figure that grew', () => {
    const recorded = { functions: 3, files: 2, folders: 2, switches: 1 };
    expect(grown('row', { recorded, now: { ...recorded, files: 3 } })).toEqual([
      'The flow "row" has 3 files; docs/reference/walk.md says 2.',
    ]);
  });
});
