// What stands in the id cell of a row comes in; what it means comes out.
import { isRowId } from '../../domain/row-id.ts';

export type IdCell =
  | { readonly as: 'none' }
  /** A person says that the row is a booking of its own, whatever it looks like. */
  | { readonly as: 'new' }
  | { readonly as: 'own'; readonly id: string }
  /** The worker took the row out: the id is another row's, or nobody can tell whose it is. */
  | { readonly as: 'aside'; readonly id: string; readonly flag: AsideFlag }
  /** Typed, mistyped, or brought along from another spreadsheet. */
  | { readonly as: 'foreign' };

export type AsideFlag = 'copy' | 'which';

const NEW = /^(?:new|новая)$/iu;
const ASIDE = /^(copy|which) ([0-9a-f-]{36})$/;

export function readIdCell(text: string, spreadsheetId: string): IdCell {
  if (text === '') return { as: 'none' };
  if (NEW.test(text)) return { as: 'new' };
  if (isRowId(text, spreadsheetId)) return { as: 'own', id: text };
  const [, flag, id = ''] = ASIDE.exec(text) ?? [];
  return isRowId(id, spreadsheetId) ? { as: 'aside', id, flag: flag as AsideFlag } : { as: 'foreign' };
}

/**
 * Stands in the cell in place of the id: the choice between rows that share an id is made once, and travels with the row. The flush finds
 * the id in one row only.
 */
export function asideText(flag: AsideFlag, id: string): string {
  return `${flag} ${id}`;
}
