// `npm run mutants -- <folder, file or file:10-80 of src> [tests …]`: changes the code in many small ways, and says which the tests near it
// do not notice. Without tests, those of the same name under test/ are run. It stays outside CI: it takes minutes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The last line for Node 20. */
const STRYKER = '9.6.1';
/** Share of mutants that the tests must notice. */
const KILLED_MIN_PERCENT = 90;
const house = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the project, so that Stryker finds the project's own vitest; git ignores it. */
const tools = join(house, '.mutants');

const [named = '', ...given] = process.argv.slice(2);
/** `lines` as Stryker writes them: `:10-80`. */
const [, target = '', lines = ''] = /^(src\/.+?)(:\d+-\d+)?$/.exec(named) ?? [];
if (target === '' || !existsSync(join(house, target))) {
  console.error('usage: npm run mutants -- src/<folder, file or file:10-80> [tests …]');
  process.exit(2);
}
const isFile = statSync(join(house, target)).isFile();
const tests =
  given.length > 0
    ? given
    : isFile
      ? ['test', 'property.test'].map((kind) => `test/**/${basename(target, '.ts')}.${kind}.ts`)
      : [target.replace(/^src\//, 'test/')];
const globs = tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`));
install();
const settings = {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [isFile ? target + lines : `${target}/**/*.ts`],
  vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Texts for people are worth no test of their own; codes are noticed by the tests of what they lead to.
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 1,
  timeoutMS: 60_000,
  ignorePatterns: ['/dist', '/data', '/docs', '/findings', '/.mutants'],
  tempDirName: '.mutants/work',
  // Stryker rewrites the file with an interface that TypeScript 7 no longer has; vitest does not read it.
  tsconfigFile: '.mutants/no-tsconfig.json',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: '.mutants/report.json' },
  thresholds: { high: 100, low: KILLED_MIN_PERCENT, break: KILLED_MIN_PERCENT },
};
const file = join(tools, 'stryker.json');
writeFileSync(file, JSON.stringify(settings, undefined, 2));
const stryker = join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const { status } = spawnSync(process.execPath, [stryker, 'run', file], {
  cwd: house,
  stdio: 'inherit',
  env: { ...process.env, MUTANTS_TESTS: globs.join(',') },
});
process.exitCode = status ?? 1;

/** Once, into a folder of its own: 130 packages that nothing else needs would lengthen every `npm ci`. */
function install() {
  const manifest = join(tools, 'package.json');
  const dependencies = { '@stryker-mutator/core': STRYKER, '@stryker-mutator/vitest-runner': STRYKER };
  const wanted = JSON.stringify({ private: true, dependencies });
  const isThere =
    existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted && existsSync(join(tools, 'installed'));
  if (isThere) return;
  console.error(`installing Stryker ${STRYKER} into .mutants (once, about 70 MB)`);
  mkdirSync(tools, { recursive: true });
  writeFileSync(manifest, wanted);
  // Without peers: vitest is the project's own.
  const args = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--ignore-scripts'];
  const done = spawnSync('npm', args, { cwd: tools, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  writeFileSync(join(tools, 'installed'), STRYKER);
}
