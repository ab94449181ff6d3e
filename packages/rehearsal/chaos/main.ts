// `npm run chaos`: plays plans made from seeds, prints what was found wrong, makes a failing one smaller, and keeps it among the fixed ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Plan } from './act.ts';
import { addFixed } from './fixed.ts';
import { MINUTES_DEFAULT, planOf } from './plan.ts';
import { type Outcome, play } from './play.ts';
import { failureText, replayOf, tableOf } from './report.ts';
import { shrink } from './shrink.ts';

const SHRINK_RUNS_DEFAULT = 40;
const FAILED = 1;
const MISUSED = 2;
const INTERRUPTED = 130;

const USAGE = `npm run chaos -- [options]
  --seed N          the plan of this seed (default 1)
  --seeds A..B      the plans of all seeds from A to B, and a table at the end
  --minutes M       how long acts go on (default ${MINUTES_DEFAULT}); a run takes 15 to 30 s more
  --jobs K          so many plans at once (default 1)
  --without KINDS   leave out acts of these kinds, such as invite,redis-wipe
  --cuts            two workers in every plan, each behind a proxy that cuts it off from Redis without closing a connection
  --plan FILE       a plan from a file instead of a seed
  --print-plan      print the plan as JSON and end
  --verbose         every act as it is done
  --shrink-runs R   a failing plan is made smaller, in so many runs at most (default ${SHRINK_RUNS_DEFAULT}), and kept among the fixed ones
  --no-shrink       a failing plan is only reported
  --to FILE         keep a smaller plan in this file instead of packages/rehearsal/chaos/fixed.json
  --audit           run \`slotbridge audit\` over what the judge found right: it must find no difference
  --keep            leave the folder with logs and configuration
  --json            one JSON object for each run on stdout`;

/** `run`: another player than the real one, in tests. */
export async function main(args: readonly string[], run: typeof play = play): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    console.error(options);
    return MISUSED;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const plans = plansOf(options);
  if (options['print-plan']) {
    for (const plan of plans) console.log(JSON.stringify(plan, undefined, 1));
    return 0;
  }
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  const { signal } = interrupt;
  try {
    const player: Player = { run, options, signal };
    const rows = await inTurn(plans, options, (plan) => playOne(plan, player));
    rows.sort((a, b) => a.plan.seed - b.plan.seed);
    if (plans.length > 1 && !options.json) console.log(tableOf(rows));
    // Afterwards: until then other plans make the machine busy. A plan out of a file is kept there already.
    const isKept = options.shrink && (options.plan === undefined || options.to !== undefined);
    const failing = rows.flatMap(({ outcome }) => (outcome?.violations.length ? [outcome] : []));
    if (isKept) await inTurn(failing, options, (outcome) => makeSmaller(outcome, player));
    return rows.every(({ outcome }) => outcome !== undefined && outcome.violations.length === 0) ? 0 : FAILED;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    throw error;
  }
}

type Options = Exclude<ReturnType<typeof readOptions>, string>;

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        seed: { type: 'string', default: '1' },
        seeds: { type: 'string' },
        minutes: { type: 'string', default: String(MINUTES_DEFAULT) },
        jobs: { type: 'string', default: '1' },
        without: { type: 'string', default: '' },
        cuts: { type: 'boolean', default: false },
        plan: { type: 'string' },
        'print-plan': { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        shrink: { type: 'boolean', default: true },
        'shrink-runs': { type: 'string', default: String(SHRINK_RUNS_DEFAULT) },
        to: { type: 'string' },
        audit: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const numbers = [values.seed, values.minutes, values.jobs, values['shrink-runs']].map(Number);
    if (numbers.some((value) => !(value > 0)))
      return `--seed, --minutes, --jobs and --shrink-runs are numbers above 0\n\n${USAGE}`;
    if (values.seeds !== undefined && !/^\d+\.\.\d+$/.test(values.seeds))
      return `--seeds is a range such as 1..200\n\n${USAGE}`;
    return values;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`;
  }
}

function plansOf(options: Options): readonly Plan[] {
  if (options.plan !== undefined) {
    const read = JSON.parse(readFileSync(options.plan, 'utf8')) as Plan | { readonly plan: Plan };
    return ['plan' in read ? read.plan : read];
  }
  const minutes = Number(options.minutes);
  const [from = Number(options.seed), to = from] = options.seeds?.split('..').map(Number) ?? [];
  const without = new Set(options.without.split(','));
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const plan = planOf(from + index, minutes, options.cuts);
    return { ...plan, acts: plan.acts.filter((act) => !without.has(act.do)) };
  });
}

export interface Row {
  readonly plan: Plan;
  /** Absent: the run itself could not go on. */
  readonly outcome: Outcome | undefined;
  readonly error?: string;
}

interface Player {
  readonly run: typeof play;
  readonly options: Options;
  readonly signal: AbortSignal;
}

/** At most `jobs` at once. */
async function inTurn<T, R>(
  all: readonly T[],
  { jobs }: Options,
  work: (each: T) => Promise<R>,
): Promise<R[]> {
  const [done, waiting]: [R[], T[]] = [[], [...all]];
  // Each stage takes itself down when the process exits.
  process.setMaxListeners(process.getMaxListeners() + Number(jobs));
  const line = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) done.push(await work(each));
  };
  await Promise.all(Array.from({ length: Number(jobs) }, line));
  return done;
}

async function playOne(plan: Plan, { run, options, signal }: Player): Promise<Row> {
  const about = {
    signal,
    ...{ keep: options.keep, audit: options.audit },
    ...(options.verbose && { onLine: (said: string) => console.log(said) }),
  };
  try {
    const outcome = await run(plan, about);
    if (options.json) console.log(JSON.stringify(outcome));
    else console.log(failureText(outcome, replayOf(plan, options)));
    return { plan, outcome };
  } catch (error) {
    signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    console.log(`seed ${plan.seed}: the run could not go on: ${said}\n  ${replayOf(plan, options)}`);
    return { plan, outcome: undefined, error: said };
  }
}

async function makeSmaller({ plan, violations }: Outcome, { run, options, signal }: Player): Promise<void> {
  const kinds = new Set(violations.map(({ kind }) => kind));
  const smaller = await shrink(plan, {
    runsMax: Number(options['shrink-runs']),
    fails: async (candidate) => {
      const again = await run(candidate, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      return again?.violations.some(({ kind }) => kinds.has(kind)) ?? false;
    },
    onStep: (acts, runs) => console.log(`seed ${plan.seed}: fails with ${acts} acts as well (${runs} runs)`),
  });
  const entry = { found: [...kinds].join(', '), plan: smaller };
  if (options.to === undefined) console.log(`kept as a fixed seed in ${addFixed(entry)}`);
  else {
    writeFileSync(options.to, `${JSON.stringify(entry, undefined, 1)}\n`);
    console.log(`kept in ${options.to}; replay: npm run chaos -- --plan ${options.to}`);
  }
}
