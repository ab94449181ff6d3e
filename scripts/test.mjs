// `npm test`: runs all checks in order: lint, walls, types, tests. Arguments go to vitest, so `npm test -- test/engine` runs one folder.
// `--long` also runs the long tests, `--soak` all tests, at full length. The last line is always `N passed, N failed`; a check counts
// as one.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endLeftovers } from './test/leftovers.mjs';
import { runGroup } from './test/process-group.mjs';
import { countTests } from './test/tally.mjs';

const house = fileURLToPath(new URL('..', import.meta.url));
const node = process.execPath;
const bin = (path) => join(house, 'node_modules', path);
// Biome colours its output even when it writes to a file.
const colours = process.stdout.isTTY ? [] : ['--colors=off'];

const chosen = ['long', 'soak'].find((each) => process.argv.includes(`--${each}`));
const vitestArgs = process.argv.slice(2).filter((each) => each !== `--${chosen}`);

// Some tests need programs of the distribution. A run of other folders does not.
const files = vitestArgs.filter((each) => !each.startsWith('-'));
const runs = (folder) =>
  files.length === 0 || files.some((each) => each.includes(folder) || `test/${folder}`.startsWith(each));
const isSoak = chosen === 'soak';
const programs = [
  ...(runs('caldav') ? ['--calendar-servers-if-possible'] : []),
  ...(isSoak && runs('caldav') ? ['--all-calendar-servers-if-possible'] : []),
  ...(chosen !== undefined && runs('browser') ? ['--browser-if-possible'] : []),
  ...(isSoak && (runs('calendar/feed') || runs('caldav')) ? ['--feed-readers-if-possible'] : []),
];

/** Stages run one after another; the checks of one stage run in parallel. */
const stages = [
  [{ name: 'setup', command: [node, 'scripts/setup.mjs', '--no-build', ...programs] }],
  [
    { name: 'lint', command: [node, bin('@biomejs/biome/bin/biome'), 'ci', ...colours, '.'] },
    { name: 'walls', command: [node, '--import', 'tsx', 'scripts/walls.ts'] },
    // Two cores: each of the compiler's default four checkers would read the libraries again.
    { name: 'types', command: [node, bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--checkers', '2'] },
  ],
  // Some tests run the worker as a process from dist/. The previous stage has just checked its types.
  [{ name: 'build', command: [node, 'scripts/setup.mjs', '--types-are-checked'] }],
];

const total = { passed: 0, failed: 0 };
// Tests write only into this folder. It also marks the processes they start: see leftovers.mjs. Its name is short, because a unix socket
// path is limited to about a hundred characters.
const scratch = mkdtempSync(join(tmpdir(), 'sb-'));
// Some CalDAV servers run as users of their own, below this folder.
chmodSync(scratch, 0o711);
try {
  const broken = await failingChecks();
  if (broken.length === 0) await runTests();
  else
    console.log(
      `\n${broken.join(' and ')} failed, so what comes after it was not run, and neither were the tests.`,
    );
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** Runs the stages and returns the failed checks of the first stage that fails. */
async function failingChecks() {
  for (const stage of stages) {
    console.log(`\n── ${stage.map(({ name }) => name).join(', ')}`);
    const codes = await Promise.all(
      stage.map(({ name, command }) => timed(name, () => runGroup(command, { cwd: house }))),
    );
    for (const code of codes) count(code === 0);
    const failing = stage.filter((_, at) => codes[at] !== 0);
    if (failing.length > 0) return failing.map(({ name }) => name);
  }
  return [];
}

async function runTests() {
  const file = join(scratch, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const command = [node, bin('vitest/vitest.mjs'), 'run', ...reporters, ...vitestArgs];
  const which = chosen === undefined ? {} : { SLOTBRIDGE_TESTS: chosen };
  console.log('\n── tests');
  await timed('tests', async () => {
    const code = await runGroup(command, { cwd: house, env: { ...process.env, ...which, TMPDIR: scratch } });
    const { passed, failed, skipped } = countTests(file, code);
    total.passed += passed;
    total.failed += failed;
    for (const each of skipped) console.log(`   ${each}`);
  });
  const left = await endLeftovers(scratch);
  for (const line of left) console.log(`left running by the tests, and ended now: ${line}`);
  count(left.length === 0);
}

function count(isGood) {
  if (isGood) total.passed += 1;
  else total.failed += 1;
}

async function timed(name, work) {
  const startedAt = performance.now();
  const result = await work();
  console.log(`   ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}
