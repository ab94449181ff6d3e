/**
 * Who is booked. In: what the wish says of the customer. Out: the fields of the booking, or why there are none. A card is made only when
 * the wish allows it, one at a time per phone or e-mail, with its request stored before it leaves: never two cards for one booking.
 */
import { createHash } from 'node:crypto';
import type { BookWish, Customer } from '../../domain/booking.ts';
import { DeferredError, TerminalError, WorkerError } from '../../domain/errors.ts';
import { idempotencyKey } from '../../domain/idempotency-key.ts';
import type { OpenRequest } from '../../domain/intent.ts';
import type { Contact } from '../../domain/snapshot.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CustomerCards } from '../../ports/customer-cards.ts';
import type { IntentStore } from '../../ports/intent-store.ts';
import type { Leases } from '../../ports/leases.ts';
import { behaviourOf } from './codes.ts';
import { inProgress, isFailedKey } from './key-memory.ts';
import { type CustomerFields, contactBody } from './request.ts';

/** Another booking makes a card for the same phone or e-mail: this one looks again after. */
const CARD_BUSY_MS = 1_000;

export interface CustomerParts {
  readonly cards: CustomerCards;
  readonly intents: IntentStore;
  readonly leases: Leases;
  readonly clock: Clock;
}

/** Undefined: nobody is known, and nobody may be made. Rejects with `TerminalError` when the platform refuses the new card. */
export async function customerOf(
  parts: CustomerParts,
  wish: BookWish,
  projectId: string | undefined,
): Promise<CustomerFields | undefined> {
  const { customer } = wish;
  const known = await knownContact(parts.cards, customer, projectId);
  // Beside a contact's id, a name or e-mail would replace what the CRM holds (case 25).
  if (known) return { contact_id: known.id };
  const identity = customer.phone ?? customer.email;
  if (customer.create && identity !== undefined) {
    return { contact_id: (await newContact(parts, { customer, projectId, identity })).id };
  }
  if (customer.phone === undefined) return undefined;
  return {
    customer_phone: customer.phone,
    ...(customer.name === undefined ? {} : { customer_name: customer.name }),
    ...(customer.email === undefined ? {} : { customer_email: customer.email }),
  };
}

/** By id, else by phone, else by e-mail; only in the service's project, for the platform takes no other (POST /v1/appointments). */
async function knownContact(
  cards: CustomerCards,
  customer: Customer,
  projectId: string | undefined,
): Promise<Contact | undefined> {
  const contact = customer.contactId === undefined ? undefined : await byId(cards, customer.contactId);
  if (contact && (projectId === undefined || contact.project_id === projectId)) return contact;
  return reachable(cards, customer, projectId);
}

/** What somebody typed as an id and is none names nobody. */
async function byId(cards: CustomerCards, contactId: string): Promise<Contact | undefined> {
  try {
    return await cards.byId(contactId);
  } catch (error) {
    if (error instanceof TerminalError && error.code === 'platform-id-malformed') return undefined;
    throw error;
  }
}

async function reachable(
  cards: CustomerCards,
  { phone, email }: Pick<Customer, 'phone' | 'email'>,
  projectId: string | undefined,
): Promise<Contact | undefined> {
  const byPhone = phone === undefined ? [] : await cards.byPhone(phone, projectId);
  if (byPhone.length > 0) return preferred(byPhone);
  return email === undefined ? undefined : preferred(await cards.byEmail(email, projectId));
}

/** Of several cards the newest that is in use: the list is newest first. */
function preferred(contacts: readonly Contact[]): Contact | undefined {
  return contacts.find((contact) => contact.status === 'active') ?? contacts[0];
}

interface Newcomer {
  readonly customer: Customer;
  readonly projectId: string | undefined;
  /** Phone or e-mail. */
  readonly identity: string;
}

async function newContact(parts: CustomerParts, newcomer: Newcomer): Promise<Contact> {
  const { identity, projectId } = newcomer;
  // Hashed, because names of leases and origins may be shown.
  const name = createHash('sha256')
    .update(JSON.stringify([projectId ?? '', identity]))
    .digest('base64url');
  const held = await parts.leases.hold(`customer:${name}`, () =>
    createOnce(parts, { ...newcomer, origin: `contact:${name}` }),
  );
  if (held) return held.result;
  throw new DeferredError('customer-busy', 'another booking makes the card of this customer', {
    target: 'platform',
    retryAfterMs: CARD_BUSY_MS,
  });
}

async function createOnce(
  parts: CustomerParts,
  newcomer: Newcomer & { readonly origin: string },
): Promise<Contact> {
  const { cards, intents } = parts;
  const { customer, projectId, origin } = newcomer;
  const record = await intents.read(origin);
  // Once more under the lease: whoever held it before, or an answer of ours that was lost, may have made the card.
  const found = await reachable(cards, customer, projectId);
  if (found) {
    if (record?.open) await settled(parts, origin, record.open);
    return found;
  }
  const request = record?.open ?? (await begun(parts, newcomer, (record?.generation ?? 0) + 1));
  try {
    const contact = await cards.create({ body: request.body, idempotencyKey: request.key });
    await settled(parts, origin, request);
    return contact;
  } catch (error) {
    throw await judged(parts, { origin, request, error });
  }
}

async function begun(
  { intents, clock }: CustomerParts,
  { customer, projectId, origin }: Newcomer & { readonly origin: string },
  generation: number,
): Promise<OpenRequest> {
  const nowMs = clock.now();
  const { name, phone, email } = customer;
  const stored = await intents.begin(origin, {
    op: 'contact',
    key: idempotencyKey(['contact', origin, String(generation), String(nowMs)]),
    body: contactBody({ projectId, name, phone, email }),
    generation,
    storedAtMs: nowMs,
  });
  if (stored.outcome !== 'stale') return stored.open;
  throw new DeferredError('customer-busy', 'another booking has just made the card of this customer', {
    target: 'platform',
    retryAfterMs: CARD_BUSY_MS,
  });
}

/** A refused card is no longer open: the next attempt, with what was mended meanwhile, is a new request. */
async function judged(
  parts: CustomerParts,
  { origin, request, error }: { origin: string; request: OpenRequest; error: unknown },
): Promise<unknown> {
  const ageMs = parts.clock.now() - request.storedAtMs;
  const waiting = inProgress(error, ageMs);
  if (waiting) return waiting;
  const isSpent = isFailedKey(error, ageMs) || isConflict(error);
  if (!isSpent && !(error instanceof TerminalError)) return error;
  await settled(parts, origin, request, error instanceof WorkerError ? error.code : 'unexpected');
  if (!isSpent) return error;
  return new DeferredError('customer-busy', 'the card of this customer is begun anew, with another key', {
    target: 'platform',
    retryAfterMs: CARD_BUSY_MS,
  });
}

function isConflict(error: unknown): boolean {
  return error instanceof TerminalError && behaviourOf(error) === 'other-key';
}

async function settled(
  { intents, clock }: CustomerParts,
  origin: string,
  { key, generation }: OpenRequest,
  code?: string,
): Promise<void> {
  const how = code === undefined ? { outcome: 'done' as const } : { outcome: 'refused' as const, code };
  await intents.settle(origin, { key, op: 'contact', generation, ...how, atMs: clock.now() });
}
