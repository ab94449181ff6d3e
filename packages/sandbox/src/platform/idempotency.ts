/**
 * The memory of Idempotency-Keys (platform API, Idempotency). Where the document is silent on duration and content, a switch
 * decides.
 */
import { isDeepStrictEqual } from 'node:util';
import type { SandboxClock } from '../clock.ts';
import { LIMITS, type SilentSwitches } from './options.ts';
import { Problem } from './problem.ts';

const KEY = new RegExp(`^[A-Za-z0-9_\\-:.]{1,${LIMITS.idempotencyKeyChars}}$`);
const HOUR_MS = 3_600_000;

export interface Reply {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly contentType: string;
}

export interface Attempt {
  readonly owner: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** The body as text and as value. */
  readonly raw: string;
  readonly json: unknown;
}

interface Memory extends Attempt {
  readonly at: number;
  reply: Reply | undefined;
}

export class Idempotency {
  readonly #memories = new Map<string, Memory>();
  readonly #clock: SandboxClock;
  readonly #switches: () => SilentSwitches;

  constructor(parts: { clock: SandboxClock; switches: () => SilentSwitches }) {
    this.#clock = parts.clock;
    this.#switches = parts.switches;
  }

  /** The checked key of a request; undefined when it has no key and needs no key. */
  readKey(
    headers: { first: string | undefined; second: string | undefined },
    isRequired: boolean,
  ): string | undefined {
    const key = headers.first ?? headers.second;
    if (key === undefined) {
      if (isRequired)
        throw new Problem('idempotency-key-required', 'The header Idempotency-Key is required.');
      return undefined;
    }
    if (!KEY.test(key)) {
      throw new Problem(
        'idempotency-key-invalid',
        'Idempotency-Key: 1 to 64 letters, digits and _ - : . only.',
      );
    }
    return key;
  }

  /** Performs once per key, or repeats the first answer. `perform` must not throw: refusals are replies. */
  async run(attempt: Attempt, perform: () => Promise<Reply>): Promise<{ reply: Reply; isReplay: boolean }> {
    const slot =
      this.#switches().idempotencyScope === 'key' ? `${attempt.owner} ${attempt.key}` : attempt.key;
    const known = this.#recall(slot);
    if (known) return { reply: this.#replay(known, attempt), isReplay: true };
    const memory: Memory = { ...attempt, at: this.#clock.now(), reply: undefined };
    this.#memories.set(slot, memory);
    try {
      memory.reply = await perform();
      return { reply: memory.reply, isReplay: false };
    } finally {
      if (!memory.reply || !this.#isRemembered(memory.reply.status)) this.#memories.delete(slot);
    }
  }

  #recall(slot: string): Memory | undefined {
    const known = this.#memories.get(slot);
    if (!known || this.#clock.now() - known.at <= this.#switches().idempotencyHours * HOUR_MS) return known;
    this.#memories.delete(slot);
    return undefined;
  }

  #replay(known: Memory, attempt: Attempt): Reply {
    const sameBody =
      this.#switches().idempotencyCompares === 'json'
        ? isDeepStrictEqual(known.json, attempt.json)
        : known.raw === attempt.raw;
    if (known.method !== attempt.method || known.path !== attempt.path || !sameBody) {
      throw new Problem(
        'idempotency-conflict',
        'The Idempotency-Key was used with another method, path or body.',
      );
    }
    if (!known.reply) {
      throw new Problem(
        'idempotency-in-progress',
        'The first request with this Idempotency-Key is still running.',
      );
    }
    return known.reply;
  }

  #isRemembered(status: number): boolean {
    switch (this.#switches().idempotencyRemembers) {
      case '2xx-and-409':
        return (status >= 200 && status < 300) || status === 409;
      case '2xx':
        return status >= 200 && status < 300;
      case 'all-but-422':
        return status !== 422;
    }
  }
}
