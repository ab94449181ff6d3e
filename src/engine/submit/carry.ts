/**
 * Carries one stored request, which may have left before, to its verdict, and stores that. Until there is one, it rejects with
 * `RetryableError` or `DeferredError` and the request stays open: the next call sends exactly the same again.
 */

import { DeferredError, RetryableError, TerminalError, WorkerError } from '../domain/errors.ts';
import type { BookingRequest, EndedRequest } from '../domain/intent.ts';
import { canHaveBeen, distanceMs } from '../domain/moments.ts';
import type { Appointment } from '../domain/object.ts';
import type { Refusal, Verdict, Wish } from '../domain/outside-booking.ts';
import type { IntentStore } from '../ports/bookings.ts';
import type { DirectorySource, PlatformWriter } from '../ports/platform.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { behaviourOf } from './codes.ts';
import { findOwn, isAsSeen, isLive, isWhereItWas, isWhereWished } from './current-state.ts';
import { freeTimesNear, type Offer, type Wished } from './free-times.ts';
import { inProgress, isFailedKey, maybeInProgress } from './key-memory.ts';
import { customerInBody, underNewKey } from './request.ts';

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
}

export async function carry(parts: CarryParts, carried: Carried): Promise<Verdict> {
  let { request, isFresh } = carried;
  const { origin } = carried;
  for (let keys = 0; keys <= NEW_KEYS_MAX; keys += 1) {
    const answer = await attempt(parts, { origin, request, isFresh });
    if (answer !== 'other-key') return settle(parts, { origin, request }, answer);
    const next = underNewKey(request, {
      origin,
      generation: request.generation + 1,
      nowMs: parts.clock.now(),
      seed: await parts.intents.seed(),
    });
    if (!(await parts.intents.replace(origin, request.key, next))) throw overtaken();
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
    if (!(await parts.intents.replace(origin, request.key, { ...request, sentAtMs }))) throw overtaken();
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
    const isOpen = await parts.intents.replace(carried.origin, request.key, again);
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
