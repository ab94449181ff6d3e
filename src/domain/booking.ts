/** What somebody outside wants of the platform. `origin` names what it came from, and orders its wishes: one at a time. */
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
  /** Another resource of the same branch; absent: the appointment stays with its own. */
  readonly resourceId?: string;
  readonly notifyCustomer: boolean;
  /** `stateOf` the appointment that is meant: one to which anything happened since is not moved. Absent: it is moved from wherever it stands. */
  readonly seenAs?: string;
}

export interface CancelWish {
  readonly op: 'cancel';
  readonly appointmentId: string;
  readonly reason?: string;
  readonly notifyCustomer: boolean;
}

/** Who is booked: looked for by contact id, else by phone, else by e-mail. */
export interface Customer {
  readonly contactId?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly email?: string;
  /** Whether a contact may be created for somebody whom the platform does not know. */
  readonly create: boolean;
}

/** The end of a wish: the appointment as it is now, or why not. Everything else (no answer, quota) is thrown and tried again. */
export type Verdict =
  | {
      readonly outcome: 'done';
      readonly appointment: Readonly<Record<string, unknown>> & { readonly id: string };
    }
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** Why the platform said no, and when it would have said yes. */
export interface Refusal {
  /** The platform's error code (`slot-unavailable`, …), or the worker's own (`service-unknown`, `customer-unknown`, …). */
  readonly code: string;
  /** At most three: those of the wished resource first, nearest first; empty where no other time would help. */
  readonly slots: readonly FreeSlot[];
  /** IANA zone of the branch that the slots are in; given with them. */
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
