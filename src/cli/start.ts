import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/problem.ts';
import { WorkerError } from '../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { openReloadSignals, type ReloadSignals } from './reload-signals.ts';

/** What `start` needs of a worker. */
export interface Startable {
  readonly url: string;
  readonly failed: Promise<unknown>;
  /** Ends within a bound, even if a remote side does not answer. */
  stop(): Promise<void>;
}

/** `slotbridge start`: runs until SIGTERM or SIGINT, then stops within `worker.shutdown`. */
export function addStart(
  program: Command,
  parts: {
    readonly io: Console;
    readonly checks: LoadChecks;
    readonly startWorker: (config: Config, log: Log, signal: AbortSignal) => Promise<Startable>;
  },
): void {
  program
    .command('start')
    .description('run the worker')
    .option(...CONFIG_OPTION)
    .option('--watch', 'reload the YAML on every save, as SIGHUP does')
    .action(async (options: StartOptions) => {
      const reading = { env: parts.io.env, checks: parts.checks };
      const config = await readConfig(options.config, reading);
      const { createLog } = await import('../ops/log.ts');
      const { summarizeConfig } = await import('../config/summary.ts');
      const log = createLog(config.log);
      log.info({ config: summarizeConfig(config) }, 'starting');
      const isTerminal = parts.io.stdout.isTTY === true;
      const reloads = openReloadSignals(options.watch === true ? options.config : undefined, isTerminal);
      try {
        await runUntilStopped({ config, log }, reloads, {
          read: () => readConfig(options.config, reading),
          logOf: (each) => createLog(each.log),
          startWorker: parts.startWorker,
        });
      } finally {
        reloads.close();
      }
    });
}

interface StartOptions {
  readonly config: string;
  readonly watch?: boolean;
}

/** A running configuration, and the log for it. */
interface AtWork {
  readonly config: Config;
  readonly log: Log;
}

interface Means {
  readonly read: () => Promise<Config>;
  readonly logOf: (config: Config) => Log;
  readonly startWorker: (config: Config, log: Log, signal: AbortSignal) => Promise<Startable>;
}

/** Runs one worker after another, each with its configuration, never two at a time. */
async function runUntilStopped(first: AtWork, reloads: ReloadSignals, means: Means): Promise<void> {
  const stopping = new AbortController();
  const signalled = firstSignal();
  void signalled.then(() => stopping.abort());
  let current = first;
  /** The configuration to go back to if the current one turns out not to work. */
  let former: AtWork | undefined;
  let asked = reloads.next();
  for (;;) {
    const end = await runOne(current, { means, stopping, signalled, reloads: () => asked, renew });
    if (end.as === 'stopped') return;
    if (end.as === 'changed') {
      former = current;
      current = end.to;
    } else if (former === undefined || !end.isAboutConfig) {
      throw end.error;
    } else if (isOutage(end.error, current, former)) {
      current.log.warn({ err: end.error }, 'Redis is unavailable, the new configuration waits for it');
      await Promise.race([sleep(OUTAGE_PAUSE_MS), signalled]);
    } else {
      former.log.error({ err: end.error }, 'the new configuration cannot work, going back to the former one');
      current = former;
      former = undefined;
    }
  }

  function renew(): void {
    asked = reloads.next();
  }
}

type End =
  | { readonly as: 'stopped' }
  | { readonly as: 'changed'; readonly to: AtWork }
  | { readonly as: 'failed'; readonly error: unknown; readonly isAboutConfig: boolean };

async function runOne(
  { config, log }: AtWork,
  about: {
    readonly means: Means;
    readonly stopping: AbortController;
    readonly signalled: Promise<string>;
    readonly reloads: () => Promise<'reload'>;
    readonly renew: () => void;
  },
): Promise<End> {
  const { means, stopping, signalled } = about;
  let worker: Startable;
  try {
    worker = await means.startWorker(config, log, stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) return { as: 'failed', error, isAboutConfig: true };
    log.info({}, 'stopped before it had started');
    return { as: 'stopped' };
  }
  const failed = worker.failed.then((error) => ({ error }));
  for (;;) {
    const end = await Promise.race([
      signalled.then((signal) => ({ signal })),
      failed,
      about.reloads().then(() => 'reload' as const),
    ]);
    if (end === 'reload') {
      about.renew();
      const to = await readChanged({ config, log }, means);
      if (to === undefined) continue;
      await worker.stop();
      return { as: 'changed', to };
    }
    log.info({ signal: 'signal' in end ? end.signal : undefined }, 'stopping');
    await worker.stop();
    log.info({}, 'stopped');
    return 'signal' in end ? { as: 'stopped' } : failedAtWork(end.error);
  }
}

/** Pause before another start while Redis is unavailable. Each start itself waits for Redis for a while. */
const OUTAGE_PAUSE_MS = 1_000;

/** Codes of a Redis that is unavailable. With any other code, waiting does not help. */
const OUTAGE = ['redis-refused', 'redis-silent', 'redis-host-unknown'];

/** The former configuration uses the same Redis, so going back to it would not help. */
function isOutage(error: unknown, current: AtWork, former: AtWork): boolean {
  const isGone = error instanceof WorkerError && OUTAGE.includes(error.code);
  return isGone && isDeepStrictEqual(current.config.redis, former.config.redis);
}

/** Undefined: the worker continues unchanged, and the log says why. */
async function readChanged({ config, log }: AtWork, means: Means): Promise<AtWork | undefined> {
  const { configChanges } = await import('../config/changes.ts');
  let fresh: Config;
  try {
    fresh = await means.read();
  } catch (error) {
    const problems = error instanceof ConfigError ? error.format().split('\n') : [String(error)];
    log.error({ problems }, 'the new configuration cannot be used, the running one is kept');
    return undefined;
  }
  const changes = configChanges(config, fresh);
  if (changes.length === 0) {
    log.info({}, 'the configuration has not changed');
    return undefined;
  }
  log.info({ changes }, 'the configuration has changed, it is taken up');
  return { config: fresh, log: means.logOf(fresh) };
}

/** Any other error would end the worker with the former configuration too. */
function failedAtWork(error: unknown): End {
  const isAboutConfig = error instanceof WorkerError && error.target === 'mapping';
  return { as: 'failed', error, isAboutConfig };
}

function firstSignal(): Promise<string> {
  return new Promise((done) => {
    const signals = process.stdout.isTTY === true ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT'];
    for (const signal of signals) process.once(signal, () => done(signal));
  });
}
