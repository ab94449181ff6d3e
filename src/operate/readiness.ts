import type { Problem } from '../engine/work.ts';

/** Whether the worker can do its work: Redis accepts writes, and the names of the mapping are resolved. */
export class Readiness {
  readonly #writeProbe: { problem(): Promise<Problem | undefined> };
  #areNamesResolved = false;

  constructor(writeProbe: { problem(): Promise<Problem | undefined> }) {
    this.#writeProbe = writeProbe;
  }

  namesResolved(): void {
    this.#areNamesResolved = true;
  }

  async read(): Promise<{ readonly ready: boolean; readonly reasons: string[] }> {
    const redis = await this.#writeProbe.problem().then(
      (problem) => problem?.message,
      () => 'Redis does not answer',
    );
    const reasons = [
      ...(redis === undefined ? [] : [redis]),
      ...(this.#areNamesResolved ? [] : ['the names in the mapping are not resolved yet']),
    ];
    return { ready: reasons.length === 0, reasons };
  }
}
