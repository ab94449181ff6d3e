/** Calls per window and key (platform API, Limits). A window starts with its first call. */
import type { SandboxClock } from '../clock.ts';
import { Problem } from './problem.ts';

const WINDOW_MS = 60_000;

export class RateLimit {
  perMinute: number;
  refused = 0;
  readonly #clock: SandboxClock;
  readonly #windowMs: number;
  readonly #windows = new Map<string, { startedAt: number; calls: number }>();

  constructor(parts: { clock: SandboxClock; perMinute: number; windowMs?: number | undefined }) {
    this.#clock = parts.clock;
    this.perMinute = parts.perMinute;
    this.#windowMs = parts.windowMs ?? WINDOW_MS;
  }

  /** Counts one call. Returns the `RateLimit-*` headers and, if the limit is exceeded, the refusal. */
  take(key: string): { headers: Record<string, string>; refusal: Problem | undefined } {
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (!window || now - window.startedAt >= this.#windowMs) {
      window = { startedAt: now, calls: 0 };
      this.#windows.set(key, window);
    }
    const resetSeconds = String(Math.max(1, Math.ceil((window.startedAt + this.#windowMs - now) / 1000)));
    const isRefused = window.calls >= this.perMinute;
    if (isRefused) this.refused += 1;
    else window.calls += 1;
    return {
      headers: {
        'RateLimit-Limit': String(this.perMinute),
        'RateLimit-Remaining': String(this.perMinute - window.calls),
        'RateLimit-Reset': resetSeconds,
      },
      refusal: isRefused
        ? new Problem('rate-limited', 'Too many requests.', { headers: { 'Retry-After': resetSeconds } })
        : undefined,
    };
  }
}
