/** What a user outside wants from the platform. An `origin` names the source; its wishes run one at a time. */
export type Wish = BookWish | MoveWish | CancelWish;

export interface BookWish {
  readonly op: 'book';
  readonly serviceId: string;
  /** RFC 3339 with offset. */
  readonly startsAt: string;
  readonly branchId?: string;
  readonly resourceId?: string;
  /** Only for `interval` services. */
  readonly durationMin?: number;
  readonly guests?: number;
  readonly customer: Customer;
  readonly comment?: string;
  readonly notifyCustomer: boolean;
}

export interface MoveWish {
  readonly op: 'move';
  readonly appointmentId: string;
  /** RFC 3339 with offset. */
  readonly startsAt: string;
  /** Another resource of the same branch; absent: the appointment keeps its own. */
  readonly resourceId?: string;
  readonly notifyCustomer: boolean;
  /**
   * `appointmentState` of the appointment as last seen: if anything has happened to it since, do not move it. Absent: move it from wherever
   * it is.
   */
  readonly seenAs?: string;
}

export interface CancelWish {
  readonly op: 'cancel';
  readonly appointmentId: string;
  readonly reason?: string;
  readonly notifyCustomer: boolean;
}

/** Whom to book: looked up by contact id, else by phone, else by e-mail. */
export interface Customer {
  readonly contactId?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly email?: string;
  /** Whether to create a contact for a customer whom the platform does not know. */
  readonly create: boolean;
}

/** How a wish ended: the appointment as it is now, or the refusal. Everything else (no answer, quota) is thrown and retried. */
export type Verdict =
  | {
      readonly outcome: 'done';
      readonly appointment: Readonly<Record<string, unknown>> & { readonly id: string };
      /** The platform already had the appointment for this origin: an earlier wish booked it, perhaps for another customer. */
      readonly found?: true;
    }
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** Why the platform refused, and which times it would have accepted. */
export interface Refusal {
  /** The platform's error code (`slot-unavailable`, …), or the worker's own (`service-unknown`, `customer-unknown`, …). */
  readonly code: string;
  /** At most three: those of the wished resource first, nearest first; empty if no other time would help. */
  readonly slots: readonly FreeSlot[];
  /** IANA zone of the slots' branch; present if there are slots. */
  readonly zone?: string;
  /** With `validation`: names of the platform's fields, never their contents. */
  readonly fields?: readonly string[];
  /** With `perhaps-booked`: the appointment that may be the wished one. */
  readonly standing?: { readonly appointmentId: string; readonly startsAt: string };
}

export interface FreeSlot {
  /** ISO 8601, UTC. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly resourceId: string;
}
