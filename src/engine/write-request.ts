/** Turns a wish into the request that carries it, with its exact body and a key of its own. Pure: the caller gives the time. */
import { createHash } from 'node:crypto';
import { idempotencyKey } from './ids.ts';
import type { BookingRequest, Place } from './intent.ts';
import { contentHash } from './object.ts';
import type { BookWish, CancelWish, MoveWish } from './outside-booking.ts';

/**
 * `metadata` key for the outside booking from which an appointment came. The platform keeps it forever: `metadata` is set at creation only.
 */
export const ORIGIN_MARK = 'slotbridge_origin';
/** `metadata` key for the request that created the appointment: it finds the appointment again after a lost answer. */
export const REQUEST_MARK = 'slotbridge_request';

/** Longest string in `metadata` (platform API, general rule 8). */
const MARK_CHARS_MAX = 500;
/** Longest contact name (platform API, Limits). */
const NAME_CHARS_MAX = 255;

export type Subject =
  | { readonly op: 'book'; readonly wish: BookWish; readonly customer: CustomerFields }
  | { readonly op: 'move'; readonly wish: MoveWish; readonly before: Place }
  | { readonly op: 'cancel'; readonly wish: CancelWish };

/** Who is booked, in the fields of POST /v1/appointments. */
export type CustomerFields =
  | { readonly contact_id: string }
  | { readonly customer_phone: string; readonly customer_name?: string; readonly customer_email?: string };

export interface RequestFacts {
  readonly origin: string;
  readonly generation: number;
  readonly nowMs: number;
  /** The intent store gives it. It changes when Redis is lost. */
  readonly seed: string;
}

export function requestOf(subject: Subject, facts: RequestFacts): BookingRequest {
  const key = requestKey(subject, facts);
  const stored = { key, generation: facts.generation, storedAtMs: facts.nowMs };
  switch (subject.op) {
    case 'book':
      return { ...stored, op: 'book', wish: subject.wish, body: bookBody(subject, facts, key) };
    case 'move': {
      const { wish, before } = subject;
      return { ...stored, op: 'move', wish, before, body: moveBody(wish) };
    }
    case 'cancel':
      return { ...stored, op: 'cancel', wish: subject.wish, body: cancelBody(subject.wish) };
  }
}

/** The same wish under a new key: the old one is spent, or returns nothing but a failure. */
export function underNewKey(request: BookingRequest, facts: RequestFacts): BookingRequest {
  switch (request.op) {
    case 'book':
      return requestOf({ op: 'book', wish: request.wish, customer: customerInBody(request.body) }, facts);
    case 'move':
      return requestOf({ op: 'move', wish: request.wish, before: request.before }, facts);
    case 'cancel':
      return requestOf({ op: 'cancel', wish: request.wish }, facts);
  }
}

/** The `metadata` value for an origin; hashed when it would not fit, or would be trimmed. */
export function originMark(origin: string): string {
  if (origin.trim() === origin && [...origin].length <= MARK_CHARS_MAX) return origin;
  return `sha256-${createHash('sha256').update(origin).digest('base64url')}`;
}

/** The body that creates a new customer's card. */
export function contactBody(card: {
  readonly projectId: string | undefined;
  readonly name: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
}): string {
  const name = [...(card.name?.trim() || card.phone || card.email || '')].slice(0, NAME_CHARS_MAX).join('');
  return JSON.stringify({
    ...given('project_id', card.projectId),
    name,
    ...given('phone', card.phone),
    // In the form of later searches: the list matches it exactly (platform API, GET /v1/contacts), and people type capitals as they like.
    ...given('email', card.email?.toLowerCase()),
  });
}

/** The customer in the body of a stored booking. */
export function customerInBody(body: string): CustomerFields {
  const { contact_id, customer_phone, customer_name, customer_email } = JSON.parse(body) as {
    readonly contact_id?: string;
    readonly customer_phone?: string;
    readonly customer_name?: string;
    readonly customer_email?: string;
  };
  if (contact_id !== undefined) return { contact_id };
  return {
    customer_phone: customer_phone ?? '',
    ...given('customer_name', customer_name),
    ...given('customer_email', customer_email),
  };
}

/**
 * The generation separates decisions: a key remembers its first answer, even a 409. The seed separates this count from one that was lost
 * with Redis and restarted at 1. Two workers that cannot see each other's state give the same wish the same key, so the platform performs
 * it once.
 */
function requestKey({ op, wish }: Subject, { origin, generation, seed }: RequestFacts): string {
  return idempotencyKey([op, origin, contentHash({ ...wish }), String(generation), seed]);
}

function bookBody(
  { wish, customer }: { wish: BookWish; customer: CustomerFields },
  { origin }: RequestFacts,
  key: string,
): string {
  return JSON.stringify({
    service_id: wish.serviceId,
    starts_at: wish.startsAt,
    ...given('branch_id', wish.branchId),
    ...given('resource_id', wish.resourceId),
    ...given('duration_min', wish.durationMin),
    ...given('guests_count', wish.guests),
    ...customer,
    ...given('comment', wish.comment),
    // Always sent: without it, the platform mails the customer.
    notify_customer: wish.notifyCustomer,
    metadata: { [ORIGIN_MARK]: originMark(origin), [REQUEST_MARK]: key },
  });
}

function moveBody(wish: MoveWish): string {
  return JSON.stringify({
    starts_at: wish.startsAt,
    ...given('resource_id', wish.resourceId),
    notify_customer: wish.notifyCustomer,
  });
}

function cancelBody(wish: CancelWish): string {
  return JSON.stringify({ ...given('reason', wish.reason), notify_customer: wish.notifyCustomer });
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [K in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [K in Name]?: Value });
}
