import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TerminalError, type WorkerError } from '../engine/errors.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Log } from '../engine/runtime.ts';
import { assertStrong, type SignedScheme } from '../engine/signing-secret.ts';

interface SecretSettings {
  readonly secrets: readonly string[];
  readonly secretFile?: string;
  readonly signature: SignedScheme | 'doorbell';
}

/**
 * The secrets that may sign a delivery: those of the YAML and those of the secret file, one per line. A changed file is reread, so that a
 * new secret is known before the platform signs with it. Throws `TerminalError` `secret-file-unreadable`, but only here: later, a file that
 * cannot be read leaves the last secrets in force. `onLook` receives the error of each look, or undefined.
 */
export function webhookSecrets(
  webhook: Pick<SecretSettings, 'secrets' | 'secretFile'>,
  onLook: (unread: TerminalError | undefined) => void = () => undefined,
): () => readonly string[] {
  const file = webhook.secretFile;
  if (file === undefined) return () => webhook.secrets;
  const look = () => ({ version: versionOf(file), secrets: [...webhook.secrets, ...secretsIn(file)] });
  let known = look();
  return () => {
    try {
      if (versionOf(file) !== known.version) known = look();
      onLook(undefined);
    } catch (error) {
      onLook(unreadable(file, error));
    }
    return known.secrets;
  };
}

/**
 * Throws `TerminalError` `webhook-secret-weak` when the secret file holds one that the scheme cannot use, `secret-file-unreadable` when it
 * cannot be read. The YAML's own secrets are judged when it is loaded.
 */
export function assertSecretsAreStrong({
  secretFile,
  signature,
}: Pick<SecretSettings, 'secretFile' | 'signature'>): void {
  if (secretFile === undefined) return;
  for (const [at, secret] of secretsIn(secretFile).entries())
    assertStrong(signature, secret, `no. ${at + 1} of the secrets in ${secretFile}`);
}

/** Warns that without a secret every delivery is only a hint to walk the feed. */
export function noticeNoSecret(webhook: SecretSettings, log: Log): void {
  if (webhook.signature === 'doorbell' || webhookSecrets(webhook)().length > 0) return;
  const advice =
    'Run `slotbridge webhook register`, or set platform.webhook.secrets; until then webhooks only wake a feed walk.';
  log.warn({ advice }, 'no webhook secret is known');
}

/** Makes sure that the file can be written, before there is a secret that the platform shows only once. */
export function assertSecretFileIsWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
  } catch (cause) {
    throw unwritable(cause);
  }
}

function unwritable(cause: unknown): TerminalError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new TerminalError('secret-file-unwritable', `the secret file cannot be written (${reason})`, {
    advice:
      'Give a file in a folder that can be written to, with --secret-file or platform.webhook.secret_file. Then run the command again: it continues from there.',
    cause,
  });
}

/**
 * Puts a secret first into the file, which only its owner can read. Older ones stay: they may go on signing for 24 hours. A running worker
 * may read the file at any moment, so the file is replaced as a whole.
 */
export function keepSecret(file: string, secret: string): void {
  const known = secretsIn(file).filter((each) => each !== secret);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replace(existsSync(file) ? realpathSync(file) : file, `${[secret, ...known].join('\n')}\n`);
}

function replace(file: string, text: string): void {
  const fresh = `${file}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    chmodSync(fresh, 0o600);
    const before = statSync(file, { throwIfNoEntry: false });
    // The command may run as root beside a worker that does not.
    if (before !== undefined) chownSync(fresh, before.uid, before.gid);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    // A file that is mounted alone, or stands in somebody else's folder, can only be written in place. On a full disk that would empty it.
    if (!ONLY_IN_PLACE.has((error as NodeJS.ErrnoException).code ?? '')) throw unwritable(error);
    writeFileSync(file, text, { mode: 0o600 });
    chmodSync(file, 0o600);
  }
}

const ONLY_IN_PLACE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);

/** Changes with each write, even with two writes in one tick of the file system's clock. */
function versionOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'absent' : `${found.mtimeMs} ${found.ino} ${found.size}`;
}

function secretsIn(file: string): string[] {
  return textOf(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** An absent file holds no secrets, as before the endpoint is registered. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): TerminalError {
  if (cause instanceof TerminalError) return cause;
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new TerminalError('secret-file-unreadable', `the secret file ${file} cannot be read (${reason})`, {
    advice: 'Give the file to the user that runs the worker, or correct platform.webhook.secret_file.',
    cause,
  });
}

// A secret file that cannot be read refuses no delivery: the last secrets stay in force. But a secret that the platform changes meanwhile
// would not be known, so people are told.

const TARGET = 'webhook-secrets';

const ADVICE =
  'Give the file to the user that runs the worker, or put it back. Until then the secrets that were read last are in force, and the worker cannot be started again.';

interface SecretWatchParts {
  readonly webhook: Parameters<typeof webhookSecrets>[0];
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly log: Log;
}

export class SecretWatch {
  readonly #parts: SecretWatchParts;
  /** The secrets that may sign a delivery now. */
  readonly read: () => readonly string[];
  /** What was logged last; undefined: nothing is wrong. */
  #logged: string | undefined;
  /** What the board shows; undefined: nothing; empty: unknown, because a write failed. */
  #told: string | undefined;
  #unread: WorkerError | undefined;

  /** Throws `TerminalError` `secret-file-unreadable`. */
  constructor(parts: SecretWatchParts) {
    this.#parts = parts;
    this.read = webhookSecrets(parts.webhook, (unread) => {
      this.#unread = unread;
      if (unread?.message === this.#logged) return;
      this.#logged = unread?.message;
      if (unread) parts.log.error({ reason: unread.message, advice: ADVICE }, 'secret file cannot be read');
      else parts.log.info({}, 'secret file can be read again');
    });
  }

  /** Raises the problem or ends it. Never rejects; what the board does not take is told at the next look. */
  async look(): Promise<void> {
    this.read();
    const message = this.#unread?.message;
    if (message === this.#told) return;
    const { problems } = this.#parts;
    const told =
      message === undefined
        ? problems.clear(TARGET)
        : problems.raise({ target: TARGET, code: 'secret-file-unreadable', message, advice: ADVICE });
    this.#told = await told.then(
      () => message,
      () => '',
    );
  }
}
