// Turns one outside booking into one appointment, or into a refusal where it was made. Read, decide, act, record. The record is stored
// under the claim's fence after every step, and every step can be repeated after a death.

import {
  appointmentAnswer,
  ignoredAnswer,
  NOTE_WORDS,
  othersAppointmentAnswer,
  refusalForOthers,
  refusedAnswer,
  type Speech,
  silent,
} from './booking-answer.ts';
import type { BookingTurnParts } from './booking-turn-parts.ts';
import { type BookedAppointment, carriedWish, type Decision, decide } from './decide-booking.ts';
import { secondOf } from './decide-edit.ts';
import type { HeldObject, HoldVerdict } from './edit-guard.ts';
import { assertNever, DeferredError, RetryableError } from './errors.ts';
import { type Extracted, extractSeen, isOfNames } from './extract-booking.ts';
import type { Action, Handler } from './handler.ts';
import {
  becomeMirror,
  bookedAppointment,
  EventPlace,
  findWritten,
  HeldRecord,
  isOfFormerEntry,
  lengthNote,
  RowPlace,
  readBooked,
} from './held-booking.ts';
import type { EventNote } from './link.ts';
import { contentHash, type EntityKey, formatKey, type Snapshot } from './object.ts';
import {
  answerOf,
  type BookingAnswer,
  type BookWish,
  bookedAs,
  type CancelWish,
  type CarriedWish,
  HELD_BOOKING,
  isHeldBooking,
  isInvitation,
  type KnownWish,
  type MoveWish,
  type OwnAppointment,
  ownOf,
  type Refusal,
  ROWS_PER_HOUR,
  rewished,
  type SeenBooking,
  type Verdict,
  type Wish,
  wishedOf,
  withOwn,
  withoutLoss,
} from './outside-booking.ts';
import { expandSeries, hindranceOfPart, SERIES_LOOK_EVERY_MS, seriesHeld } from './series-turn.ts';
import type { Claim } from './work.ts';
import { dayEndOf, dayStartOf, readLocal } from './zone-local.ts';

/** How often the platform's lists are read again for a refused name. */
export const NAMES_LOOK_EVERY_MS = 5 * 60_000;

/** How often one turn may judge a booking again, as after the end of an older wish. */
const ROUNDS_MAX = 4;

/** Age up to which lists are fresh enough to refuse a name: many wrong names must not each cause a read. */
const NAMES_FRESH_MS = 10_000;

/** Decisions after which the wish of an open request may still be valid. After any other decision, the request is withdrawn. */
const WISHES: ReadonlySet<Decision['type']> = new Set(['book', 'move', 'cancel', 'wait']);

/** The target of one entry of `bookings`. */
export function createBookingTarget(parts: BookingTurnParts): Handler {
  const { name } = parts.mapping;
  return {
    name,
    from: 'booking',
    async reconcile(claim) {
      // The worker's own sources wrote it, so it has its declared type or belongs to another entry of `bookings`.
      if (claim.snapshot?.['mapping'] !== name && !isOfFormerEntry(parts, claim)) return 'nothing';
      return new BookingTurn(parts, claim, claim.snapshot as unknown as SeenBooking).run();
    },
    nextTurnAtMs({ snapshot, links }, nowMs) {
      if (snapshot?.['mapping'] !== name) return undefined;
      const record = links[name]?.booking;
      const isOfSeries = snapshot['recurrence'] !== undefined || record?.series !== undefined;
      if (!isOfSeries) {
        // Also before the first decision, so a booked one gets one turn that does nothing.
        const isUndecided = record === undefined || record.state === 'new';
        const isRefused = record?.state === 'refused' && isOfNames(record.code);
        const mayBeNamed = (isUndecided || isRefused) && Date.parse(String(snapshot['starts_at'])) > nowMs;
        return mayBeNamed ? nowMs + NAMES_LOOK_EVERY_MS : undefined;
      }
      // As time passes, more events come within the horizon.
      const isExpanded =
        parts.mapping.kind === 'calendar' && parts.mapping.series && snapshot['state'] === 'live';
      return isExpanded ? nowMs + SERIES_LOOK_EVERY_MS : undefined;
    },
  };
}

