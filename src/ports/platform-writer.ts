import type { Appointment } from '../domain/snapshot.ts';
import type { Page } from './platform-reader.ts';

/** What the worker does to appointments. All methods reject with the three error families (`target: 'platform'`). */
export interface PlatformWriter {
  /** POST /v1/appointments. `TerminalError` with the platform's code is a refusal; the same of the next two. */
  create(request: WriteRequest): Promise<Appointment>;
  reschedule(appointmentId: string, request: WriteRequest): Promise<Appointment>;
  cancel(appointmentId: string, request: WriteRequest): Promise<Appointment>;
  /** The appointment as it is now; undefined when the platform does not show it. */
  get(appointmentId: string): Promise<Appointment | undefined>;
  /** One page of 100, newest first. Filters as the platform names them, for example `starts_at[gte]`. */
  list(filters: Readonly<Record<string, string>>, startingAfter?: string): Promise<Page<Appointment>>;
  /** Free time. Advice only: the verdict is the 409 of the booking. */
  slots(search: SlotSearch): Promise<FreeTime>;
}

/** Repeatable: the platform performs it once per key, and answers the same again. */
export interface WriteRequest {
  readonly idempotencyKey: string;
  /** A JSON object as text, sent byte for byte. */
  readonly body: string;
}

export interface SlotSearch {
  readonly serviceId: string;
  /** Epoch milliseconds; at most 31 days apart. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly branchId?: string;
  readonly resourceId?: string;
  readonly guests?: number;
}

export interface FreeTime {
  readonly projectId: string;
  /** IANA zone of the branch. */
  readonly zone: string;
  readonly slots: readonly {
    readonly startsAt: string;
    readonly endsAt: string;
    readonly resourceId: string;
  }[];
  /** Of `interval` services, whose shape the platform's document does not show. */
  readonly windows: readonly unknown[];
  /** The answer was cut; there is no cursor. */
  readonly hasMore: boolean;
}
