import type { BookWish, CancelWish, MoveWish } from './outside-booking.ts';

/**
 * A request to the platform, stored before it left, without a verdict so far. Body and key belong together forever, because the platform
 * refuses the same key with another body. A new decision takes a new key (platform API, Idempotency).
 */
export type OpenRequest = StoredRequest & RequestSubject;

export interface StoredRequest {
  /** The Idempotency-Key. */
  readonly key: string;
  /** JSON text, sent unchanged: a platform may compare bodies byte by byte. */
  readonly body: string;
  /** Counts the requests of the origin: A to B to A is three decisions. */
  readonly generation: number;
  /** Epoch milliseconds. */
  readonly storedAtMs: number;
  /** When it was last sent again; epoch milliseconds. Absent: it was sent at most once, right after it was stored. */
  readonly sentAtMs?: number;
}

export type RequestSubject =
  | { readonly op: 'book'; readonly wish: BookWish }
  /** `before`: where the appointment was when the move was decided. */
  | { readonly op: 'move'; readonly wish: MoveWish; readonly before: Place }
  | { readonly op: 'cancel'; readonly wish: CancelWish }
  /** Creates the contact of a customer whom the platform did not know. */
  | { readonly op: 'contact' };

/** A request about an appointment. */
export type BookingRequest = Exclude<OpenRequest, { op: 'contact' }>;

/** Time and resource of an appointment. */
export interface Place {
  /** ISO 8601. */
  readonly startsAt: string;
  readonly resourceId: string | null;
}

/** What is known of the requests of an origin. */
export interface IntentRecord {
  /** Generation of the last request; 0 before the first. */
  readonly generation: number;
  readonly open: OpenRequest | undefined;
  /** The appointment made by this origin's last successful booking. */
  readonly appointmentId: string | undefined;
  /** How the last requests ended, newest first. */
  readonly ended: readonly EndedRequest[];
}

/** The end of a request, without personal data. */
export interface EndedRequest {
  readonly key: string;
  readonly op: OpenRequest['op'];
  readonly generation: number;
  readonly outcome: 'done' | 'refused';
  /** Why it was refused. */
  readonly code?: string;
  readonly appointmentId?: string;
  /** The contact that was created or found. */
  readonly contactId?: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

export function isBookingRequest(request: OpenRequest): request is BookingRequest {
  return request.op !== 'contact';
}
