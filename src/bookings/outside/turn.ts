import type { BookWish, CancelWish, MoveWish, Refusal, Verdict, Wish } from '../../domain/booking.ts';
import { type EntityKey, formatKey } from '../../domain/entity.ts';
import { assertNever, DeferredError, RetryableError } from '../../domain/errors.ts';
import { contentOf } from '../../domain/merge.ts';
import type {
  BookingAnswer,
  BookingMapping,
  BookingRecord,
  SeenBooking,
} from '../../domain/outside-booking.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { Claim } from '../../domain/work.ts';
import type { AnswerPlace } from '../../ports/answer-place.ts';
import type { BookingDesk } from '../../ports/booking-desk.ts';
import type { BookingTemplates } from '../../ports/booking-templates.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectorySource } from '../../ports/directory-source.ts';
import type { History } from '../../ports/history.ts';
import type { Intake } from '../../ports/intake.ts';
import type { ObjectView } from '../../ports/ledger.ts';
import type { LinkStore } from '../../ports/link-store.ts';
import type { Log } from '../../ports/log.ts';
import type { Meter } from '../../ports/meter.ts';
import type { MirrorAction } from '../../ports/mirror-target.ts';
import type { PlatformReader } from '../../ports/platform-reader.ts';
import { refusedAnswer, type Speech, silent, visitAnswer } from './answer.ts';
import { carriedWish, type Decision, decide, type OutsideVisit } from './decide.ts';
import { type Extracted, extract } from './extract.ts';
import { originOf } from './origin.ts';

/** How often a booking may be judged anew in one turn: after an older wish has ended. */
const ROUNDS_MAX = 4;

export interface BookingTurnParts {
  readonly mapping: BookingMapping;
  readonly templates: BookingTemplates;
  readonly place: AnswerPlace;
  readonly desk: BookingDesk;
  readonly guard: BookingGuard;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly links: LinkStore;
  readonly intake: Pick<Intake, 'observe'>;
  readonly directory: DirectorySource;
  /** Resource id whose calendar it is, as the mapping is understood right now. */
  readonly resourceAt: (calendarId: string) => string | undefined;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Stops what no single decision can see; each rejects with a `TerminalError`. */
export interface BookingGuard {
  assertNoLoop(key: string, mark: string): Promise<void>;
  assertMayMail(key: string, mark: string): Promise<void>;
  deletionSeen(calendarId: string, key: string): Promise<number>;
  assertNoMassDeletion(calendarId: string, key: string): Promise<void>;
}

/** One handler's look at one outside booking. */
export class BookingTurn {
  readonly #parts: BookingTurnParts;
  readonly #claim: Claim;
  readonly #seen: SeenBooking;
  readonly #key: string;
  /** Hash of what people wrote, and the same with the rules that it is judged by. */
  readonly #content: string;
  readonly #hash: string;
  #record: BookingRecord;

  constructor(parts: BookingTurnParts, claim: Claim, seen: SeenBooking) {
    this.#parts = parts;
    this.#claim = claim;
    this.#seen = seen;
    this.#key = formatKey(claim.key);
    this.#content = contentHash(contentOf('booking', seen as unknown as Snapshot));
    this.#hash = `${this.#content}/${contentHash(parts.mapping)}`;
    this.#record = claim.links[parts.mapping.name]?.booking ?? { state: 'new' };
  }

  async run(): Promise<MirrorAction> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.#takeHome();
      const visit = await this.#visit();
      const decision = decide({
        place: this.#seen.place,
        isLive: this.#seen.state === 'live',
        isChanged: this.#isChanged(),
        stillSinceMs: Date.parse(this.#seen.seen_at),
        saysWhenReady: this.#saysWhenReady(),
        extracted: this.#extract(),
        record: this.#record,
        visit,
        nowMs: this.#parts.clock.now(),
        rules: { stillForMs: this.#parts.mapping.stillForMs, ...this.#policy() },
      });
      const action = await this.#perform(decision, visit);
      if (action === 'again') continue;
      await this.#tellAuthor();
      return action;
    }
    throw new RetryableError('booking-unsettled', 'the outside booking and its visit keep changing');
  }

  /** New rules may take what was refused; what stands is not touched by an edit of the YAML. */
  #isChanged(): boolean {
    const { decided, appointmentId } = this.#record;
    if (appointmentId === undefined) return decided !== this.#hash;
    return decided?.split('/')[0] !== this.#content;
  }

