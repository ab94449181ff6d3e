import type { Contact } from '../domain/snapshot.ts';
import type { WriteRequest } from './platform-writer.ts';

/** The platform's contacts, as far as a booking needs them. All methods reject with the three error families. */
export interface CustomerCards {
  /** Undefined when the platform does not show it. */
  byId(contactId: string): Promise<Contact | undefined>;
  /** Newest first, of the newest hundred. Without a project: of all projects of the key. */
  byPhone(phone: string, projectId: string | undefined): Promise<readonly Contact[]>;
  byEmail(email: string, projectId: string | undefined): Promise<readonly Contact[]>;
  /** Every new key makes a new card, even for a known phone: look first. */
  create(request: WriteRequest): Promise<Contact>;
}
