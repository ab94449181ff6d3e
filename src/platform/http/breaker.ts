/**
 * Stops calling when the platform refuses the key (401, 402) or a scope (403): "repeating with the same key is useless" (platform API,
 * Authentication). One call every 15 s finds out when it works again. A missing scope stops only the operations that need it.
 */
import { DeferredError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Scope } from './operations.ts';

/** Between two looks whether the platform accepts the key again. */
const PROBE_EVERY_MS = 15_000;

/** How the platform takes the key, as last seen. */
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
      /** The scopes that are missing; empty when the whole key is refused. */
      readonly scopes: readonly Scope[];
    };

/** Given to a call that may leave. Only a call that left after the refusal can prove that it is over. */
export interface Pass {
  readonly scope: Scope;
  readonly probes: ReadonlySet<Circuit>;
}

interface Circuit {
  readonly refusal: DeferredError;
  readonly sinceMs: number;
  /** On the steady clock. */
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

  /** Throws the standing refusal, unless it is time to see whether it still stands. */
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

  /** The platform refused the key, or the scope when one is named. */
  refused(refusal: DeferredError, scope?: Scope): void {
    const name = scope ?? 'key';
    const known = this.#circuits.get(name);
    if (known?.refusal.code === refusal.code) return;
    this.#circuits.set(name, { refusal, sinceMs: this.#clock.now(), probedAtMs: this.#steady.now() });
    this.#tell();
  }

  /** The platform took the key, and the scope as well unless `keyOnly`. */
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

  /** Called after every change, also when one more scope is refused. Returns the way to stop listening. */
  onState(listener: (state: PlatformState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    const state = this.state();
    for (const listener of this.#listeners) listener(state);
  }
}

/** A fresh error: the first one's stack and cause belong to another call. */
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
