// Follow-up of a look at a tab: withdraws changes that users took back, and reports mass changes to the operator.
import type { CarryingMirror } from '../../../domain/mirror.ts';
import type { RowEdit, ShownCells } from '../../../domain/row-edit.ts';
import type { Memory } from '../../../ports/memory.ts';
import type { ProblemBoard } from '../../../ports/operator.ts';
import type { RowEditStore } from '../../../ports/rows.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Look } from './seen-row.ts';

export interface WithdrawParts {
  readonly edits: Pick<RowEditStore, 'withdraw'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly shownOf: (keys: ReadonlySet<string>) => Promise<ReadonlyMap<string, ShownCells>>;
}

type Found = ReadonlyMap<string, readonly RowEdit[]>;

/** Changed cells remembered from one look to the next. A look with more of them carries nothing. */
const HANDED_MAX = 500;
/** How long the problem board keeps the report that many rows changed at once. */
const REPORTED_MS = 3_600_000;

/**
 * Withdraws each waiting change that users took back. A row rewritten after the change was seen proves nothing, because the worker may have
 * restored the cell itself.
 */
export async function withdrawTakenBack(
  { edits, memory, shownOf }: WithdrawParts,
  { name }: Pick<CarryingMirror, 'name'>,
  { look, found }: { readonly look: Look; readonly found: Found },
): Promise<void> {
  const { edited, right, doubled, isWhole } = look;
  // Cells whose changes the last look handed on, as key and header.
  const fact = `rows-handed-on:${name}`;
  const before = JSON.parse((await memory.get(fact)) ?? '[]') as readonly (readonly [string, string])[];
  const seen = new Set([...right, ...edited.map(({ key }) => key)]);
  const isChanged = (key: string, header: string) => found.get(key)?.some((edit) => edit.header === header);
  const back = before.filter(
    ([key, header]) => seen.has(key) && !doubled.has(key) && isChanged(key, header) !== true,
  );
  const shown = back.length === 0 ? undefined : await shownOf(new Set(back.map(([key]) => key)));
  for (const [key, header] of back) {
    const as = shown?.get(key)?.as;
    if (as !== undefined) await edits.withdraw(key, { mirror: name, header, as });
  }
  const now = [...found].flatMap(([key, ofRow]) => ofRow.map(({ header }) => [key, header] as const));
  const unseen = isWhole ? [] : before.filter(([key]) => !seen.has(key));
  const next = JSON.stringify([...now, ...unseen].slice(0, HANDED_MAX));
  if (next !== JSON.stringify(before)) await memory.set(fact, next);
}

export interface TellParts {
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear' | 'list'>;
  readonly clock: Clock;
}

/** Keeps the problem for as long as an operator may wonder what happened to the rows. */
export async function reportMassChange(
  { problems, clock }: TellParts,
  { name, spreadsheetId, tab }: Pick<CarryingMirror, 'name' | 'spreadsheetId' | 'tab'>,
  found: Found,
): Promise<void> {
  const target = `carried-rows:${name}`;
  const rows = [...found.values()].filter((ofRow) => ofRow.some(({ doubt }) => doubt === 'many')).length;
  if (rows > 0) {
    const code = 'rows-changed-at-once';
    const message = `${rows} rows of ${spreadsheetId}/${tab} were changed between two checks: none of the changes was carried, and the rows are being restored`;
    const advice =
      'Ask the office whether a column was sorted, filled or pasted over. What was meant is to be changed row by row, or on the platform.';
    return problems.raise({ target, code, message, advice });
  }
  const told = (await problems.list()).find((problem) => problem.target === target);
  if (told !== undefined && clock.now() - told.sinceMs >= REPORTED_MS) await problems.clear(target);
}

/** True if the row has a change in a column that users may change. */
export function isCarried({ carry }: CarryingMirror, edits: readonly RowEdit[]): boolean {
  const fieldOf = new Map(carry.columns.map(({ header, field }) => [header, field]));
  return edits.some(({ header }) => fieldOf.get(header) !== 'shown');
}
