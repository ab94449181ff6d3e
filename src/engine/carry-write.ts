/**
 * Carries one stored request, which may have left before, to its verdict, and stores that. Until there is one, it rejects with
 * `RetryableError` or `DeferredError` and the request stays open: the next call sends exactly the same again.
 */

import type { IsFormer } from './carriers.ts';
import { DeferredError, RetryableError, TerminalError, WorkerError } from './errors.ts';
import { freeTimesNear, type Offer, type Wished } from './free-times.ts';
import {
  type BookingRequest,
  type CustomerFields,
  customerInBody,
  type EndedRequest,
  type IntentStore,
  originMark,
  type Place,
  REQUEST_MARK,
  type Sender,
  underNewKey,
} from './intent.ts';
import { agoMs, canHaveBeen, distanceMs } from './moments.ts';
import { type Appointment, appointmentState, ORIGIN_MARK, type Snapshot } from './object.ts';
import type { MoveWish, Refusal, Verdict, Wish } from './outside-booking.ts';
import type { DirectorySource, PlatformWriter } from './platform.ts';
import type { Clock, Log } from './runtime.ts';

/**
 * What every refusal of create, reschedule and cancel means for the wish (platform API, Errors, Appointment codes and General codes). Other
 * codes are judged by their status. 401, 402, 403 on the scope, 429 and 5xx never get here: they refuse nothing.
 */

/**
 * `refuse`: the person has to change something, or nothing can be done. `offer`: the same, and another time would help. `other-key`: our
 * key was used with another body or is invalid, and the wish itself was not judged.
 */
type Behaviour = 'refuse' | 'offer' | 'other-key';

/** Every code of the document that can answer one of the three requests, and the worker's own codes. */
export const BEHAVIOURS = {
  'slot-unavailable': 'offer',
  'outside-working-hours': 'offer',
  'starts-at-in-past': 'offer',
  'no-resources': 'refuse',
  'appointment-not-reschedulable': 'refuse',
  'appointment-not-cancellable': 'refuse',
  'service-inactive': 'refuse',
  'invalid-duration': 'refuse',
  'too-many-guests': 'refuse',
  'service-not-found': 'refuse',
  'branch-not-found': 'refuse',
  'branch-id-required': 'refuse',
  'resource-not-eligible': 'refuse',
  'contact-not-found': 'refuse',
  'bad-request': 'refuse',
  forbidden: 'refuse',
  'not-found': 'refuse',
  conflict: 'refuse',
  validation: 'refuse',
  'idempotency-conflict': 'other-key',
  // Not the booking's fault: it is still carried, under another key or after an operator has acted.
  'idempotency-key-required': 'other-key',
  'idempotency-key-invalid': 'other-key',
  // The worker's own codes.
  'customer-unknown': 'refuse',
  'moved-meanwhile': 'refuse',
  'off-grid': 'offer',
} as const satisfies Record<string, Behaviour>;

/** Codes about the worker's own key; authors of bookings do not see them. */
export type KeyCode = {
  [Code in keyof typeof BEHAVIOURS]: (typeof BEHAVIOURS)[Code] extends 'other-key' ? Code : never;
}[keyof typeof BEHAVIOURS];

export function behaviourOf(error: TerminalError): Behaviour {
  const known: Readonly<Record<string, Behaviour>> = BEHAVIOURS;
  // The list of codes grows. A new 409 concerns the current state, like a taken slot, so other times may help; the rest is refused.
  return (
    (Object.hasOwn(BEHAVIOURS, error.code) ? known[error.code] : undefined) ??
    (error.status === 409 ? 'offer' : 'refuse')
  );
}

/**
 * Shortest and longest wait for a request that is still running: "Retry after a couple of seconds with the same key" (platform API, General
 * codes).
 */
const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** Wait before the next attempt, as a share of the request's age. */
const SHARE_OF_AGE = 0.25;

