// The demo: a company, a busy day on which much goes wrong, and a judge. Exit code 0 only when every calendar and every sheet says
// what the platform says.

import { Random } from '../sandbox/platform/random.ts';
import { playDay } from './day/busy-day.ts';
import { Notebook } from './day/notebook.ts';
import { BAD_DELIVERY, GOOD_DELIVERY, spoilGoogle, spoilPlatform } from './day/weather.ts';
import { judge } from './judge/judge.ts';
import { LagObserver } from './lag/observer.ts';
import { isIdle, untilIdle } from './patience.ts';
import { Progress, type Sink } from './progress.ts';
import { type Measured, reportOf } from './report.ts';
import { EVENT_DELAY_MS, type Stage, setStage } from './stage.ts';
import { tableOf } from './table.ts';
import { Tally } from './tally.ts';
import { tourOf } from './tour.ts';

export interface DemoOptions {
  /** One JSON object as the last line of `out`, everything else on `err`. */
  readonly json: boolean;
  /** Leave everything running until Ctrl-C. */
  readonly keep: boolean;
  /** Another day. Default 1. */
  readonly seed?: number;
  /** At least so many changes. Default 1100. */
  readonly changes?: number;
  /** Default: the standard streams. */
  readonly out?: Sink;
  readonly err?: Sink;
  /** The program that is `slotbridge`. Default: the one that runs. */
  readonly program?: readonly string[];
  /** Ends the demo like Ctrl-C. */
  readonly signal?: AbortSignal;
}

const DEFAULT_SEED = 1;
const DEFAULT_CHANGES = 1_100;
const READY_WITHIN_MS = 30_000;
const FIRST_SYNC_WITHIN_MS = 60_000;
const LAST_SYNC_WITHIN_MS = 60_000;
/** The feed must be covered to this far beyond the last change: its event is formed with a delay. */
const BEYOND_LAST_CHANGE_MS = 3_000;
const INTERRUPTED = 130;

