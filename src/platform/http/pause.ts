/** Until when nobody may call the platform. Implemented over Redis by the storage room, so that all processes share it. */
export interface PauseStore {
  /** Epoch milliseconds; in the past, or 0, when there is no pause. */
  until(): Promise<number>;
  pause(untilMs: number): Promise<void>;
}

/** For one process alone. The newest word counts, also when it is a shorter one. */
export class LocalPause implements PauseStore {
  #untilMs = 0;

  async until(): Promise<number> {
    return this.#untilMs;
  }

  async pause(untilMs: number): Promise<void> {
    this.#untilMs = untilMs;
  }
}
