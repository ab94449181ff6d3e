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
 * A credential whose file may be replaced while the worker runs: after `slotbridge google login`, or when a key is rotated. A file that
 * cannot be used is told once, and the credential that was there goes on being used.
 */
export class RereadAuth {
  /** Target of its problems. */
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
    /** A steady one. */
    clock: Clock;
    onUnusable: (error: unknown) => void;
  }) {
    this.problems = parts.problems;
    this.#path = parts.path;
    this.#open = parts.open;
    this.#clock = parts.clock;
    this.#onUnusable = parts.onUnusable;
    // Before it is read: what is written in between is then seen as a change.
    this.#stamp = stampOf(parts.path);
    this.#lookedAtMs = parts.clock.now();
    this.#opened = parts.open();
  }

  get name(): string {
    return this.#opened.name;
  }

  /** What googleapis takes as `auth`: it asks nothing of it but `request`. */
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

/** A file that was removed is as good as unchanged: its successor is on its way. */
function stampOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}
