// Hours that rows said until a write went over them, and cells that people had emptied by then. A cell that was filled or cut from such a row, and
// that the write did not reach, says what no row says any more: without these it would pass for a wish. They count until a look has begun after the write.
import type { CarryingMirror } from '../../../domain/mirror.ts';
import type { Memory } from '../../../ports/memory.ts';
import type { OverWrite } from '../../../ports/rows.ts';
import { cellText } from './normal-form.ts';
import { figuresOf } from './start-cell.ts';

export interface GoneStart {
  readonly key: string;
  readonly header: string;
  /** Empty: people had emptied the cell, and perhaps cut out what they had typed. */
  readonly figures: string;
  /** Epoch milliseconds. */
  readonly foundAtMs: number;
}

interface Row {
  readonly key: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

type Kept = Pick<Memory, 'get' | 'set'>;

export async function goneStarts(
  memory: Pick<Memory, 'get'>,
  mirror: CarryingMirror,
): Promise<readonly GoneStart[]> {
  return JSON.parse((await memory.get(nameOf(mirror))) ?? '[]') as readonly GoneStart[];
}

/** `rows`: as they stood when the write went over them. */
export async function addGoneStarts(
  memory: Kept,
  mirror: CarryingMirror,
  {
    rows,
    write,
    nowMs,
  }: { readonly rows: readonly Row[]; readonly write: OverWrite; readonly nowMs: number },
): Promise<void> {
  const shown = new Map(write.rows.map((row) => [row.key, row.shown?.cells ?? {}]));
  const added = rows.flatMap(({ key, cells }) =>
    mirror.carry.columns.flatMap(({ header, field }): readonly GoneStart[] => {
      if (field === 'shown' || field === 'cancel') return [];
      const figures = field === 'start' ? figuresOf(cells[header]) : undefined;
      const isEmptied = cellText(cells[header]).trim() === '' && (shown.get(key)?.[header] ?? '') !== '';
      if (figures === undefined && !isEmptied) return [];
      return [{ key, header, figures: figures ?? '', foundAtMs: nowMs }];
    }),
  );
  const known = await goneStarts(memory, mirror);
  if (added.length > 0) await memory.set(nameOf(mirror), JSON.stringify([...known, ...added]));
}

/** Once a look at the whole tab that began at `startedAtMs` was judged by them. */
export async function dropGoneStarts(
  memory: Kept,
  mirror: CarryingMirror,
  startedAtMs: number,
): Promise<void> {
  const known = await goneStarts(memory, mirror);
  const left = known.filter(({ foundAtMs }) => foundAtMs >= startedAtMs);
  if (left.length < known.length) await memory.set(nameOf(mirror), JSON.stringify(left));
}

function nameOf({ name }: CarryingMirror): string {
  return `starts-gone:${name}`;
}