/** One handler's turn for one outside booking. */
export class BookingTurn {
  readonly #parts: BookingTurnParts;
  readonly #claim: Claim;
  readonly #seen: SeenBooking;
  readonly #place: EventPlace | RowPlace;
  readonly #held: HeldRecord;
  readonly #key: string;
  readonly #id: string;
  readonly #heldAs: HeldObject;
  /** Includes when the change was seen: a row that returns to its text of an hour ago was changed twice. */
  readonly #changeMark: string;
  /** An open request whose effect the platform does not show. Only the same wish sends it again. */
  #begun: Wish | undefined;

  constructor(parts: BookingTurnParts, claim: Claim, seen: SeenBooking) {
    this.#parts = parts;
    this.#claim = claim;
    this.#seen = seen;
    this.#place = seen.place === 'calendar' ? new EventPlace(parts, seen) : new RowPlace(parts, seen);
    this.#held = new HeldRecord(parts, claim, seen);
    this.#key = formatKey(claim.key);
    this.#id = claim.key.id;
    this.#heldAs = { kind: 'bookings', place: parts.mapping.name, key: this.#key };
    this.#changeMark = `${this.#held.hash} ${seen.seen_at}`;
  }

  get #own(): OwnAppointment | undefined {
    return ownOf(this.#held.current);
  }

