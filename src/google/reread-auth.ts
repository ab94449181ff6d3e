import { statSync } from 'node:fs';
import type { Clock } from '../ports/runtime.ts';
import type { GoogleAuthClient } from './auth-client.ts';

/** How soon a replaced credential file is noticed. */
const LOOK_EVERY_MS = 2_000;

/** A client and the name of its credential. */
export interface OpenedFile {
  readonly client: GoogleAuthClient;
  readonly name: string;
}

/**
 * A credential whose file may be replaced while the worker runs: by `slotbridge google login`, or when a key is rotated. An unusable file
 * is reported once, and the previous credential stays in use.
 */
export class RereadAuth {
  /** Target of problems with the credential. */
  readonly problems: string;
  readonly #path: string;
  readonly #open: () => OpenedFile;
  readonly #clock: Clock;
  readonly #onUnusable: (error: unknown) => void;
  #opened: OpenedFile;
  #stamp: string;
  #lookedAtMs: number;

  /** Throws what `open` throws. */
  constructor(parts: {
    path: string;
    problems: string;
    open: () => OpenedFile;
    /** A monotonic clock. */
    clock: Clock;
    onUnusable: (error: unknown) => void;
  }) {
    this.problems = parts.problems;
    this.#path = parts.path;
    this.#open = parts.open;
    this.#clock = parts.clock;
    this.#onUnusable = parts.onUnusable;
    // Taken before the file is read, so that a write in between counts as a change.
    this.#stamp = stampOf(parts.path);
    this.#lookedAtMs = parts.clock.now();
    this.#opened = parts.open();
  }

  get name(): string {
    return this.#opened.name;
  }

  /** googleapis calls only `request` of its `auth`. */
  get auth(): GoogleAuthClient {
    const request = (options: never) => this.#current().request(options);
    return { request } as unknown as GoogleAuthClient;
  }

  #current(): { request(options: never): unknown } {
    const nowMs = this.#clock.now();
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      this.#look();
    }
    return this.#opened.client;
  }

  #look(): void {
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    try {
      this.#opened = this.#open();
    } catch (error) {
      this.#onUnusable(error);
    }
  }
}

/** Empty for a missing file. That counts as a change: `open` fails, and the previous credential stays in use until a new file appears. */
function stampOf(path: string): string {
  try {
    // The change time also moves when only the owner or mode is corrected.
    const { ino, ctimeMs, size } = statSync(path);
    return `${ino} ${ctimeMs} ${size}`;
  } catch {
    return '';
  }
}
