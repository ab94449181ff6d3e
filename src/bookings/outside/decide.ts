// What is seen outside, what is recorded and what the platform says come in; what becomes of it comes out. Pure: the same facts always
// give the same decision, so a handler that died after any step decides again from what stands then.
import type { BookWish } from '../../domain/booking.ts';
import { type CustomerMarks, type CustomerMatch, customerMarks } from '../../domain/customer.ts';
import {
  answerOf,
  type BookingRecord,
  type CarriedWish,
  type KnownWish,
  type OwnAppointment,
  ownOf,
  wishedOf,
} from '../../domain/outside-booking.ts';
import { contentHash } from '../../domain/snapshot.ts';
import { type Extracted, isOfNames } from './extract.ts';

export interface DecideInput {
  readonly place: 'calendar' | 'row';
  readonly isLive: boolean;
  /** An invitation of somebody else's: the event is no mirror of its appointment, and what it says is a wish. */
  readonly isInvitation?: boolean;
  /** What people wrote, or the rules, are not what was last decided about. */
  readonly isChanged: boolean;
  /** Since when it stands as it is; epoch milliseconds. */
  readonly stillSinceMs: number;
  /** Its author says when it is finished, so there is nothing to wait for. */
  readonly saysWhenReady: boolean;
  readonly extracted: Extracted;
  /** What a row says, whether it is ready or not; asked for only where nobody knows what was wished before. */
  readonly typed?: CarriedWish;
  readonly record: BookingRecord;
  /** The platform's, where the record names an appointment. */
  readonly appointment: BookedAppointment | undefined;
  /** Rows only: whether the row names the customer of its appointment. */
  readonly customer?: CustomerMatch;
  readonly nowMs: number;
  readonly rules: {
    readonly stillForMs: number;
    /** Rows only: who wins when both sides moved the appointment. */
    readonly conflict?: 'platform' | 'staff' | 'latest';
    /** Rows only: longest delay until the author sees the platform's change, and until the worker sees the author's. */
    readonly seenWithinMs?: number;
  };
}

export interface BookedAppointment {
  readonly status: string;
  /** ISO 8601. */
  readonly startsAt: string;
  readonly resourceIds?: readonly string[];
  /** When the platform changed it last; ISO 8601. */
  readonly updatedAt?: string;
  /** The event that was booked is the mirror of the appointment: what people do to it is a staff edit. */
  readonly isMirrored: boolean;
  /** For whom the platform has booked it; absent where the mirror looks after it. */
  readonly customer?: CustomerMarks;
  /** `standingOf` the appointment; absent where the mirror looks after it. */
  readonly standing?: string;
}

export type Decision =
  | { readonly type: 'nothing' }
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Not a booking (any more), and nothing to undo. */
  | { readonly type: 'ignore'; readonly code: string }
  | { readonly type: 'refuse'; readonly code: string }
  | { readonly type: 'book'; readonly wish: BookWish }
  | {
      readonly type: 'move';
      readonly startsAt: string;
      readonly resourceId?: string;
      /** The platform had moved the appointment meanwhile: its hour is given up. */
      readonly overrules?: true;
    }
  /** A row asks for it, in its own cell. */
  | { readonly type: 'cancel' }
  /** The appointment stays as it is: the change cannot be carried, and its author is told so. */
  | { readonly type: 'restore'; readonly code: string }
  /** Both sides moved the appointment, and the platform wins: this hour of the row's is no wish any more. */
  | { readonly type: 'overrule'; readonly startsAt: string }
  /** Nobody knows what the row wished before: from now on this counts as that. `asks`: the row differs from its appointment, and a person is asked. */
  | {
      readonly type: 'learn';
      readonly known: Pick<OwnAppointment, 'wish'>;
      readonly asks: boolean;
    }
  /** The event shall become the mirror of its appointment. */
  | { readonly type: 'adopt' }
  /** It is missing: whether it was deleted or stands elsewhere, and what follows from that, staff edits find out. */
  | { readonly type: 'hand-over' };

/** The appointment of the booking: what is recorded of it, and how it is. */
interface Known {
  readonly own: OwnAppointment;
  readonly appointment: BookedAppointment;
}

/** The platform cancels no others (platform API, Appointment states). */
const CANCELLABLE = new Set(['pending', 'confirmed']);

export function decide(input: DecideInput): Decision {
  const { record, isLive, appointment } = input;
  const own = ownOf(record);
  if (own === undefined) return isLive ? decideNew(input) : decideGone(record);
  // The platform does not show it: nobody knows what is right, and a second one would be worse than none.
  if (appointment === undefined) return { type: 'nothing' };
  if (input.place === 'row') return isLive ? decideRow(input, { own, appointment }) : { type: 'nothing' };
  if (isLive)
    return input.isInvitation === true
      ? decideInvitation(input, { own, appointment })
      : decideEvent(appointment);
  return decideDeleted(input, { own, appointment });
}

