import type { SheetLink } from '../../../domain/link.ts';
import type { FieldChange } from '../../../domain/planned.ts';
import type { OutboxRow } from '../../../domain/sheet-row.ts';
import { cellsPart } from './row-content.ts';

/**
 * What would change in a row. The link remembers only a hash of the cells and the patterns of their formats, so the result says no more.
 */
export function rowChanges(
  link: Pick<SheetLink, 'hash' | 'formats'>,
  row: Pick<OutboxRow, 'hash' | 'formats'>,
): readonly FieldChange[] {
  if (link.hash === '') return [];
  const isOther = cellsPart(link.hash) !== cellsPart(row.hash);
  const formats = Object.entries(row.formats ?? {}).flatMap(([header, { pattern }]): FieldChange[] => {
    const old = link.formats?.[header];
    if (old === pattern) return [];
    return [{ field: `format of ${header}`, ...(old === undefined ? {} : { old }), new: pattern }];
  });
  return [...(isOther ? [{ field: 'cells' }] : []), ...formats];
}
