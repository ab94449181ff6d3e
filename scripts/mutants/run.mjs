// `npm run mutants -- <folder, file or file:10-80 of src> [tests …]`: changes the code in many small ways, and says which the tests near it
// do not notice. Without tests, those of the same name under test/ are run. Stryker's instrumenter puts all mutants of a file into it, each
// behind a switch; one process then runs each test once per mutant that it reaches (`runner.ts`). It stays outside CI: it takes minutes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The last line for Node 20. */
const STRYKER = '9.6.1';
/** Share of mutants that the tests must notice. */
const KILLED_MIN_PERCENT = 90;
const house = fileURLToPath(new URL('../..', import.meta.url));
/** Git ignores it. */
const tools = join(house, '.mutants');

const [named = '', ...given] = process.argv.slice(2);
const [, target = '', from, to] = /^(src\/.+?)(?::(\d+)-(\d+))?$/.exec(named) ?? [];
if (target === '' || !existsSync(join(house, target))) {
  console.error('usage: npm run mutants -- src/<folder, file or file:10-80> [tests …]');
  process.exit(2);
}
const isFile = statSync(join(house, target)).isFile();
const tests =
  given.length > 0
    ? given.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`))
    : isFile
      ? ['test', 'long.test', 'property.test'].map((kind) => `test/**/${basename(target, '.ts')}.${kind}.ts`)
      : [`${target.replace(/^src\//, 'test/')}/**/*.test.ts`];
install();
const work = mkdtempSync(join(tools, 'work-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
/** The tests that run. */
let child;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    child?.kill('SIGKILL');
    process.exit(1);
  });
}
const mutants = await instrument();
const note = join(work, 'judged.json');
writeFileSync(
  note,
  JSON.stringify({ mutants: mutants.map(({ id }) => id), killed: {}, reached: [], atLoad: [], done: [] }),
);
while ((await runTests({ MUTANTS_NOTE: note })) !== 0) {
  if (!existsSync(`${note}.running`)) {
    console.error('a test fails without a mutant');
    process.exit(1);
  }
  // An endless loop has filled the memory: the tests begin again without this mutant.
  const judged = JSON.parse(readFileSync(note, 'utf8'));
  judged.killed[readFileSync(`${note}.running`, 'utf8')] = 'died';
  rmSync(`${note}.running`);
  writeFileSync(note, JSON.stringify(judged));
}
const { killed, reached, atLoad } = JSON.parse(readFileSync(note, 'utf8'));
for (const id of atLoad.filter((each) => !reached.includes(each))) {
  // Its code runs only while the file is loaded, so it needs a process of its own.
  if ((await runTests({ __STRYKER_ACTIVE_MUTANT__: id }, 'ignore')) !== 0) killed[id] = 'at load';
}
report();

function files() {
  if (isFile) return [target];
  const inside = readdirSync(join(house, target), { recursive: true });
  return inside.filter((path) => path.endsWith('.ts')).map((path) => join(target, path));
}

async function instrument() {
  const require = createRequire(join(tools, 'package.json'));
  const { Instrumenter } = await import(pathToFileURL(require.resolve('@stryker-mutator/instrumenter')).href);
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: console.warn, isDebugEnabled: () => false };
  const lines = from && [{ start: { line: from - 1, column: 0 }, end: { line: to - 1, column: 1_000 } }];
  const sources = files().map((path) => {
    const name = join(house, path);
    return { name, mutate: lines ?? true, content: readFileSync(name, 'utf8') };
  });
  const { files: changed, mutants: found } = await new Instrumenter(log).instrument(sources, {
    ...{ plugins: null, ignorers: [], noHeader: false },
    // Texts for people are worth no test of their own; codes are noticed by the tests of what they lead to.
    excludedMutations: ['StringLiteral'],
  });
  writeFileSync(
    join(work, 'sources.json'),
    JSON.stringify(changed.map(({ name, content }) => [name, content])),
  );
  return found.filter((mutant) => mutant.status !== 'Ignored');
}

/** Resolves to the exit code; null if a signal ended it. */
async function runTests(env, stdio = 'inherit') {
  const args = ['run', '-c', join(house, 'scripts/mutants/vitest.config.ts'), '--root', house];
  const settings = { MUTANTS_TESTS: tests.join(','), MUTANTS_SOURCES: join(work, 'sources.json'), ...env };
  const options = { cwd: house, stdio, env: { ...process.env, ...settings } };
  child = spawn(process.execPath, [join(house, 'node_modules/vitest/vitest.mjs'), ...args], options);
  const [code] = await once(child, 'exit');
  return code;
}

function report() {
  for (const { id, fileName, location, mutatorName, replacement } of mutants) {
    if (killed[id] !== undefined) continue;
    const { start, end } = location;
    const lines = readFileSync(fileName, 'utf8')
      .split('\n')
      .slice(start.line, end.line + 1);
    const old =
      lines.length === 1 ? lines[0].slice(start.column, end.column) : `${lines[0].slice(start.column)} …`;
    const state = reached.includes(id) || atLoad.includes(id) ? 'survived' : 'not reached';
    const by = replacement.replace(/\s+/g, ' ').slice(0, 100);
    console.log(
      `\n${fileName.slice(house.length)}:${start.line + 1}:${start.column + 1} ${mutatorName}, ${state}`,
    );
    console.log(`-   ${old}\n+   ${by}`);
  }
  const count = Object.keys(killed).length;
  const percent = mutants.length === 0 ? 100 : (100 * count) / mutants.length;
  console.log(`\n${target}: ${count} of ${mutants.length} mutants killed (${percent.toFixed(1)} %)`);
  process.exitCode = percent < KILLED_MIN_PERCENT ? 1 : 0;
}

/** Once, into a folder of its own: packages that nothing else needs would lengthen every `npm ci`. */
function install() {
  const manifest = join(tools, 'package.json');
  const dependencies = { '@stryker-mutator/instrumenter': STRYKER };
  const wanted = JSON.stringify({ private: true, dependencies });
  const isThere =
    existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted && existsSync(join(tools, 'installed'));
  if (isThere) return;
  console.error(`installing Stryker's instrumenter ${STRYKER} into .mutants (once)`);
  mkdirSync(tools, { recursive: true });
  writeFileSync(manifest, wanted);
  const args = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--ignore-scripts'];
  const done = spawnSync('npm', args, { cwd: tools, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  writeFileSync(join(tools, 'installed'), STRYKER);
}
