import type { Wire } from '../judge/company.ts';
import type { CellValue, TabPlan } from '../judge/row-picture.ts';
import { rowsOf } from '../judge/sheets.ts';
import { type LagSamples, Stopwatch } from './stopwatch.ts';

/** The expected row as text; '' for no row. */
type Row = string;

/** Measures from an object's change to the look at the tab that finds that state, or a later one, in its row. */
export class RowLag {
  readonly #plan: TabPlan;
  readonly #watch = new Stopwatch<Row>();
  #rows = new Map<string, Row>();

  constructor(plan: TabPlan) {
    this.#plan = plan;
  }

  /** `object` is undefined when it was deleted. */
  changed(id: string, object: Wire | undefined, atMs: number): void {
    const cells = object === undefined ? undefined : this.#plan.cells(object);
    const wanted = cells === undefined ? '' : JSON.stringify(cells);
    this.#watch.changed(id, { atMs, wanted, isShown: this.#shown(id) === wanted });
  }

  lost(id: string, atMs: number): void {
    this.#watch.lost(id, atMs);
  }

  looked(values: readonly (readonly CellValue[])[], atMs: number): void {
    const rows = rowsOf(this.#plan, values);
    this.#rows = new Map([...rows].map(([id, copies]) => [id, JSON.stringify(copies[0] ?? [])]));
    for (const id of this.#watch.waiting()) {
      this.#watch.written(id, { atMs, shows: (wanted) => this.#shown(id) === wanted });
    }
  }

  samples(): LagSamples {
    return this.#watch.samples();
  }

  #shown(id: string): Row {
    return this.#rows.get(id) ?? '';
  }
}
