import { type Clock, steadyClock } from '../../ports/runtime.ts';

/** For how long nobody may call the platform. Implemented over Redis by the storage room, so that all processes share it. */
export interface PauseStore {
  /** Milliseconds until it ends; 0 when there is no pause. */
  leftMs(): Promise<number>;
  pause(ms: number): Promise<void>;
}

/** For one process alone. The newest word counts, also when it is a shorter one. */
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