/** The first request with this key is still running: this is neither a failure nor an attempt. Undefined for every other error. */
export function inProgress(error: unknown, ageMs: number): DeferredError | undefined {
  if (!(error instanceof WorkerError) || error.code !== 'idempotency-in-progress') return undefined;
  return new DeferredError(error.code, error.message, {
    target: 'platform',
    retryAfterMs: Math.round(Math.min(LONGEST_MS, Math.max(FIRST_MS, ageMs * SHARE_OF_AGE))),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  });
}

/**
 * How long after its time limit the platform may still carry out an unanswered request, for example because it has fallen behind. With the
 * default of `platform.timeout` that is a minute after sending.
 */
const UNDER_WAY_MS = 50_000;

/** The wait until an unanswered request can no longer be under way; undefined if that time is over. */
function maybeInProgress(
  sentAtMs: number,
  { nowMs, timeoutMs }: { readonly nowMs: number; readonly timeoutMs: number },
): DeferredError | undefined {
  const leftMs = timeoutMs + UNDER_WAY_MS - agoMs(sentAtMs, nowMs);
  if (leftMs <= 0) return undefined;
  return new DeferredError('idempotency-in-progress', 'an unwanted request may still be under way', {
    target: 'platform',
    retryAfterMs: leftMs,
  });
}

/** Age from which a 500 may come from the key's memory: the request then takes a new key. */
const FAILED_KEY_MS = 15 * 60_000;

/** Every attempt gets the same 500 (the platform API does not show which answers a key remembers). */
export function isFailedKey(error: unknown, ageMs: number): boolean {
  return error instanceof WorkerError && error.status === 500 && ageMs > FAILED_KEY_MS;
}

/**
 * Whether the platform is already where a request wants it: returns the appointment, or nothing. This makes a request repeatable after its
 * key was forgotten, and after a loss of Redis.
 */

/** Pages of one customer's appointments that are searched: newest first, a hundred each. */
const LOOK_PAGES_MAX = 5;
/** Largest difference between two clocks before a booking counts as older than its request. */
const CLOCKS_APART_MS = 24 * 3_600_000;
const SECOND_MS = 1_000;

interface Sought {
  readonly origin: string;
  /** Also finds the appointment that this request created, whatever its status. Without a key, only live ones of the origin count. */
  readonly key?: string;
  /** Earliest possible creation; epoch milliseconds. */
  readonly sinceMs?: number;
  readonly serviceId: string;
  readonly startsAt: string;
  readonly customer: CustomerFields;
}

/**
 * Finds the appointment that was created for the origin, first where it was booked and then among its customer's: it may have been moved
 * since. There is no filter by `metadata` (platform API, GET /v1/appointments).
 */
export async function findOwn(
  writer: PlatformWriter,
  sought: Sought,
  /** Collects live appointments of other origins, by their marks. */
  others = new Map<string, Appointment>(),
): Promise<Appointment | undefined> {
  for (const filters of placesOf(sought)) {
    const found = await walk(writer, filters, { ...sought, others });
    if (found) return found;
  }
  return undefined;
}

/** The first appointment of another origin that is surely the sought one, else the first that may be. */
export async function findFormer(
  others: ReadonlyMap<string, Appointment>,
  isFormer: IsFormer,
  customer: CustomerFields,
): Promise<{ readonly appointment: Appointment; readonly isSure: boolean } | undefined> {
  let perhaps: Appointment | undefined;
  for (const [mark, appointment] of others) {
    const is = await isFormer(mark, appointment, isOf(customer, appointment));
    if (is === true) return { appointment, isSure: true };
    if (is === 'perhaps') perhaps ??= appointment;
  }
  return perhaps && { appointment: perhaps, isSure: false };
}

function isOf(customer: CustomerFields, appointment: Appointment): boolean {
  if ('contact_id' in customer) return appointment['contact_id'] === customer.contact_id;
  return appointment['customer_phone'] === customer.customer_phone;
}