/** What is carried for a wish: instants are compared, never texts. */
export function carriedWish(wish: BookWish): CarriedWish {
  const { startsAt, resourceId, op: _, ...rest } = wish;
  const { serviceId, customer } = wish;
  const { create: __, ...who } = customer;
  return {
    startsAt: new Date(Date.parse(startsAt)).toISOString(),
    ...(resourceId !== undefined && { resourceId }),
    rest: contentHash(rest),
    core: contentHash([serviceId, who]),
    who: whoOf(who),
  };
}

/** For whom a row or a request is, as it can be compared. */
export function whoOf({ contactId, phone, email, name }: Partial<BookWish['customer']>): CustomerMarks {
  return customerMarks({ contactId, phone, email, name });
}

function decideNew(input: DecideInput): Decision {
  const { extracted, record, isChanged, stillSinceMs, saysWhenReady, rules, nowMs } = input;
  const code = 'code' in record ? record.code : undefined;
  const isAgain = extracted.as === 'unclear' && extracted.code === code;
  // Somebody mended the platform's lists instead of what was written here.
  const isNamedNow = record.state === 'refused' && isOfNames(code) && !isAgain;
  const isDecided = !isChanged && !isNamedNow && (record.state === 'refused' || record.state === 'ignored');
  // Nothing is answered twice, and nothing that was refused is tried again before somebody mends it.
  if (isDecided) return { type: 'nothing' };
  if (extracted.as === 'none') return { type: 'ignore', code: extracted.code };
  const untilMs = stillSinceMs + rules.stillForMs;
  if (!saysWhenReady && nowMs < untilMs) return { type: 'wait', untilMs };
  if (extracted.as === 'unclear') return { type: 'refuse', code: extracted.code };
  return { type: 'book', wish: extracted.wish };
}

/** What it asked for is taken back: its event would be awaited in the calendar where it stands now. */
function decideGone(record: BookingRecord): Decision {
  return record.state === 'ignored' && record.code === 'gone' && record.asked === undefined
    ? { type: 'nothing' }
    : { type: 'ignore', code: 'gone' };
}

/** From here on the appointment and its mirror know better; an appointment that was cancelled on the platform is not booked again by its event. */
function decideEvent(appointment: BookedAppointment): Decision {
  return appointment.status === 'cancelled' || appointment.isMirrored
    ? { type: 'nothing' }
    : { type: 'adopt' };
}

/** As a row, but that it is not booked again: who wishes another appointment sends another invitation. */
function decideInvitation(input: DecideInput, known: Known): Decision {
  const { appointment } = known;
  // A mirror since a time in which invitations became mirrors.
  const isSettled = appointment.status === 'cancelled' || appointment.isMirrored;
  return isSettled ? { type: 'nothing' } : decideRow(input, known);
}

/** From here on staff edits know better: the event may have been deleted, and it may stand in any other calendar. */
function decideDeleted({ isInvitation }: DecideInput, { own, appointment }: Known): Decision {
  // It is not the mirror, and its organizer is a stranger: the worker's own event goes on showing the appointment.
  if (isInvitation === true) return { type: 'nothing' };
  // The mirror removes its events itself when the appointment goes to a colleague: nobody has deleted this one.
  return own.mirrored || appointment.isMirrored ? { type: 'nothing' } : { type: 'hand-over' };
}

function decideRow(input: DecideInput, { own, appointment }: Known): Decision {
  const { extracted, record, isChanged, nowMs, saysWhenReady, stillSinceMs, rules, customer } = input;
  const { asked } = record;
  const learnt = learnWished(input, { own, appointment });
  if (learnt !== undefined) return learnt;
  if (!isChanged && asked === undefined) return { type: 'nothing' };
  const isCancelled = appointment.status === 'cancelled';
  if (extracted.as === 'none') {
    if (extracted.code !== 'cancelled-here') return { type: 'nothing' };
    if (isCancelled) return { type: 'nothing' };
    // The row was typed over, or its id belongs elsewhere: a person has to say which of the two.
    if (customer === 'other') return { type: 'restore', code: 'other-customer' };
    const mayCancel = CANCELLABLE.has(appointment.status) && Date.parse(appointment.startsAt) > nowMs;
    return mayCancel ? { type: 'cancel' } : { type: 'restore', code: 'appointment-not-cancellable' };
  }
  const untilMs = stillSinceMs + rules.stillForMs;
  if (!saysWhenReady && nowMs < untilMs) return { type: 'wait', untilMs };
  if (extracted.as === 'unclear') {
    // There is nothing to say of a cancelled appointment that was somebody else's.
    const isOwn = !(isCancelled && customer === 'other');
    return { type: isOwn ? 'restore' : 'refuse', code: extracted.code };
  }
  const wished = carriedWish(extracted.wish);
  const known = wishedOf(own);
  // The row names another customer.
  if (known === undefined) return { type: 'nothing' };
  if (isCancelled) {
    // A note in the row of a cancelled appointment is no wish for another one. Nor is a row whose other hour was answered before.
    const { said = known } = own;
    const isOther = isOtherBooking(wished, known) && isOtherBooking(wished, said);
    const isNew = own.unready === true || record.state === 'refused' || isOther;
    return isNew ? { type: 'book', wish: extracted.wish } : { type: 'nothing' };
  }
  // What was asked without a verdict may have happened: there and back again is two wishes.
  const befores = asked === undefined ? [known] : [known, asked];
  const hasMoved =
    befores.some(({ startsAt }) => wished.startsAt !== startsAt) &&
    !isAnsweredHour(record, { own, appointment }, wished);
  const isOther =
    wished.resourceId !== undefined && befores.some(({ resourceId }) => wished.resourceId !== resourceId);
  const isSame = !hasMoved && !isOther && wished.rest === known.rest;
  if (customer === 'other' && !isSame) return { type: 'restore', code: 'other-customer' };
  if (isSame) return { type: 'nothing' };
  if (!hasMoved && !isOther) return { type: 'restore', code: 'not-expressible' };
  if (!CANCELLABLE.has(appointment.status)) return { type: 'restore', code: 'appointment-not-reschedulable' };
  const isConflict = hasMoved && hasPlatformMoved(input, { own, appointment }, wished);
  if (isConflict && !doesRowWin(input, appointment)) return { type: 'overrule', startsAt: wished.startsAt };
  return {
    type: 'move',
    ...(isConflict && { overrules: true }),
    // Who only changes the resource leaves the hour to the platform, which may have moved the appointment since.
    startsAt: hasMoved ? wished.startsAt : appointment.startsAt,
    ...(isOther && wished.resourceId !== undefined && { resourceId: wished.resourceId }),
  };
}

