import type { Contact } from '../domain/object.ts';
import type { Customer } from '../domain/outside-booking.ts';
import type { ContactLookup } from '../ports/platform.ts';

/** The card that the platform's list shows for a phone, else for an e-mail. */
export async function reachable(
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
