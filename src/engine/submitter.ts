/**
 * Carries wishes of an origin to the platform and returns the verdict. Promises: one open request per origin, stored before it leaves. An
 * open request ends before a newer one begins, and is sent again only for the same wish. A fulfilled wish is not sent again, even after its
 * record was lost.
 */

import { createHash } from 'node:crypto';
import type { IsFormer } from './carriers.ts';
import {
  appointmentPlace,
  assertNotUnderWay,
  behaviourOf,
  type CarryParts,
  carry,
  endForOther,
  endIfShown,
  endUnsent,
  findFormer,
  findOwn,
  inProgress,
  isAsSeen,
  isFailedKey,
  isLive,
  isWhereWished,
  lastSentAtMs,
  offered,
  plainRefusal,
} from './carry-write.ts';
import { secondOf } from './decide-edit.ts';
import { DeferredError, RetryableError, TerminalError, WorkerError } from './errors.ts';
import { freeTimesWithin } from './free-times.ts';
import { idempotencyKey } from './ids.ts';
import {
  type BookingRequest,
  type CustomerFields,
  contactBody,
  type IntentRecord,
  type IntentStore,
  isBookingRequest,
  type OpenRequest,
  requestOf,
  type Sender,
  type Subject,
} from './intent.ts';
import type { Leases } from './leases.ts';
import { distanceMs } from './moments.ts';
import { type Appointment, type Contact, contentHash } from './object.ts';
import type { BookWish, CancelWish, Customer, MoveWish, Refusal, Verdict, Wish } from './outside-booking.ts';
import type { ContactLookup } from './platform.ts';
import type { Clock } from './runtime.ts';

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
  return new BookingSubmitter(parts);
}

/** Carries wishes to the platform, each exactly once. An open request ends before anything newer is sent. */
export class BookingSubmitter {
  readonly #parts: SubmitterParts;

  constructor(parts: SubmitterParts) {
    this.#parts = parts;
  }

