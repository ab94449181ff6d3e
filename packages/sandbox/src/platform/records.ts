/** What the platform stores for each object. Times are ms since 1970; field names follow the wire. */
export interface Stamped {
  readonly id: string;
  readonly projectId: string;
  readonly createdAt: number;
  updatedAt: number;
  /** `moves` with each change; `same` never changes; `null` shows null (the document allows all of these). */
  updatedAtRule: 'moves' | 'same' | 'null';
}

/**
 * ISO weekday 1 (Monday) to 7, with opening times as pairs of local `HH:mm`; `24:00` is the end of the day.
 */
export type WeekSchedule = Record<string, [string, string][]>;

export type Metadata = Record<string, string | number | boolean | null>;

export interface ProjectRecord {
  readonly id: string;
  name: string;
  /** Whether the callback service is set up. Without it, the API refuses to order leads. */
  callbackConfigured: boolean;
}

export interface BranchRecord extends Stamped {
  name: string;
  address: string;
  phone: string;
  timezone: string;
  schedule: WeekSchedule;
  /** Local dates, `YYYY-MM-DD`. */
  daysOff: string[];
  active: boolean;
}

export interface ResourceRecord extends Stamped {
  readonly branchId: string;
  kind: 'person' | 'place' | 'item';
  name: string;
  positionTitle: string | null;
  capacity: number;
  /** null: the schedule of the branch. */
  schedule: WeekSchedule | null;
  daysOff: string[];
  active: boolean;
}

export interface ServiceRecord extends Stamped {
  name: string;
  description: string | null;
  bookingMode: 'fixed' | 'interval';
  durationMin: number | null;
  minDurationMin: number | null;
  maxDurationMin: number | null;
  durationStepMin: number | null;
  maxGuests: number | null;
  priceAmount: number | null;
  priceCurrency: string | null;
  priceUnit: string;
  onlineBookable: boolean;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  slotStepMin: number;
  /** Who can provide it: one of these is the main resource. */
  resourceIds: string[];
  /** If not empty, one of these is occupied in addition to the main resource (a room beside the person). */
  secondResourceIds: string[];
  active: boolean;
}

export type AppointmentStatus = 'pending' | 'confirmed' | 'arrived' | 'completed' | 'cancelled' | 'no_show';

export interface AppointmentRecord extends Stamped {
  readonly branchId: string;
  readonly serviceId: string;
  serviceName: string;
  resourceId: string | null;
  resourceIds: string[];
  status: AppointmentStatus;
  readonly source: string;
  startsAt: number;
  endsAt: number;
  /** The service's buffers at the time of booking. They extend the occupied time. */
  bufferBeforeMs: number;
  bufferAfterMs: number;
  timezone: string;
  guestsCount: number;
  contactId: string | null;
  customerName: string | null;
  customerPhone: string | null;
  customerEmail: string | null;
  conversationId: string | null;
  priceAmount: number | null;
  priceCurrency: string | null;
  comment: string | null;
  cancelReason: string | null;
  cancelledBy: string | null;
  readonly metadata: Metadata | null;
}

export interface ContactRecord extends Stamped {
  type: 'person' | 'b2b_company';
  name: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
  position: string | null;
  lifecycle: string;
  status: 'active' | 'archived' | 'blocked';
  readonly source: string;
  readonly metadata: Metadata | null;
}

export interface ConversationRecord extends Stamped {
  channel: string;
  status: 'open' | 'closed' | 'snoozed' | 'spam';
  customerName: string;
  messageCount: number;
  closedReason: string | null;
  closedAt: number | null;
  lastMessageAt: number;
  /** Archived: the customer's next message starts a new conversation. */
  archived: boolean;
  channelConnected: boolean;
}

export interface MessageRecord extends Stamped {
  readonly conversationId: string;
  readonly direction: 'inbound' | 'outbound';
  readonly authorType: string;
  readonly source: string | null;
  readonly text: string;
  attachments: { name: string; loaded: boolean }[];
  status: 'pending' | 'delivered' | 'failed' | 'read' | null;
  failureCode: string | null;
}

export interface LeadRecord extends Stamped {
  readonly phone: string;
  name: string;
  status: 'queued' | 'in_progress' | 'completed' | 'missed' | 'scheduled' | 'cancelled' | 'not_called';
  statusReason: string | null;
  readonly source: string;
  call: Record<string, string | number | null> | null;
  rating: number | null;
  handledAt: number | null;
}

export interface EndpointRecord extends Stamped {
  url: string;
  description: string | null;
  enabledEvents: string[];
  projectIds: string[] | null;
  status: 'enabled' | 'disabled';
  disabledReason: 'manual' | 'failing' | null;
  disabledAt: number | null;
  secret: string;
  /** The rolled secret, which also signs until it expires. */
  oldSecret: { secret: string; until: number } | null;
  /** Time of the first answer other than 2xx since the last 2xx. */
  failingSince: number | null;
}

export interface RecordsByKind {
  appointment: AppointmentRecord;
  contact: ContactRecord;
  conversation: ConversationRecord;
  message: MessageRecord;
  lead: LeadRecord;
}
export type ObjectKind = keyof RecordsByKind;
