import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clone, type Ended } from './clone.ts';

/** setup, lint, walls, types, build; and that no process is left behind */
const checks = 6;

const clone = new Clone();

beforeAll(() => {
  clone.linkPackages();
  clone.write('test/good.test.ts', good);
});

afterAll(() => clone.remove());

describe('the last line of npm test counts checks and tests', () => {
  it('all good', async () => {
    const ended = await run('test/good.test.ts');
    expect(lastLine(ended)).toBe(`${checks + 2} passed, 0 failed`);
    expect(ended.code).toBe(0);
    for (const name of ['lint', 'walls', 'types', 'tests'])
      expect(ended.stdout).toMatch(RegExp(`^ {3}${name}: `, 'm'));
  });

  it('a failing test, a file that does not load and a process left behind are one failure each', async () => {
    clone.write('test/bad/failing.test.ts', failing);
    clone.write('test/bad/unloaded.test.ts', unloaded);
    clone.write('test/bad/leaving.test.ts', leaving);
    const ended = await run('test/bad');
    expect(lastLine(ended)).toBe(`${checks - 1 + 1} passed, 3 failed`);
    expect(ended.code).toBe(1);
    const pid = /left running by the tests, and ended now: (\d+) sleep 77/.exec(ended.stdout)?.[1];
    expect(pid).toBeDefined();
    expect(existsSync(`/proc/${pid}/cwd`)).toBe(false);
  });

  it('no test at all is a failure', async () => {
    const ended = await run('test/nothing-of-that-name');
    expect(lastLine(ended)).toMatch(/^\d passed, 1 failed$/);
    expect(ended.code).toBe(1);
  });
});

describe('failing checks end the run when those beside them have ended, and each is named', () => {
  it.each([
    ['walls', '3 passed, 1 failed', "import '../main.ts';\n"],
    ['lint and types', '2 passed, 2 failed', "export const wrong : number = 'one'\n"],
  ])('%s', async (names, last, content) => {
    const broken = new Clone();
    broken.linkPackages();
    broken.write('src/domain/wrong.ts', content);
    const ended = await broken.node(['scripts/test.mjs']);
    broken.remove();
    expect(lastLine(ended)).toBe(last);
    expect(ended.stdout).toContain(`${names} failed`);
    expect(ended.stdout).not.toContain('── build');
    expect(ended.code).toBe(1);
  });
});

const good = `import { expect, it } from 'vitest';

it('adds', () => expect(1 + 1).toBe(2));
it('is', () => expect(2).toBe(2));
`;

const failing = `import { expect, it } from 'vitest';

it('adds', () => expect(1 + 1).toBe(3));
`;

const unloaded = `throw new Error('at import');
`;

/** It passes, and its child, in a group of its own, outlives it. */
const leaving = `import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';

it('starts', () => {
  spawn('sleep', ['77'], { detached: true, stdio: 'ignore' }).unref();
  expect(1).toBe(1);
});
`;

function run(...args: string[]): Promise<Ended> {
  return clone.node(['scripts/test.mjs', ...args]);
}

function lastLine({ stdout }: Ended): string | undefined {
  return stdout.trimEnd().split('\n').at(-1);
}
