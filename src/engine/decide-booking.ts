// Decides what becomes of an outside booking, from what was seen, what is recorded and what the platform says. Pure: the same facts always
// give the same decision, so a handler that died after any step decides again from the current state.

import { type Extracted, isOfNames } from './extract-booking.ts';
import { endsAt } from './moments.ts';
import { contentHash } from './object.ts';
import {
  answerOf,
  type BookingRecord,
  type BookWish,
  type CarriedWish,
  isGoneUnbooked,
  isHeldBooking,
  type KnownWish,
  type OwnAppointment,
  ownOf,
  wishedOf,
} from './outside-booking.ts';
import { type CustomerMarks, type CustomerMatch, customerMarks } from './person.ts';

export interface DecideInput {
  readonly place: 'calendar' | 'row';
  readonly isLive: boolean;
  /** Another person's invitation: the event is never the mirror of its appointment, and what it says is a wish. */
  readonly isInvitation?: boolean;
  /** What people wrote, or the rules, differ from what the last decision was about. */
  readonly isChanged: boolean;
  /** People have written nothing since the last decision: only the rules differ. */
  readonly isSameText?: boolean;
  /** Since when the booking is unchanged; epoch milliseconds. */
  readonly stillSinceMs: number;
  /** The author says when the booking is finished, so there is no need to wait. */
  readonly saysWhenReady: boolean;
  readonly extracted: Extracted;
  /** What a row says, ready or not. Needed only where the earlier wish is unknown. */
  readonly typed?: CarriedWish;
  readonly record: BookingRecord;
  /** The platform's appointment, if the record names one. */
  readonly appointment: BookedAppointment | undefined;
  /** Rows only: it exchanged its time or resource with other rows, or is of an older version. Nobody does that by hand. */
  readonly isExchanged?: boolean;
  /** Rows only: its tick under `cancel` is of an older version. */
  readonly isOldTick?: boolean;
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
  /** When the platform last changed it; ISO 8601. */
  readonly updatedAt?: string;
  /** The booked event is the mirror of the appointment: what people do to it is a staff edit. */
  readonly isMirrored: boolean;
  /** The customer on the platform; absent where the mirror takes care of the appointment. */
  readonly customer?: CustomerMarks;
  /** `visibleState` of the appointment; absent where the mirror takes care of it. */
  readonly standing?: string;
}

export type Decision =
  | { readonly type: 'nothing' }
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Not a booking, or no longer one, and nothing to undo. */
  | { readonly type: 'ignore'; readonly code: string }
  | { readonly type: 'refuse'; readonly code: string }
  | { readonly type: 'book'; readonly wish: BookWish }
  | {
      readonly type: 'move';
      readonly startsAt: string;
      readonly resourceId?: string;
      /** The platform moved the appointment meanwhile, and this move replaces that hour. */
      readonly overrules?: true;
    }
  /** Requested by a row, in its cancel cell. */
  | { readonly type: 'cancel' }
  /** The appointment stays as it is: the change cannot be carried, and the answer says so. */
  | { readonly type: 'restore'; readonly code: string }
  /** Both sides moved the appointment and the platform wins: this hour of the row is no longer a wish. */
  | { readonly type: 'overrule'; readonly startsAt: string }
  /**
   * The row's earlier wish is unknown: from now on, `known` counts as it. `asks`: the row differs from its appointment, and the answer asks
   * a person.
   */
  | {
      readonly type: 'learn';
      readonly known: Pick<OwnAppointment, 'wish'>;
      readonly asks: boolean;
    }
  /** Make the event the mirror of its appointment. */
  | { readonly type: 'adopt' }
  /** The event is missing. Staff edits find out whether it was deleted or is elsewhere, and what follows. */
  | { readonly type: 'hand-over' };

/** The booking's appointment: what the record says of it, and its current state. */
interface Known {
  readonly own: OwnAppointment;
  readonly appointment: BookedAppointment;
}

/** The only states in which the platform cancels (platform API, Appointment states). */
const CANCELLABLE = new Set(['pending', 'confirmed']);

export function decide(input: DecideInput): Decision {
  const { record, isLive, appointment } = input;
  const own = ownOf(record);
  if (own === undefined) return isLive ? decideNew(input) : decideGone(record);
  // The platform does not show the appointment. What is right is unknown, and a second appointment would be worse than none.
  if (appointment === undefined) return { type: 'nothing' };
  if (input.place === 'row') return isLive ? decideRow(input, { own, appointment }) : { type: 'nothing' };
  if (isLive)
    return input.isInvitation === true
      ? decideInvitation(input, { own, appointment })
      : decideEvent(appointment);
  return decideDeleted(input, { own, appointment });
}

