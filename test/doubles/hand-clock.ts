import type { Clock } from '../../src/engine/runtime.ts';

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
