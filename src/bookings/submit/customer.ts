/**
 * Who is booked: the customer fields of the booking, or why there are none. A card is created only when the wish allows it, and only for
 * somebody who can be reached (`new-card.ts`).
 */
import type { BookWish } from '../../domain/booking.ts';
import { TerminalError } from '../../domain/errors.ts';
import type { Contact } from '../../domain/snapshot.ts';
import type { ContactLookup } from '../../ports/platform.ts';
import { cardFound, type NewCardParts, newCard } from './new-card.ts';
import { reachable } from './reachable.ts';
import type { CustomerFields } from './request.ts';

/** The customer, or why the wish names none that can be booked. Rejects with `TerminalError` when the platform refuses the new card. */
export async function customerOf(
  parts: NewCardParts,
  wish: BookWish,
  projectId: string | undefined,
): Promise<CustomerFields | 'customer-unknown' | 'contact-not-found'> {
  const { customer } = wish;
  // Next to a contact's id, a name or e-mail would replace what the CRM holds (case 25).
  if (customer.contactId !== undefined) {
    const given = await byId(parts.cards, customer.contactId);
    const isOfProject = projectId === undefined || given?.project_id === projectId;
    // No other search: the phone number might belong to somebody else.
    return given && isOfProject ? { contact_id: given.id } : 'contact-not-found';
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