/** The form in which a carried wish is stored and compared: by instants, never by texts. */
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

/** The customer of a row or request, in comparable form. */
export function whoOf({ contactId, phone, email, name }: Partial<BookWish['customer']>): CustomerMarks {
  return customerMarks({ contactId, phone, email, name });
}

function decideNew(input: DecideInput): Decision {
  const { extracted, record, isChanged, isSameText, stillSinceMs, saysWhenReady, rules, nowMs } = input;
  const code = 'code' in record ? record.code : undefined;
  const isAgain = extracted.as === 'unclear' && extracted.code === code;
  // Somebody corrected the platform's lists instead of the booking's text.
  const isNamedNow = isOfNames(code) && !isAgain;
  const isOpen = isNamedNow || isHeldBooking(record);
  const isDecided = !isChanged && !isOpen && (record.state === 'refused' || record.state === 'ignored');
  // Answer nothing twice, and do not retry a refused booking until somebody corrects it.
  if (isDecided) return { type: 'nothing' };
  if (extracted.as === 'none') return { type: 'ignore', code: extracted.code };
  // An edit of the YAML books nothing: who was told no may have made other arrangements, and what was no booking stays none.
  if (isSameText === true && record.state === 'ignored') return { type: 'nothing' };
  const isToldNo = record.state === 'refused' && isSameText === true && !isOpen;
  if (isToldNo && extracted.as === 'wish') return { type: 'nothing' };
  const untilMs = saysWhenReady ? nowMs : endsAt(stillSinceMs, { forMs: rules.stillForMs, nowMs });
  if (nowMs < untilMs) return { type: 'wait', untilMs };
  if (extracted.as === 'unclear') return { type: 'refuse', code: extracted.code };
  return { type: 'book', wish: extracted.wish };
}

/** Also clears what was asked: otherwise the calendar to which the event moved would wait for it. */
function decideGone(record: BookingRecord): Decision {
  return isGoneUnbooked(record) && record.asked === undefined
    ? { type: 'nothing' }
    : { type: 'ignore', code: 'gone' };
}

/** From here on the appointment and its mirror decide. The event does not book again what was cancelled on the platform. */
function decideEvent(appointment: BookedAppointment): Decision {
  return appointment.status === 'cancelled' || appointment.isMirrored
    ? { type: 'nothing' }
    : { type: 'adopt' };
}

/** Like a row, except that it is never booked again: whoever wants another appointment sends another invitation. */
function decideInvitation(input: DecideInput, known: Known): Decision {
  const { appointment } = known;
  // Mirrored by an older version, in which invitations became mirrors.
  const isSettled = appointment.status === 'cancelled' || appointment.isMirrored;
  return isSettled ? { type: 'nothing' } : decideRow(input, known);
}

/** From here on staff edits decide: the event may have been deleted, or it may be in any other calendar. */
function decideDeleted({ isInvitation }: DecideInput, { own, appointment }: Known): Decision {
  // An invitation is not the mirror, and a stranger organizes it: the worker's own event still shows the appointment.
  if (isInvitation === true) return { type: 'nothing' };
  // The mirror itself removes its event when the appointment goes to a colleague, so this is no deletion by people.
  return own.mirrored || appointment.isMirrored ? { type: 'nothing' } : { type: 'hand-over' };
}

