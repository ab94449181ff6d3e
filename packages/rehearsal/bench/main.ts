// `npm run bench [-- section …] [--json] [--quick] [--full] [--node-red] [--beside <folder>]`: measures, prints a table, and exits with 1 when a figure misses its
// requirement. Each section starts its own Redis, sandboxes and worker, and leaves nothing behind.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { besideOf, withReference } from './beside.ts';
import { caldavCalls } from './caldav/calls-per-change.ts';
import { caldavLag } from './caldav/lag.ts';
import { catchUp } from './catch-up/catch-up.ts';
import { idle } from './cost/idle.ts';
import { perChange } from './cost/per-change.ts';
import { dedup } from './dedup/dedup.ts';
import { type BenchOptions, type Figure, figuresOf, inQuickRun } from './figure.ts';
import { intake } from './flow/intake.ts';
import { lag } from './flow/lag.ts';
import { refusals } from './flow/refusals.ts';
import { rows } from './flow/rows.ts';
import { scaleOut } from './flow/scale-out.ts';
import { sharedQuota } from './flow/shared-quota.ts';
import { takeover } from './flow/takeover.ts';
import { watch } from './flow/watch.ts';
import { burst } from './google/burst.ts';
import { callsPerChange } from './google/calls-per-change.ts';
import { sheet } from './google/sheet.ts';
import { letters } from './letters/letters.ts';
import { reads } from './reads/reads.ts';
import { resync } from './resync/resync.ts';
import { search } from './search/search.ts';
import { series } from './series/series.ts';
import { tableOf } from './table.ts';
import { tabs } from './tabs/tabs.ts';
import { year } from './year/year.ts';

type Bench = (options: BenchOptions) => Promise<Figure[]>;

const SECTIONS: Readonly<Record<string, Readonly<Record<string, Bench>>>> = {
  google: { calls: callsPerChange, sheet, throughput: burst },
  caldav: { calls: caldavCalls, lag: caldavLag },
  'catch-up': { 'catch-up': catchUp },
  reads: { reads },
  resync: { resync },
  dedup: { dedup },
  search: { search },
  series: { series },
  cost: { change: perChange, idle },
  letters: { letters },
  tabs: { tabs },
  year: { year },
  flow: {
    ...{ intake, refusals, 'shared-quota': sharedQuota, takeover, lag },
    ...{ rows, 'scale-out': scaleOut, watch },
  },
};

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    'node-red': { type: 'boolean', default: false },
    beside: { type: 'string' },
  },
  allowPositionals: true,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main();

async function main(): Promise<number> {
  const chosen = positionals.length === 0 ? Object.keys(SECTIONS) : positionals;
  const unknown = chosen.filter((name) => benchesOf(name).length === 0);
  if (unknown.length > 0) {
    console.error(`no such bench: ${unknown.join(', ')}; there are: ${names().join(', ')}`);
    return 2;
  }
  const startedAt = performance.now();
  const say = (text: string) =>
    console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
  const figures: Figure[] = [];
  const options = { isQuick: values.quick, isFull: values.full, withNodeRed: values['node-red'], say };
  for (const [name, bench] of chosen.flatMap(benchesOf)) {
    const told = (await outcomeOf(bench(options), name)).map((each) =>
      values.quick ? inQuickRun(each) : each,
    );
    // A run of hours that is ended early has told what it measured.
    console.error(tableOf(told));
    if (values.beside === undefined) {
      figures.push(...told);
      continue;
    }
    say(`${name}: the same with ${values.beside}`);
    const others = await besideOf(values.beside, { bench: name, isQuick: values.quick });
    if (others === undefined) say(`${name}: ${values.beside} does not get through it`);
    figures.push(...told.map((each) => withReference(each, others ?? [])));
  }
  const tookS = Math.round((performance.now() - startedAt) / 1_000);
  const ok = figures.every(({ isMet }) => isMet !== false);
  if (values.json)
    console.log(JSON.stringify({ ok, quick: values.quick, took_s: tookS, machine: machine(), figures }));
  else
    console.log(
      `\n${tableOf(figures)}\n${machine()}; ${tookS} s${values.quick ? '; quick: sizes are small, times mean nothing' : ''}`,
    );
  return ok ? 0 : 1;
}

/** One that breaks off is one figure that is not met, and the others run. */
async function outcomeOf(figures: Promise<Figure[]>, name: string): Promise<readonly Figure[]> {
  try {
    return await figures;
  } catch (error) {
    console.error(error);
    const told = figuresOf(name);
    told.atMost(0, { what: 'runs that broke off', unit: '', figure: 1, asked: 'none' });
    return told.figures;
  }
}

/** All benches of a section (`flow`), or one bench (`flow/lag`), with the names that choose them. */
function benchesOf(name: string): readonly (readonly [name: string, bench: Bench])[] {
  const [section = '', one] = name.split('/');
  const benches = Object.entries(SECTIONS[section] ?? {});
  return benches.flatMap(([each, bench]) =>
    one === undefined || one === each ? [[`${section}/${each}`, bench] as const] : [],
  );
}

function names(): readonly string[] {
  return Object.entries(SECTIONS).flatMap(([section, benches]) => {
    const ones = Object.keys(benches);
    return ones.length === 1 ? [section] : [section, ...ones.map((one) => `${section}/${one}`)];
  });
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory} GiB, Node ${process.versions.node}`;
}
