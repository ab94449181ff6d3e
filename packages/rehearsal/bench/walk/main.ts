// `npm run walk`: runs one webhook and one booking row, and writes what they opened to docs/reference/walk.md.
// With `--check` it writes nothing, and exits with 1 when a flow has grown beyond that page.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countWalk, type Walk, type WalkCount } from './count.ts';
import { COUNTED, type Figures, FLOWS, type Flow, figuresOn, grown, walkPage } from './page.ts';
import { RECORDINGS } from './recording.ts';

const home = fileURLToPath(new URL('../../../..', import.meta.url));
const PAGE = join(home, 'docs/reference/walk.md');
/** A busy machine can let the ends of a flow run in another order. Only growth in every try beyond the largest recorded figure is growth of
 * the code. */
const TRIES = 3;

process.exitCode = process.argv.includes('--check') ? check() : write();

function write(): number {
  const tries = Array.from({ length: TRIES }, walked);
  const largest = (flow: Flow) => tries.map((counts) => counts[flow]).reduce(larger);
  const counts = { webhook: largest('webhook'), row: largest('row') };
  writeFileSync(PAGE, walkPage(counts));
  for (const { flow } of FLOWS) console.log(lineOf(flow, counts[flow]));
  return 0;
}

/** The larger of each figure, with the order of the first. */
function larger(one: WalkCount, other: WalkCount): WalkCount {
  return { ...one, ...Object.fromEntries(COUNTED.map((each) => [each, Math.max(one[each], other[each])])) };
}

function check(): number {
  const recorded = figuresOn(readFileSync(PAGE, 'utf8'));
  let growth: string[] = [];
  for (let tried = 0; tried < TRIES; tried += 1) {
    const counts = walked();
    growth = FLOWS.flatMap(({ flow }) => grown(flow, { recorded: recorded[flow], now: counts[flow] }));
    for (const { flow } of FLOWS) console.log(lineOf(flow, counts[flow]));
    if (growth.length === 0) return 0;
  }
  console.error(
    `${growth.join('\n')}\nShorten the flow, or run \`npm run walk\` and say in the commit why it is longer.`,
  );
  return 1;
}

function walked(): Figures<WalkCount> {
  const folder = mkdtempSync(join(tmpdir(), 'sb-walk-'));
  try {
    const args = [
      join(home, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'packages/rehearsal/bench/walk/vitest.config.ts',
    ];
    const run = spawnSync(process.execPath, args, {
      cwd: home,
      env: { ...process.env, [RECORDINGS]: folder },
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`The walk did not finish:\n${run.stdout}\n${run.stderr}`);
    const countOf = (flow: string) =>
      countWalk(JSON.parse(readFileSync(join(folder, `${flow}.json`), 'utf8')) as Walk);
    return { webhook: countOf('webhook'), row: countOf('row') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf(flow: string, { functions, files, folders, switches }: WalkCount): string {
  return `${flow}: ${functions} functions in ${files} files and ${folders} folders, ${switches} switches between folders`;
}
