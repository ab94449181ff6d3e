// Decides what becomes of one changed cell of an appointment's row, given the current appointment. Pure: the same facts always give the
// same decision, so a handler that died after any step decides again from the current state.

import type { RowEditDecision, RowEditFacts } from '../engine/carriers.ts';
import {
  type EditedAppointment,
  editedAppointment,
  hindranceOf,
  isMovable,
  secondOf,
} from '../engine/decide-edit.ts';
import { appointmentState, contentHash, type Snapshot } from '../engine/object.ts';
import {
  isAskedAbout,
  type RowEdit,
  type RowNote,
  type RowRefusal,
  type SentEdit,
  type SheetCarry,
  wasAskedAbout,
} from '../engine/row-edit.ts';
import { localAt } from '../engine/zone-local.ts';

/** Equal for changes that say the same. */
export function hashOfEdit({ startsAt, text }: RowEdit): string {
  return contentHash(startsAt ?? text);
}

export function decideAppointmentEdit(facts: RowEditFacts): RowEditDecision {
  const { edit, carry, object, note } = facts;
  const field = carry.columns.find(({ header }) => header === edit.header)?.field;
  if (field === undefined) return { type: 'nothing' };
  const hash = hashOfEdit(edit);
  const isAnswered = note.answered.some(
    (each) => each.header === edit.header && each.as === edit.as && each.hash === hash,
  );
  // One look found the change in the tab, and the next one in the before-image of a write.
  if (edit.as !== '' && isAnswered) return { type: 'nothing' };
  if (field === 'shown') return refuse(edit.doubt ?? 'only-shown');
  const appointment = object && editedAppointment(object);
  if (object === undefined || appointment === undefined) return refuse('not-found');
  if (field === 'cancel') return decideTick(facts, { appointment, object });
  return field === 'start' ? decideStart(facts, { appointment, object }) : { type: 'nothing' };
}

/** A start, or a tick that cancels. */
export function isAppointmentAsSent({ startsAt }: SentEdit, _: SheetCarry, object: Snapshot): boolean {
  const appointment = editedAppointment(object);
  if (appointment === undefined) return false;
  const isCancelled = appointment.status === 'cancelled';
  return startsAt === undefined ? isCancelled : !isCancelled && secondOf(startsAt) === appointment.startMs;
}

interface Now {
  readonly appointment: EditedAppointment;
  readonly object: Snapshot;
}

function decideTick(facts: RowEditFacts, now: Now): RowEditDecision {
  const { edit, nowMs } = facts;
  const { appointment } = now;
  // The cancellation was carried out, or there was nothing to cancel.
  if (appointment.status === 'cancelled') return { type: 'agreed', isOurs: sentOf(facts) !== undefined };
  const doubt = doubtOf(facts, now);
  if (doubt !== undefined) return refuse(doubt);
  if (edit.text !== 'true') return refuse('no-tick');
  if (!isMovable(appointment)) return refuse('not-cancellable');
  if (appointment.startMs <= nowMs) return refuse('started');
  return unlessMeanwhile(facts, now, {
    type: 'carry',
    field: 'cancel',
    value: '',
    over: appointmentState(now.object),
  });
}

function decideStart(facts: RowEditFacts, now: Now): RowEditDecision {
  const { edit, nowMs } = facts;
  const { appointment } = now;
  const startMs = secondOf(edit.startsAt);
  const isThere = startMs === appointment.startMs && appointment.status !== 'cancelled';
  if (isThere) return { type: 'agreed', isOurs: sentOf(facts) !== undefined };
  const doubt = doubtOf(facts, now);
  if (doubt !== undefined) return refuse(doubt);
  if (startMs === undefined) return refuse(edit.text.trim() === '' ? 'emptied' : 'no-start');
  const hindrance = hindranceOf(appointment, startMs, nowMs);
  if (hindrance !== undefined) return refuse(hindrance);
  const value = new Date(startMs).toISOString();
  return unlessMeanwhile(facts, now, {
    type: 'carry',
    field: 'start',
    value,
    over: appointmentState(now.object),
  });
}

/** The same change counts once people type it again after the question. */
function doubtOf({ edit, note }: RowEditFacts, { appointment, object }: Now): RowRefusal | undefined {
  if (edit.doubt === undefined || !isAskedAbout(edit.doubt)) return edit.doubt;
  // They take back what was done from this row.
  if (edit.doubt === 'former' && isFromRow(appointment, note)) return undefined;
  const isRepeated = wasAskedAbout(note, edit.header, hashOfEdit(edit)) && isStill(note, object);
  return isRepeated ? undefined : edit.doubt;
}

/** Returns the wish, unless the appointment is no longer what the author saw: then the platform is right. */
function unlessMeanwhile(
  facts: RowEditFacts,
  now: Now,
  wish: RowEditDecision & { readonly type: 'carry' },
): RowEditDecision {
  const { edit, carry, note } = facts;
  const sent = sentOf(facts);
  // The request left earlier, and no answer came. A change since then wins: repeating the request would send an outdated wish.
  if (sent !== undefined) return sent.over === wish.over ? wish : refuse('changed-meanwhile');
  // The author knows about moves made from this row, although the row shows them only after the next write.
  const answered = note.answered.filter(({ as }) => as === edit.as);
  const isKnown =
    isFromRow(now.appointment, { ...note, answered }) || isShownAs(edit.base, now.appointment.startMs);
  return isKnown || staffWins(edit, carry, now.appointment) ? wish : refuse('changed-meanwhile');
}

/** Whether a change in the row has moved the appointment to where it is. */
function isFromRow({ startMs }: EditedAppointment, { answered, sent }: RowNote): boolean {
  const standing = contentHash(new Date(startMs).toISOString());
  const carried = [...answered.filter(({ isKnown }) => isKnown), ...sent];
  return carried.some(({ hash }) => hash === standing);
}

/** Compares figures on the zone's clock: in the repeated hour of autumn, a cell does not say which hour it shows. */
function isShownAs(mark: string | undefined, startMs: number): boolean {
  const [figures, zone] = (mark ?? '').split(' ');
  if (figures === undefined || zone === undefined) return false;
  return localAt(startMs, zone).toFormat("yyyy-MM-dd'T'HH:mm:ss") === figures;
}

/** A cell has no time of change. It is certainly later only than the last look that found it unchanged; 0: there was none. */
function staffWins(edit: RowEdit, { conflict }: SheetCarry, { updatedMs }: EditedAppointment): boolean {
  if (conflict !== 'latest') return conflict === 'staff';
  return updatedMs !== undefined && updatedMs < edit.sinceMs;
}

function sentOf({ edit, note }: RowEditFacts): RowNote['sent'][number] | undefined {
  return note.sent.find(({ header, hash }) => header === edit.header && hash === hashOfEdit(edit));
}

function isStill({ of }: RowNote, object: Snapshot): boolean {
  return of === contentHash(editedAppointment(object)?.standing);
}

function refuse(code: RowRefusal): RowEditDecision {
  return { type: 'refuse', code };
}
