import type { Command } from 'commander';
import type { Config } from '../mapping/config.ts';
import { installationOf } from '../operate/installation.ts';
import { reachableHost } from '../operate/known-hosts.ts';
import { formatStatus, type StatusReport } from '../operate/status.ts';
import { statusVerdict } from '../operate/verdict.ts';
import { CONFIG_OPTION, type LoadChecks, readStateConfig } from './config-file.ts';
import type { Console } from './console.ts';

const ANSWER_WITHIN_MS = 5_000;
/** Largest answer that is read: another program may listen at the port and never end its answer. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** `slotbridge status`: asks the worker; if none runs, reads its Redis. */
export function addStatus(
  program: Command,
  parts: {
    readonly io: Console;
    readonly checks: LoadChecks;
    readonly readStatusFromStore: (config: Config) => Promise<StatusReport>;
    /** Called with `--check` when a person is needed. */
    readonly onBroken: () => void;
  },
): void {
  const { io } = parts;
  program
    .command('status')
    .description('show up to when everything is mirrored, what is pending and what needs a person')
    .option(...CONFIG_OPTION)
    .option('--json', 'print one JSON object, the same as GET /status')
    .option('--check', 'exit with 1 if a person is needed')
    .action(async (options: { config: string; json?: boolean; check?: boolean }) => {
      const warn = (line: string) => io.stderr.write(`warning: ${line}\n`);
      const config = await readStateConfig(options.config, { env: io.env, checks: parts.checks, warn });
      const onAnother = (address: string) =>
        warn(`another installation answers at ${address}: this status is read from the Redis of this YAML`);
      const report = (await askWorker(config, onAnother)) ?? (await parts.readStatusFromStore(config));
      const text =
        options.json === true
          ? JSON.stringify(report)
          : formatStatus(report, { color: io.stdout.isTTY === true });
      io.stdout.write(`${text}\n`);
      if (options.check === true && statusVerdict(report).mood === 'wrong') parts.onBroken();
    });
}

/** Undefined when no worker of this installation answers at the address of the configuration. */
export async function askWorker(
  config: Pick<Config, 'http' | 'platform' | 'redis'>,
  onAnother?: (address: string) => void,
): Promise<StatusReport | undefined> {
  const { http } = config;
  const address = `http://${reachableHost(http.host)}:${http.port}/status`;
  try {
    const report: unknown = JSON.parse(await bodyAt(address));
    if (!isReport(report)) return undefined;
    if (report.installation === undefined || report.installation === installationOf(config)) return report;
    onAnother?.(address);
    return undefined;
  } catch {
    // No worker listens there, but Redis still says what is pending.
    return undefined;
  }
}

/** Loading `fetch` takes longer than the rest of this command. */
async function bodyAt(address: string): Promise<string> {
  const { get } = await import('node:http');
  return new Promise((done, fail) => {
    const asked = get(address, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), agent: false }, (answer) => {
      const isHere = answer.statusCode === 200;
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > ANSWER_BYTES_MAX) answer.destroy(new Error('too much for a status'));
        else parts.push(part);
      });
      answer.on('error', fail);
      answer.on('end', () => {
        if (isHere) done(Buffer.concat(parts).toString('utf8'));
        else fail(new Error('no status'));
      });
    });
    asked.on('error', fail);
  });
}

/** Another program may listen at the port. */
function isReport(value: unknown): value is StatusReport {
  return typeof value === 'object' && value !== null && 'coverage' in value && 'not_idle_because' in value;
}
