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

  it('counts what an idle worker does not run, and each step into another folder once', () => {
    const idle = ['src/engine/sweep.ts#run'];
    const change = [
      'src/engine/sweep.ts#run',
      'src/a/x.ts#one',
      'src/a/y.ts#two',
      'src/b/z.ts#three',
      'src/a/x.ts#one',
    ];
    expect(countWalk({ idle, change })).toEqual({
      functions: 3,
      files: 3,
      folders: 2,
      switches: 1,
      order: ['src/a/x.ts', 'src/a/y.ts', 'src/b/z.ts'],
    });
  });

  it('names each figure that grew', () => {
    const recorded = { functions: 3, files: 2, folders: 2, switches: 1 };
    expect(grown('row', { recorded, now: { ...recorded, files: 3 } })).toEqual([
      'The flow "row" has 3 files; docs/reference/walk.md says 2.',
    ]);
  });
});
