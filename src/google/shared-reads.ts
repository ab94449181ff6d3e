// Joins reads of one spreadsheet. A caller that can wait a moment registers its areas, and the next read in this process includes them.
// That read begins after both callers asked, so each sees what a read of its own would have shown.
import type { AreaValues, GridArea } from './grid-area.ts';

export type Values = readonly (AreaValues | undefined)[];

export interface Joiner {
  readonly areas: readonly GridArea[];
  /** Undefined: the read failed, perhaps because of another caller's areas. */
  readonly arrive: (values: Values | undefined) => void;
}

export class SharedReads {
  readonly #waiting = new Map<string, Set<Joiner>>();

  /** Takes all waiting callers into a read that begins now; they wait for it. */
  board(spreadsheetId: string): readonly Joiner[] {
    const waiting = this.#waiting.get(spreadsheetId);
    const passengers = [...(waiting ?? [])];
    waiting?.clear();
    return passengers;
  }

  /**
   * Resolves with the values of the next read that begins within `waitMs`; undefined when none begins, or it fails. The signal ends the
   * wait only while that read has not begun.
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