/**
 * Resolves with the exit code: 0 when nothing is missing, doubled or stale, 1 when something is, 130 after Ctrl-C. Rejects with
 * `TerminalError` when the demo itself cannot go on. Whatever the end, nothing it started is left behind.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const name of SIGNALS) process.on(name, onSignal);
  options.signal?.addEventListener('abort', onSignal);
  const talk = options.json ? (options.err ?? process.stderr) : (options.out ?? process.stdout);
  const progress = new Progress(talk);
  let stage: Stage | undefined;
  try {
    progress.phase('setting the stage: Redis, the platform and Google in sandboxes, a company, a mapping');
    stage = await setStage({
      seed: options.seed ?? DEFAULT_SEED,
      program: options.program ?? [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    });
    const isGood = await playAndJudge(stage, { options, progress, talk, signal: interrupt.signal });
    if (options.keep) {
      talk.write(tourOf(stage, stage.platform.createKey()));
      await untilAborted(interrupt.signal);
    }
    return isGood ? 0 : 1;
  } catch (error) {
    if (interrupt.signal.aborted) return INTERRUPTED;
    throw error;
  } finally {
    progress.done();
    if (interrupt.signal.aborted) talk.write('\nstopping\n');
    await stage?.close();
    for (const name of SIGNALS) process.off(name, onSignal);
    options.signal?.removeEventListener('abort', onSignal);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Play {
  readonly options: DemoOptions;
  readonly progress: Progress;
  readonly talk: Sink;
  readonly signal: AbortSignal;
}

async function playAndJudge(stage: Stage, play: Play): Promise<boolean> {
  const startedAtMs = performance.now();
  const { platform, google, company, mapping, worker, api } = stage;
  const { options, progress, talk, signal } = play;
  const observer = new LagObserver({ platform, google, ...mapping });
  progress.phase(
    `a company: ${company.branchIds.length} branches, ${company.resourceIds.length} resources, ${company.serviceIds.length} services, ${company.contactIds.length} contacts, ${company.appointmentIds.length} appointments`,
  );
  worker.start();
  await worker.untilReady(READY_WITHIN_MS, signal);
  progress.phase('the worker is ready; it mirrors the company');
  await mirrorAll(stage, play);

  const random = new Random(options.seed ?? DEFAULT_SEED).fork('day');
  const cast = { platform, company, api, random, notebook: new Notebook(platform, random) };
  const tally = new Tally(stage);
  observer.begin(platform);
  platform.delivery = { ...platform.delivery, ...BAD_DELIVERY };
  spoilGoogle(google.faults);
  spoilPlatform(platform.faults);
  const wanted = options.changes ?? DEFAULT_CHANGES;
  progress.phase(
    `the day: at least ${wanted} changes; 20 % of the webhooks lost, 20 % doubled, all shuffled; errors on both sides (events are formed after ${EVENT_DELAY_MS.join('-')} ms instead of 1-3 s; Calendar's quota is raised, Sheets' is Google's 60 a minute)`,
  );
  let kill: Promise<void> = Promise.resolve();
  const changes = await playDay(cast, {
    changes: wanted,
    signal,
    onProgress: (done) => progress.bar(done, wanted, `${done} of ${wanted} changes`),
    atHalf: () => {
      kill = killAndRestart(stage, { tally, progress });
      // Told where it is awaited; until then the day goes on.
      kill.catch(() => undefined);
    },
  });
  const lastChangeAtMs = Date.now();
  await kill;
  google.faults.clear();
  platform.faults.clear();
  platform.delivery = { ...platform.delivery, ...GOOD_DELIVERY };
  progress.phase(`${changes} changes made; waiting until the worker has come to rest and the feed is proved`);
  const coveredBeyondMs = lastChangeAtMs + BEYOND_LAST_CHANGE_MS;
  const status = await untilIdle(worker, {
    withinMs: LAST_SYNC_WITHIN_MS,
    signal,
    coveredBeyondMs,
    onLook: ({ pending }) =>
      progress.bar(0, 1, `${pending.objects} objects and ${pending.sheet_rows} rows are waiting`),
  });
  observer.end();
  const verdict = judge(platform.truth, google.truth, mapping);
  progress.phase('judged: every calendar event by event, every sheet cell by cell');
  const counted = await tally.close();
  const measured: Measured = {
    ...counted,
    changes,
    deadLetters: status?.dead_letters.count ?? 0,
    isIdle: status !== undefined && isIdle(status, { coveredBeyondMs }),
    notIdleBecause: status?.not_idle_because ?? ['the worker does not answer'],
    calendarLag: observer.calendars(),
    rowLag: observer.rows(),
    seed: options.seed ?? DEFAULT_SEED,
    durationMs: performance.now() - startedAtMs,
  };
  const report = reportOf(measured, verdict);
  talk.write(tableOf(report, verdict, { color: talk.isTTY === true }));
  if (options.json) (options.out ?? process.stdout).write(`${JSON.stringify(report)}\n`);
  return report.ok;
}

/** The first start: everything there is goes into the mirrors. */
async function mirrorAll(stage: Stage, { progress, signal }: Play): Promise<void> {
  const { platform, worker } = stage;
  const total = platform.truth.appointments().length + platform.truth.contacts().length;
  const status = await untilIdle(worker, {
    withinMs: FIRST_SYNC_WITHIN_MS,
    signal,
    onLook: ({ pending }) =>
      progress.bar(total - pending.objects, total, `${pending.objects} objects are waiting`),
  });
  if (status?.idle !== true) {
    progress.phase(
      `not at rest yet (${status?.not_idle_because.join('; ') ?? 'no answer'}): the day begins all the same`,
    );
  }
}

async function killAndRestart(stage: Stage, parts: { tally: Tally; progress: Progress }): Promise<void> {
  await parts.tally.beforeKill();
  const { pid } = stage.worker;
  await stage.worker.kill();
  parts.progress.phase(
    `SIGKILL: the worker (process ${pid}) is gone in the middle of its work; it is started again`,
  );
  stage.worker.start();
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
}