  /** The end of what was begun comes first: perhaps by a handler that died with the verdict in its hands. */
  async #takeHome(): Promise<void> {
    const { desk } = this.#parts;
    const { origin } = this.#seen;
    const ended = await desk.finish(origin);
    if (ended !== undefined) await this.#absorb(ended.earlier, ended);
    if (this.#record.appointmentId !== undefined) return;
    const appointmentId = (await desk.made(origin)) ?? (await this.#written());
    if (appointmentId === undefined) return;
    await this.#put({ ...this.#record, state: 'booked', appointmentId, ...wishedBy(this.#record) });
  }

  /** The row names its appointment itself: that counts after Redis was lost, if the appointment says the same. */
  async #written(): Promise<string | undefined> {
    const id = this.#seen.place === 'row' ? this.#seen.known_appointment : undefined;
    if (id === undefined || !/^[0-9a-f-]{36}$/i.test(id)) return undefined;
    const found = await this.#parts.reader.get({ kind: 'appointment', id });
    return found !== undefined && originOf(found) === this.#seen.origin ? id : undefined;
  }

  async #visit(): Promise<OutsideVisit | undefined> {
    const id = this.#record.appointmentId;
    if (id === undefined) return undefined;
    const key: EntityKey = { kind: 'appointment', id };
    // The mirror and the way back look after it: it need not be read for that.
    if (await this.#isMirrored(key))
      return { status: '', startsAt: '', resourceId: undefined, isMirrored: true };
    const found = await this.#parts.reader.get(key);
    if (found === undefined) return undefined;
    const resourceId = found['resource_id'];
    return {
      status: String(found['status']),
      startsAt: String(found['starts_at']),
      resourceId: typeof resourceId === 'string' ? resourceId : undefined,
      isMirrored: false,
    };
  }

  async #isMirrored(appointment: EntityKey): Promise<boolean> {
    if (this.#seen.place !== 'calendar') return false;
    const { calendar_id: calendarId, event_id: eventId } = this.#seen;
    const known = await this.#parts.view.peek(appointment);
    return Object.values(known?.links ?? {}).some(({ calendars = [] }) =>
      calendars.some((link) => link.calendarId === calendarId && link.eventId === eventId),
    );
  }

