import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalError } from '../../../src/engine/errors.ts';

/** The part of `GET /status` that the demo reads. */
export interface WorkerStatus {
  readonly idle: boolean;
  readonly not_idle_because: readonly string[];
  readonly at: string;
  readonly coverage: {
    readonly feed: { readonly covered_until: string | null; readonly proved_at?: string | null };
    readonly calendars: readonly { readonly covered_until: string | null }[];
    readonly intake_sheets: readonly { readonly covered_until: string | null }[];
    readonly blocks?: readonly { readonly covered_until: string | null }[];
  };
  readonly pending: { readonly objects: number; readonly sheet_rows: number };
  readonly dead_letters: { readonly count: number };
}

const STOP_WITHIN_MS = 20_000;
const ANSWER_WITHIN_MS = 5_000;
const LOG_TAIL_LINES = 12;

/** The worker as an operator would start it: a separate process with a pid, an address and a log file. */
export class WorkerProcess {
  readonly url: string;
  readonly logFile: string;
  readonly #command: readonly string[];
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(parts: {
    /** Program and arguments. */
    command: readonly string[];
    folder: string;
    env: NodeJS.ProcessEnv;
    url: string;
    logFile: string;
  }) {
    this.url = parts.url;
    this.logFile = parts.logFile;
    this.#command = parts.command;
    this.#folder = parts.folder;
    this.#env = parts.env;
  }

  get pid(): number | undefined {
    return this.#isRunning() ? this.#child?.pid : undefined;
  }

  /** Starts the process. Does nothing after `stop`, because a concurrent restart must not outlive the demo. */
  start(): void {
    if (this.#isOver) return;
    const [program = process.execPath, ...args] = this.#command;
    const log = openSync(this.logFile, 'a');
    this.#child = spawn(program, args, {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', log, log],
      // Ctrl-C must reach only the demo, which stops the worker in its own order.
      detached: true,
    });
    // A program that cannot be started shows by giving no answer. Without a listener the error would end the demo.
    this.#child.on('error', () => undefined);
    closeSync(log);
  }

  /** Sends SIGKILL. Resolves when the process is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.#isRunning()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Sends SIGTERM, then SIGKILL if the process does not end in time. */
  async stop(): Promise<void> {
    this.#isOver = true;
    const child = this.#child;
    if (child === undefined || !this.#isRunning()) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  /**
   * Resolves when the worker is ready. Rejects with `TerminalError` (`worker-ended`, `worker-not-ready`) and the end of the worker's
   * log.
   */
  async untilReady(withinMs: number, signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline) {
      signal.throwIfAborted();
      this.#demandLife();
      if ((await this.#get('/readyz').catch(() => undefined))?.ok === true) return;
      await sleep(50);
    }
    throw this.#complaint('worker-not-ready', `the worker was not ready within ${withinMs / 1_000} s`);
  }

  /** Undefined while the worker does not answer. Rejects when the process has ended. */
  async status(): Promise<WorkerStatus | undefined> {
    this.#demandLife();
    try {
      const response = await this.#get('/status');
      return response.ok ? ((await response.json()) as WorkerStatus) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The text of `GET /metrics`; empty while the worker does not answer. */
  async metrics(): Promise<string> {
    try {
      return await (await this.#get('/metrics')).text();
    } catch {
      return '';
    }
  }

  #get(path: string): Promise<Response> {
    return fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  }

  #isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  #demandLife(): void {
    if (this.#isRunning()) return;
    const how = this.#child?.exitCode ?? this.#child?.signalCode ?? 'not started';
    throw this.#complaint('worker-ended', `the worker has ended by itself (${how})`);
  }

  #complaint(code: string, message: string): TerminalError {
    const tail = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES);
    return new TerminalError(code, message, { advice: `The end of its log says:\n  ${tail.join('\n  ')}` });
  }
}
