// Joins readings of one spreadsheet. Whoever can wait a moment hands in what it wants to see, and the next reading in this process takes it
// along. It begins after both have asked for it, so each sees what a reading of its own would have shown.
import type { AreaValues, GridArea } from './grid-area.ts';

export type Values = readonly (AreaValues | undefined)[];

export interface Passenger {
  readonly areas: readonly GridArea[];
  /** Undefined: the reading failed, perhaps for the sake of others. */
  readonly arrive: (values: Values | undefined) => void;
}

export class SharedReads {
  readonly #waiting = new Map<string, Set<Passenger>>();

  /** A reading begins: these go along, and wait for it. */
  board(spreadsheetId: string): readonly Passenger[] {
    const waiting = this.#waiting.get(spreadsheetId);
    const passengers = [...(waiting ?? [])];
    waiting?.clear();
    return passengers;
  }

  /**
   * What the next reading brings that begins within `waitMs`; undefined when none does, or it fails. The signal ends the waiting for one
   * that has not begun.
   */
  join(
    spreadsheetId: string,
    areas: readonly GridArea[],
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<Values | undefined> {
    const waiting = this.#waiting.get(spreadsheetId) ?? new Set();
    this.#waiting.set(spreadsheetId, waiting);
    return new Promise((resolve) => {
      const arrive = (values: Values | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        resolve(values);
      };
      const passenger = { areas, arrive };
      const leave = () => {
        if (waiting.delete(passenger)) arrive(undefined);
      };
      const timer = setTimeout(leave, waitMs);
      signal.addEventListener('abort', leave);
      waiting.add(passenger);
      if (signal.aborted) leave();
    });
  }
}
