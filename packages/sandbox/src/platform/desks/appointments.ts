/** All changes of appointments, from the API and the dashboard, with their events and customer mails. */
import { place } from '../booking/placement.ts';
import { Problem } from '../problem.ts';
import type {
  AppointmentRecord,
  AppointmentStatus,
  BranchRecord,
  ContactRecord,
  Metadata,
  ResourceRecord,
  ServiceRecord,
} from '../records.ts';
import type { CustomerMail } from '../world.ts';
import { assignChanged, type DeskParts } from './desk.ts';

const MINUTE_MS = 60_000;

export interface Booking {
  readonly id?: string | undefined;
  readonly service: ServiceRecord;
  readonly branch: BranchRecord;
  /** Absent: the desk chooses a free resource. */
  readonly resource?: ResourceRecord | undefined;
  readonly startsAt: number;
  readonly durationMin: number;
  readonly guests: number;
  readonly contact?: ContactRecord | undefined;
  readonly customerName: string | null;
  readonly customerPhone: string | null;
  readonly customerEmail: string | null;
  readonly conversationId?: string | null | undefined;
  readonly comment: string | null;
  readonly metadata: Metadata | null;
  readonly source: string;
  readonly status: 'pending' | 'confirmed';
  readonly notify: boolean;
}

export interface Move {
  readonly startsAt: number;
  readonly resource?: ResourceRecord | undefined;
  readonly notify: boolean;
}

export interface Cancellation {
  readonly by: string;
  readonly reason: string | null;
  readonly notify: boolean;
}

export class AppointmentDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** Throws the refusal of the placement (`no-resources`, `outside-working-hours`, `slot-unavailable`). */
  book(booking: Booking): AppointmentRecord {
    const { world, press } = this.#parts;
    const { service, branch } = booking;
    const span = { from: booking.startsAt, to: booking.startsAt + booking.durationMin * MINUTE_MS };
    const planned = { service, branch, span, guests: booking.guests, onGridOnly: this.#isGridEnforced };
    const resourceIds = place(world, planned, booking.resource);
    const appointment = world.appointments.add({
      ...world.stamp(service.projectId, booking.id),
      branchId: branch.id,
      serviceId: service.id,
      serviceName: service.name,
      resourceId: resourceIds[0] ?? null,
      resourceIds,
      status: booking.status,
      source: booking.source,
      startsAt: span.from,
      endsAt: span.to,
      bufferBeforeMs: service.bufferBeforeMin * MINUTE_MS,
      bufferAfterMs: service.bufferAfterMin * MINUTE_MS,
      timezone: branch.timezone,
      guestsCount: booking.guests,
      contactId: booking.contact?.id ?? null,
      customerName: booking.customerName,
      customerPhone: booking.customerPhone,
      customerEmail: booking.customerEmail,
      conversationId: booking.conversationId ?? null,
      priceAmount: this.#priceOf(service, booking.durationMin),
      priceCurrency: service.priceCurrency,
      comment: booking.comment,
      cancelReason: null,
      cancelledBy: null,
      metadata: booking.metadata,
    });
    world.occupancy.add(appointment);
    press.announce('appointment.created', appointment);
    this.#mail(appointment, 'created', booking.notify);
    return appointment;
  }

  /** Its service and branch. Throws when its status or its service does not allow moving. */
  movable(appointment: AppointmentRecord): { service: ServiceRecord; branch: BranchRecord } {
    const { world } = this.#parts;
    if (appointment.status !== 'pending' && appointment.status !== 'confirmed') {
      throw new Problem(
        'appointment-not-reschedulable',
        `An appointment that is ${appointment.status} cannot be moved.`,
      );
    }
    const service = world.services.get(appointment.serviceId);
    const branch = world.branches.get(appointment.branchId);
    if (!service?.active || !branch) {
      throw new Problem('service-inactive', 'The service of the appointment is switched off or deleted.');
    }
    return { service, branch };
  }

  /** Moves a pending or confirmed appointment and keeps its duration. The same placement again changes nothing. */
  reschedule(appointment: AppointmentRecord, move: Move): void {
    const { world, press } = this.#parts;
    const { service, branch } = this.movable(appointment);
    const pinned = move.resource ?? world.resources.get(appointment.resourceId ?? '');
    const span = { from: move.startsAt, to: move.startsAt + appointment.endsAt - appointment.startsAt };
    const guests = appointment.guestsCount;
    const planned = { service, branch, span, guests, moving: appointment, onGridOnly: this.#isGridEnforced };
    const resourceIds = place(world, planned, pinned);
    if (span.from === appointment.startsAt && resourceIds.join() === appointment.resourceIds.join()) return;
    world.occupancy.remove(appointment);
    appointment.startsAt = span.from;
    appointment.endsAt = span.to;
    appointment.resourceIds = resourceIds;
    appointment.resourceId = resourceIds[0] ?? null;
    world.occupancy.add(appointment);
    world.touch(appointment);
    press.announce('appointment.rescheduled', appointment);
    this.#mail(appointment, 'rescheduled', move.notify);
  }

  /** Cancels and releases the time. Cancelling again is no error and changes nothing. */
  cancel(appointment: AppointmentRecord, cancellation: Cancellation): void {
    const { world, press, switches } = this.#parts;
    if (appointment.status === 'cancelled') return;
    if (appointment.status === 'completed') {
      throw new Problem('appointment-not-cancellable', 'A completed appointment cannot be cancelled.');
    }
    world.occupancy.remove(appointment);
    appointment.status = 'cancelled';
    appointment.resourceIds = [];
    if (switches().cancelledResourceId === 'null') appointment.resourceId = null;
    appointment.cancelledBy = cancellation.by;
    appointment.cancelReason = cancellation.reason;
    world.touch(appointment);
    press.announce('appointment.cancelled', appointment);
    this.#mail(appointment, 'cancelled', cancellation.notify);
  }

  /** A mark or a confirmed waitlist place: the same time with another status. Repeating a mark may or may not send an event. */
  setStatus(
    appointment: AppointmentRecord,
    status: Exclude<AppointmentStatus, 'cancelled' | 'pending'>,
  ): void {
    const { world, press } = this.#parts;
    const isRepeat = appointment.status === status;
    appointment.status = status;
    if (!isRepeat) world.touch(appointment);
    press.announce('appointment.updated', appointment, { unlessSent: isRepeat });
  }

  /** Links the CRM contact found or created after the booking. */
  link(appointment: AppointmentRecord, contactId: string): void {
    if (!assignChanged<AppointmentRecord>(appointment, { contactId })) return;
    this.#parts.world.touch(appointment);
    this.#parts.press.announce('appointment.updated', appointment);
  }

  get #isGridEnforced(): boolean {
    return this.#parts.switches().bookingGrid === 'enforced';
  }

  #priceOf(service: ServiceRecord, durationMin: number): number | null {
    if (service.priceAmount === null || service.bookingMode === 'fixed') return service.priceAmount;
    if (this.#parts.switches().intervalPrice === 'flat') return service.priceAmount;
    const unitMin = service.priceUnit === 'hour' ? 60 : durationMin;
    return Math.round((service.priceAmount * durationMin) / unitMin);
  }

  #mail(appointment: AppointmentRecord, reason: CustomerMail['reason'], isWanted: boolean): void {
    if (!isWanted) return;
    this.#parts.world.customerMails.push({
      appointmentId: appointment.id,
      reason,
      at: this.#parts.clock.now(),
    });
  }
}
