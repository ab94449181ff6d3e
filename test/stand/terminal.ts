import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** A shell that a person types into: one command after the other, in one folder. */
export class Terminal {
  readonly #shell: ChildProcess;
  #printed = '';

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    // A group of its own, so that what runs in it can be ended with it.
    this.#shell = spawn('bash', ['--norc', '--noprofile'], { cwd, env, detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (text) => {
        this.#printed += String(text);
      });
  }

  /** Types the command; resolves with what it printed once `isEnough` says so, or once it has ended. */
  async run(command: string, isEnough: (printed: string) => boolean): Promise<string> {
    this.#printed = '';
    this.#shell.stdin?.write(`${command}\necho "${ENDED}$?"\n`);
    for (;;) {
      const end = this.#printed.indexOf(ENDED);
      if (end >= 0) return this.#printed.slice(0, end).trimEnd();
      if (isEnough(this.#printed.trimEnd())) return this.#printed.trimEnd();
      if (this.#shell.exitCode !== null) throw new Error(`the shell ended: ${this.#printed}`);
      await sleep(50);
    }
  }

  /** Ends the shell and all that runs in it, as closing the window does. */
  async close(): Promise<void> {
    const { pid } = this.#shell;
    if (pid === undefined || this.#shell.exitCode !== null) return;
    const ended = new Promise((done) => this.#shell.once('close', done));
    process.kill(-pid, 'SIGTERM');
    this.#shell.stdin?.end();
    await ended;
  }
}

const ENDED = '__ended_with_';
