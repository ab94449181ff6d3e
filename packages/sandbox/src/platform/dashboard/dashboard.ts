/**
 * What staff and customers do in the web dashboard and elsewhere, outside the API. Everything here changes the same
 * objects as the API and sends the same events.
 */
import { choose, eligible } from '../booking/choice.ts';
import type { Core } from '../core.ts';
import { toE164OrAsGiven } from '../phone.ts';
import type { AppointmentRecord, ContactRecord, Stamped } from '../records.ts';
import { Catalogue, demand } from './catalogue.ts';
import { Chats } from './chats.ts';
import {
  type BookingInput,
  type CancelInput,
  type ContactChange,
  type ContactInput,
  type MoveInput,
  toMs,
  type WaitlistInput,
} from './inputs.ts';
import { LeadBoard } from './lead-board.ts';

const EVERYTHING = { sees: (): boolean => true };

export class Dashboard extends Catalogue {
  readonly chats: Chats;
  readonly leads: LeadBoard;
  readonly #core: Core;

  constructor(core: Core) {
    super(core);
    this.#core = core;
    this.chats = new Chats(core);
    this.leads = new LeadBoard(core);
  }

  /** Without the add-on called Public API every call answers 402. */
  switchAddOn(isOn: boolean): void {
    this.#core.world.hasAddOn = isOn;
  }

  /** A CRM distribution rule that gives new contacts this lifecycle when theirs is `lead` or missing; null: no rule. */
  setDistributionLifecycle(lifecycle: string | null): void {
    this.#core.world.distributionLifecycle = lifecycle;
  }

  createContact(input: ContactInput): string {
    return this.#core.contacts.create({ ...input, source: input.source ?? 'manual' }).id;
  }

  changeContact(id: string, change: ContactChange): void {
    this.#core.contacts.change(this.#contact(id), change);
  }

  deleteContact(id: string): void {
    this.#core.contacts.remove(this.#contact(id));
  }

  /** Deletes the duplicate; the survivor takes over the fields that it lacks. */
  mergeContacts(survivorId: string, duplicateId: string): void {
    if (survivorId === duplicateId) throw new RangeError('a contact cannot be merged into itself');
    this.#core.contacts.merge(this.#contact(survivorId), this.#contact(duplicateId));
  }

  blockContact(id: string): void {
    this.#core.contacts.change(this.#contact(id), { status: 'blocked' });
  }

  /** A CSV import creates no events (platform API, per-type rules). Returns the ids in order. */
  importContacts(inputs: ContactInput[]): string[] {
    return this.#core.press.silently(() =>
      inputs.map((input) => this.#core.contacts.create({ ...input, source: input.source ?? 'import' }).id),
    );
  }

  /**
   * A booking from the widget, the page, staff (`lk`), an AI assistant, ... It passes the same checks as every booking.
   */
  bookAs(source: string, input: BookingInput): string {
    return this.#book(source, 'confirmed', input).id;
  }

  reschedule(id: string, move: MoveInput): void {
    const appointment = this.#appointment(id);
    const { service } = this.#core.appointments.movable(appointment);
    const resource =
      move.resourceId === undefined ? undefined : eligible(this.#core.world, service, move.resourceId);
    this.#core.appointments.reschedule(appointment, {
      startsAt: toMs(move.startsAt),
      resource,
      notify: move.notify ?? true,
    });
  }

  cancel(id: string, options: CancelInput = {}): void {
    const { by = 'staff', reason = null, notify = true } = options;
    this.#core.appointments.cancel(this.#appointment(id), { by, reason, notify });
  }

  /** The document does not show which statuses can be marked; only a cancelled appointment cannot. */
  markAppointment(id: string, status: 'arrived' | 'completed' | 'no_show'): void {
    const appointment = this.#appointment(id);
    if (appointment.status === 'cancelled') throw new RangeError('a cancelled appointment cannot be marked');
    this.#core.appointments.setStatus(appointment, status);
  }

  /** Links the contact found or created after the booking: appointment.updated. */
  linkContact(appointmentId: string, contactId: string): void {
    this.#core.appointments.link(this.#appointment(appointmentId), this.#contact(contactId).id);
  }

  holdWaitlistPlace(input: WaitlistInput): string {
    const appointment = this.#book('waitlist', 'pending', { ...input, notify: input.notify ?? false });
    if (input.confirmWithinMs !== undefined) {
      this.#core.after(input.confirmWithinMs, () => this.#giveUp(appointment, 'system'));
    }
    return appointment.id;
  }

  confirmWaitlistPlace(id: string): void {
    const appointment = this.#appointment(id);
    if (appointment.status !== 'pending') throw new RangeError('only a held place can be confirmed');
    this.#core.appointments.setStatus(appointment, 'confirmed');
  }

  declineWaitlistPlace(id: string): void {
    const appointment = this.#appointment(id);
    if (appointment.status !== 'pending') throw new RangeError('only a held place can be declined');
    this.#giveUp(appointment, 'client');
  }

  enableEndpoint(id: string): void {
    this.#core.endpoints.enable(demand(this.#core.world.endpoints, id));
  }

  disableEndpoint(id: string): void {
    this.#core.endpoints.disable(demand(this.#core.world.endpoints, id), 'manual');
  }

  /** Moves `updated_at` without an event, as when a field outside the object changed (Delivery rule 3). */
  touch(id: string): void {
    this.#core.world.touch(this.#anything(id));
  }

  /** The future `updated_at`: null; unchanged by later changes; or moving with them, as initially. */
  setUpdatedAt(id: string, rule: null | 'same' | 'moves'): void {
    this.#anything(id).updatedAtRule = rule ?? 'null';
  }

  #book(source: string, status: 'pending' | 'confirmed', input: BookingInput): AppointmentRecord {
    const { world, appointments } = this.#core;
    const { service, branch, resource } = choose(world, EVERYTHING, input);
    const contact = input.contactId === undefined ? undefined : this.#contact(input.contactId);
    const phone = input.customerPhone ?? contact?.phone ?? null;
    return appointments.book({
      id: input.id,
      service,
      branch,
      resource,
      startsAt: toMs(input.startsAt),
      durationMin: service.durationMin ?? input.durationMin ?? service.minDurationMin ?? 0,
      guests: input.guests ?? 1,
      contact,
      customerName: input.customerName ?? contact?.name ?? null,
      customerPhone: phone === null ? null : toE164OrAsGiven(phone),
      customerEmail: input.customerEmail ?? contact?.email ?? null,
      conversationId: input.conversationId ?? null,
      comment: input.comment ?? null,
      // `metadata` is null for appointments that were not created through the API.
      metadata: source === 'api' ? (input.metadata ?? null) : null,
      source,
      status,
      notify: input.notify ?? true,
    });
  }

  #giveUp(appointment: AppointmentRecord, by: string): void {
    if (appointment.status !== 'pending') return;
    this.#core.appointments.cancel(appointment, { by, reason: null, notify: false });
  }

  #contact(id: string): ContactRecord {
    return demand(this.#core.world.contacts, id);
  }

  #appointment(id: string): AppointmentRecord {
    return demand(this.#core.world.appointments, id);
  }

  #anything(id: string): Stamped {
    const { world } = this.#core;
    const record = [world.appointments, world.contacts, world.conversations, world.messages, world.leads]
      .map((collection) => collection.get(id))
      .find((found) => found !== undefined);
    return record ?? demand(world.services, id);
  }
}
