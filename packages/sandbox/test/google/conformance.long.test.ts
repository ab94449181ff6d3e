// The sandbox holds to everything that is known of Google: the conformance suite, run as `npm run conformance:google` runs it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** Fifteen seconds when the machine is idle. */
const RUN_MS_MAX = 240_000;
const scratch = mkdtempSync(join(tmpdir(), 'sb-google-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Result {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

test(
  'the sandbox passes the conformance suite of Google, without leaving a test out',
  async () => {
    const result = await run();
    const failed = result.testResults.flatMap(({ message, assertionResults }) => [
      ...assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ...(assertionResults.length === 0 ? [message] : []),
    ]);
    expect(failed).toEqual([]);
    expect([result.numPassedTests > 300, result.numPendingTests]).toEqual([true, 0]);
  },
  RUN_MS_MAX,
);

async function run(): Promise<Result> {
  const file = join(scratch, 'vitest.json');
  const config = ['--config', 'packages/sandbox/conformance/google.vitest.config.ts'];
  const reporters = ['--reporter=json', `--outputFile=${file}`];
  // What this run tells its own workers is nothing to another one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...config, ...reporters], {
    env,
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(readFileSync(file, 'utf8')) as Result;
}
