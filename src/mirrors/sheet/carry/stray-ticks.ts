// Counts ticks in rows without an object. Only a change of the count matters: an old tick, as in an erased person's row, is no current
// action. Sorting the checkbox column alone takes a tick away from such a row.
import type { CarryingMirror } from '../../../domain/mirror.ts';
import type { RowEdit } from '../../../domain/row-edit.ts';
import type { Memory } from '../../../ports/memory.ts';
import type { Look } from './seen-row.ts';

export interface StrayTicksParts {
  readonly memory: Pick<Memory, 'get' | 'set'>;
}

export async function movedStrayTicks(
  { memory }: StrayTicksParts,
  mirror: CarryingMirror,
  { strayTicks }: Look,
): Promise<number> {
  return Math.abs(strayTicks - Number((await memory.get(nameOf(mirror))) ?? 0));
}

/** Keeps the old count while other ticks are set. Until they are restored, each look must doubt them for the same reason. */
export async function rememberStrayTicks(
  { memory }: StrayTicksParts,
  mirror: CarryingMirror,
  { look, found }: { readonly look: Look; readonly found: ReadonlyMap<string, readonly RowEdit[]> },
): Promise<void> {
  const boxes = mirror.carry.columns.flatMap(({ header, field }) => (field === 'cancel' ? [header] : []));
  const isTicked = [...found.values()].some((ofRow) => ofRow.some(({ header }) => boxes.includes(header)));
  const known = (await memory.get(nameOf(mirror))) ?? '0';
  if (!isTicked && known !== String(look.strayTicks))
    await memory.set(nameOf(mirror), String(look.strayTicks));
}

function nameOf({ name }: CarryingMirror): string {
  return `stray-ticks:${name}`;
}