  async run(): Promise<Action> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.#finishBegun();
      const before = this.#extract();
      // A name may have been created on the platform since the lists were read.
      if (before.as === 'unclear' && isOfNames(before.code) && this.#held.isChanged())
        await this.#parts.directory.readSince(this.#parts.clock.now() - NAMES_FRESH_MS);
      if (await this.#isSeries()) return 'nothing';
      const appointment = await readBooked(this.#parts, this.#seen, this.#own);
      const decision = decide({
        isLive: this.#seen.state === 'live',
        isChanged: this.#held.isChanged(),
        isSameText: !this.#held.isRewritten(),
        stillSinceMs: Date.parse(this.#seen.seen_at),
        extracted: this.#extract(),
        record: this.#held.current,
        appointment,
        nowMs: this.#parts.clock.now(),
        ...this.#place.facts(appointment, this.#own),
      });
      if (isHeldBooking(this.#held.current) && decision.type !== 'book' && decision.type !== 'wait')
        await this.#parts.holds.release(this.#heldAs);
      if (decision.type !== 'cancel' && this.#seen.place !== 'calendar' && this.#seen.cancel) {
        const isCancelled = this.#held.current.state === 'cancelled';
        await this.#parts.guard.tickEnded(this.#parts.mapping.name, this.#key, { isCancelled });
      }
      // People have taken back the wish of the open request.
      if (this.#begun !== undefined && !WISHES.has(decision.type))
        await this.#parts.submitter.withdraw(this.#seen.origin);
      const action = await this.#perform(decision, appointment);
      if (action === 'again') continue;
      await this.#held.tellAuthor();
      return action;
    }
    throw new RetryableError('booking-unsettled', 'the outside booking and its appointment keep changing');
  }

  /** Looks for the effect of an open request: a handler may have died before it recorded the verdict. */
  async #finishBegun(): Promise<void> {
    await this.#hasEnded();
    await this.#learnMade();
    if (this.#own !== undefined) return;
    // An earlier wish may have booked it: users may have typed over the row since.
    const written = await findWritten(this.#parts, this.#seen);
    // The row may have been booked anew, and lost its answer with Redis.
    if (written === undefined || (written.isCancelled && (await this.#isBookedYet()))) return;
    await this.#held.put(bookedAs(this.#held.current, { id: written.id }));
  }

  /** Records the end of the open request, if the platform shows it. */
  async #hasEnded(): Promise<boolean> {
    const ended = await this.#parts.submitter.finish(this.#seen.origin);
    this.#begun = ended?.outcome === 'open' ? ended.earlier : undefined;
    if (ended === undefined || ended.outcome === 'open') return false;
    await this.#absorb(ended.earlier, ended);
    return true;
  }

  /**
   * Ends an open request for another wish; true if the platform has carried it out. Call before the new wish is recorded: the record must
   * name the older one as long as its effect may appear.
   */
  async #hasDoneOther(wish: Wish): Promise<boolean> {
    if (this.#begun === undefined || contentHash(this.#begun) === contentHash(wish)) return false;
    await this.#parts.submitter.withdraw(this.#seen.origin);
    return this.#hasEnded();
  }

  /**
   * Records the appointment of the last wish, if its handler died before it did. A cancelled appointment may still be on record. An open
   * request without an effect has booked nothing.
   */
  async #learnMade(): Promise<void> {
    const { submitter, reader } = this.#parts;
    const wished = this.#begun === undefined ? this.#held.current.asked : undefined;
    const own = this.#own;
    if (own !== undefined && wished === undefined) return;
    const id = await submitter.made(this.#seen.origin);
    if (id === undefined || id === own?.id) return;
    if (own !== undefined) {
      // The submitter may remember less than the record: then it returns an older, cancelled appointment.
      const made = await reader.get({ kind: 'appointment', id });
      if (made === undefined || made['status'] === 'cancelled') return;
    }
    await this.#held.put(bookedAs(this.#held.current, { id, ...(wished && { wished }) }));
  }

  /**
   * A series itself books nothing: each of its events is a booking. A former series that is now one event continues as a single booking.
   */
  async #isSeries(): Promise<boolean> {
    const { mapping, instances, view, clock } = this.#parts;
    const place = this.#place;
    const record = this.#held.current;
    if (mapping.kind !== 'calendar' || place.kind !== 'event' || instances === undefined) return false;
    const extracted = this.#extract();
    const isMeant = extracted.as === 'unclear' && extracted.code === 'recurring';
    const horizonMs = isMeant && this.#own === undefined ? mapping.series?.horizonMs : undefined;
    if (horizonMs === undefined && record.series === undefined) return false;
    // It was refused, and only the YAML has changed since.
    if (record.state === 'refused' && record.series === undefined && this.#held.isDecidedByOtherRules())
      return true;
    // The request for the single event must not arrive beside those for its events.
    if (horizonMs !== undefined && this.#begun !== undefined)
      await this.#parts.submitter.withdraw(this.#seen.origin);
    const { seen, cancelsDeleted } = place;
    const hindrance = horizonMs && (await hindranceOfPart({ view, clock }, seen, { cancelsDeleted }));
    if (hindrance === 'held') throw seriesHeld();
    if (hindrance === 'copy') return this.#isCopyOfSeries();
    const end = await expandSeries(
      { instances, view, clock },
      { seen, record, rules: { horizonMs, cancelsDeleted } },
      (series) => this.#held.put({ ...this.#held.current, series }),
    );
    if (horizonMs === undefined) return false;
    if (!this.#held.isChanged()) {
      await this.#held.tellAuthor();
      return true;
    }
    const isRefused = end === 'too-many';
    if (isRefused) await this.#refused({ code: 'series-too-long', slots: [] });
    else await this.#held.decide({ state: 'ignored', code: 'series' }, silent('ignored'));
    this.#recordDecision(
      'updated',
      isRefused ? { code: 'refused', reason: 'series-too-long' } : { code: 'expanded' },
    );
    await this.#held.tellAuthor();
    return true;
  }

  async #isCopyOfSeries(): Promise<true> {
    if (!this.#held.isChanged()) return true;
    await this.#held.decide({ state: 'ignored', code: 'copy' }, ignoredAnswer('copy', this.#speech()));
    this.#recordDecision('nothing', { code: 'ignored', reason: 'copy' });
    return true;
  }

  #extract(): Extracted {
    return extractSeen(this.#parts, this.#seen);
  }

  async #perform(decision: Decision, appointment: BookedAppointment | undefined): Promise<Action | 'again'> {
    switch (decision.type) {
      case 'nothing':
        await this.#keepUp(appointment);
        return 'nothing';
      case 'wait':
        return this.#wait(decision.untilMs);
      case 'ignore':
        if (decision.code === 'cancelled-here' && (await this.#isBookedYet())) return 'again';
        await this.#held.decide(
          { state: 'ignored', code: decision.code },
          ignoredAnswer(decision.code, this.#speech()),
        );
        return this.#recordDecision('nothing', { code: 'ignored', reason: decision.code });
      case 'refuse':
        await this.#refused({ code: decision.code, ...(await this.#freeThatDay()) });
        return this.#recordDecision('updated', { code: 'refused', reason: decision.code });
      case 'restore':
        if (appointment === undefined) return 'nothing';
        await this.#stands(appointment, { hindrance: { code: decision.code, slots: [] } });
        return this.#recordDecision('updated', { code: 'not-carried', reason: decision.code });
      case 'overrule':
        if (appointment === undefined) return 'nothing';
        await this.#stands(appointment, {
          hindrance: { code: 'moved-meanwhile', slots: [] },
          own: this.#overruled(decision.startsAt),
        });
        return this.#recordDecision('updated', {
          code: 'not-carried',
          reason: 'moved-meanwhile',
          lost: decision.startsAt,
        });
      case 'learn':
        return this.#learn(decision, appointment);
      case 'adopt':
        await this.#adopt(appointment);
        return this.#recordDecision('updated', { code: 'adopted' });
      case 'hand-over':
        await this.#handOver();
        return this.#recordDecision('updated', { code: 'adopted', reason: 'gone' });
      case 'book':
        return this.#book(decision.wish);
      case 'move':
      case 'cancel':
        return this.#change(decision, appointment);
      default:
        return assertNever(decision, 'decision about an outside booking');
    }
  }

  /** Redis was lost before the row had its answer. Only the platform knows what it booked. */
  async #isBookedYet(): Promise<boolean> {
    const typed = this.#place.kind === 'row' ? this.#place.typedWish() : undefined;
    if (typed === undefined) return false;
    const { submitter } = this.#parts;
    const id = await submitter.find(this.#seen.origin, typed);
    if (id !== undefined) await this.#held.put(bookedAs(this.#held.current, { id }));
    return id !== undefined;
  }

  async #learn(
    { known, asks }: Extract<Decision, { type: 'learn' }>,
    appointment: BookedAppointment | undefined,
  ): Promise<Action | 'again'> {
    if (!asks || appointment === undefined) {
      await this.#held.put(withOwn(this.#held.current, known));
      return 'again';
    }
    const code = appointment.status === 'cancelled' ? 'differs-cancelled' : 'differs';
    await this.#stands(appointment, { hindrance: { code, slots: [] }, own: known });
    return this.#recordDecision('updated', { code: 'not-carried', reason: code });
  }

  /** Links the event as a mirror where it was, so that staff edits search for it from there. */
  async #handOver(): Promise<void> {
    const own = this.#own;
    if (own !== undefined) await this.#becomeMirror(own, { editSeenAtMs: this.#parts.clock.now() });
  }

  async #becomeMirror(
    own: Pick<OwnAppointment, 'id' | 'wish'>,
    more: { readonly note?: EventNote | undefined; readonly editSeenAtMs?: number },
  ): Promise<void> {
    const { note, editSeenAtMs } = more;
    const wished = wishedOf(own);
    await becomeMirror(this.#parts, this.#seen, {
      appointmentId: own.id,
      hour: wished === undefined ? {} : { startsAt: wished.startsAt },
      ...(note && { note }),
      ...(editSeenAtMs !== undefined && { editSeenAtMs }),
    });
    await this.#held.put(withOwn(this.#held.current, { mirrored: true }));
  }

  async #wait(untilMs: number): Promise<never> {
    const { clock } = this.#parts;
    throw new DeferredError(
      'booking-still',
      'an outside booking was changed just now: waiting whether that is all',
      {
        retryAfterMs: Math.max(1, untilMs - clock.now()),
      },
    );
  }

