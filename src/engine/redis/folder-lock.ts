// One process at a time holds a data folder. Each candidate listens on its own socket in the folder, and the socket dies with its process.
// Process ids would prove nothing: each container counts its own. On another machine such a socket does not answer, so its file is touched.
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TerminalError } from '../domain/errors.ts';
import { folderInUse, unusable } from './data-folder.ts';
import { bootId } from './process-identity.ts';

export interface FolderLock {
  /** True once another machine has taken this holder for dead, or a person has removed its file. */
  isLost(): boolean;
  release(): void;
}

export interface LockOptions {
  /** True for a command that ends soon. A worker waits for it. */
  readonly isBrief?: boolean;
  /** Ends the wait for another holder. */
  readonly signal?: AbortSignal | undefined;
  readonly bootId?: string;
  readonly silentAfterMs?: number;
}

/** What a holder tells whoever connects. */
export interface Holder {
  /** 0: it does not say. */
  readonly pid: number;
  readonly host: string;
  readonly isBrief: boolean;
  /** False while it still looks for others. */
  readonly holds: boolean;
}

/** How often a holder touches its file. */
const BEAT_EVERY_MS = 2_000;
/**
 * How long the file of a holder that cannot be asked stays untouched until the holder counts as dead. It allows for several beats and the
 * cache of NFS. If two candidates meet, one waits as long for the other to give way.
 */
const SILENT_AFTER_MS = 15_000;
/** How long a worker waits for a command to end, which stops its Redis within 11 s. */
const ENDS_WITHIN_MS = 15_000;
/** How long a holder may take to say who it is. A frozen one accepts connections and says nothing. */
const TELLS_WITHIN_MS = 1_000;
const LOOK_EVERY_MS = 100;
/** As long as `redis.sock`, so that the limit of a socket's path is the same. The first part names the boot of the machine. */
const FILE = /^o[\w-]{9}$/;
const BOOT_CHARS = 5;

/** Rejects with `TerminalError` `data-folder-in-use` or `data-folder-unusable`, and with the signal's reason when it aborts. */
export async function lockFolder(dir: string, options: LockOptions = {}): Promise<FolderLock> {
  for (;;) {
    const own = await announce(dir, options);
    try {
      // Announced first, then looked: of two candidates, at least one sees the other.
      for (const name of filesIn(dir)) if (name !== own.name) await untilGone(name, own, options);
      if (!own.isLost()) {
        own.told.holds = true;
        return own;
      }
      // Another candidate saw the file before this process listened, and took it for a dead one's.
      own.release();
    } catch (error) {
      own.release();
      throw error;
    }
  }
}

/** A process on this machine that answers and holds the folder, or is about to. */
export async function holderOf(dir: string): Promise<Holder | undefined> {
  for (const name of existsSync(dir) ? filesIn(dir) : []) {
    const answer = await ask(join(dir, name));
    if (typeof answer !== 'string' && answer.pid > 0) return answer;
  }
  return undefined;
}

interface Candidate extends FolderLock {
  readonly dir: string;
  readonly name: string;
  readonly told: { -readonly [Field in keyof Holder]: Holder[Field] };
}

async function announce(dir: string, { isBrief = false, ...options }: LockOptions): Promise<Candidate> {
  const name = `o${bootPart(options.bootId ?? bootId())}${randomBytes(3).toString('base64url')}`;
  const path = join(dir, name);
  const told = { pid: process.pid, host: hostname(), isBrief, holds: false };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.unref().end(JSON.stringify(told));
  }).unref();
  try {
    await listen(server, path);
    attempt(() => chmodSync(path, 0o600));
  } catch (cause) {
    throw unusable(dir, cause);
  }
  const beat = setInterval(
    () => attempt(() => utimesSync(path, new Date(), new Date())),
    BEAT_EVERY_MS,
  ).unref();
  return {
    ...{ dir, name, told },
    isLost: () => isMissing(path),
    release: () => {
      clearInterval(beat);
      server.close();
      rmSync(path, { force: true });
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, reject) => {
    server.once('error', reject);
    server.listen(path, () => done());
  });
}

/** Work on a file that may be gone; `isLost` tells that. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

async function untilGone(
  name: string,
  own: Candidate,
  { signal, silentAfterMs = SILENT_AFTER_MS }: LockOptions,
): Promise<void> {
  const path = join(own.dir, name);
  const isHere = name.slice(0, 1 + BOOT_CHARS) === own.name.slice(0, 1 + BOOT_CHARS);
  const sinceMs = performance.now();
  const touchedAtMs = touchedAt(path);
  for (;;) {
    signal?.throwIfAborted();
    const answer = await ask(path);
    const waitedMs = performance.now() - sinceMs;
    // One that goes while it is asked may still accept the connection, and reset it.
    if (answer === 'ENOENT' || isMissing(path)) return;
    const isUnasked = typeof answer === 'string';
    const isSilent = isUnasked && touchedAt(path) === touchedAtMs;
    if ((answer === 'ECONNREFUSED' && isHere) || (isSilent && waitedMs >= silentAfterMs)) {
      rmSync(path, { force: true });
      return;
    }
    const holder = isUnasked ? undefined : answer;
    if (!isSilent && answer !== 'ECONNRESET' && waitedMs >= patienceMs({ holder, name }, own, silentAfterMs))
      throw inUse(own.dir, holder);
    await sleep(LOOK_EVERY_MS);
  }
}

/** How long to wait for it to go. Of two candidates of a kind, the one whose name is smaller stays. */
function patienceMs(
  { holder, name }: { readonly holder: Holder | undefined; readonly name: string },
  own: Candidate,
  tieMs: number,
): number {
  const isBrief = holder?.isBrief ?? false;
  if (isBrief && !own.told.isBrief) return ENDS_WITHIN_MS;
  const isTied = isBrief === own.told.isBrief && holder?.holds !== true;
  return isTied && own.name < name ? tieMs : 0;
}

/** What the process behind the socket tells, or the code of the error. */
function ask(path: string): Promise<Holder | string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect(path);
    const tell = () => {
      socket.destroy();
      done(holderIn(text));
    };
    socket.setEncoding('utf8');
    socket.setTimeout(TELLS_WITHIN_MS, tell);
    socket.on('data', (part) => {
      text += String(part);
    });
    socket.once('end', tell);
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'unknown'));
  });
}

function holderIn(text: string): Holder {
  const unnamed = { pid: 0, host: hostname(), isBrief: false, holds: true };
  return text === '' ? unnamed : { ...unnamed, ...(JSON.parse(text) as Holder) };
}

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => FILE.test(name));
}

/** A folder that cannot be read at the moment proves nothing. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function touchedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function bootPart(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, BOOT_CHARS);
}

function inUse(dir: string, holder: Holder | undefined): TerminalError {
  if (holder === undefined) return folderInUse(dir, 'a process of another machine or user');
  if (holder.pid === 0) return folderInUse(dir, 'a process on this machine that stands still');
  const what = holder.isBrief ? 'command' : 'process';
  return folderInUse(dir, `the running ${what} ${holder.pid} on ${holder.host}`);
}
