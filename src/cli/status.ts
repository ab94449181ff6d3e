import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { WorkerError } from '../engine/errors.ts';
import { type Clock, steadyClock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { installationOf } from '../operate/installation.ts';
import { reachableHost } from '../operate/known-hosts.ts';
import { spokenTime } from '../operate/spoken-time.ts';
import { formatStatus, type StatusReport } from '../operate/status.ts';
import { statusVerdict } from '../operate/verdict.ts';
import { CONFIG_OPTION, type LoadChecks, readStateConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { printFailure } from './exit.ts';
import { readSpan } from './moment.ts';
import { Progress } from './progress.ts';
import { untilInterrupted } from './watch.ts';

/** How often `--watch` reads the status for a terminal, and `--wait` for its end. */
const LOOK_EVERY_MS = 2_000;
/** How often `--watch` prints a line elsewhere: somebody will read them all. */
const LINE_EVERY_MS = 10_000;
const WAIT_DEFAULT = '10m';
const ANSWER_WITHIN_MS = 5_000;
/** Largest answer that is read: another program may listen at the port and never end its answer. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** `slotbridge status`: asks the worker; if none runs, reads its Redis. */
export function addStatus(
  program: Command,
  parts: {
    readonly io: Console;
    readonly checks: LoadChecks;
    readonly readStatusFromStore: (
      config: Config,
      worker: Exclude<StatusReport['worker'], 'running'>,
    ) => Promise<StatusReport>;
    /** Called with `--check` when a person is needed, and when `--wait` waited in vain. */
    readonly onBroken: () => void;
    readonly steady?: Clock;
  },
): void {
  const { io } = parts;
  program
    .command('status')
    .description('show up to when everything is mirrored, what is pending and what needs a person')
    .option(...CONFIG_OPTION)
    .option('--json', 'print one JSON object, the same as GET /status')
    .option('--check', 'exit with 1 if a person is needed')
    .option('--watch', 'show it again and again, until Ctrl-C')
    .addOption(
      new Option(
        '--wait [time]',
        `wait until all is mirrored, for ${WAIT_DEFAULT} or the time given; else exit with 1`,
      )
        .preset(WAIT_DEFAULT)
        .argParser(waitOption)
        .conflicts('watch'),
    )
    .action(async (options: StatusOptions) => {
      const warn = (line: string) => io.stderr.write(`warning: ${line}\n`);
      const config = await readStateConfig(options.config, { env: io.env, checks: parts.checks, warn });
      const onAnother = (address: string) =>
        warn(`another installation answers at ${address}: this status is read from the Redis of this YAML`);
      const read = async () => {
        const answer = await askWorker(config, onAnother);
        return typeof answer === 'string' ? parts.readStatusFromStore(config, answer) : answer;
      };
      if (options.watch === true) {
        await watch(read, io, options.json === true);
        return;
      }
      const report = options.wait === undefined ? await read() : await untilIdle(read, parts, options);
      const text =
        options.json === true
          ? JSON.stringify(report)
          : formatStatus(report, { color: io.stdout.isTTY === true });
      io.stdout.write(`${text}\n`);
      if (options.wait !== undefined && !isMirrored(report)) parts.onBroken();
      if (options.check === true && statusVerdict(report).mood === 'wrong') parts.onBroken();
    });
}

interface StatusOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly check?: boolean;
  readonly watch?: boolean;
  /** Milliseconds. */
  readonly wait?: number;
}

function waitOption(text: string): number {
  const ms = readSpan(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('write a time such as 30s, 10m or 2h.');
}

/** The whole status on a terminal; elsewhere its first line, or JSON, one line at a time. Goes on through errors: the worker may restart. */
async function watch(read: () => Promise<StatusReport>, io: Console, isJson: boolean): Promise<void> {
  const isTerminal = io.stdout.isTTY === true && !isJson;
  const show = async () => {
    const report = await read();
    if (isTerminal) io.stdout.write(`\u001b[H\u001b[J${formatStatus(report, { color: true })}\n`);
    else if (isJson) io.stdout.write(`${JSON.stringify(report)}\n`);
    else io.stdout.write(`${spokenTime(report.at, report.at)}  ${statusVerdict(report).line}\n`);
  };
  const step = () => show().catch((error: unknown) => void printFailure(error, io.stderr));
  await untilInterrupted(step, isTerminal ? LOOK_EVERY_MS : LINE_EVERY_MS);
}

/** Without a worker nobody hears of what has changed, so nothing is proved. */
function isMirrored({ idle, worker }: StatusReport): boolean {
  return idle && worker === 'running';
}

/** The first status of an idle worker, or that at the end of the wait. */
async function untilIdle(
  read: () => Promise<StatusReport>,
  { io, steady = steadyClock }: { readonly io: Console; readonly steady?: Clock },
  { wait: waitMs = 0, json }: StatusOptions,
): Promise<StatusReport> {
  const endMs = steady.now() + waitMs;
  const progress = new Progress({ io, isQuiet: json === true });
  for (;;) {
    const isOver = steady.now() >= endMs;
    const report = await read().catch((error: unknown) => {
      // A private Redis starts with the worker.
      if (isOver || !(error instanceof WorkerError)) throw error;
      progress.show(error.message);
    });
    if (report !== undefined && (isOver || isMirrored(report))) {
      progress.end();
      return report;
    }
    if (report !== undefined) progress.show(statusVerdict(report).line);
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(0, endMs - steady.now())));
  }
}

/** Asks the worker of this installation at the address of the configuration. `silent`: something listens there and does not answer. */
export async function askWorker(
  config: Pick<Config, 'http' | 'platform' | 'redis'>,
  onAnother?: (address: string) => void,
): Promise<StatusReport | Exclude<StatusReport['worker'], 'running'>> {
  const { http } = config;
  const address = `http://${reachableHost(http.host)}:${http.port}/status`;
  try {
    const report: unknown = JSON.parse(await bodyAt(address));
    if (!isReport(report)) return 'not-running';
    if (report.installation === undefined || report.installation === installationOf(config)) return report;
    onAnother?.(address);
    return 'not-running';
  } catch (error) {
    // Redis still says what is pending.
    return (error as NodeJS.ErrnoException).code === 'ABORT_ERR' ? 'silent' : 'not-running';
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
