// One process at a time holds a data folder. Each candidate listens on its own socket in the folder, and the socket dies with its process.
// Process ids would prove nothing: each container counts its own. On another machine such a socket does not answer, so its file is touched.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalError } from './errors.ts';

// Identifies this process, so that another one can prove its death. Process ids are reused, also by each new container. A missing id proves
// death only if both processes see the same process table, on the same boot.

export interface ProcessIdentity {
  /** Machine, boot and namespaces in which `pid` and `startedAt` are valid. */
  readonly place: string;
  readonly pid: number;
  /** Ticks since boot, from `/proc`. */
  readonly startedAt: string;
}

/** Identifies this boot of the machine, also inside containers. Where the system does not say, each call returns another name. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || randomUUID();
  } catch {
    return randomUUID();
  }
}

/** Undefined where the system says too little. Then no process can prove this one dead, and this one proves no other dead. */
export function ownIdentity(): ProcessIdentity | undefined {
  try {
    const { pid } = process;
    // In a container with the host's /proc, the ids there are not those of this process.
    if (readlinkSync('/proc/self') !== String(pid)) return undefined;
    // Ticks follow the time namespace of the reader (time_namespaces(7)).
    const namespaces = ['pid', 'time'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const startedAt = processStart(pid);
    if (startedAt === '') return undefined;
    return { place: [bootId(), ...namespaces, hostname()].join(' '), pid, startedAt };
  } catch {
    return undefined;
  }
}

/**
 * True if the process is missing, or if another process has its id now. A frozen process, or one that cannot be examined, is not proved
 * dead.
 */
export function isProvedDead(other: ProcessIdentity, own: ProcessIdentity): boolean {
  if (other.place !== own.place) return false;
  if (!isAlive(other.pid)) return true;
  const startedAt = processStart(other.pid);
  return startedAt !== '' && startedAt !== other.startedAt;
}

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

// The folder of a private Redis. Only its owner can read it, and one process at a time holds it.

/** Creates the folder, or closes it to other users. Throws `TerminalError` `data-folder-unusable`. */
export function makePrivateFolder(dir: string): void {
  usable(dir, () => {
    makeFolders(dir);
    chmodSync(dir, 0o700);
  });
}

/**
 * The running process that the file names; undefined when that process has ended, or is this one. Only versions before 0.3 rely on it,
 * because in another container the id says nothing. `lockFolder` decides between newer ones.
 */
export function ownerOf(ownerFile: string): number | undefined {
  const [pid, startedAt] = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8').trim().split(' ') : [];
  const owner = Number(pid ?? 0);
  // Process ids are reused after a reboot. Only a process with the same start time is the owner.
  const isSame = startedAt === undefined || startedAt === processStart(owner);
  return owner > 0 && owner !== process.pid && isAlive(owner) && isSame ? owner : undefined;
}

export function takeOwnership(ownerFile: string): void {
  const dir = dirname(ownerFile);
  const owner = ownerOf(ownerFile);
  if (owner !== undefined) throw folderInUse(dir, `the running process ${owner}`);
  usable(dir, () => writeFileSync(ownerFile, `${process.pid} ${processStart(process.pid)}`, { mode: 0o600 }));
}

export function giveUpOwnership(ownerFile: string): void {
  rmSync(ownerFile, { force: true });
}

/** When a process started, in ticks since boot (proc(5), stat). Empty where that file is missing, and for a zombie. */
export function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets that may contain anything.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? '' : (fields[18] ?? '');
  } catch {
    return '';
  }
}

/** True if the process has this folder as its working directory. False for the same id in another container, and another user's process. */
export function worksIn(pid: number, dir: string): boolean {
  // Where there is no /proc, there are no containers either.
  if (!existsSync('/proc/self/cwd')) return isAlive(pid);
  try {
    const [its, own] = [statSync(`/proc/${pid}/cwd`), statSync(dir)];
    return its.dev === own.dev && its.ino === own.ino;
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Creates the folders one by one, because Node's recursive mkdir never ends below /proc. */
function makeFolders(dir: string): void {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) mkdirSync(each, { mode: 0o700 });
  if (!statSync(dir).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

function usable(dir: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw unusable(dir, cause);
  }
}

export function unusable(dir: string, cause: unknown): TerminalError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new TerminalError('data-folder-unusable', `the data folder ${dir} cannot be used (${reason})`, {
    target: 'redis',
    advice: adviceOn(reason),
    cause,
  });
}

/** `who` holds it. */
export function folderInUse(dir: string, who: string): TerminalError {
  return new TerminalError('data-folder-in-use', `the data folder ${dir} belongs to ${who}`, {
    target: 'redis',
    advice:
      'Stop that process, give this one another redis.data_dir, or let both share a Redis through redis.url.',
  });
}

function adviceOn(reason: string): string {
  switch (reason) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free space on its disk, or set redis.data_dir to a folder on another one.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Give the folder to the user that runs the worker, or set redis.data_dir to one that it may write.';
    default:
      return 'Set redis.data_dir to a folder that can be made on this machine.';
  }
}
