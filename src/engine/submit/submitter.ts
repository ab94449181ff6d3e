/**
 * Carries wishes of an origin to the platform and returns the verdict. Promises: one open request per origin, stored before it leaves. An
 * open request ends before a newer one begins, and is sent again only for the same wish. A fulfilled wish is not sent again, even after its
 * record was lost.
 */

import { RetryableError, TerminalError } from '../domain/errors.ts';
import { type BookingRequest, type IntentRecord, isBookingRequest } from '../domain/intent.ts';
import { distanceMs } from '../domain/moments.ts';
import { type Appointment, contentHash } from '../domain/object.ts';
import type { BookWish, CancelWish, MoveWish, Verdict, Wish } from '../domain/outside-booking.ts';
import type { BookingSubmitter, IsFormer } from '../ports/bookings.ts';
import type { Leases } from '../ports/leases.ts';
import type { ContactLookup } from '../ports/platform.ts';
import {
  assertNotUnderWay,
  type CarryParts,
  carry,
  endForOther,
  endIfShown,
  endUnsent,
  lastSentAtMs,
  offered,
  plainRefusal,
} from './carry.ts';
import { appointmentPlace, findFormer, findOwn, isAsSeen, isLive, isWhereWished } from './current-state.ts';
import { customerOf } from './customer.ts';
import { freeTimesWithin } from './free-times.ts';
import { requestOf, type Subject } from './request.ts';

/** How often another handler of the same origin may be faster before the queue gives another turn. */
const BEGIN_TRIES_MAX = 3;
const DAY_MS = 86_400_000;
/** How long after it was sent a withdrawn booking is looked for. Each look searches the customer's appointments. */
const LATE_MS = 24 * 3_600_000;

export interface SubmitterParts extends CarryParts {
  readonly cards: ContactLookup;
  readonly leases: Leases;
}

export function createBookingSubmitter(parts: SubmitterParts): BookingSubmitter {
  return new Submitter(parts);
}

class Submitter implements BookingSubmitter {
  readonly #parts: SubmitterParts;

  constructor(parts: SubmitterParts) {
    this.#parts = parts;
  }