/** An unknown status counts as live: a second appointment does more harm than none. */
export function isLive(appointment: Snapshot): boolean {
  return appointment['status'] !== 'cancelled';
}

export function appointmentPlace(appointment: Appointment): Place {
  return {
    startsAt: appointment.starts_at,
    resourceId: appointment.resource_id ?? appointment.resource_ids[0] ?? null,
  };
}

/** Compares instants, never texts: the platform answers in UTC. */
export function isWhereWished(appointment: Appointment, wish: MoveWish): boolean {
  if (!isLive(appointment)) return false;
  const place = appointmentPlace(appointment);
  const sameTime = Date.parse(place.startsAt) === Date.parse(wish.startsAt);
  return sameTime && (wish.resourceId === undefined || wish.resourceId === place.resourceId);
}

function isWhereItWas(appointment: Appointment, before: Place): boolean {
  const place = appointmentPlace(appointment);
  return Date.parse(place.startsAt) === Date.parse(before.startsAt) && place.resourceId === before.resourceId;
}

export function isAsSeen(appointment: Appointment, { seenAs }: MoveWish): boolean {
  return seenAs === undefined || seenAs === appointmentState(appointment);
}

function placesOf({ serviceId, startsAt, customer }: Sought): Readonly<Record<string, string>>[] {
  const startMs = Date.parse(startsAt);
  const byCustomer =
    'contact_id' in customer
      ? { contact_id: customer.contact_id }
      : { customer_phone: customer.customer_phone };
  if (Number.isNaN(startMs)) return [byCustomer];
  const from = new Date(startMs).toISOString();
  const before = new Date(startMs + SECOND_MS).toISOString();
  return [{ service_id: serviceId, 'starts_at[gte]': from, 'starts_at[lt]': before }, byCustomer];
}

async function walk(
  writer: PlatformWriter,
  filters: Readonly<Record<string, string>>,
  sought: Sought & { readonly others: Map<string, Appointment> },
): Promise<Appointment | undefined> {
  let after: string | undefined;
  for (let pages = 0; pages < LOOK_PAGES_MAX; pages += 1) {
    const page = await writer.list(filters, after);
    for (const one of page.data) {
      if (isSought(one, sought)) return one;
      const mark = markOf(one, ORIGIN_MARK);
      if (typeof mark === 'string' && isLive(one)) sought.others.set(mark, one);
    }
    const last = page.data.at(-1);
    if (!page.hasMore || !last || isTooOld(last, sought.sinceMs)) return undefined;
    after = last.id;
  }
  return undefined;
}

function isSought(one: Appointment, { origin, key }: Sought): boolean {
  if (key !== undefined && markOf(one, REQUEST_MARK) === key) return true;
  return markOf(one, ORIGIN_MARK) === originMark(origin) && isLive(one);
}

