// Input: one changed cell and the contact on the platform. Output: what becomes of the change. Pure: the same facts always give the same
// decision, so a handler that died after any step decides again from the current state.

import type { RowEditDecision, RowEditFacts } from '../engine/carriers.ts';
import { contentHash, type Snapshot } from '../engine/object.ts';
import {
  type CarriedField,
  type ContactField,
  isAskedAbout,
  type RowEdit,
  type SentEdit,
  type SheetCarry,
  wasAskedAbout,
} from '../engine/row-edit.ts';
import { cellHash, cellText, saysSame, wishedValue } from './normal-form.ts';

export function decideRowEdit({
  edit,
  carry,
  object: contact,
  note,
}: Pick<RowEditFacts, 'edit' | 'carry' | 'object'> & {
  readonly note: Pick<RowEditFacts['note'], 'answered' | 'sent' | 'refused' | 'of'>;
}): RowEditDecision {
  const column = carry.columns.find(({ header }) => header === edit.header);
  if (column === undefined || !isOfContact(column.field)) return { type: 'nothing' };
  const { field } = column;
  const shown = { field, region: carry.region };
  const by = { ...shown, isNumber: edit.isNumber };
  const hash = cellHash(edit.text, by);
  const answered = note.answered.filter(({ header }) => header === edit.header);
  // Already answered: a look found the change in the tab, and the next one found it again in a before-image. Without a name of the shown
  // row, the worker cannot recognise the repeat.
  if (edit.as !== '' && answered.some((each) => each.as === edit.as && each.hash === hash))
    return { type: 'nothing' };
  if (contact === undefined) return { type: 'refuse', code: 'not-found' };
  const over = cellHash(cellText(contact[field]), shown);
  const sent = note.sent.find(({ header }) => header === edit.header);
  const wasSent = sent?.hash === hash;
  if (saysSame(edit.text, by, over)) return { type: 'agreed', isOurs: wasSent };
  const ours = [...answered.filter(({ isKnown }) => isKnown), ...(sent === undefined ? [] : [sent])];
  const isFromRow = ours.some((each) => each.hash === over);
  // They take back what was done from this row.
  if (edit.doubt !== undefined && !(edit.doubt === 'former' && isFromRow)) {
    const isRepeated = wasAskedAbout(note, edit.header, hash) && note.of === contactHash(contact);
    if (!isAskedAbout(edit.doubt) || !isRepeated) return { type: 'refuse', code: edit.doubt };
  }
  // An emptied cell is more often a slip than a wish, and its content would be lost.
  if (hash === '') return { type: 'refuse', code: 'emptied' };
  const value = wishedValue(edit.text, by);
  if (value === undefined) return { type: 'refuse', code: 'unreadable' };
  const carried: RowEditDecision = { type: 'carry', field, value, over };
  // The request left earlier and got no answer. A change of the contact since then wins: repeating the request would send an outdated wish.
  if (wasSent) return sent.over === over ? carried : { type: 'refuse', code: 'changed-meanwhile' };
  if (edit.base === over || isFromRow) return carried;
  return staffWins(edit, carry, contact) ? carried : { type: 'refuse', code: 'changed-meanwhile' };
}

/** Hash of all that users may change in the row of a contact. */
export function contactHash({ name, phone, email, lifecycle }: Snapshot): string {
  return contentHash({ name, phone, email, lifecycle });
}

export function isContactAsSent(
  { header, hash }: SentEdit,
  { columns, region }: SheetCarry,
  contact: Snapshot,
): boolean {
  const field = columns.find((column) => column.header === header)?.field;
  return (
    field !== undefined &&
    isOfContact(field) &&
    cellHash(cellText(contact[field]), { field, region }) === hash
  );
}

export function isOfContact(field: CarriedField): field is ContactField {
  return field !== 'start' && field !== 'cancel' && field !== 'shown';
}

/** A cell has no time of change. It is certainly newer only than the last look that found it as shown; 0: there was none. */
function staffWins(edit: RowEdit, { conflict }: SheetCarry, contact: Snapshot): boolean {
  if (conflict !== 'latest') return conflict === 'staff';
  // Comparisons with NaN are false: without a time, the platform wins.
  return Date.parse(String(contact['updated_at'])) < edit.sinceMs;
}