  async submit(
    origin: string,
    wish: Wish,
    isFormer?: IsFormer,
  ): Promise<Verdict & { readonly earlier?: Wish }> {
    for (let tries = 0; tries < BEGIN_TRIES_MAX; tries += 1) {
      const record = await this.#parts.intents.read(origin);
      const open = openOf(record);
      if (open && contentHash(open.wish) === contentHash(wish))
        return carry(this.#parts, { origin, request: open, isFresh: false });
      const ended = open && (await endForOther(this.#parts, { origin, request: open }));
      if (ended) return ended;
      if (open) continue;
      const prepared = await this.#prepare({ origin, wish, record, isFormer });
      if (!('request' in prepared)) return prepared;
      const begun = await this.#parts.intents.begin(origin, prepared.request);
      if (begun.outcome === 'begun')
        return carry(this.#parts, { origin, request: prepared.request, isFresh: true });
      // Another handler was faster: read the record again.
    }
    throw new RetryableError('intent-contended', 'several handlers book for one origin at once', {
      target: 'platform',
    });
  }

  async finish(origin: string): ReturnType<BookingSubmitter['finish']> {
    const request = openOf(await this.#parts.intents.read(origin));
    if (!request) return undefined;
    const { wish: earlier } = request;
    return { ...((await endIfShown(this.#parts, { origin, request })) ?? { outcome: 'open' }), earlier };
  }

  async withdraw(origin: string): Promise<void> {
    const request = openOf(await this.#parts.intents.read(origin));
    if (!request) return;
    // A booking's request stays open: if the platform still carries it out, the worker finds it by that request.
    const isAwaited =
      request.op === 'book' && distanceMs(lastSentAtMs(request), this.#parts.clock.now()) < LATE_MS;
    await (isAwaited ? assertNotUnderWay : endUnsent)(this.#parts, { origin, request });
  }

  async freeTimes(
    wished: Parameters<BookingSubmitter['freeTimes']>[0],
    { fromMs, toMs, sinceMs }: Parameters<BookingSubmitter['freeTimes']>[1],
  ): ReturnType<BookingSubmitter['freeTimes']> {
    const { writer, clock } = this.#parts;
    const nowMs = clock.now();
    if (toMs <= nowMs) return { slots: [] };
    return offered(
      () => freeTimesWithin(writer, wished, { fromMs, toMs, nowMs }),
      distanceMs(sinceMs, nowMs),
    );
  }

  async made(origin: string): Promise<string | undefined> {
    return (await this.#parts.intents.read(origin))?.appointmentId;
  }

  async find(origin: string, wish: BookWish): Promise<string | undefined> {
    const who = await this.#customer(wish);
    if ('outcome' in who) return undefined;
    const { serviceId, startsAt } = wish;
    const found = await findOwn(this.#parts.writer, { origin, serviceId, startsAt, customer: who.customer });
    return found && isLive(found) ? found.id : undefined;
  }

  /** The request to begin, or the verdict when none is needed. Sends nothing about an appointment. */
  async #prepare(asked: Asked): Promise<Verdict | { readonly request: BookingRequest }> {
    const { origin, wish, record } = asked;
    const subject = wish.op === 'book' ? await this.#booking(asked, wish) : await this.#change(wish);
    if ('outcome' in subject) return subject;
    const generation = (record?.generation ?? 0) + 1;
    const seed = await this.#parts.intents.seed();
    // Only now: the reads above may take long, and a request that is too old is not sent without another look.
    return { request: requestOf(subject, { origin, generation, nowMs: this.#parts.clock.now(), seed }) };
  }

  async #booking({ origin, record, isFormer }: Asked, wish: BookWish): Promise<Verdict | Subject> {
    const { writer } = this.#parts;
    if (record?.appointmentId !== undefined) {
      // The verdict was stored but its handler died before using it, or the wish is asked twice. A cancelled appointment is booked again.
      const made = await writer.get(record.appointmentId);
      if (!made) return refused('not-found');
      if (isLive(made)) return found(made);
    }
    const who = await this.#customer(wish);
    if ('outcome' in who) return who;
    const { serviceId, startsAt } = wish;
    // Redis, or its last second of writes, may be lost: then only the platform knows.
    const others = new Map<string, Appointment>();
    const own = await findOwn(writer, { origin, serviceId, startsAt, customer: who.customer }, others);
    if (own) return found(own);
    const former = isFormer && (await findFormer(others, isFormer, who.customer));
    if (former?.isSure) return found(former.appointment);
    if (former) return perhapsBooked(former.appointment);
    return { op: 'book', wish, customer: who.customer };
  }

  async #customer(wish: BookWish): Promise<Verdict | Pick<Subject & { op: 'book' }, 'customer'>> {
    try {
      const service = await this.#service(wish);
      // Do not book the shortest rental by default: the document leaves the length to the booking.
      if (service.bookingMode === 'interval' && wish.durationMin === undefined)
        return refused('invalid-duration');
      const customer = await customerOf(this.#parts, wish, service.projectId);
      return typeof customer === 'string' ? refused(customer) : { customer };
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      // It is about the service or the customer's card, so another time would not help.
      return { outcome: 'refused', refusal: plainRefusal(error) };
    }
  }

  /** Looks in the directory first; asks the platform about a newer service. Rejects with the platform's refusal if there is none. */
  async #service(wish: BookWish): Promise<{ readonly projectId: string; readonly bookingMode?: string }> {
    const known = this.#parts.directory.current().services.get(wish.serviceId);
    if (known) return known;
    const fromMs = this.#parts.clock.now();
    const { serviceId, branchId, resourceId } = wish;
    return this.#parts.writer.slots({
      ...{ serviceId, fromMs, toMs: fromMs + DAY_MS },
      ...(branchId === undefined ? {} : { branchId }),
      ...(resourceId === undefined ? {} : { resourceId }),
    });
  }

  /**
   * Reads the appointment first, even at the first attempt: repeating a fulfilled move or cancellation would only notify the customer
   * again.
   */
  async #change(wish: MoveWish | CancelWish): Promise<Verdict | Subject> {
    const appointment = await this.#parts.writer.get(wish.appointmentId);
    if (!appointment) return refused('not-found');
    if (wish.op === 'cancel') return isLive(appointment) ? { op: 'cancel', wish } : done(appointment);
    if (isWhereWished(appointment, wish)) return done(appointment);
    if (!isAsSeen(appointment, wish)) return refused('moved-meanwhile');
    return { op: 'move', wish, before: appointmentPlace(appointment) };
  }
}

interface Asked {
  readonly origin: string;
  readonly wish: Wish;
  readonly record: IntentRecord | undefined;
  readonly isFormer: IsFormer | undefined;
}

function openOf(record: IntentRecord | undefined): BookingRequest | undefined {
  return record?.open && isBookingRequest(record.open) ? record.open : undefined;
}

function done(appointment: Appointment): Verdict {
  return { outcome: 'done', appointment };
}

function found(appointment: Appointment): Verdict {
  return { outcome: 'done', appointment, found: true };
}

function perhapsBooked({ id: appointmentId, starts_at: startsAt }: Appointment): Verdict {
  const refusal = { code: 'perhaps-booked', slots: [], standing: { appointmentId, startsAt } };
  return { outcome: 'refused', refusal };
}

function refused(code: string): Verdict {
  return { outcome: 'refused', refusal: { code, slots: [] } };
}
