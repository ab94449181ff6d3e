// The demo: a company, a busy day with many faults, and a judge. Exits with 0 only when every calendar and every sheet matches the
// platform.
import { startSandboxPage } from '@slotbridge/sandbox/page/page';
import { historiesOf } from './histories.ts';
import { playAndJudge } from './play.ts';
import { Progress, type Sink } from './progress.ts';
import { type Stage, setStage } from './stage.ts';
import { tableOf } from './table.ts';
import { tourOf } from './tour.ts';
import { signInLink } from './write-commands.ts';

export interface DemoOptions {
  /** One JSON object as the last line of `out`, everything else on `err`. */
  readonly json: boolean;
  /** Leave everything running until Ctrl-C. */
  readonly keep: boolean;
  /** The random seed. Another seed gives another day. Default 1. */
  readonly seed?: number;
  /** The minimum number of changes. Default 1100. */
  readonly changes?: number;
  /** Default: the standard streams. */
  readonly out?: Sink;
  readonly err?: Sink;
  /** The command line of `slotbridge`. Default: the running program. */
  readonly program?: readonly string[];
  /** Ends the demo like Ctrl-C. */
  readonly signal?: AbortSignal;
}

const DEFAULT_SEED = 1;
const DEFAULT_CHANGES = 1_100;
const INTERRUPTED = 130;

/**
 * Resolves with the exit code: 0 when every check of the report passes, 1 when one fails, 130 after Ctrl-C. Rejects with
 * `TerminalError` when the demo itself cannot continue. In every case it cleans up whatever it started.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const name of SIGNALS) process.on(name, onSignal);
  options.signal?.addEventListener('abort', onSignal);
  const talk = options.json ? (options.err ?? process.stderr) : (options.out ?? process.stdout);
  const progress = new Progress(talk);
  const startedAtMs = performance.now();
  let stage: Stage | undefined;
  try {
    progress.phase(
      'setting the stage: Redis, the platform and Google in sandboxes, a CalDAV server, a company, a mapping',
    );
    const seed = options.seed ?? DEFAULT_SEED;
    stage = await setStage({
      seed,
      program: options.program ?? [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    });
    if (stage.colleague === undefined)
      progress.phase('no radicale can be run here, so the colleague with a CalDAV calendar stays on Google');
    const { report, verdict } = await playAndJudge(stage, {
      seed,
      changes: options.changes ?? DEFAULT_CHANGES,
      startedAtMs,
      progress,
      signal: interrupt.signal,
    });
    talk.write(tableOf(report, verdict, { color: talk.isTTY === true }));
    talk.write(await historiesOf(verdict, stage.commands));
    if (options.json) (options.out ?? process.stdout).write(`${JSON.stringify(report)}\n`);
    if (options.keep) {
      const page = await startSandboxPage({ platform: stage.platform, google: stage.google, port: 0 });
      try {
        const link = await signInLink(stage.commands);
        talk.write(tourOf(stage, { key: stage.platform.createKey(), pageUrl: page.url, link }));
        await untilAborted(interrupt.signal);
      } finally {
        await page.close();
      }
    }
    return report.ok ? 0 : 1;
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

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
}