  #extract(): Extracted {
    const { mapping, templates, directory, resourceAt, clock } = this.#parts;
    if (this.#seen.state === 'gone') return { as: 'none', code: 'empty' };
    return extract(this.#seen, {
      ...{ mapping, templates, resourceAt },
      directory: directory.current(),
      nowMs: clock.now(),
    });
  }

  #saysWhenReady(): boolean {
    const { mapping } = this.#parts;
    return mapping.kind === 'sheet' && mapping.columns.ready !== undefined;
  }

  #policy(): { cancelsDeleted: boolean; graceMs: number } {
    const { mapping } = this.#parts;
    const seen = this.#seen;
    if (mapping.kind === 'sheet' || seen.place === 'row') return { cancelsDeleted: false, graceMs: 0 };
    const own = mapping.calendars.find(({ calendarId }) => calendarId === seen.calendar_id);
    const edits = own && mapping.staffEdits[own.mirror];
    return { cancelsDeleted: edits?.deleted === 'cancel', graceMs: edits?.graceMs ?? 0 };
  }

  async #perform(decision: Decision, visit: OutsideVisit | undefined): Promise<MirrorAction | 'again'> {
    switch (decision.type) {
      case 'nothing':
        await this.#keepUp(visit);
        return 'nothing';
      case 'wait':
        return this.#wait(decision.untilMs);
      case 'ignore':
        await this.#decided({ state: 'ignored', code: decision.code }, silent('ignored'));
        return this.#told('ignored', decision.code, 'nothing');
      case 'refuse':
        await this.#refused({ code: decision.code, slots: [] });
        return this.#told('refused', decision.code, 'updated');
      case 'restore':
        if (visit === undefined) return 'nothing';
        await this.#stands(visit, { code: decision.code, slots: [] });
        return this.#told('not-carried', decision.code, 'updated');
      case 'adopt':
        await this.#adopt(visit);
        return this.#told('adopted', undefined, 'updated');
      case 'book':
        return this.#book(decision.wish);
      case 'move':
      case 'cancel':
        return this.#change(decision);
      default:
        return assertNever(decision, 'decision about an outside booking');
    }
  }

  async #wait(untilMs: number): Promise<never> {
    const { clock, guard } = this.#parts;
    const seen = this.#seen;
    if (seen.state === 'gone' && seen.place === 'calendar' && this.#record.goneSinceMs === undefined) {
      await this.#put({ ...this.#record, goneSinceMs: clock.now() });
      await guard.deletionSeen(seen.calendar_id, this.#key);
    }
    const code = seen.state === 'gone' ? 'booking-grace' : 'booking-still';
    throw new DeferredError(code, 'an outside booking was changed just now: waiting whether that is all', {
      retryAfterMs: Math.max(1, untilMs - clock.now()),
    });
  }

  async #book(wish: BookWish): Promise<MirrorAction | 'again'> {
    const { desk, guard } = this.#parts;
    await guard.assertNoLoop(this.#key, this.#hash);
    if (wish.notifyCustomer) await guard.assertMayMail(this.#key, wish.startsAt);
    const asked = carriedWish(wish);
    await this.#put({ ...this.#record, asked });
    const verdict = await desk.submit(this.#seen.origin, wish);
    if (verdict.earlier !== undefined) {
      await this.#absorb(verdict.earlier, verdict);
      return 'again';
    }
    if (verdict.outcome === 'refused') {
      await this.#refused(verdict.refusal);
      return this.#told('refused', verdict.refusal.code, 'updated');
    }
    await this.#booked(verdict.appointment, asked);
    return this.#told('booked', undefined, 'created');
  }

  async #change(decision: Extract<Decision, { type: 'move' | 'cancel' }>): Promise<MirrorAction | 'again'> {
    const { desk, guard, mapping } = this.#parts;
    const { appointmentId } = this.#record;
    const seen = this.#seen;
    if (appointmentId === undefined) return 'again';
    if (decision.type === 'cancel' && seen.place === 'calendar')
      await guard.assertNoMassDeletion(seen.calendar_id, this.#key);
    await guard.assertNoLoop(this.#key, this.#hash);
    const common = { appointmentId, notifyCustomer: mapping.notifyCustomer };
    const { type: op, ...where } = decision;
    const wish: MoveWish | CancelWish =
      op === 'cancel' ? { op, ...common } : { op, ...common, ...(where as { startsAt: string }) };
    if (wish.notifyCustomer) await guard.assertMayMail(this.#key, JSON.stringify(where));
    const verdict = await desk.submit(seen.origin, wish);
    if (verdict.earlier !== undefined) {
      await this.#absorb(verdict.earlier, verdict);
      return 'again';
    }
    const wished = this.#wishedNow();
    if (verdict.outcome === 'refused') {
      const visit = await this.#visit();
      if (visit === undefined)
        throw new RetryableError('booking-unsettled', 'the platform does not show the visit');
      await this.#stands(visit, verdict.refusal);
      return this.#told(`${op}-refused`, verdict.refusal.code, 'updated');
    }
    await this.#booked(verdict.appointment, wished);
    return op === 'cancel'
      ? this.#told('cancelled', undefined, 'removed')
      : this.#told('moved', undefined, 'moved');
  }

  #wishedNow() {
    const extracted = this.#extract();
    return extracted.as === 'wish' ? carriedWish(extracted.wish) : this.#record.wished;
  }

  /** The end of a wish that was begun earlier. Its answer is not what stands there now: that is judged again. */
  async #absorb(wish: Wish, verdict: Verdict): Promise<void> {
    const { asked: _, ...record } = this.#record;
    if (verdict.outcome === 'refused') return this.#put(record);
    const { id: appointmentId } = verdict.appointment;
    const wished = wish.op === 'book' ? carriedWish(wish) : record.wished;
    await this.#put({ ...record, state: 'booked', appointmentId, ...(wished && { wished }) });
  }

  async #refused(refusal: Refusal): Promise<void> {
    await this.#decided({ state: 'refused', code: refusal.code }, refusedAnswer(refusal, this.#speech()));
  }

  /** The visit, as the platform has it, and what could not be done about it. */
  async #stands(visit: OutsideVisit, hindrance?: Refusal): Promise<void> {
    const { appointmentId = '' } = this.#record;
    const isCancelled = visit.status === 'cancelled';
    const told = { appointmentId, startsAt: visit.startsAt, isCancelled };
    const answer =
      this.#seen.place === 'calendar' ? silent('booked') : visitAnswer(told, this.#speech(), hindrance);
    // What could not be carried is measured against what was: put right by its author, it is no wish at all.
    await this.#decided({ ...this.#record, state: isCancelled ? 'cancelled' : 'booked' }, answer);
  }

  async #booked(appointment: Snapshot, wished: BookingRecord['wished']): Promise<void> {
    const { asked: _, wished: __, ...record } = this.#record;
    this.#record = { ...record, appointmentId: appointment.id, ...(wished && { wished }) };
    await this.#introduce(appointment);
    const status = String(appointment['status']);
    await this.#stands({
      ...{ status, startsAt: String(appointment['starts_at']), resourceId: undefined, isMirrored: false },
    });
    if (status !== 'cancelled' && this.#seen.state === 'live') await this.#link(appointment.id);
  }

  /** The platform's answer is as good as an event: the mirrors need not wait for one. */
  async #introduce(appointment: Snapshot): Promise<void> {
    const { intake, clock } = this.#parts;
    const key: EntityKey = { kind: 'appointment', id: appointment.id };
    const seen = { as: 'snapshot', snapshot: appointment } as const;
    await intake.observe({ key, source: 'list', occurredAtMs: clock.now(), seen });
  }

  async #adopt(visit: OutsideVisit | undefined): Promise<void> {
    const { appointmentId } = this.#record;
    if (appointmentId === undefined || visit === undefined) return;
    await this.#link(appointmentId);
    await this.#stands(visit);
  }

  /** The event becomes the mirror of its visit. From its start is told who has moved it since. */
  async #link(appointmentId: string): Promise<void> {
    const { links, mapping } = this.#parts;
    const seen = this.#seen;
    if (mapping.kind !== 'calendar' || seen.place !== 'calendar') return;
    const mirror = mapping.calendars.find(({ calendarId }) => calendarId === seen.calendar_id)?.mirror;
    if (mirror === undefined) return;
    // An answer of the worker's own must not stay where the mirror does not write.
    await this.#tellAuthor();
    const startsAt = this.#record.wished?.startsAt;
    await links.adopt(formatKey({ kind: 'appointment', id: appointmentId }), mirror, {
      ...{ calendarId: seen.calendar_id, eventId: seen.event_id, etag: '', hash: '', coloured: false },
      ...(startsAt !== undefined && { startsAt }),
    });
  }

  /** Nothing is to be carried; but a row shows what has become of its visit on the platform. */
  async #keepUp(visit: OutsideVisit | undefined): Promise<void> {
    const { record, seen } = { record: this.#record, seen: this.#seen };
    if (visit === undefined || seen.place === 'calendar' || seen.state === 'gone') {
      if (record.decided !== this.#hash) await this.#put({ ...record, decided: this.#hash });
      return;
    }
    const isAsTold =
      record.decided === this.#hash &&
      record.answer?.startsAt === new Date(visit.startsAt).toISOString() &&
      (record.answer.state === 'cancelled') === (visit.status === 'cancelled');
    if (!isAsTold) await this.#stands(visit);
  }

  async #decided(now: BookingRecord, answer: BookingAnswer): Promise<void> {
    const { asked: _, code: __, goneSinceMs: ___, ...record } = this.#record;
    await this.#put({ ...record, ...now, decided: this.#hash, answer });
  }

  /** After the decision is stored: a death in between tells it at the next turn. */
  async #tellAuthor(): Promise<void> {
    const { answer, answered } = this.#record;
    if (answer === undefined || this.#seen.state === 'gone') return;
    const hash = contentHash(answer);
    if (answered === hash || (answer.text === '' && answered === undefined)) return;
    await this.#parts.place.answer(this.#seen, answer);
    const { answered: _, ...record } = this.#record;
    await this.#put(answer.text === '' ? record : { ...record, answered: hash });
  }

  async #put(record: BookingRecord): Promise<void> {
    const { links, mapping } = this.#parts;
    if (!(await links.write(this.#claim, mapping.name, { booking: record })))
      throw new RetryableError('fenced', 'another handler took the object over');
    this.#record = record;
  }

  #speech(): Speech {
    const { mapping, directory, resourceAt } = this.#parts;
    const lists = directory.current();
    const seen = this.#seen;
    const own =
      seen.place === 'calendar' ? lists.resources.get(resourceAt(seen.calendar_id) ?? '') : undefined;
    const branchZone = lists.branches.get(own?.branchId ?? '')?.timezone;
    const typed = mapping.kind === 'sheet' ? mapping.timezone : undefined;
    return {
      language: mapping.language,
      zone: branchZone ?? typed ?? 'UTC',
      resourceName: (id) => lists.resources.get(id)?.name,
    };
  }

  #told(code: string, reason: string | undefined, action: MirrorAction): MirrorAction {
    const { log, meter, history, clock, mapping } = this.#parts;
    const because = reason === undefined ? {} : { reason };
    const { appointmentId } = this.#record;
    const ids = { ...(appointmentId !== undefined && { appointmentId }), ...because };
    log.info({ key: this.#key, mapping: mapping.name, code, ...ids }, 'outside booking decided');
    meter.add('slotbridge_outside_bookings_total', { mapping: mapping.name, code });
    const entry = { what: 'acted', atMs: clock.now(), by: 'booking', code } as const;
    history.note(this.#key, { ...entry, rule: `bookings.${mapping.name}`, ids });
    if (appointmentId !== undefined)
      history.note(`appointment/${appointmentId}`, {
        ...entry,
        rule: `bookings.${mapping.name}`,
        ids: { ...because, booking: this.#claim.key.id },
      });
    return action;
  }
}

/** What was asked and has come about is what was wished. */
function wishedBy({ asked }: BookingRecord): Pick<BookingRecord, 'wished'> {
  return asked === undefined ? {} : { wished: asked };
}
