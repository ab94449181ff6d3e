import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { formatStatus, type StatusReport } from '../ops/status.ts';
import { judge } from '../ops/verdict.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';

const ANSWER_WITHIN_MS = 5_000;

/** `slotbridge status`: asks the worker; if none runs, looks into its Redis. */
export function addStatus(
  program: Command,
  parts: {
    readonly io: Console;
    readonly checks: LoadChecks;
    readonly readStatusFromStore: (config: Config) => Promise<StatusReport>;
    /** With `--check`, when somebody is needed. */
    readonly onBroken: () => void;
  },
): void {
  const { io } = parts;
  program
    .command('status')
    .description('say up to when everything is mirrored, what is pending and what needs a person')
    .option(...CONFIG_OPTION)
    .option('--json', 'print one JSON object, the same as GET /status')
    .option('--check', 'end with 1 when a person is needed')
    .action(async (options: { config: string; json?: boolean; check?: boolean }) => {
      const config = await readConfig(options.config, { env: io.env, checks: parts.checks });
      const report = (await askWorker(config)) ?? (await parts.readStatusFromStore(config));
      const text =
        options.json === true
          ? JSON.stringify(report)
          : formatStatus(report, { color: io.stdout.isTTY === true });
      io.stdout.write(`${text}\n`);
      if (options.check === true && judge(report).mood === 'wrong') parts.onBroken();
    });
}

/** Undefined when no worker answers at the address of the configuration. */
export async function askWorker(config: Config): Promise<StatusReport | undefined> {
  const host = config.http.host === '0.0.0.0' ? '127.0.0.1' : config.http.host;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${config.http.port}/status`;
  const late = new AbortController();
  // Not AbortSignal.timeout: its timer lets the process end, and Node's fetch never settles when the other side closes at once.
  const timer = setTimeout(() => late.abort(), ANSWER_WITHIN_MS);
  try {
    const answer = await fetch(address, { signal: late.signal });
    const report: unknown = answer.ok ? await answer.json() : undefined;
    return isReport(report) ? report : undefined;
  } catch {
    // Nobody listens there: what is pending stands in Redis all the same.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Something else may listen at the port. */
function isReport(value: unknown): value is StatusReport {
  return typeof value === 'object' && value !== null && 'coverage' in value && 'not_idle_because' in value;
}