/**
 * After Redis was lost: what the row says is what was wished, where its appointment stands so. Else somebody has moved one of the two, and nobody
 * can tell which. The appointment stays as it is, and what the row says is no wish until it says something else.
 */
function learnWished(
  { extracted, typed, customer, nowMs }: DecideInput,
  { own, appointment }: Known,
): Decision | undefined {
  const said = extracted.as === 'wish' ? carriedWish(extracted.wish) : typed;
  if (own.wish.is !== 'unknown' || said === undefined || customer === 'other') return undefined;
  const startsAt = new Date(appointment.startsAt).toISOString();
  const isCancelled = appointment.status === 'cancelled';
  const isElsewhere = said.startsAt !== startsAt;
  // A cancelled appointment has none.
  const { resourceIds = [] } = isCancelled ? {} : appointment;
  const isOthers =
    resourceIds.length > 0 && said.resourceId !== undefined && !resourceIds.includes(said.resourceId);
  const isAhead = [startsAt, said.startsAt].some((hour) => Date.parse(hour) > nowMs);
  const wish: KnownWish =
    isElsewhere && !isCancelled
      ? { is: 'overruled', wished: { ...said, startsAt }, startsAt: said.startsAt }
      : { is: 'carried', wished: said };
  const asks = (isElsewhere || isOthers) && isAhead;
  // Nobody is asked before the row is finished, nor when it is cancelled.
  if (asks && extracted.as !== 'wish') return undefined;
  return { type: 'learn', known: { wish }, asks };
}

/** It lost, or it was refused and the platform has moved the appointment itself: it is no wish until the row says another one. */
function isAnsweredHour(
  { asked }: BookingRecord,
  { own: { wish, said }, appointment }: Known,
  { startsAt }: CarriedWish,
): boolean {
  if (wish.is === 'overruled' && startsAt === wish.startsAt) return true;
  const isElsewhere = new Date(appointment.startsAt).toISOString() !== wishedOf({ wish })?.startsAt;
  return asked === undefined && startsAt === said?.startsAt && isElsewhere;
}

function isOtherBooking(wished: CarriedWish, known: CarriedWish): boolean {
  if (wished.startsAt !== known.startsAt || wished.resourceId !== known.resourceId) return true;
  return known.core !== undefined && wished.core !== known.core;
}

/** Since the row's author could see where the appointment stands. What both wish is no conflict. */
function hasPlatformMoved(
  { record, stillSinceMs, rules }: DecideInput,
  { own: mine, appointment }: Known,
  { startsAt: wishedAt }: CarriedWish,
): boolean {
  const standsAt = new Date(appointment.startsAt).toISOString();
  const told = answerOf(record)?.startsAt;
  // Where the worker itself has put it, nobody else has moved it.
  const own = [wishedAt, wishedOf(mine)?.startsAt, record.asked?.startsAt];
  if (told === undefined || own.includes(standsAt)) return false;
  // The row was told a moment ago; perhaps its author had typed by then.
  const isNews =
    mine.movedThereMs !== undefined && mine.movedThereMs > stillSinceMs - (rules.seenWithinMs ?? 0);
  return standsAt !== told || isNews;
}

/** When the row was typed is not known: it counts as typed when it was first seen so. */
function doesRowWin({ rules, stillSinceMs }: DecideInput, { updatedAt }: BookedAppointment): boolean {
  if (rules.conflict !== 'latest') return rules.conflict === 'staff';
  const movedMs = Date.parse(updatedAt ?? '');
  // NaN is later than nothing: where it cannot be told, the platform wins.
  return stillSinceMs > movedMs;
}
