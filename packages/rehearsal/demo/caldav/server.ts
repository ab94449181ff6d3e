import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A person who has calendars on the server. */
export interface Account {
  readonly user: string;
  readonly password: string;
  /** The collection that holds the person's calendars; ends with a slash. */
  readonly home: string;
}

/** A real CalDAV server on 127.0.0.1 that nobody else uses. */
export interface CalendarServer {
  readonly name: string;
  /** Without a path; ends with a slash. */
  readonly url: string;
  /** Two people, or one where the server knows no more. */
  readonly accounts: readonly [Account, ...Account[]];
  stop(): Promise<void>;
}

export interface Child {
  stop(): Promise<void>;
}

/** Whoever runs the program, if not this process's own user. */
export interface RunBy {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * It ends with this process, however that ends: then the shell reads the end of its input. The signal is for the whole group, because
 * some servers leave their workers behind; KILL is only for the first process. $1 is the log, $2 the signal.
 */
const CHILD = `
log="$1" signal="$2"
shift 2
"$@" > "$log" 2>&1 < /dev/null &
read end
if [ "$signal" = KILL ]; then kill -KILL $!; else trap '' "$signal"; kill -"$signal" 0; fi
wait
`;

export function startChild(
  command: readonly string[],
  options: RunBy & {
    readonly log: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    /** Default TERM. */
    readonly signal?: string;
  },
): Child {
  const { log, env = {}, signal = 'TERM', ...rest } = options;
  const shell = spawn('sh', ['-c', CHILD, 'sh', log, signal, ...command], {
    ...rest,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.unref();
  return {
    async stop() {
      if (shell.exitCode !== null || shell.signalCode !== null) return;
      const exited = once(shell, 'exit');
      shell.stdin.end();
      await exited;
    },
  };
}

/** A temporary folder that servers with users of their own may enter. */
export function serverFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `slotbridge-${name}-`));
  chmodSync(folder, 0o711);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

const LOOK_EVERY_MS = 50;
const LOOK_FOR_MS = 60_000;

/** Waits until the server answers anything at all. */
export async function untilAnswers(url: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    try {
      await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
      return;
    } catch (error) {
      if (waitedMs > LOOK_FOR_MS) throw new Error(`no answer from ${url}`, { cause: error });
      await sleep(LOOK_EVERY_MS);
    }
  }
}
