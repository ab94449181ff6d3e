// One changed cell and what the platform has now come in, what becomes of the change goes out. Pure: the same facts always give the same
// decision, so a handler that died after any step decides again from what stands then.
import type { CarriedField, ContactField, RowEdit, SheetCarry } from '../../../domain/row-edit.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import type { RowEditDecision, RowEditFacts } from '../../../ports/bookings.ts';
import { cellHash, cellText, saysSame, wishedValue } from './normal-form.ts';

export function decideRowEdit({
  edit,
  carry,
  object: contact,
  note,
}: Pick<RowEditFacts, 'edit' | 'carry' | 'object'> & {
  readonly note: Pick<RowEditFacts['note'], 'answered' | 'sent'>;
}): RowEditDecision {
  const column = carry.columns.find(({ header }) => header === edit.header);
  if (column === undefined || !isOfContact(column.field)) return { type: 'nothing' };
  const { field } = column;
  const by = { field, region: carry.region };
  const hash = cellHash(edit.text, by);
  const answered = note.answered.filter(({ header }) => header === edit.header);
  // One look found it in the tab, and the next one in what a write went over. Without a name of what was shown nothing can be told apart.
  if (edit.as !== '' && answered.some((each) => each.as === edit.as && each.hash === hash))
    return { type: 'nothing' };
  if (contact === undefined) return { type: 'refuse', code: 'not-found' };
  const over = cellHash(cellText(contact[field]), by);
  const sent = note.sent.find(({ header }) => header === edit.header);
  const wasSent = sent?.hash === hash;
  if (saysSame(edit.text, by, over)) return { type: 'agreed', isOurs: wasSent };
  if (edit.doubt !== undefined) return { type: 'refuse', code: edit.doubt };
  // A cell is emptied by a slip more often than by a wish, and what it said would be lost.
  if (hash === '') return { type: 'refuse', code: 'emptied' };
  const value = wishedValue(edit.text, by);
  if (value === undefined) return { type: 'refuse', code: 'unreadable' };
  const carried: RowEditDecision = { type: 'carry', field, value, over };
  // The request left before, and no answer came. A change of the contact since then wins: sent again, the request would be an old wish.
  if (wasSent) return sent.over === over ? carried : { type: 'refuse', code: 'changed-meanwhile' };
  const ours = [...answered.filter(({ isKnown }) => isKnown), ...(sent === undefined ? [] : [sent])];
  if (edit.base === over || ours.some((each) => each.hash === over)) return carried;
  return doStaffWin(edit, carry, contact) ? carried : { type: 'refuse', code: 'changed-meanwhile' };
}

export function isOfContact(field: CarriedField): field is ContactField {
  return field !== 'start' && field !== 'cancel' && field !== 'shown';
}

/** A cell tells no time of its change: it is later for sure only than the last look that found it as it was shown. */
function doStaffWin(edit: RowEdit, { conflict }: SheetCarry, contact: Snapshot): boolean {
  if (conflict !== 'latest') return conflict === 'staff';
  const updatedMs = Date.parse(String(contact['updated_at']));
  return !Number.isNaN(updatedMs) && edit.sinceMs > 0 && updatedMs < edit.sinceMs;
}
