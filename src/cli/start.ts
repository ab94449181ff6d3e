import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { WorkerError } from '../engine/errors.ts';
import type { DatedOutcome, Rejection, ReloadOutcome } from '../engine/reload.ts';
import { type Log, machineClock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { ConfigError } from '../mapping/problem.ts';
import { RELOAD_SIGNAL } from '../operate/reload.ts';
import { CONFIG_OPTION, ENV_FILE, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';

/** What `start` needs of a worker. */
export interface Startable {
  readonly url: string;
  readonly failed: Promise<unknown>;
  /** Resolves once the YAML is at work. Absent in a worker that tells nobody. */
  readonly ready?: Promise<void>;
  /** Tells people what became of the newest YAML. Never rejects. */
  reloaded?(outcome: DatedOutcome): Promise<void>;
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
      // V8 lets a small heap become four times as large before it collects all of it. Half more costs hardly any processor time.
      setFlagsFromString('--heap-growing-percent=50');
      const reading = { env: parts.io.env, checks: parts.checks };
      const config = await readConfig(options.config, reading);
      const { createLog } = await import('../operate/log.ts');
      const { saltDigests } = await import('../operate/personal-data.ts');
      const { summarizeConfig } = await import('../mapping/changes.ts');
      const logOf = (each: Config) => {
        saltDigests(each);
        return createLog(each.log);
      };
      const log = logOf(config);
      log.info({ config: summarizeConfig(config) }, 'starting');
      const isTerminal = parts.io.stdout.isTTY === true;
      const reloads = openReloadSignals(options.watch === true ? options.config : undefined, isTerminal);
      try {
        let readAtMs = machineClock.now();
        await runUntilStopped({ config, log }, reloads, {
          read: () => {
            readAtMs = machineClock.now();
            return readConfig(options.config, reading);
          },
          tell: async (worker, outcome) => worker.reloaded?.({ ...outcome, readAtMs }),
          logOf,
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
  /** Tells what became of the newest YAML that was read. */
  readonly tell: (worker: Startable, outcome: ReloadOutcome) => Promise<void>;
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
  /** What became of the newest configuration. The worker that starts next tells it. */
  let news: ReloadOutcome | undefined;
  let asked = reloads.next();
  for (;;) {
    const end = await runOne(current, { means, stopping, signalled, news, reloads: () => asked, renew });
    if (end.as === 'stopped') return;
    if (end.as === 'changed') {
      former = current;
      current = end.to;
      news = { as: 'taken-up', changes: end.changes };
    } else if (former === undefined || !end.isAboutConfig) {
      throw end.error;
    } else if (isOutage(end.error, current, former)) {
      current.log.warn({ err: end.error }, 'Redis is unavailable, the new configuration waits for it');
      await Promise.race([sleep(OUTAGE_PAUSE_MS), signalled]);
    } else {
      former.log.error({ err: end.error }, 'the new configuration cannot work, going back to the former one');
      current = former;
      former = undefined;
      news = { as: 'rejected', ...rejectionOf(end.error) };
    }
  }

  function renew(): void {
    asked = reloads.next();
  }
}

type End =
  | { readonly as: 'stopped' }
  | { readonly as: 'changed'; readonly to: AtWork; readonly changes: readonly string[] }
  | { readonly as: 'failed'; readonly error: unknown; readonly isAboutConfig: boolean };

async function runOne(
  { config, log }: AtWork,
  about: {
    readonly means: Means;
    readonly stopping: AbortController;
    readonly signalled: Promise<string>;
    readonly news: ReloadOutcome | undefined;
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
  /** Only once it is at work is it known that it can work. */
  let isTakenUp = about.news?.as === 'taken-up';
  if (about.news?.as === 'rejected') await means.tell(worker, about.news);
  void worker.ready?.then(() => {
    if (about.news !== undefined && isTakenUp) void means.tell(worker, about.news);
    isTakenUp = false;
  });
  const failed = worker.failed.then((error) => ({ error }));
  for (;;) {
    const end = await Promise.race([
      signalled.then((signal) => ({ signal })),
      failed,
      about.reloads().then(() => 'reload' as const),
    ]);
    if (end === 'reload') {
      about.renew();
      const read = await readChanged({ config, log }, means);
      if ('config' in read) {
        await worker.stop();
        return { as: 'changed', to: read, changes: read.changes };
      }
      if (read.as === 'unchanged' && isTakenUp) continue;
      isTakenUp = false;
      await means.tell(worker, read);
      continue;
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

/** The new configuration, or why the worker continues unchanged. The log says the same. */
async function readChanged(
  { config, log }: AtWork,
  means: Means,
): Promise<(AtWork & { readonly changes: readonly string[] }) | ReloadOutcome> {
  const { configChanges } = await import('../mapping/changes.ts');
  let fresh: Config;
  try {
    fresh = await means.read();
  } catch (error) {
    const problems = error instanceof ConfigError ? error.format().split('\n') : [String(error)];
    log.error({ problems }, 'the new configuration cannot be used, the running one is kept');
    return { as: 'rejected', ...rejectionOf(error) };
  }
  const changes = configChanges(config, fresh);
  if (changes.length === 0) {
    log.info({}, 'the configuration has not changed');
    return { as: 'unchanged' };
  }
  log.info({ changes }, 'the configuration has changed, it is taken up');
  return { config: fresh, log: means.logOf(fresh), changes };
}

function rejectionOf(error: unknown): Rejection {
  if (error instanceof ConfigError) {
    const { file, problems } = error;
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems, the first`;
    const line = problems[0]?.line ?? 1;
    return { reason: `${count} in ${file}, line ${line}`, names: [`${file}:${line}`], isAboutYaml: true };
  }
  return error instanceof WorkerError
    ? {
        reason: `${error.message} (${error.code})`,
        names: [error.code],
        isAboutYaml: error.target === 'mapping',
      }
    : { reason: 'it cannot be read', names: [], isAboutYaml: false };
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

/** How long the file must be left alone before it is read: editors write it in several steps. */
const SETTLE_MS = 300;

interface ReloadSignals {
  /** Resolves once a reload was requested since the last call. Requests that arrive together count as one. */
  next(): Promise<'reload'>;
  close(): void;
}

/** SIGHUP, `slotbridge reload` and, if `watched` is given, every save of that file or of the `.env` beside it request a reload. */
export function openReloadSignals(watched: string | undefined, isTerminal: boolean): ReloadSignals {
  let isAsked = false;
  let tell: () => void = () => {};
  const ask = () => {
    isAsked = true;
    tell();
  };
  // On a terminal SIGHUP means that its window was closed.
  const signals: readonly NodeJS.Signals[] = isTerminal ? [RELOAD_SIGNAL] : [RELOAD_SIGNAL, 'SIGHUP'];
  for (const signal of signals) process.on(signal, ask);
  let timer: NodeJS.Timeout | undefined;
  let place = watched === undefined ? undefined : placeOf(watched);
  // Watches the folder: editors replace the file, and a watch on the old file would see no more changes. Kubernetes replaces a link above it.
  const watcher: FSWatcher | undefined =
    watched === undefined
      ? undefined
      : watch(dirname(watched), (_event, name) => {
          const before = place;
          place = placeOf(watched) ?? before;
          const isRead = name === null || name === basename(watched) || name === ENV_FILE;
          if (!isRead && place === before) return;
          clearTimeout(timer);
          timer = setTimeout(ask, SETTLE_MS);
        });
  return {
    async next() {
      if (!isAsked)
        await new Promise<void>((done) => {
          tell = done;
        });
      isAsked = false;
      return 'reload';
    },
    close() {
      for (const signal of signals) process.removeListener(signal, ask);
      watcher?.close();
      clearTimeout(timer);
    },
  };
}

/** Undefined while the file is not there. */
function placeOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
