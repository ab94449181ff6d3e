/** The inputs of dashboard actions. Times are ms since 1970 or RFC 3339 texts. */
import type { ContactPatch } from '../desks/contacts.ts';
import { parseInstant } from '../instant.ts';
import type { BranchRecord, Metadata, ResourceRecord, ServiceRecord, WeekSchedule } from '../records.ts';

export type Moment = number | string;

export interface BranchInput {
  projectId: string;
  name: string;
  id?: string;
  address?: string;
  phone?: string;
  /** IANA zone. Default Europe/Moscow. */
  timezone?: string;
  /** Default: every day 09:00 to 21:00. */
  schedule?: WeekSchedule;
  daysOff?: string[];
}

export interface ResourceInput {
  branchId: string;
  name: string;
  id?: string;
  kind?: ResourceRecord['kind'];
  positionTitle?: string | null;
  capacity?: number;
  /** Default: the schedule of the branch. */
  schedule?: WeekSchedule | null;
  daysOff?: string[];
}

export interface ServiceInput {
  projectId: string;
  name: string;
  /** Who can provide it: one of them is the main resource of an appointment. */
  resourceIds: string[];
  id?: string;
  /** One of these is occupied in addition to the main resource. */
  secondResourceIds?: string[];
  description?: string | null;
  bookingMode?: ServiceRecord['bookingMode'];
  /** Default 60 for `fixed` services. */
  durationMin?: number;
  minDurationMin?: number;
  maxDurationMin?: number;
  durationStepMin?: number;
  maxGuests?: number;
  priceAmount?: number | null;
  priceCurrency?: string | null;
  priceUnit?: string;
  onlineBookable?: boolean;
  bufferBeforeMin?: number;
  bufferAfterMin?: number;
  /** Distance in minutes between the slots of GET /v1/slots. Default 30. */
  slotStepMin?: number;
}

export interface ContactInput {
  projectId: string;
  name: string;
  id?: string;
  type?: 'person' | 'b2b_company';
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
  phone?: string | null;
  position?: string | null;
  /** Any string: an imported file may contain its own values. */
  lifecycle?: string;
  source?: string;
}

export type ContactChange = ContactPatch;

export interface BookingInput {
  serviceId: string;
  startsAt: Moment;
  id?: string;
  branchId?: string;
  resourceId?: string;
  durationMin?: number;
  guests?: number;
  contactId?: string;
  customerName?: string;
  customerPhone?: string;
  customerEmail?: string;
  conversationId?: string;
  comment?: string;
  metadata?: Metadata;
  /** Default true. */
  notify?: boolean;
}

export interface WaitlistInput extends BookingInput {
  /** The place is released when the customer has not confirmed within this time. Absent: never. */
  confirmWithinMs?: number;
}

export interface MoveInput {
  startsAt: Moment;
  resourceId?: string;
  notify?: boolean;
}

export interface CancelInput {
  by?: string;
  reason?: string;
  notify?: boolean;
}

export type BranchChange = Partial<
  Pick<BranchRecord, 'name' | 'address' | 'phone' | 'timezone' | 'schedule' | 'daysOff' | 'active'>
>;
export type ResourceChange = Partial<
  Pick<ResourceRecord, 'name' | 'kind' | 'positionTitle' | 'capacity' | 'schedule' | 'daysOff' | 'active'>
>;
export type ServiceChange = Partial<
  Pick<
    ServiceRecord,
    | 'name'
    | 'description'
    | 'durationMin'
    | 'priceAmount'
    | 'resourceIds'
    | 'secondResourceIds'
    | 'bufferBeforeMin'
    | 'bufferAfterMin'
    | 'maxGuests'
    | 'active'
  >
>;

export function toMs(moment: Moment): number {
  const ms = typeof moment === 'number' ? moment : parseInstant(moment);
  if (ms === undefined) throw new RangeError(`not a date-time with a time zone: ${moment}`);
  return ms;
}
