import type { Contact as KnownContact } from '../../engine/domain/object.ts';
import type { Page } from '../../engine/ports/platform.ts';
import { absentOn404 } from '../http/absence.ts';
import { segment, type Transport } from '../http/transport.ts';
import { described, pageOf, wireObject } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';
import type { Create, Options } from './request.ts';

/** A customer record (platform API, Contact). */
export interface Contact extends KnownContact {
  readonly type: string;
  readonly name: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  /** Usually E.164; the platform stores a string that it cannot parse as a phone number unchanged. */
  readonly phone: string | null;
  readonly position: string | null;
  readonly source: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface ContactFilters {
  readonly project_id?: string;
  /** Exact match on the primary e-mail. */
  readonly email?: string;
  /** The platform compares phones after conversion to E.164. */
  readonly phone?: string;
  readonly lifecycle?: string;
}

export interface CreateContact {
  /** Required when the key has several projects. */
  readonly project_id?: string | null;
  readonly type?: string | null;
  readonly name: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly email?: string | null;
  readonly phone?: string | null;
  readonly position?: string | null;
  readonly lifecycle?: string | null;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null;
}

/** Only the given fields change; null clears an optional field. */
export interface ChangeContact {
  readonly name?: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly email?: string | null;
  readonly phone?: string | null;
  readonly position?: string | null;
  readonly lifecycle?: string;
  readonly status?: 'active' | 'archived';
}

const contact = described<Contact>(wireObject('contact', {}));
const contactPage = pageOf(contact);

/** Platform API, Contacts. */
export class ContactsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(request: ListRequest<ContactFilters> = {}): Promise<Page<Contact>> {
    return this.#transport.request({
      ...request,
      operation: 'contacts.list',
      method: 'GET',
      path: '/contacts',
      query: listQuery(request),
      answer: contactPage,
    });
  }

  pages(request: ListRequest<ContactFilters> = {}): AsyncGenerator<Page<Contact>, void, void> {
    return pagesOf((page: ListRequest<ContactFilters>) => this.list(page), request);
  }

  /** Undefined when the platform answers 404 `not-found`: deleted, unknown, or in a project that the key does not cover. */
  async get(id: string, options: Options = {}): Promise<Contact | undefined> {
    const path = `/contacts/${segment(id)}`;
    return absentOn404(
      this.#transport.request({
        ...options,
        operation: 'contacts.get',
        method: 'GET',
        path,
        answer: contact,
      }),
    );
  }

  /** Every new Idempotency-Key creates a new contact, even for a known phone, so the caller must search first. */
  create(request: Create<CreateContact>): Promise<Contact> {
    return this.#transport.request({
      ...request,
      body: { ...request.body },
      operation: 'contacts.create',
      method: 'POST',
      path: '/contacts',
      answer: contact,
    });
  }

  async change(id: string, change: ChangeContact, options: Options = {}): Promise<Contact> {
    return this.#transport.request({
      ...options,
      operation: 'contacts.change',
      method: 'PATCH',
      path: `/contacts/${segment(id)}`,
      body: { ...change },
      answer: contact,
    });
  }
}
