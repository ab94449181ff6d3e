/** Records as a GET shows them: field names, order and null rules of the document's tables. */
import { utc } from './instant.ts';
import { LIMITS, type SilentSwitches } from './options.ts';
import type {
  AppointmentRecord,
  BranchRecord,
  ContactRecord,
  ConversationRecord,
  EndpointRecord,
  LeadRecord,
  MessageRecord,
  ObjectKind,
  ResourceRecord,
  ServiceRecord,
  Stamped,
} from './records.ts';

export type Wire = Record<string, unknown>;

export class Renderer {
  readonly #switches: () => SilentSwitches;
  readonly #now: () => number;

  constructor(parts: { switches: () => SilentSwitches; now: () => number }) {
    this.#switches = parts.switches;
    this.#now = parts.now;
  }

  object(kind: ObjectKind, record: Stamped): Wire {
    switch (kind) {
      case 'appointment':
        return this.appointment(record as AppointmentRecord);
      case 'contact':
        return this.contact(record as ContactRecord);
      case 'conversation':
        return this.conversation(record as ConversationRecord);
      case 'message':
        return this.message(record as MessageRecord);
      case 'lead':
        return this.lead(record as LeadRecord);
    }
  }

  contact = (contact: ContactRecord): Wire => ({
    object: 'contact',
    id: contact.id,
    project_id: contact.projectId,
    type: contact.type,
    name: contact.name,
    first_name: contact.firstName,
    last_name: contact.lastName,
    email: contact.email,
    phone: contact.phone,
    position: contact.position,
    lifecycle: contact.lifecycle,
    status: contact.status,
    source: contact.source,
    metadata: contact.metadata,
    ...this.#stamps(contact),
  });

  appointment = (appointment: AppointmentRecord): Wire => ({
    object: 'appointment',
    id: appointment.id,
    project_id: appointment.projectId,
    branch_id: appointment.branchId,
    service_id: appointment.serviceId,
    service_name: appointment.serviceName,
    resource_id: appointment.resourceId,
    resource_ids: appointment.resourceIds,
    status: appointment.status,
    source: appointment.source,
    starts_at: utc(appointment.startsAt),
    ends_at: utc(appointment.endsAt),
    timezone: appointment.timezone,
    guests_count: appointment.guestsCount,
    contact_id: appointment.contactId,
    customer_name: appointment.customerName,
    customer_phone: appointment.customerPhone,
    customer_email: appointment.customerEmail,
    conversation_id: appointment.conversationId,
    price_amount: appointment.priceAmount,
    price_currency: appointment.priceCurrency,
    comment: appointment.comment,
    cancel_reason: appointment.cancelReason,
    cancelled_by: appointment.cancelledBy,
    metadata: appointment.metadata,
    ...this.#stamps(appointment),
  });

  service = (service: ServiceRecord): Wire => ({
    object: 'service',
    id: service.id,
    project_id: service.projectId,
    name: service.name,
    description: service.description,
    booking_mode: service.bookingMode,
    duration_min: service.durationMin,
    min_duration_min: service.minDurationMin,
    max_duration_min: service.maxDurationMin,
    duration_step_min: service.durationStepMin,
    max_guests: service.maxGuests,
    price_amount: service.priceAmount,
    price_currency: service.priceCurrency,
    price_unit: service.priceUnit,
    online_bookable: service.onlineBookable,
    ...this.#referenceStamps(service),
  });

  resource = (resource: ResourceRecord, branch: BranchRecord | undefined): Wire => ({
    object: 'resource',
    id: resource.id,
    project_id: resource.projectId,
    branch_id: resource.branchId,
    kind: resource.kind,
    name: resource.name,
    position_title: resource.positionTitle,
    capacity: resource.capacity,
    timezone: branch?.timezone ?? 'UTC',
    ...this.#referenceStamps(resource),
  });

  branch = (branch: BranchRecord): Wire => ({
    object: 'branch',
    id: branch.id,
    project_id: branch.projectId,
    name: branch.name,
    address: branch.address,
    phone: branch.phone,
    timezone: branch.timezone,
    ...this.#referenceStamps(branch),
  });

  conversation = (conversation: ConversationRecord): Wire => ({
    object: 'conversation',
    id: conversation.id,
    project_id: conversation.projectId,
    channel: conversation.channel,
    status: conversation.status,
    customer_name: conversation.customerName,
    message_count: conversation.messageCount,
    closed_reason: conversation.closedReason,
    closed_at: conversation.closedAt === null ? null : utc(conversation.closedAt),
    last_message_at: utc(conversation.lastMessageAt),
    ...this.#referenceStamps(conversation),
  });

  message = (message: MessageRecord): Wire => ({
    object: 'message',
    id: message.id,
    conversation_id: message.conversationId,
    direction: message.direction,
    author_type: message.authorType,
    source: message.source,
    text: message.text,
    attachments: message.attachments.map((file) => ({
      url: file.loaded ? this.#fileUrl(message.id, file.name) : null,
    })),
    status: message.status,
    ...(message.status === 'failed' ? { failure: { code: message.failureCode } } : {}),
    created_at: this.#stamp(message.createdAt),
  });

  lead = (lead: LeadRecord): Wire => ({
    object: 'lead',
    id: lead.id,
    project_id: lead.projectId,
    phone: lead.phone,
    name: lead.name,
    status: lead.status,
    status_reason: lead.statusReason,
    source: lead.source,
    call: lead.call,
    rating: lead.rating,
    handled_at: lead.handledAt === null ? null : utc(lead.handledAt),
    ...this.#referenceStamps(lead),
  });

  endpoint = (endpoint: EndpointRecord): Wire => ({
    object: 'webhook_endpoint',
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    enabled_events: endpoint.enabledEvents,
    project_ids: endpoint.projectIds,
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    disabled_at: endpoint.disabledAt === null ? null : utc(endpoint.disabledAt),
    ...this.#referenceStamps(endpoint),
  });

  /** Contacts and appointments may show `updated_at` as null (`datetime null?`); other objects never do. */
  #stamps(record: Stamped): { created_at: string; updated_at: string | null } {
    const isNull = record.updatedAtRule === 'null' || this.#switches().updatedAt === 'null';
    return {
      created_at: this.#stamp(record.createdAt),
      updated_at: isNull ? null : this.#stamp(record.updatedAt),
    };
  }

  #referenceStamps(record: Stamped): { created_at: string; updated_at: string } {
    return { created_at: this.#stamp(record.createdAt), updated_at: this.#stamp(record.updatedAt) };
  }

  #stamp(ms: number): string {
    return utc(this.#switches().timestamps === 'seconds' ? Math.floor(ms / 1000) * 1000 : ms);
  }

  #fileUrl(messageId: string, name: string): string {
    const until = Math.floor((this.#now() + LIMITS.attachmentLinkMs) / 1000);
    return `https://files.platform.invalid/${messageId}/${encodeURIComponent(name)}?until=${until}`;
  }
}
