import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import type { Log } from '../ports/runtime.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';

/** What `start` needs of the wiring. */
export interface Startable {
  readonly url: string;
  readonly failed: Promise<unknown>;
  /** Bounded by itself, whatever does not answer. */
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
    .action(async (options: { config: string }) => {
      const config = await readConfig(options.config, { env: parts.io.env, checks: parts.checks });
      const [{ createLog }, { summarizeConfig }] = await Promise.all([
        import('../ops/log.ts'),
        import('../config/summary.ts'),
      ]);
      const log = createLog(config.log);
      log.info({ config: summarizeConfig(config) }, 'starting');
      const stopping = new AbortController();
      const signalled = firstSignal();
      void signalled.then(() => stopping.abort());
      const worker = await parts.startWorker(config, log, stopping.signal).catch((error: unknown) => {
        if (stopping.signal.aborted) return undefined;
        throw error;
      });
      if (worker === undefined) return log.info({}, 'stopped before it had started');
      const end = await Promise.race([signalled, worker.failed.then((error) => ({ error }))]);
      log.info({ signal: typeof end === 'string' ? end : undefined }, 'stopping');
      await worker.stop();
      log.info({}, 'stopped');
      if (typeof end !== 'string') throw end.error;
    });
}

function firstSignal(): Promise<string> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done(signal));
  });
}
