// One changed cell of an appointment's row and the appointment as it is now come in, what becomes of the change goes out. Pure: the same facts
// always give the same decision, so a handler that died after any step decides again from what stands then.
import { DateTime } from 'luxon';
import { appointmentState } from '../../domain/placement.ts';
import type { RowEdit, RowNote, RowRefusal, SheetCarry } from '../../domain/row-edit.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { RowEditDecision, RowEditFacts } from '../../ports/bookings.ts';
import {
  type EditedAppointment,
  editedAppointment,
  isMovable,
  secondOf,
} from '../staff-edits/appointment.ts';
import { hindranceOf } from '../staff-edits/decide.ts';

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
  // One look found it in the tab, and the next one in what a write went over.
  if (edit.as !== '' && isAnswered) return { type: 'nothing' };
  if (field === 'shown') return refuse(edit.doubt ?? 'only-shown');
  const appointment = object && editedAppointment(object);
  if (object === undefined || appointment === undefined) return refuse('not-found');
  if (field === 'cancel') return decideTick(facts, { appointment, object });
  return field === 'start' ? decideStart(facts, { appointment, object }) : { type: 'nothing' };
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
  const isThere =
    startMs !== undefined && startMs === appointment.startMs && appointment.status !== 'cancelled';
  if (isThere) return { type: 'agreed', isOurs: sentOf(facts) !== undefined };
  const doubt = doubtOf(facts, now);
  if (doubt !== undefined) return refuse(doubt);
  if (edit.text.trim() === '' && startMs === undefined) return refuse('emptied');
  if (startMs === undefined) return refuse('no-start');
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

/** The same change, typed again after the question, counts. */
function doubtOf({ edit, note }: RowEditFacts, { object }: Now): RowRefusal | undefined {
  if (edit.doubt !== 'again') return edit.doubt;
  const last = note.answered.find(({ header }) => header === edit.header);
  const isAsked = note.refused.some(({ header, code }) => header === edit.header && code === 'again');
  const isRepeated = isAsked && last?.hash === hashOfEdit(edit) && isStill(note, object);
  return isRepeated ? undefined : 'again';
}

/** The wish, or that the platform is right, because the appointment is not what its author saw. */
function unlessMeanwhile(
  facts: RowEditFacts,
  now: Now,
  wish: RowEditDecision & { readonly type: 'carry' },
): RowEditDecision {
  const { edit, carry, note } = facts;
  const sent = sentOf(facts);
  // The request left before, and no answer came. A change since then wins: sent again, the request would be an old wish.
  if (sent !== undefined) return sent.over === wish.over ? wish : refuse('changed-meanwhile');
  // What was moved from this row is known to who looks at it, though the row says so only after the next write.
  const isOurs = note.answered.some(
    ({ isKnown, as, hash }) =>
      isKnown && as === edit.as && hash === contentHash(new Date(now.appointment.startMs).toISOString()),
  );
  const isKnown = isOurs || isShownAs(edit.base, now.appointment.startMs);
  return isKnown || doStaffWin(edit, carry, now.appointment) ? wish : refuse('changed-meanwhile');
}

/** Figures on the clock of the zone are compared: of an hour that autumn has twice nobody can say which one a cell shows. */
function isShownAs(mark: string | undefined, startMs: number): boolean {
  const [figures, zone] = (mark ?? '').split(' ');
  if (figures === undefined || zone === undefined) return false;
  return DateTime.fromMillis(startMs, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ss") === figures;
}

/** A cell tells no time of its change: it is later for sure only than the last look that found it as it was shown. */
function doStaffWin(edit: RowEdit, { conflict }: SheetCarry, { updatedMs }: EditedAppointment): boolean {
  if (conflict !== 'latest') return conflict === 'staff';
  return updatedMs !== undefined && edit.sinceMs > 0 && updatedMs < edit.sinceMs;
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
