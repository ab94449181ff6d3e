// Reads what the id cell of a row means.
import { isRowId } from '../../engine/domain/ids.ts';
import { contentHash } from '../../engine/domain/object.ts';

export type IdCell =
  | { readonly as: 'none' }
  /** A person says that the row is a booking of its own, whatever it looks like. */
  | { readonly as: 'new' }
  | { readonly as: 'own'; readonly id: string }
  /** The worker set the row aside: the id is another row's, or its owner is unclear. */
  | { readonly as: 'aside'; readonly id: string; readonly flag: AsideFlag; readonly of: string }
  /** Typed, mistyped, or brought from another spreadsheet. */
  | { readonly as: 'foreign' };

export type AsideFlag = 'copy' | 'which';

const NEW = /^(?:new|новая)$/iu;
const ASIDE = /^(copy|which) ([0-9a-f-]{36})(?: ([0-9a-f]{8}))?$/;
const OF_CHARS = 8;

export function readIdCell(text: string, spreadsheetId: string): IdCell {
  if (text === '') return { as: 'none' };
  if (NEW.test(text)) return { as: 'new' };
  if (isRowId(text, spreadsheetId)) return { as: 'own', id: text };
  const [, flag, id = '', of = ''] = ASIDE.exec(text) ?? [];
  return isRowId(id, spreadsheetId) ? { as: 'aside', id, flag: flag as AsideFlag, of } : { as: 'foreign' };
}

/**
 * Replaces the id in the cell: the choice between rows that share an id is made once, and travels with the row. The flush then finds the id
 * in one row only. The end of the text says for which row it is meant, because people may sort while it is written.
 */
export function asideText(flag: AsideFlag, id: string, print: string): string {
  return `${flag} ${id} ${rowMark(print)}`;
}

/** Identifies a row by its content. */
export function rowMark(print: string): string {
  return contentHash(print).slice(0, OF_CHARS);
}
