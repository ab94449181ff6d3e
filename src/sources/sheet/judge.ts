// The rows of one reading come in; who is whose comes out. Pure: the same rows, and the same knowledge of them, give the same judgement.
import { isRowId } from '../../domain/row-id.ts';
import { type Flag, isFlag } from './flags.ts';
import { isBlank, type TypedRow } from './typed-row.ts';

export interface Judgement {
  /** Each with an id that is its own: no two have the same. */
  readonly bearers: readonly TypedRow[];
  /** Typed, and without an id. */
  readonly newcomers: readonly TypedRow[];
  /** Never acted upon: each is told why in its status cell. */
  readonly flagged: readonly { readonly row: TypedRow; readonly flag: Flag }[];
}

export interface Knowledge {
  readonly spreadsheetId: string;
  /** Print of the row as it was last seen under this id, and undefined where it never was. */
  readonly lastPrint: (id: string) => string | undefined;
}

export function judge(rows: readonly TypedRow[], { spreadsheetId, lastPrint }: Knowledge): Judgement {
  const newcomers = rows.filter((row) => row.id === '' && !isBlank(row));
  const named = rows.filter((row) => row.id !== '');
  const foreign = named.filter(({ id }) => !isRowId(id, spreadsheetId));
  const byId = new Map<string, TypedRow[]>();
  for (const row of named) {
    if (!foreign.includes(row)) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  }
  const bearers: TypedRow[] = [];
  const copies: TypedRow[] = [];
  for (const [id, same] of byId) {
    const bearer = bearerOf(same, lastPrint(id));
    if (bearer !== undefined) bearers.push(bearer);
    copies.push(...same.filter((row) => row !== bearer));
  }
  const inOrder = (some: readonly TypedRow[]) => [...some].sort((a, b) => a.row - b.row);
  return {
    bearers: inOrder(bearers),
    newcomers,
    flagged: [
      // A number or a total below the table is nobody's row.
      ...foreign.filter((row) => !isBlank(row)).map((row) => ({ row, flag: 'foreign' as const })),
      ...inOrder(copies).map((row) => ({ row, flag: 'copy' as const })),
    ],
  };
}

/**
 * Rows that bear each other's ids: the worker's own write has put one that nobody knows over an id while people sorted, and that id stands in
 * a row that says something else. By the row to which it belongs: it says what was known under it. To the row in which it stands.
 */
export function displaced(
  bearers: readonly TypedRow[],
  lastPrint: Knowledge['lastPrint'],
): ReadonlyMap<TypedRow, TypedRow> {
  const strangers = bearers.filter(({ id }) => lastPrint(id) === undefined);
  const changed = bearers.filter(({ id, print }) => ![undefined, print].includes(lastPrint(id)));
  const owners = new Map<TypedRow, TypedRow>();
  for (const holder of changed) {
    const owner = strangers.find((row) => row.print === lastPrint(holder.id) && !owners.has(row));
    if (owner !== undefined) owners.set(owner, holder);
  }
  return owners;
}

/**
 * The first keeps the id (case 62), and that is the one that is as it was known: a copy is pasted above the original as easily as
 * below, and is then edited. What was told that it is a copy stays one, unless it says the very same and is all that is left.
 */
function bearerOf(same: readonly TypedRow[], lastPrint: string | undefined): TypedRow | undefined {
  const unflagged = same.filter(({ status }) => !isFlag(status));
  const isKnown = ({ print }: TypedRow) => print === lastPrint;
  if (unflagged.length > 0) return unflagged.find(isKnown) ?? unflagged[0];
  return lastPrint === undefined ? same[0] : same.find(isKnown);
}