function decideRow(input: DecideInput, { own, appointment }: Known): Decision {
  const { extracted, record, isChanged, nowMs, saysWhenReady, stillSinceMs, rules, customer } = input;
  const { asked } = record;
  const learnt = learnWished(input, { own, appointment });
  if (learnt !== undefined) return learnt;
  if (!isChanged && asked === undefined && !isHeldBooking(record)) return { type: 'nothing' };
  const isCancelled = appointment.status === 'cancelled';
  if (extracted.as === 'none') {
    if (extracted.code !== 'cancelled-here') return { type: 'nothing' };
    if (isCancelled) return { type: 'nothing' };
    // The row was typed over, or its id belongs to another row: a person must say which.
    if (customer === 'other') return { type: 'restore', code: 'other-customer' };
    if (input.isOldTick === true) return { type: 'restore', code: 'exchanged' };
    const mayCancel = CANCELLABLE.has(appointment.status) && Date.parse(appointment.startsAt) > nowMs;
    return mayCancel ? { type: 'cancel' } : { type: 'restore', code: 'appointment-not-cancellable' };
  }
  const untilMs = saysWhenReady ? nowMs : endsAt(stillSinceMs, { forMs: rules.stillForMs, nowMs });
  if (nowMs < untilMs) return { type: 'wait', untilMs };
  // The row is booked, whatever people have noted beside it since.
  if (extracted.as === 'unclear' && extracted.code === 'ready-unclear' && !isCancelled)
    return { type: 'nothing' };
  if (extracted.as === 'unclear') {
    // The answer must not describe a cancelled appointment of somebody else.
    const isOwn = !(isCancelled && customer === 'other');
    return { type: isOwn ? 'restore' : 'refuse', code: extracted.code };
  }
  const wished = carriedWish(extracted.wish);
  const known = wishedOf(own);
  // Happens only when the row names another customer (see `learnWished`).
  if (known === undefined) return { type: 'nothing' };
  if (isCancelled) {
    // A note in the row of a cancelled appointment does not request a new one. Neither does another hour that was already answered.
    const { said = known } = own;
    const isOther = isOtherBooking(wished, known) && isOtherBooking(wished, said);
    const isNew = own.unready === true || record.state === 'refused' || isOther;
    return isNew && input.isExchanged !== true ? { type: 'book', wish: extracted.wish } : { type: 'nothing' };
  }
  // A request without a verdict may have been carried out: there and back again is two wishes.
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
  if (input.isExchanged === true) return { type: 'restore', code: 'exchanged' };
  if (!CANCELLABLE.has(appointment.status)) return { type: 'restore', code: 'appointment-not-reschedulable' };
  const isConflict = hasMoved && hasPlatformMoved(input, { own, appointment }, wished);
  if (isConflict && !doesRowWin(input, appointment)) return { type: 'overrule', startsAt: wished.startsAt };
  return {
    type: 'move',
    ...(isConflict && { overrules: true }),
    // A row that changes only the resource leaves the hour to the platform, which may have moved the appointment since.
    startsAt: hasMoved ? wished.startsAt : appointment.startsAt,
    ...(isOther && wished.resourceId !== undefined && { resourceId: wished.resourceId }),
  };
}

/**
 * After a loss of Redis, the row's text counts as the earlier wish if the appointment agrees with it. Otherwise somebody moved one of the
 * two, and nothing says which. The appointment then stays as it is, and the row's text is no wish until it changes.
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
  // A cancelled appointment occupies no resource.
  const { resourceIds = [] } = isCancelled ? {} : appointment;
  const isOthers =
    resourceIds.length > 0 && said.resourceId !== undefined && !resourceIds.includes(said.resourceId);
  const isAhead = [startsAt, said.startsAt].some((hour) => Date.parse(hour) > nowMs);
  const wish: KnownWish =
    isElsewhere && !isCancelled
      ? { is: 'overruled', wished: { ...said, startsAt }, startsAt: said.startsAt }
      : { is: 'carried', wished: said };
  const asks = (isElsewhere || isOthers) && isAhead;
  // Do not ask before the row is finished, or when it is cancelled.
  if (asks && extracted.as !== 'wish') return undefined;
  return { type: 'learn', known: { wish }, asks };
}

/**
 * True when the row's hour lost, or was refused and the platform has moved the appointment since. It is no wish until the row names another
 * hour.
 */
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

/** Whether the platform moved the appointment after the row's author could last see its hour. An hour that both wish is no conflict. */
function hasPlatformMoved(
  { record, stillSinceMs, rules }: DecideInput,
  { own: mine, appointment }: Known,
  { startsAt: wishedAt }: CarriedWish,
): boolean {
  const standsAt = new Date(appointment.startsAt).toISOString();
  const told = answerOf(record)?.startsAt;
  // An hour that the worker requested is no move by the platform.
  const own = [wishedAt, wishedOf(mine)?.startsAt, record.asked?.startsAt];
  if (told === undefined || own.includes(standsAt)) return false;
  // The row's answer changed only a moment ago, so its author may have typed before reading it.
  const isNews =
    mine.movedThereMs !== undefined && mine.movedThereMs > stillSinceMs - (rules.seenWithinMs ?? 0);
  return standsAt !== told || isNews;
}

/** Nothing says when the row was typed, so the time of its first sighting counts. */
function doesRowWin({ rules, stillSinceMs }: DecideInput, { updatedAt }: BookedAppointment): boolean {
  if (rules.conflict !== 'latest') return rules.conflict === 'staff';
  const movedMs = Date.parse(updatedAt ?? '');
  // Comparisons with NaN are false: without a time, the platform wins.
  return stillSinceMs > movedMs;
}
