/**
 * Everything the platform stores for its one company. It holds records only; the desks change them and announce
 * events.
 */
import type { SandboxClock } from '../clock.ts';
import { Hours } from './booking/hours.ts';
import { Occupancy } from './booking/occupancy.ts';
import { Collection } from './collection.ts';
import type { Random } from './random.ts';
import type {
  AppointmentRecord,
  BranchRecord,
  ContactRecord,
  ConversationRecord,
  EndpointRecord,
  LeadRecord,
  MessageRecord,
  ObjectKind,
  ProjectRecord,
  RecordsByKind,
  ResourceRecord,
  ServiceRecord,
  Stamped,
} from './records.ts';

/** An email that the platform sent to a customer (unless `notify_customer` was false). */
export interface CustomerMail {
  readonly appointmentId: string;
  readonly reason: 'created' | 'rescheduled' | 'cancelled';
  readonly at: number;
}

export class World {
  readonly projects = new Map<string, ProjectRecord>();
  readonly branches = new Collection<BranchRecord>();
  readonly resources = new Collection<ResourceRecord>();
  readonly services = new Collection<ServiceRecord>();
  readonly contacts = new Collection<ContactRecord>();
  readonly appointments = new Collection<AppointmentRecord>();
  readonly conversations = new Collection<ConversationRecord>();
  readonly messages = new Collection<MessageRecord>();
  readonly leads = new Collection<LeadRecord>();
  readonly endpoints = new Collection<EndpointRecord>();
  readonly customerMails: CustomerMail[] = [];
  readonly occupancy = new Occupancy();
  readonly hours = new Hours();
  /** The add-on called Public API; without it every call answers 402. */
  hasAddOn = true;
  /** The lifecycle that a CRM distribution rule gives to new contacts; null: no rule. */
  distributionLifecycle: string | null = null;

  readonly #clock: SandboxClock;
  readonly #ids: Random;

  constructor(parts: { clock: SandboxClock; ids: Random }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  newId(): string {
    return this.#ids.uuid();
  }

  newSecret(): string {
    return `whsec_${this.#ids.bytes(32).toString('base64')}`;
  }

  /** The common fields of a new object. */
  stamp(projectId: string, id: string = this.newId()): Stamped {
    const now = this.#clock.now();
    return { id, projectId, createdAt: now, updatedAt: now, updatedAtRule: 'moves' };
  }

  touch(record: Stamped): void {
    if (record.updatedAtRule === 'moves') record.updatedAt = this.#clock.now();
  }

  find<K extends ObjectKind>(kind: K, id: string): RecordsByKind[K] | undefined {
    const shelves: { [Kind in ObjectKind]: Collection<RecordsByKind[Kind]> } = {
      appointment: this.appointments,
      contact: this.contacts,
      conversation: this.conversations,
      message: this.messages,
      lead: this.leads,
    };
    return shelves[kind].get(id);
  }
}
