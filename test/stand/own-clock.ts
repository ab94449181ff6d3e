import type { Clock } from '../../src/engine/runtime.ts';

interface MovingClock extends Clock {
  advance(ms: number): void;
  freeze(atMs?: number): void;
}

/** The worker's clock over that of the sandboxes: `aheadMs` sets it wrong, and right again, for the worker alone. */
export class OwnClock implements MovingClock {
  aheadMs = 0;
  readonly #everybodys: MovingClock;

  constructor(everybodys: MovingClock) {
    this.#everybodys = everybodys;
  }

  now(): number {
    return this.#everybodys.now() + this.aheadMs;
  }

  advance(ms: number): void {
    this.#everybodys.advance(ms);
  }

  freeze(atMs?: number): void {
    this.#everybodys.freeze(atMs);
  }
}
