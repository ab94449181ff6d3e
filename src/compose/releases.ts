import type { Log } from '../ports/log.ts';

/** What has to be given back, in reverse order of its taking. */
export class Releases {
  readonly #log: Log;
  readonly #steps: (() => unknown)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  push(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** One that fails does not keep the others from theirs. */
  async all(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        this.#log.warn({ err: error }, 'release failed');
      }
    }
  }
}
