/** Deletes what tests have created on a foreign server. */
import type { Answer } from './api.ts';
import type { Desk } from './desk.ts';

export class Broom {
  readonly #events = new Set<string>();
  readonly #tabs: number[] = [];

  note({ status, body }: Answer): void {
    if (status === 200 && body?.kind === 'calendar#event' && typeof body.id === 'string')
      this.#events.add(body.id);
  }

  noteTab(sheetId: number): void {
    this.#tabs.push(sheetId);
  }

  async sweep(desk: Desk): Promise<void> {
    for (const id of this.#events) await desk.delete({ id });
    if (this.#tabs.length > 0)
      await desk.batch(...this.#tabs.map((sheetId) => ({ deleteSheet: { sheetId } })));
  }
}
