import { type Clock, steadyClock } from '../../ports/runtime.ts';

/** How long no process may call the platform. The storage room implements it over Redis, so that all processes share it. */
export interface PauseStore {
  /** Milliseconds until the pause ends; 0 when there is none. */
  leftMs(): Promise<number>;
  pause(ms: number): Promise<void>;
}

/** For a single process. The newest pause replaces an earlier one, even if it is shorter. */
export class LocalPause implements PauseStore {
  readonly #clock: Clock;
  #untilMs = 0;

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock;
  }

  async leftMs(): Promise<number> {
    return Math.max(0, this.#untilMs - this.#clock.now());
  }

  async pause(ms: number): Promise<void> {
    this.#untilMs = this.#clock.now() + ms;
  }
}
