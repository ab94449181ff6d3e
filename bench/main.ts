// `npm run bench [-- section …] [--json] [--quick]`: measures, prints a table, and ends with 1 when a figure misses what it has to
// reach. Each section brings its own Redis, sandboxes and worker, and leaves nothing behind.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { catchUp } from './catch-up/catch-up.ts';
import { dedup } from './dedup/dedup.ts';
import { type BenchOptions, type Figure, inQuickRun } from './figure.ts';
import { intake } from './flow/intake.ts';
import { lag } from './flow/lag.ts';
import { refusals } from './flow/refusals.ts';
import { sharedQuota } from './flow/shared-quota.ts';
import { takeover } from './flow/takeover.ts';
import { burst } from './google/burst.ts';
import { callsPerChange } from './google/calls-per-change.ts';
import { sheet } from './google/sheet.ts';
import { resync } from './resync/resync.ts';
import { tableOf } from './table.ts';

type Bench = (options: BenchOptions) => Promise<Figure[]>;

const SECTIONS: Readonly<Record<string, readonly Bench[]>> = {
  google: [callsPerChange, sheet, burst],
  'catch-up': [catchUp],
  resync: [resync],
  dedup: [dedup],
  flow: [intake, refusals, sharedQuota, takeover, lag],
};

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main();

async function main(): Promise<number> {
  const chosen = positionals.length === 0 ? Object.keys(SECTIONS) : positionals;
  const unknown = chosen.filter((name) => SECTIONS[name] === undefined);
  if (unknown.length > 0) {
    console.error(`no such bench: ${unknown.join(', ')}; there are: ${Object.keys(SECTIONS).join(', ')}`);
    return 2;
  }
  const startedAt = performance.now();
  const say = (text: string) =>
    console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
  const figures: Figure[] = [];
  for (const bench of chosen.flatMap((name) => SECTIONS[name] ?? []))
    figures.push(
      ...(await bench({ isQuick: values.quick, say })).map((each) =>
        values.quick ? inQuickRun(each) : each,
      ),
    );
  const tookS = Math.round((performance.now() - startedAt) / 1_000);
  const ok = figures.every(({ isMet }) => isMet);
  if (values.json)
    console.log(JSON.stringify({ ok, quick: values.quick, took_s: tookS, machine: machine(), figures }));
  else
    console.log(
      `\n${tableOf(figures)}\n${machine()}; ${tookS} s${values.quick ? '; quick: sizes are small, times mean nothing' : ''}`,
    );
  return ok ? 0 : 1;
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory} GiB, Node ${process.versions.node}`;
}