function markOf(one: Appointment, name: string): unknown {
  return (one['metadata'] as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

function isTooOld(one: Appointment, sinceMs: number | undefined): boolean {
  const createdMs = Date.parse(String(one['created_at']));
  return sinceMs !== undefined && createdMs < sinceMs - CLOCKS_APART_MS;
}

/** New keys that one call may use for one wish. */
const NEW_KEYS_MAX = 3;
/** How long a refusal waits for free times: after that it is returned without them. */
const OFFER_WITHIN_MS = 10 * 60_000;
/** Age of its stored moment up to which a request may leave. A process may have stood still since, and another may have ended it. */
const FRESH_MS = 5_000;

export interface CarryParts {
  readonly writer: PlatformWriter;
  readonly intents: IntentStore;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  readonly log: Log;
}

interface Stored {
  readonly origin: string;
  readonly request: BookingRequest;
}

export interface Carried extends Stored {
  /** This very call has just stored the request, so no other handler can have sent it. */
  readonly isFresh: boolean;
  readonly claim?: Sender | undefined;
}

export async function carry(parts: CarryParts, carried: Carried): Promise<Verdict> {
  let { request, isFresh } = carried;
  const { origin, claim } = carried;
  for (let keys = 0; keys <= NEW_KEYS_MAX; keys += 1) {
    const answer = await attempt(parts, { origin, request, isFresh, claim });
    if (answer !== 'other-key') return settle(parts, { origin, request }, answer);
    const next = underNewKey(request, {
      origin,
      generation: request.generation + 1,
      nowMs: parts.clock.now(),
      seed: await parts.intents.seed(),
    });
    if (!(await parts.intents.replace(origin, { key: request.key, claim }, next))) throw overtaken();
    request = next;
    isFresh = true;
  }
  throw new RetryableError('intent-keys-spent', 'the platform has met every new key before', {
    target: 'platform',
    advice: 'Give the request id of the last answer to the platform’s support.',
  });
}

/** Ends the request if the platform shows its outcome. Otherwise returns undefined, and the request stays open. Sends nothing. */
export async function endIfShown(parts: CarryParts, about: Stored): Promise<Verdict | undefined> {
  const standing = await whatStands(parts, about);
  return standing && settle(parts, about, standing);
}

/** Ends an unwanted request without sending it. Call `endIfShown` first. Rejects with `DeferredError` while it may be under way. */
export async function endUnsent(parts: CarryParts, about: Stored): Promise<void> {
  await assertNotUnderWay(parts, about);
  const { key, op, generation } = about.request;
  const how = { outcome: 'refused', code: 'withdrawn' } as const;
  const end = { key, op, generation, ...how, atMs: parts.clock.now() };
  if (!(await parts.intents.withdraw(about.origin, end, about.request))) throw overtaken();
  parts.log.info({ op, generation, ...how }, 'booking request ended');
}

/** Before a request for another wish: returns how the open one ended, or undefined if it was withdrawn. */
export async function endForOther(
  parts: CarryParts,
  about: Stored,
): Promise<(Verdict & { readonly earlier: Wish }) | undefined> {
  const ended = await endIfShown(parts, about);
  if (ended) return { ...ended, earlier: about.request.wish };
  await endUnsent(parts, about);
  return undefined;
}

/** Otherwise this request could take effect after the one that replaces it. */
export async function assertNotUnderWay(parts: CarryParts, { origin, request }: Stored): Promise<void> {
  const nowMs = parts.clock.now();
  let sentAtMs = lastSentAtMs(request);
  if (!canHaveBeen(sentAtMs, nowMs)) {
    // The clock that wrote this moment was ahead, so nobody knows how long ago it was. The wait begins now.
    sentAtMs = nowMs;
    if (!(await parts.intents.replace(origin, request, { ...request, sentAtMs }))) throw overtaken();
  }
  const waiting = maybeInProgress(sentAtMs, { nowMs, timeoutMs: parts.writer.timeoutMs });
  if (waiting) throw waiting;
}

export function lastSentAtMs({ sentAtMs, storedAtMs }: BookingRequest): number {
  return sentAtMs ?? storedAtMs;
}

/** The refusal without free times. */
export function plainRefusal({ code, fields }: TerminalError): Refusal {
  return { code, slots: [], ...(fields.length > 0 ? { fields } : {}) };
}

/** The refusal, with free times if another time would help. Free times are best effort once the person has waited for long. */
async function refusalFor(
  parts: Pick<CarryParts, 'writer' | 'clock'>,
  error: TerminalError,
  about: { readonly wished: Wished | undefined; readonly storedAtMs: number },
): Promise<Refusal> {
  const plain = plainRefusal(error);
  if (behaviourOf(error) !== 'offer' || !about.wished) return plain;
  const { wished } = about;
  const nowMs = parts.clock.now();
  const waitedMs = distanceMs(about.storedAtMs, nowMs);
  const offer = await offered(() => freeTimesNear(parts.writer, wished, nowMs), waitedMs);
  return { ...plain, ...offer };
}

/** Free times offered with a refusal: none if they cannot be read and the person has waited long enough. */
export async function offered(
  ask: () => Promise<Offer | undefined>,
  waitedMs: number,
): Promise<Pick<Refusal, 'slots' | 'zone'>> {
  try {
    const offer = await ask();
    return offer !== undefined && offer.slots.length > 0 ? offer : { slots: [] };
  } catch (failure) {
    if (!(failure instanceof WorkerError)) throw failure;
    const mayPass = failure instanceof RetryableError || failure instanceof DeferredError;
    if (mayPass && waitedMs < OFFER_WITHIN_MS) throw failure;
    return { slots: [] };
  }
}

type Answer = { readonly appointment: Appointment } | { readonly refusal: Refusal } | 'other-key';

async function attempt(parts: CarryParts, carried: Carried): Promise<Answer> {
  const { request } = carried;
  const isRecent = (atMs: number) => distanceMs(atMs, parts.clock.now()) < FRESH_MS;
  const isFresh = carried.isFresh && isRecent(request.storedAtMs);
  if (!isFresh) {
    const standing = await whatStands(parts, carried);
    if (standing) return standing;
    // While this handler looked, another one may have ended the request, and somebody may have undone it. Sent now, it would be an outdated
    // wish.
    const again = { ...request, sentAtMs: parts.clock.now() };
    const isOpen = await parts.intents.replace(
      carried.origin,
      { key: request.key, claim: carried.claim },
      again,
    );
    if (!isOpen || !isRecent(again.sentAtMs)) throw overtaken();
  }
  let isReplayed = false;
  const onReplayed = () => {
    isReplayed = true;
  };
  try {
    const appointment = await send(parts.writer, request, onReplayed);
    if (isFresh && isReplayed) return (await whatStandsAfter(parts, carried, appointment)) ?? 'other-key';
    return { appointment };
  } catch (error) {
    // A worker whose state this Redis has not, or has no more, was refused before. That may be long ago.
    if (isFresh && isReplayed && error instanceof TerminalError) return 'other-key';
    return answerFrom(parts, { ...carried, isFresh }, error);
  }
}

function send(writer: PlatformWriter, request: BookingRequest, onReplayed: () => void): Promise<Appointment> {
  const written = { body: request.body, idempotencyKey: request.key, onReplayed };
  switch (request.op) {
    case 'book':
      return writer.create(written);
    case 'move':
      return writer.reschedule(request.wish.appointmentId, written);
    case 'cancel':
      return writer.cancel(request.wish.appointmentId, written);
  }
}

/**
 * The platform repeated an answer that this Redis does not know. A worker on the other side of a split got it, or one whose writes were
 * lost. Its effect may have been undone since.
 */
async function whatStandsAfter(
  parts: CarryParts,
  about: Stored,
  answered: Appointment,
): Promise<Exclude<Answer, 'other-key'> | undefined> {
  if (about.request.op !== 'book') return whatStands(parts, about);
  const appointment = await parts.writer.get(answered.id);
  return appointment && isLive(appointment) ? { appointment } : undefined;
}

async function answerFrom(parts: CarryParts, carried: Carried, error: unknown): Promise<Answer> {
  const { request, isFresh } = carried;
  const ageMs = distanceMs(request.storedAtMs, parts.clock.now());
  const waiting = inProgress(error, ageMs);
  if (waiting) throw waiting;
  // A moment ago, the platform showed no effect of this request.
  if (!isFresh && isFailedKey(error, ageMs)) return 'other-key';
  if (!(error instanceof TerminalError)) throw error;
  if (behaviourOf(error) === 'other-key' || !isFresh) {
    // Our own appointment may be in the way: the platform performed the request, its answer was lost and its key is forgotten.
    const standing = await whatStands(parts, carried);
    if (standing) return standing;
  }
  if (behaviourOf(error) === 'other-key') return 'other-key';
  const { storedAtMs } = request;
  return { refusal: await refusalFor(parts, error, { wished: await wishedOf(parts, request), storedAtMs }) };
}

/** What the platform already shows of the request. Undefined: it has to be sent. */
async function whatStands(
  parts: CarryParts,
  { origin, request }: Stored,
): Promise<Exclude<Answer, 'other-key'> | undefined> {
  const { writer } = parts;
  if (request.op === 'book') {
    const { key, storedAtMs: sinceMs, wish } = request;
    const { serviceId, startsAt } = wish;
    const customer = customerInBody(request.body);
    const own = await findOwn(writer, { origin, key, sinceMs, serviceId, startsAt, customer });
    return own && { appointment: own };
  }
  const appointment = await writer.get(request.wish.appointmentId);
  if (!appointment) return { refusal: { code: 'not-found', slots: [] } };
  if (request.op === 'cancel') return isLive(appointment) ? undefined : { appointment };
  if (isWhereWished(appointment, request.wish)) return { appointment };
  // Somebody has moved it since: sending the older move now would undo that.
  const isUntouched = isWhereItWas(appointment, request.before) && isAsSeen(appointment, request.wish);
  if (isLive(appointment) && !isUntouched) return { refusal: { code: 'moved-meanwhile', slots: [] } };
  return undefined;
}

/** Where to look for other times. */
async function wishedOf(parts: CarryParts, request: BookingRequest): Promise<Wished | undefined> {
  if (request.op === 'book') return wishedBy(parts.directory, request.wish);
  if (request.op === 'cancel') return undefined;
  const appointment = await parts.writer.get(request.wish.appointmentId);
  if (!appointment) return undefined;
  const resourceId = request.wish.resourceId ?? appointment.resource_id ?? undefined;
  const guests = appointment['guests_count'];
  const lengthMs = Date.parse(appointment.ends_at) - Date.parse(appointment.starts_at);
  return {
    serviceId: appointment.service_id,
    startsAt: request.wish.startsAt,
    branchId: appointment.branch_id,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(typeof guests === 'number' ? { guests } : {}),
    ...(lengthMs > 0 ? { durationMin: lengthMs / 60_000 } : {}),
  };
}

/** Names the resource's branch, so that its colleagues' times can be read in a project with several branches. */
function wishedBy(directory: DirectorySource, wish: Wished): Wished {
  const { serviceId, startsAt, resourceId, guests, durationMin } = wish;
  const branchId = wish.branchId ?? directory.current().resources.get(resourceId ?? '')?.branchId;
  return {
    ...{ serviceId, startsAt },
    ...(branchId === undefined ? {} : { branchId }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(guests === undefined ? {} : { guests }),
    ...(durationMin === undefined ? {} : { durationMin }),
  };
}

/** Stores the verdict before returning it: after a death in between, the next wish finds the appointment. */
async function settle(
  parts: CarryParts,
  { origin, request }: Stored,
  answer: Exclude<Answer, 'other-key'>,
): Promise<Verdict> {
  const { key, op, generation } = request;
  const how: Pick<EndedRequest, 'outcome' | 'code' | 'appointmentId'> =
    'appointment' in answer
      ? { outcome: 'done', appointmentId: answer.appointment.id }
      : { outcome: 'refused', code: answer.refusal.code };
  await parts.intents.settle(origin, { key, op, generation, ...how, atMs: parts.clock.now() });
  parts.log.info({ op, generation, ...how }, 'booking request ended');
  return 'appointment' in answer
    ? { outcome: 'done', appointment: answer.appointment }
    : { outcome: 'refused', refusal: answer.refusal };
}

function overtaken(): RetryableError {
  return new RetryableError('intent-overtaken', 'another handler may have ended this request meanwhile', {
    target: 'platform',
  });
}
