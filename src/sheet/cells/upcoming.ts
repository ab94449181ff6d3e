import type { CarryingMirror } from '../../engine/domain/mirror.ts';
import type { ShownRows } from '../../engine/ports/rows.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import { upcomingRows } from './cells.ts';

/** Counts the rows of a mirror's tab whose appointments are in the future. */
export function createUpcoming(parts: {
  readonly mirrors: readonly CarryingMirror[];
  readonly sheetRows: ShownRows;
  readonly clock: Clock;
}): (mirror: string) => Promise<number> {
  return async (name) => {
    const mirror = parts.mirrors.find((each) => each.name === name);
    if (mirror === undefined) return 0;
    const { spreadsheetId, tab } = mirror;
    const rows = await parts.sheetRows.shown({ mirror: name, spreadsheetId, tab });
    return upcomingRows(mirror.carry, rows.values(), parts.clock.now());
  };
}
