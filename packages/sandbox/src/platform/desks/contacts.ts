/** All changes of contacts, from the API and the dashboard, with their events. */

import { toE164OrAsGiven } from '../phone.ts';
import type { ContactRecord } from '../records.ts';
import { assignChanged, type DeskParts } from './desk.ts';

export type NewContact = { projectId: string; name: string; id?: string | undefined } & {
  [K in
    | 'type'
    | 'firstName'
    | 'lastName'
    | 'email'
    | 'phone'
    | 'position'
    | 'lifecycle'
    | 'source'
    | 'metadata']?: ContactRecord[K] | undefined;
};
export type ContactPatch = {
  [K in 'name' | 'firstName' | 'lastName' | 'email' | 'phone' | 'position' | 'lifecycle' | 'status']?:
    | ContactRecord[K]
    | undefined;
};

export class ContactDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  create(given: NewContact): ContactRecord {
    const { world, press } = this.#parts;
    const contact = world.contacts.add({
      ...world.stamp(given.projectId, given.id),
      type: given.type ?? 'person',
      name: given.name,
      firstName: given.firstName ?? null,
      lastName: given.lastName ?? null,
      email: given.email ?? null,
      phone: given.phone ? toE164OrAsGiven(given.phone) : null,
      position: given.position ?? null,
      lifecycle: this.#lifecycleOf(given),
      status: 'active',
      source: given.source ?? 'manual',
      metadata: given.metadata ?? null,
    });
    press.announce('contact.created', contact);
    return contact;
  }

  /** Sends an event only when a field of the object changed (platform API, Delivery rule 3). */
  change(contact: ContactRecord, patch: ContactPatch): void {
    const phone = typeof patch.phone === 'string' ? toE164OrAsGiven(patch.phone) : patch.phone;
    if (!assignChanged<ContactRecord>(contact, { ...patch, phone })) return;
    this.#parts.world.touch(contact);
    this.#parts.press.announce('contact.updated', contact);
  }

  remove(contact: ContactRecord): void {
    this.#parts.world.contacts.remove(contact.id);
    this.#parts.press.announce('contact.deleted', contact);
  }

  /**
   * Removes the duplicate; the survivor takes over the fields that it lacks. Nothing in the two events links
   * them.
   */
  merge(survivor: ContactRecord, duplicate: ContactRecord): void {
    const { world, press, switches } = this.#parts;
    this.remove(duplicate);
    const missing = {
      email: survivor.email ?? duplicate.email,
      phone: survivor.phone ?? duplicate.phone,
      firstName: survivor.firstName ?? duplicate.firstName,
      lastName: survivor.lastName ?? duplicate.lastName,
      position: survivor.position ?? duplicate.position,
    };
    this.change(survivor, missing);
    for (const appointment of world.appointments.all()) {
      if (appointment.contactId !== duplicate.id) continue;
      const toSurvivor = switches().mergeAppointments === 'to-survivor';
      appointment.contactId = toSurvivor ? survivor.id : null;
      world.touch(appointment);
      if (toSurvivor) press.announce('appointment.updated', appointment);
    }
  }

  /** A distribution rule may change the lifecycle when it was not given or equals `lead`. */
  #lifecycleOf(given: NewContact): string {
    const lifecycle = given.lifecycle ?? 'lead';
    return lifecycle === 'lead' ? (this.#parts.world.distributionLifecycle ?? lifecycle) : lifecycle;
  }
}
