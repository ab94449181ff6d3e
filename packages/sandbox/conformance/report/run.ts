/** Runs a suite with vitest and prints the result, or writes its coverage page. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Coverage, coverageOf } from './coverage.ts';
import { coveragePage, ruleList } from './page.ts';
import type { Suite } from './suite.ts';
import { type Tally, tally, tallyTable } from './tally.ts';

const house = fileURLToPath(new URL('../../../..', import.meta.url));

export interface RunOptions {
  readonly variables: NodeJS.ProcessEnv;
  /** Only write the coverage page. */
  readonly writesPage: boolean;
  /** Only print all rules with their tests. */
  readonly listsRules: boolean;
  /** The command that writes the page, for the error message. */
  readonly refresh: string;
  /** Runs after the tests. Returns more text to print. */
  readonly afterwards?: () => Promise<string | undefined>;
}

/** Returns the exit code: 0 only when every test that ran passed and the page matches the tests. */
export async function runSuite(suite: Suite, options: RunOptions): Promise<number> {
  const covered = coverageOf(suite);
  if (covered.problems.length > 0) return complain(covered.problems.join('\n'));
  if (options.writesPage) {
    writeFileSync(join(house, suite.page), coveragePage(suite.introduction, covered));
    console.log(`${suite.page} is written`);
    return 0;
  }
  if (options.listsRules) {
    console.log(ruleList(covered));
    return 0;
  }
  const { code, result } = await run(suite, covered, options.variables);
  if (!result) return complain('vitest has left no result; what it said stands above');
  console.log(`\n${tallyTable(result)}`);
  for (const [because, count] of result.skips) console.log(`  ${count} skipped: ${because}`);
  const more = await options.afterwards?.();
  if (more !== undefined) console.log(`\n${more}`);
  const isStale = isPageStale(suite, covered);
  if (isStale) console.error(`\n${suite.page} is not what the tests say: ${options.refresh}`);
  return code === 0 && result.total.failed === 0 && result.total.passed > 0 && !isStale ? 0 : 1;
}

async function run(
  suite: Suite,
  covered: Coverage,
  variables: NodeJS.ProcessEnv,
): Promise<{ code: number; result: Tally | undefined }> {
  const scratch = mkdtempSync(join(tmpdir(), 'sb-conformance-'));
  const file = join(scratch, 'vitest.json');
  const vitest = join(house, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const child = spawn(process.execPath, [vitest, 'run', '--config', suite.vitestConfig, ...reporters], {
      cwd: house,
      env: variables,
      stdio: 'inherit',
    });
    const code = await new Promise<number>((resolve) => child.on('close', (exit) => resolve(exit ?? 1)));
    return { code, result: read(file, covered) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function read(file: string, covered: Coverage): Tally | undefined {
  try {
    return tally(file, covered);
  } catch {
    return undefined;
  }
}

function isPageStale(suite: Suite, covered: Coverage): boolean {
  try {
    return readFileSync(join(house, suite.page), 'utf8') !== coveragePage(suite.introduction, covered);
  } catch {
    return true;
  }
}

function complain(text: string): number {
  console.error(text);
  return 1;
}
