// A secret file that cannot be read refuses no delivery: the last secrets stay in force. But a secret that the platform changes meanwhile
// would not be known, so people are told.
import type { WorkerError } from '../../domain/errors.ts';
import type { ProblemBoard } from '../../ports/operator.ts';
import type { Log } from '../../ports/runtime.ts';
import { webhookSecrets } from './secret-file.ts';

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
  readonly #secrets: () => readonly string[];
  /** What was logged last; undefined: nothing is wrong. */
  #logged: string | undefined;
  /** What the board shows; undefined: nothing. */
  #told: string | undefined;
  #unread: WorkerError | undefined;

  /** Throws `TerminalError` `secret-file-unreadable`. */
  constructor(parts: SecretWatchParts) {
    this.#parts = parts;
    this.#secrets = webhookSecrets(parts.webhook, (unread) => {
      this.#unread = unread;
      if (unread?.message === this.#logged) return;
      this.#logged = unread?.message;
      if (unread) parts.log.error({ reason: unread.message, advice: ADVICE }, 'secret file cannot be read');
      else parts.log.info({}, 'secret file can be read again');
    });
  }

  /** The secrets that may sign a delivery now. */
  read(): readonly string[] {
    return this.#secrets();
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
    await told.then(() => (this.#told = message)).catch(() => undefined);
  }
}