  /**
   * Brings the wish to its verdict. The request is stored, body and key, before it leaves. An open request for this wish is sent again. One for
   * another wish ends first: if the platform shows its verdict, that is returned with `earlier`, else it is withdrawn. Rejects with
   * `RetryableError` or `DeferredError` while there is no verdict: call again.
   *
   * `claim`: the turn that asks. Once another handler has taken its object over, nothing is sent (`fenced`): people may have taken the wish
   * back since. `isFormer`: whether an appointment made for another origin belongs to this one, whose place or name has changed since. Called for the
   * platform's appointments if nothing is known of a booking. `perhaps` ends in the refusal `perhaps-booked`. `judged`: the appointment by which
   * the caller decided; if it has moved since, nothing is stored or sent, and the caller decides again.
   */
  async submit(
    origin: string,
    wish: Wish,
    { claim, isFormer, judged }: SubmitAbout = {},
  ): Promise<Verdict & { readonly earlier?: Wish }> {
    for (let tries = 0; tries < BEGIN_TRIES_MAX; tries += 1) {
      const record = await this.#parts.intents.read(origin);
      const open = openOf(record);
      if (open && contentHash(open.wish) === contentHash(wish))
        return carry(this.#parts, { origin, request: open, isFresh: false, claim });
      const ended = open && (await endForOther(this.#parts, { origin, request: open }));
      if (ended) return ended;
      if (open) continue;
      const subject =
        wish.op === 'book'
          ? await this.#booking({ origin, record, isFormer }, wish)
          : await this.#change(wish, judged);
      if ('outcome' in subject) return subject;
      const generation = (record?.generation ?? 0) + 1;
      const seed = await this.#parts.intents.seed();
      // Only now: the reads above may take long, and a request that is too old is not sent without another look.
      const nowMs = this.#parts.clock.now();
      const request = requestOf(subject, { origin, generation, nowMs, seed });
      const begun = await this.#parts.intents.begin(origin, request, claim);
      if (begun.outcome === 'begun') return carry(this.#parts, { origin, request, isFresh: true, claim });
      // Another handler was faster: read the record again.
    }
    throw new RetryableError('intent-contended', 'several handlers book for one origin at once', {
      target: 'platform',
    });
  }

  /**
   * The verdict of this origin's open request; `open` if the platform shows none yet, undefined without an open request. Sends nothing: people
   * may have taken the wish back. After `open`, `submit` the wish again or `withdraw` it.
   */
  async finish(
    origin: string,
  ): Promise<((Verdict | { readonly outcome: 'open' }) & { readonly earlier: Wish }) | undefined> {
    const request = openOf(await this.#parts.intents.read(origin));
    if (!request) return undefined;
    const { wish: earlier } = request;
    return { ...((await endIfShown(this.#parts, { origin, request })) ?? { outcome: 'open' }), earlier };
  }

  /**
   * Withdraws the request that `finish` found open: it is never sent again. Rejects with `DeferredError` while it may be under way: then
   * call `finish` again. A booking's request stays open for a day, so that `finish` finds the appointment if the platform makes it later.
   */
  async withdraw(origin: string): Promise<void> {
    const request = openOf(await this.#parts.intents.read(origin));
    if (!request) return;
    // A booking's request stays open: if the platform still carries it out, the worker finds it by that request.
    const isAwaited =
      request.op === 'book' && distanceMs(lastSentAtMs(request), this.#parts.clock.now()) < LATE_MS;
    await (isAwaited ? assertNotUnderWay : endUnsent)(this.#parts, { origin, request });
  }

  /**
   * Free times of a day, for a user who has yet to choose one; nothing if there are none or they cannot be determined. Rejects with
   * `RetryableError` or `DeferredError` for a while if the platform does not answer: call again. `sinceMs`: when it was wished.
   */
  async freeTimes(
    wished: { readonly serviceId: string; readonly branchId?: string; readonly resourceId?: string } & {
      readonly guests?: number;
      readonly durationMin?: number;
    },
    { fromMs, toMs, sinceMs }: { readonly fromMs: number; readonly toMs: number; readonly sinceMs: number },
  ): Promise<Pick<Refusal, 'slots' | 'zone'>> {
    const { writer, clock } = this.#parts;
    const nowMs = clock.now();
    if (toMs <= nowMs) return { slots: [] };
    return offered(
      () => freeTimesWithin(writer, wished, { fromMs, toMs, nowMs }),
      distanceMs(sinceMs, nowMs),
    );
  }

  /**
   * The appointment that this origin's last successful booking made, as far as the submitter remembers. Call it if your own record has
   * none: a verdict that was never recorded would otherwise leave an appointment that is never cancelled.
   */
  async made(origin: string): Promise<string | undefined> {
    return (await this.#parts.intents.read(origin))?.appointmentId;
  }

  /** The live appointment that the platform shows as booked by this origin, as wished. Call it if the submitter may have forgotten. */
  async find(origin: string, wish: BookWish): Promise<string | undefined> {
    const who = await this.#customer(wish);
    if ('outcome' in who) return undefined;
    const { serviceId, startsAt } = wish;
    const found = await findOwn(this.#parts.writer, { origin, serviceId, startsAt, customer: who.customer });
    return found && isLive(found) ? found.id : undefined;
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
  async #change(wish: MoveWish | CancelWish, judged: SubmitAbout['judged']): Promise<Verdict | Subject> {
    const appointment = await this.#parts.writer.get(wish.appointmentId);
    if (!appointment) return refused('not-found');
    // The platform takes no condition, so this is the last moment at which a customer's move can still win.
    const hasMoved = judged?.startMs !== undefined && secondOf(appointment.starts_at) !== judged.startMs;
    if (hasMoved && isLive(appointment))
      throw new RetryableError('edit-unsettled', 'the appointment has moved since it was judged');
    if (wish.op === 'cancel') return isLive(appointment) ? { op: 'cancel', wish } : done(appointment);
    if (isWhereWished(appointment, wish)) return done(appointment);
    if (!isAsSeen(appointment, wish)) return refused('moved-meanwhile');
    return { op: 'move', wish, before: appointmentPlace(appointment) };
  }
}

interface SubmitAbout {
  readonly claim?: Sender;
  readonly isFormer?: IsFormer | undefined;
  /** Epoch milliseconds, in whole seconds. */
  readonly judged?: { readonly startMs: number | undefined } | undefined;
}

interface Asked {
  readonly origin: string;
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

/**
 * Who is booked: the customer fields of the booking, or why there are none. A card is created only when the wish allows it, and only for
 * somebody who can be reached (`new-card.ts`).
 */

/** The customer, or why the wish names none that can be booked. Rejects with `TerminalError` when the platform refuses the new card. */
async function customerOf(
  parts: NewCardParts,
  wish: BookWish,
  projectId: string | undefined,
): Promise<CustomerFields | 'customer-unknown' | 'contact-not-found'> {
  const { customer } = wish;
  // Next to a contact's id, a name or e-mail would replace what the CRM holds (case 25).
  if (customer.contactId !== undefined) {
    const given = await byId(parts.cards, customer.contactId);
    // No other search: the phone number might belong to somebody else. A card of another project is refused by the platform, as not found.
    return given ? { contact_id: given.id } : 'contact-not-found';
  }
  // Only in the service's project: the platform accepts no other (POST /v1/appointments).
  const known = await reachable(parts.cards, customer, projectId);
  if (known) {
    if (customer.create) await cardFound(parts, { customer, projectId }, known);
    return { contact_id: known.id };
  }
  if (customer.create && (customer.phone ?? customer.email) !== undefined) {
    return { contact_id: (await newCard(parts, { customer, projectId })).id };
  }
  if (customer.phone === undefined) return 'customer-unknown';
  return {
    customer_phone: customer.phone,
    ...(customer.name === undefined ? {} : { customer_name: customer.name }),
    ...(customer.email === undefined ? {} : { customer_email: customer.email }),
  };
}

/** A text that is no id matches no card. */
async function byId(cards: ContactLookup, contactId: string): Promise<Contact | undefined> {
  try {
    return await cards.byId(contactId);
  } catch (error) {
    if (error instanceof TerminalError && error.code === 'platform-id-malformed') return undefined;
    throw error;
  }
}

/**
 * Creates the card of a customer whom the platform does not know: one card, however many bookings arrive at the same time. The handler
 * leases the phone and the e-mail separately, because another booking may know only one of them. It stores the request under both before it
 * leaves. The card is also remembered under both, because the platform's list may show it late.
 */

/** How soon to look again while another booking creates a card for the same phone or e-mail. */
const CARD_BUSY_MS = 1_000;
/** How long a new card is remembered: the platform's list may show it late. */
const CARD_REMEMBERED_MS = 15 * 60_000;

interface NewCardParts {
  readonly cards: ContactLookup;
  readonly intents: IntentStore;
  readonly leases: Leases;
  readonly clock: Clock;
}

interface Newcomer {
  readonly customer: Customer;
  readonly projectId: string | undefined;
}

/** Rejects with `TerminalError` when the platform refuses the card. */
async function newCard(parts: NewCardParts, newcomer: Newcomer): Promise<Contact> {
  const names = namesOf(newcomer);
  const leases = names.map((name) => `customer:${name}`);
  const held = await holdAll(parts.leases, leases, () => createOnce(parts, newcomer, names));
  if (held) return held.result;
  throw busy('another booking makes the card of this customer');
}

/** Called when the platform shows the card. Ends a request for it whose answer was lost, so that nothing personal of that stays. */
async function cardFound(parts: NewCardParts, newcomer: Newcomer, card: Contact): Promise<void> {
  const names = namesOf(newcomer);
  if (!(await knownUnder(parts, names)).some(({ record }) => record?.open)) return;
  const leases = names.map((name) => `customer:${name}`);
  // The holder of the leases is about to end it.
  await holdAll(parts.leases, leases, async () => endOpen(parts, await knownUnder(parts, names), card.id));
}

/** One name for the phone and one for the e-mail. Hashed, because names of leases and origins may be shown. */
function namesOf({ customer: { phone, email }, projectId }: Newcomer): readonly string[] {
  const names: string[] = [];
  for (const identity of [phone, email?.toLowerCase()]) {
    const known = JSON.stringify([projectId ?? '', identity]);
    if (identity !== undefined) names.push(createHash('sha256').update(known).digest('base64url'));
  }
  return names;
}

/** Waits for no lease, so two handlers that take the same ones in another order cannot deadlock. */
async function holdAll<T>(
  leases: Leases,
  names: readonly string[],
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  const [name, ...others] = names;
  if (name === undefined) return { result: await work() };
  return (await leases.hold(name, () => holdAll(leases, others, work)))?.result;
}

/** The intents stored under the phone or the e-mail. */
interface Known {
  readonly origin: string;
  readonly record: IntentRecord | undefined;
}

async function knownUnder(
  { intents }: Pick<NewCardParts, 'intents'>,
  names: readonly string[],
): Promise<readonly Known[]> {
  const known: Known[] = [];
  for (const name of names) {
    const origin = `contact:${name}`;
    known.push({ origin, record: await intents.read(origin) });
  }
  return known;
}

async function endOpen(parts: NewCardParts, known: readonly Known[], contactId: string): Promise<void> {
  for (const { origin, record } of known)
    if (record?.open) await settled(parts, { origin, request: record.open, contactId });
}

async function createOnce(
  parts: NewCardParts,
  newcomer: Newcomer,
  names: readonly string[],
): Promise<Contact> {
  const { cards } = parts;
  const known = await knownUnder(parts, names);
  // Look again under the leases: their previous holder, or a request whose answer was lost, may have created the card.
  const found =
    (await reachable(cards, newcomer.customer, newcomer.projectId)) ?? (await remembered(parts, known));
  if (found) {
    await endOpen(parts, known, found.id);
    return found;
  }
  const [open] = known.flatMap(({ record }) => record?.open ?? []);
  const request = open ?? firstRequest(parts, newcomer, { known, seed: await parts.intents.seed() });
  const begun = await begin(parts, request, known);
  try {
    let isReplayed = false;
    const onReplayed = () => {
      isReplayed = true;
    };
    const contact = await cards.create({ body: request.body, idempotencyKey: request.key, onReplayed });
    // The platform repeated an answer that this Redis does not know. The card may be gone since.
    if (isReplayed && (await cards.byId(contact.id)) === undefined) throw await spent(parts, begun);
    for (const each of begun) await settled(parts, { ...each, contactId: contact.id });
    return contact;
  } catch (error) {
    throw await judged(parts, { begun: begun.filter((each) => each.request.key === request.key), error });
  }
}

/** A card of this project that was created a moment ago, and that the platform has not removed or merged since. */
async function remembered(
  { cards, clock }: NewCardParts,
  known: readonly Known[],
): Promise<Contact | undefined> {
  const sinceMs = clock.now() - CARD_REMEMBERED_MS;
  for (const { record } of known) {
    const made = record?.ended.find(({ contactId, atMs }) => contactId !== undefined && atMs >= sinceMs);
    const card = made?.contactId === undefined ? undefined : await cards.byId(made.contactId);
    if (card) return card;
  }
  return undefined;
}

function firstRequest(
  { clock }: NewCardParts,
  { customer: { name, phone, email }, projectId }: Newcomer,
  { known: [first], seed }: { readonly known: readonly Known[]; readonly seed: string },
): OpenRequest {
  const generation = (first?.record?.generation ?? 0) + 1;
  return {
    op: 'contact',
    key: idempotencyKey(['contact', first?.origin ?? '', String(generation), seed]),
    body: contactBody({ projectId, name, phone, email }),
    generation,
    storedAtMs: clock.now(),
  };
}

interface Begun {
  readonly origin: string;
  readonly request: OpenRequest;
}

/** Opens the same request under each name. One that is already open there is another booking's, and ends with this one. */
async function begin(
  { intents }: NewCardParts,
  request: OpenRequest,
  known: readonly Known[],
): Promise<readonly Begun[]> {
  const begun: Begun[] = [];
  for (const { origin, record } of known) {
    if (record?.open) begun.push({ origin, request: record.open });
    else {
      const own = { ...request, generation: (record?.generation ?? 0) + 1 };
      const stored = await intents.begin(origin, own);
      if (stored.outcome !== 'begun') throw busy('another booking has just made the card of this customer');
      begun.push({ origin, request: own });
    }
  }
  return begun;
}

/** A refused request is closed: the next attempt, perhaps with corrected data, is a new request. */
async function judged(
  parts: NewCardParts,
  { begun, error }: { begun: readonly Begun[]; error: unknown },
): Promise<unknown> {
  const [first] = begun;
  const ageMs = distanceMs(first?.request.storedAtMs ?? 0, parts.clock.now());
  const waiting = inProgress(error, ageMs);
  if (waiting) return waiting;
  const isSpent = isFailedKey(error, ageMs) || isConflict(error);
  if (!isSpent && !(error instanceof TerminalError)) return error;
  const code = error instanceof WorkerError ? error.code : 'unexpected';
  if (isSpent) return spent(parts, begun, code);
  for (const each of begun) await settled(parts, { ...each, code });
  return error;
}

async function spent(parts: NewCardParts, begun: readonly Begun[], code = 'gone'): Promise<DeferredError> {
  for (const each of begun) await settled(parts, { ...each, code });
  return busy('the card of this customer is begun again, with another key');
}

function isConflict(error: unknown): boolean {
  return error instanceof TerminalError && behaviourOf(error) === 'other-key';
}

async function settled(
  { intents, clock }: NewCardParts,
  { origin, request, ...end }: Begun & ({ readonly contactId: string } | { readonly code: string }),
): Promise<void> {
  const { key, generation } = request;
  const outcome = 'code' in end ? ('refused' as const) : ('done' as const);
  await intents.settle(origin, { key, op: 'contact', generation, outcome, ...end, atMs: clock.now() });
}

function busy(message: string): DeferredError {
  return new DeferredError('customer-busy', message, { target: 'platform', retryAfterMs: CARD_BUSY_MS });
}

/** The card that the platform's list shows for a phone, else for an e-mail. */
async function reachable(
  cards: ContactLookup,
  { phone, email }: Pick<Customer, 'phone' | 'email'>,
  projectId: string | undefined,
): Promise<Contact | undefined> {
  const byPhone = phone === undefined ? [] : await cards.byPhone(phone, projectId);
  if (byPhone.length > 0) return preferred(byPhone);
  if (email === undefined) return undefined;
  // The list matches an e-mail exactly as the card has it (platform API, GET /v1/contacts), and people type capitals as they like.
  for (const written of new Set([email, email.toLowerCase()])) {
    const byEmail = await cards.byEmail(written, projectId);
    if (byEmail.length > 0) return preferred(byEmail);
  }
  return undefined;
}

/** Prefers the newest active contact; the API lists the newest first. */
function preferred(contacts: readonly Contact[]): Contact | undefined {
  return contacts.find((contact) => contact.status === 'active') ?? contacts[0];
}
