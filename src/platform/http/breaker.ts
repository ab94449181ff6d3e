/**
 * Stops calls when the platform refuses the key (401, 402) or a scope (403): "repeating with the same key is useless" (platform API,
 * Authentication). One call every 15 s tests whether it works again. A missing scope stops only the operations that need it.
 */
import { DeferredError } from '../../engine/domain/errors.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { Scope } from './operations.ts';

/** Time between two calls that test whether the platform accepts the key again. */
const PROBE_EVERY_MS = 15_000;

/** Whether the platform accepts the key, as last seen. */
export type PlatformState =
  | { readonly state: 'ok' }
  | {
      readonly state: 'refused';
      /** `platform-unauthenticated`, `platform-addon-required` or `platform-forbidden`. */
      readonly code: string;
      readonly message: string;
      readonly advice: string | undefined;
      readonly requestId: string | undefined;
      /** Epoch milliseconds. */
      readonly sinceMs: number;
      /** The missing scopes; empty when the whole key is refused. */
      readonly scopes: readonly Scope[];
    };

/** Permission for one call. Only a call that left after the refusal can prove that the refusal is over. */
export interface Pass {
  readonly scope: Scope;
  readonly probes: ReadonlySet<Circuit>;
}

interface Circuit {
  readonly refusal: DeferredError;
  readonly sinceMs: number;
  /** On the monotonic clock. */
  probedAtMs: number;
}

type CircuitName = 'key' | Scope;

export class Breaker {
  readonly #clock: Clock;
  readonly #steady: Clock;
  readonly #circuits = new Map<CircuitName, Circuit>();
  readonly #listeners = new Set<(state: PlatformState) => void>();

  constructor(parts: { clock: Clock; steady: Clock }) {
    this.#clock = parts.clock;
    this.#steady = parts.steady;
  }

  /** Throws the current refusal, unless it is time to test whether it is over. */
  admit(scope: Scope): Pass {
    const open = [this.#circuits.get('key'), this.#circuits.get(scope)].filter(
      (circuit) => circuit !== undefined,
    );
    const now = this.#steady.now();
    for (const circuit of open) {
      if (now - circuit.probedAtMs < PROBE_EVERY_MS) throw again(circuit.refusal);
    }
    for (const circuit of open) circuit.probedAtMs = now;
    return { scope, probes: new Set(open) };
  }

  /** Reports that the platform refused the key, or the scope if one is given. */
  refused(refusal: DeferredError, scope?: Scope): void {
    const name = scope ?? 'key';
    const known = this.#circuits.get(name);
    if (known?.refusal.code === refusal.code) return;
    this.#circuits.set(name, { refusal, sinceMs: this.#clock.now(), probedAtMs: this.#steady.now() });
    this.#tell();
  }

  /** Reports that the platform accepted the key, and also the scope unless `keyOnly`. */
  accepted(pass: Pass, keyOnly = false): void {
    const names: CircuitName[] = keyOnly ? ['key'] : ['key', pass.scope];
    let changed = false;
    for (const name of names) {
      const circuit = this.#circuits.get(name);
      if (circuit && pass.probes.has(circuit)) changed = this.#circuits.delete(name) || changed;
    }
    if (changed) this.#tell();
  }

  state(): PlatformState {
    const key = this.#circuits.get('key');
    const scopes = [...this.#circuits.keys()].filter((name) => name !== 'key');
    const worst = key ?? [...this.#circuits.values()][0];
    if (!worst) return { state: 'ok' };
    const { code, message, advice, requestId } = worst.refusal;
    return {
      state: 'refused',
      code,
      message,
      advice,
      requestId,
      sinceMs: worst.sinceMs,
      scopes: key ? [] : scopes,
    };
  }

  /** Called after every change, also when another scope is refused. Returns a function that removes the listener. */
  onState(listener: (state: PlatformState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    const state = this.state();
    for (const listener of this.#listeners) listener(state);
  }
}

/** Creates a new error, because the stack and cause of the first one belong to another call. */
function again(first: DeferredError): DeferredError {
  const { code, message, advice, requestId, target, status, retryAfterMs } = first;
  return new DeferredError(code, message, {
    retryAfterMs,
    ...(advice === undefined ? {} : { advice }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(target === undefined ? {} : { target }),
    ...(status === undefined ? {} : { status }),
  });
}
