// A worker as a process. It listens on a port of its own choice and says in its log which one that is.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from '../../../src/operate/status-report.ts';
import type { ProcessClock } from '../../../test/stand/process-clock.ts';

/** The built program: `npm run chaos` and `npm test` build it first. */
const MAIN = new URL('../../../dist/main.js', import.meta.url).pathname;
const STOP_WITHIN_MS = 15_000;
const ANSWER_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 25;
/** Exit code of a start that found no Redis; `Restart=on-failure` of the systemd unit follows it. */
const UNAVAILABLE = 3;
const RESTART_AFTER_MS = 1_000;

export class ChaosWorker {
  readonly clock: ProcessClock;
  readonly #config: string;
  readonly #logFile: string;
  readonly #onPort: (port: number) => void;
  #child: ChildProcess | undefined;
  #url: string | undefined;
  /** It was told to end: its exit is no crash. */
  #isExpected = true;
  readonly crashes: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: {
    config: string;
    clock: ProcessClock;
    logFile: string;
    onPort: (port: number) => void;
  }) {
    this.clock = parts.clock;
    this.#config = parts.config;
    this.#logFile = parts.logFile;
    this.#onPort = parts.onPort;
  }

  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  get url(): string | undefined {
    return this.isRunning ? this.#url : undefined;
  }

  /** Whatever is done to one worker is done in its order. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  start(): void {
    if (this.isRunning) return;
    const begin = existsSync(this.#logFile) ? readFileSync(this.#logFile).length : 0;
    const log = openSync(this.#logFile, 'a');
    const child = spawn(process.execPath, [...this.clock.args, MAIN, 'start', '--config', this.#config], {
      stdio: ['ignore', log, log],
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], NO_PROXY: '127.0.0.1,localhost' },
        ...this.clock.env,
      },
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    this.#url = undefined;
    this.#isExpected = false;
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      if (this.#child !== child || this.#isExpected) return;
      const isOutage = code === UNAVAILABLE && /\(redis-(?:silent|refused)\)/.test(this.tail());
      if (isOutage) setTimeout(() => this.#again(child), RESTART_AFTER_MS).unref();
      else this.crashes.push(`a worker ended by itself (${code ?? signal}): ${this.tail()}`);
    });
    void this.#learnPort(child, begin);
  }

  /** As a supervisor does with a worker that could not start, because it was cut off from Redis for longer than a start waits. */
  #again(child: ChildProcess): void {
    if (this.#child === child && !this.#isExpected) this.start();
  }

  async #learnPort(child: ChildProcess, begin: number): Promise<void> {
    while (this.#child === child && this.isRunning) {
      const said = readFileSync(this.#logFile).subarray(begin).toString();
      const port = /"url":"http:\/\/[^"]*:(\d+)"[^\n]*"listening"/.exec(said)?.[1];
      if (port !== undefined) {
        this.#url = `http://127.0.0.1:${port}`;
        this.#onPort(Number(port));
        return;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Rejects when it has ended instead, or is not ready in time. */
  async untilReady(withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      if (!this.isRunning) throw new Error(`the worker has ended: ${this.tail()}`);
      const answer = await this.#get('/readyz').catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.ok === true) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`the worker was not ready within ${withinMs / 1_000} s: ${this.tail()}`);
  }

  async status(): Promise<StatusReport | undefined> {
    try {
      const answer = await this.#get('/status');
      return answer.ok ? ((await answer.json()) as StatusReport) : undefined;
    } catch {
      return undefined;
    }
  }

  #get(path: string): Promise<Response> {
    if (this.#url === undefined) return Promise.reject(new Error('it does not listen yet'));
    return fetch(`${this.#url}${path}`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  }

  /** SIGTERM, and SIGKILL when that is not heard. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  freeze(): void {
    if (this.isRunning) this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    if (this.isRunning) this.#child?.kill('SIGCONT');
  }

  /** Synchronous, for the end of the process. */
  abandon(): void {
    this.#isExpected = true;
    if (this.isRunning) this.#child?.kill('SIGKILL');
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    this.#isExpected = true;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGCONT');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  hasSaid(text: string): boolean {
    return existsSync(this.#logFile) && readFileSync(this.#logFile, 'utf8').includes(text);
  }

  tail(): string {
    const lines = readFileSync(this.#logFile, 'utf8').trimEnd().split('\n');
    // What Node prints of an error that nobody caught is all that follows the last line of the log.
    const printed = lines.length - 1 - lines.findLastIndex((line) => line.startsWith('{"'));
    return lines.slice(-Math.max(3, printed)).join(' ').slice(0, 3_000);
  }
}