  async #book(wish: BookWish): Promise<Action | 'again'> {
    if (await this.#hasDoneOther(wish)) return 'again';
    const { verdict, isParked } = await this.#judgeHold(wish);
    const action = verdict === 'pass' ? await this.#send(wish) : await this.#holdBack(verdict);
    const isOver = verdict !== 'wait' && (action !== 'again' || this.#own !== undefined);
    if (isParked && isOver) await this.#parts.holds.release(this.#heldAs);
    return action;
  }

  /** Many rows at once are rarely typed by hand. A request that left was judged before it left. */
  async #judgeHold(wish: BookWish): Promise<HoldVerdict> {
    const { holds, mapping, submitter } = this.#parts;
    if (mapping.kind === 'calendar' || this.#begun !== undefined) return { verdict: 'pass', isParked: false };
    const isHeld = isHeldBooking(this.#held.current);
    const { rowsPerHour = ROWS_PER_HOUR } = mapping;
    const perHour = this.#seen.place === 'row' && this.#seen.unticked === true ? 0 : rowsPerHour;
    const judged = await holds.judge(this.#heldAs, { of: this.#held.content, isHeld, perHour });
    if (judged.verdict !== 'wait' || isHeld) return judged;
    // After a loss of Redis all rows come again, and the platform knows those that were booked.
    const isBooked = (await submitter.find(this.#seen.origin, wish)) !== undefined;
    return isBooked ? { ...judged, verdict: 'pass' } : judged;
  }

  async #holdBack(verdict: 'wait' | 'declined'): Promise<Action> {
    const reason = verdict === 'wait' ? HELD_BOOKING : 'mass-booking-declined';
    if (verdict === 'wait' && isHeldBooking(this.#held.current) && !this.#held.isChanged()) return 'nothing';
    await this.#refused({ code: reason, slots: [] });
    return this.#recordDecision('updated', { code: 'refused', reason });
  }

  async #send(wish: BookWish): Promise<Action | 'again'> {
    const { submitter, guard, place, holds } = this.#parts;
    const asked = carriedWish(wish);
    // Stored before any check: if the event is dragged between two calendars meanwhile, one handler sees the other's wish.
    await this.#held.put({ ...this.#held.current, asked });
    const event = this.#place.kind === 'event' ? this.#place : undefined;
    if (await event?.isBookedBefore()) {
      await this.#held.decide({ state: 'ignored', code: 'moved-here' }, silent('ignored'));
      return this.#recordDecision('nothing', { code: 'ignored', reason: 'moved-here' });
    }
    await place.assertWritable?.(this.#seen);
    await guard.assertNoLoop(this.#key, this.#changeMark, this.#place.paceMs);
    if (wish.notifyCustomer) await guard.assertMayMail(this.#key, this.#changeMark);
    if (await event?.isTooOften(this.#key)) {
      await this.#refused({ code: 'invited-too-often', slots: [] });
      return this.#recordDecision('updated', { code: 'refused', reason: 'invited-too-often' });
    }
    const verdict = await submitter.submit(this.#seen.origin, wish, {
      claim: this.#claim,
      isFormer: this.#place.isFormer(),
    });
    if (verdict.earlier !== undefined) {
      await this.#absorb(verdict.earlier, verdict);
      return 'again';
    }
    if (verdict.outcome === 'refused') {
      const { refusal } = verdict;
      await this.#refused(this.#place.kind === 'row' ? this.#place.nameable(refusal) : refusal);
      return this.#recordDecision('updated', { code: 'refused', reason: refusal.code });
    }
    if (verdict.found && this.#place.answersInWords) {
      await holds.discount(this.#heldAs);
      // Found after a loss of Redis: users may have typed another customer, hour or resource into the row since.
      const { asked: _, ...record } = this.#held.current;
      await this.#held.put(bookedAs(record, { id: verdict.appointment.id }));
      return 'again';
    }
    await this.#booked(verdict.appointment, asked);
    return this.#recordDecision('created', { code: 'booked' });
  }

  async #change(
    decision: Extract<Decision, { type: 'move' | 'cancel' }>,
    before: BookedAppointment | undefined,
  ): Promise<Action | 'again'> {
    const { submitter, guard, mapping, place } = this.#parts;
    const appointmentId = this.#own?.id;
    const seen = this.#seen;
    if (appointmentId === undefined) return 'again';
    await guard.assertNoLoop(this.#key, this.#changeMark, this.#place.paceMs);
    if (decision.type === 'cancel')
      await guard.assertNoMassTicking(mapping.name, this.#key, async () => (await place.upcoming?.()) ?? 0);
    const common = { appointmentId, notifyCustomer: mapping.notifyCustomer };
    const { type: op } = decision;
    const wish: MoveWish | CancelWish =
      decision.type === 'cancel' ? { op: 'cancel', ...common } : moveWish(decision, common);
    if (wish.notifyCustomer) await guard.assertMayMail(this.#key, this.#changeMark);
    if (await this.#hasDoneOther(wish)) return 'again';
    const wished = this.#wishedNow();
    if (op === 'move' && wished) await this.#held.put({ ...this.#held.current, asked: wished });
    const judged = { startMs: secondOf(before?.startsAt) };
    const verdict = await submitter.submit(seen.origin, wish, { claim: this.#claim, judged });
    if (verdict.earlier !== undefined) {
      await this.#absorb(verdict.earlier, verdict);
      return 'again';
    }
    if (verdict.outcome === 'refused') {
      const appointment = await readBooked(this.#parts, seen, this.#own);
      if (appointment === undefined)
        throw new RetryableError('booking-unsettled', 'the platform does not show the appointment');
      await this.#stands(appointment, { hindrance: verdict.refusal });
      return this.#recordDecision('updated', { code: `${op}-refused`, reason: verdict.refusal.code });
    }
    const isOverruling = decision.type === 'move' && decision.overrules === true && before !== undefined;
    const hindrance = isOverruling ? { code: 'platform-overruled', slots: [] } : undefined;
    await this.#booked(verdict.appointment, wished, hindrance);
    if (op === 'cancel') return this.#recordDecision('removed', { code: 'cancelled' });
    return isOverruling
      ? this.#recordDecision('moved', {
          code: 'moved',
          reason: 'platform-overruled',
          lost: new Date(before.startsAt).toISOString(),
        })
      : this.#recordDecision('moved', { code: 'moved' });
  }

  #wishedNow(): CarriedWish | undefined {
    const extracted = this.#extract();
    const known = wishedOf(this.#own);
    if (extracted.as !== 'wish') return known;
    const { who, ...wished } = carriedWish(extracted.wish);
    // The row may get another name, then another number: the appointment's customer must not follow step by step.
    const booker = known === undefined ? who : known.who;
    return booker === undefined ? wished : { ...wished, who: booker };
  }

  /** Records the end of an earlier wish. Its answer does not fit what is written now, which is judged again. */
  async #absorb(wish: Wish, verdict: Verdict): Promise<void> {
    const { asked, ...record } = this.#held.current;
    if (verdict.outcome === 'refused') return this.#held.put(record);
    const { id: appointmentId } = verdict.appointment;
    // What was asked says where the appointment was moved, until a newer wish has been judged against it.
    if (wish.op === 'book')
      return this.#held.put(bookedAs(record, { id: appointmentId, wished: carriedWish(wish) }));
    const booked = bookedAs(record, { id: appointmentId });
    await this.#held.put(asked === undefined ? booked : { ...booked, asked });
  }

  async #refused(refusal: Refusal): Promise<void> {
    const said = isInvitation(this.#seen) ? refusalForOthers(refusal) : refusal;
    await this.#held.decide({ state: 'refused', code: refusal.code }, refusedAnswer(said, this.#speech()));
  }

  /** For a day without an hour, or an hour that is over: the free hours of that day. */
  async #freeThatDay(): Promise<Pick<Refusal, 'slots' | 'zone'>> {
    const extracted = this.#extract();
    const said = this.#place.kind === 'event' ? this.#place.day : undefined;
    if (extracted.as !== 'unclear' || extracted.day === undefined || said === undefined) return { slots: [] };
    const { zone } = this.#speech();
    const day = dayStartOf(readLocal(said, zone));
    if (!day.isValid) return { slots: [] };
    const within = { fromMs: day.toMillis(), toMs: dayEndOf(day).toMillis() };
    return this.#parts.submitter.freeTimes(extracted.day, {
      ...within,
      sinceMs: Date.parse(this.#seen.seen_at),
    });
  }

  /** Records the appointment as the platform has it, and answers what could not be done about it. */
  async #stands(
    appointment: BookedAppointment,
    { hindrance, own: change = {} }: { hindrance?: Refusal; own?: Partial<OwnAppointment> } = {},
  ): Promise<void> {
    const id = change.id ?? this.#own?.id;
    if (id === undefined)
      throw new RetryableError('booking-unsettled', 'nobody knows the appointment of the booking');
    const own: OwnAppointment = { wish: { is: 'unknown' }, ...this.#own, ...change, id };
    const isCancelled = appointment.status === 'cancelled';
    const answer = this.#place.answersInWords ? this.#answer(appointment, hindrance, own) : silent('booked');
    const { unready, wish, ...known } = own;
    const extracted = this.#extract();
    const isRowsWish = this.#place.answersInWords && extracted.as === 'wish';
    // Somebody on the platform moved a row's appointment since the last answer. A move by the worker does not count.
    const toldAt = answerOf(this.#held.current)?.startsAt;
    const standsAt = new Date(appointment.startsAt).toISOString();
    const isMovedThere = toldAt !== undefined && ![toldAt, wishedOf(own)?.startsAt].includes(standsAt);
    const kept = {
      ...known,
      ...(isRowsWish && { said: carriedWish(extracted.wish) }),
      ...(isMovedThere && { movedThereMs: this.#parts.clock.now() }),
      ...(isCancelled && unready && { unready }),
      // Another hour in the row ends the overruled state.
      wish:
        wish.is === 'overruled' && this.#wishedNow()?.startsAt !== wish.startsAt ? withoutLoss(wish) : wish,
    };
    await this.#held.decide({ state: isCancelled ? 'cancelled' : 'booked', own: kept }, answer);
  }

  #answer(appointment: BookedAppointment, hindrance?: Refusal, own = this.#own): BookingAnswer {
    const told = {
      appointmentId: own?.id ?? '',
      startsAt: appointment.startsAt,
      isCancelled: appointment.status === 'cancelled',
    };
    if (hindrance?.code === 'other-customer' || this.#isTypedOver(appointment))
      return othersAppointmentAnswer(told, this.#speech());
    const said = hindrance && isInvitation(this.#seen) ? refusalForOthers(hindrance) : hindrance;
    return appointmentAnswer(told, this.#speech(), said);
  }

  /** This hour of the row lost to the platform's. */
  #overruled(startsAt: string): Partial<OwnAppointment> {
    const wished = wishedOf(this.#own);
    return wished === undefined ? {} : { wish: { is: 'overruled', wished, startsAt } };
  }

  #isTypedOver(appointment: BookedAppointment): boolean {
    return this.#place.kind === 'row' && this.#place.isTypedOver(appointment, this.#own);
  }

  async #booked(appointment: Snapshot, wished: CarriedWish | undefined, hindrance?: Refusal): Promise<void> {
    const { intake, clock } = this.#parts;
    const key: EntityKey = { kind: 'appointment', id: appointment.id };
    // The platform's answer is as good as an event, so the mirrors need not wait for one.
    const seen = { as: 'snapshot', snapshot: appointment } as const;
    await intake.observe({ key, source: 'list', occurredAtMs: clock.now(), seen });
    const own = { id: appointment.id, ...(wished && { wish: rewished(this.#own?.wish, wished) }) };
    await this.#stands(bookedAppointment(appointment), { own, ...(hindrance && { hindrance }) });
    // Into another person's invitation, the mirror does not write the customer's data: that gets an event of its own.
    const mayBeMirror = this.#seen.place === 'calendar' && !isInvitation(this.#seen);
    if (mayBeMirror && appointment['status'] !== 'cancelled')
      await this.#link(appointment.id, lengthNote(this.#seen, appointment, this.#parts.mapping.language));
  }

  async #adopt(appointment: BookedAppointment | undefined): Promise<void> {
    const own = this.#own;
    if (own === undefined || appointment === undefined) return;
    const note = this.#textsNote(appointment);
    // First, so that linking removes the refusal that the event may still show: afterwards no turn would.
    await this.#stands(appointment);
    await this.#link(own.id, note);
  }

  /** A change of the customer between booking and mirroring gets the same note as a later change. */
  #textsNote({ standing }: BookedAppointment): EventNote | undefined {
    const wished = wishedOf(this.#own);
    const rest = this.#wishedNow()?.rest;
    if (standing === undefined || wished === undefined || rest === wished.rest) return undefined;
    const { language } = this.#parts.mapping;
    return { code: 'not-expressible', text: NOTE_WORDS[language]['not-expressible'], of: standing };
  }

  async #link(appointmentId: string, note?: EventNote): Promise<void> {
    // Settle the answer first: it must not stay where the mirror does not write.
    await this.#held.tellAuthor();
    const wish: KnownWish = this.#own?.wish ?? { is: 'unknown' };
    await this.#becomeMirror({ wish, id: appointmentId }, { note });
  }

  /** Nothing to carry, but a row's answer follows what the platform does to its appointment. */
  async #keepUp(appointment: BookedAppointment | undefined): Promise<void> {
    const seen = this.#seen;
    const record = this.#held.current;
    if (
      appointment === undefined ||
      !this.#place.answersInWords ||
      appointment.isMirrored ||
      seen.state === 'gone'
    ) {
      const isNewMirror = this.#own?.mirrored !== true && appointment?.isMirrored === true;
      if (record.decided === this.#held.hash && !isNewMirror) return;
      const known = isNewMirror ? withOwn(record, { mirrored: true }) : record;
      await this.#held.put({ ...known, decided: this.#held.hash });
      return;
    }
    const isCancelled = appointment.status === 'cancelled';
    // The refusal of another appointment stays readable until the row says something else.
    const isRefusedAnew = isCancelled && record.state === 'refused';
    const told = answerOf(record);
    const isShown = this.#isTypedOver(appointment)
      ? told?.text === this.#answer(appointment).text
      : told?.startsAt === new Date(appointment.startsAt).toISOString() &&
        (told.state === 'cancelled') === isCancelled;
    const isAsTold = record.decided === this.#held.hash && (isRefusedAnew || isShown);
    const isUnready = seen.place !== 'calendar' && isCancelled && !seen.ready && this.#own?.unready !== true;
    if (isUnready || !isAsTold) await this.#stands(appointment, isUnready ? { own: { unready: true } } : {});
  }

  #speech(): Speech {
    const { mapping, directory } = this.#parts;
    const lists = directory.current();
    const seen = this.#seen;
    return {
      language: mapping.language,
      zone: this.#place.zone ?? 'UTC',
      resourceName: (id) => (isInvitation(seen) ? undefined : lists.resources.get(id)?.name),
    };
  }

  #recordDecision(action: Action, { code, ...why }: Decided): Action {
    const { log, meter, history, clock, mapping } = this.#parts;
    const appointmentId = this.#own?.id;
    const ids = { ...(appointmentId !== undefined && { appointmentId }), ...why };
    log.info({ key: this.#key, mapping: mapping.name, code, ...ids }, 'outside booking decided');
    meter.add('slotbridge_outside_bookings_total', { mapping: mapping.name, code });
    const entry = { what: 'acted', atMs: clock.now(), by: 'booking', code } as const;
    history.note(this.#key, { ...entry, rule: `bookings.${mapping.name}`, ids });
    if (appointmentId !== undefined)
      history.note(`appointment/${appointmentId}`, {
        ...entry,
        rule: `bookings.${mapping.name}`,
        ids: { ...why, booking: this.#id },
      });
    return action;
  }
}

interface Decided {
  readonly code: string;
  readonly reason?: string;
  /** The start that lost. */
  readonly lost?: string;
}

function moveWish(
  { startsAt, resourceId }: Extract<Decision, { type: 'move' }>,
  common: Pick<MoveWish, 'appointmentId' | 'notifyCustomer'>,
): MoveWish {
  return { op: 'move', ...common, startsAt, ...(resourceId !== undefined && { resourceId }) };
}
