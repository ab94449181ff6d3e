import type { Refusal } from '../../domain/booking.ts';
import type { CustomerMatch } from '../../domain/customer.ts';
import type { OwnAppointment } from '../../domain/outside-booking.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import type { DecideInput, OutsideVisit } from './decide.ts';

/** What a turn does differently for a booking made by an event and for one made by a row. */
export interface BookingPlace {
  /** The author reads in words what has become of the appointment: no event of the worker shows it there. */
  readonly isTold: boolean;
  /** The author says when it is finished. */
  readonly saysWhenReady: boolean;
  /** How far apart two changes are at least, milliseconds. */
  readonly paceMs: number;
  readonly rules: Omit<DecideInput['rules'], 'stillForMs'> & {
    /** Whether a deleted event cancels its appointment. */
    readonly cancelsDeleted: boolean;
  };
  /** What it says whether ready or not, where nobody knows what was wished before. */
  typed(own: OwnAppointment | undefined): Pick<DecideInput, 'typed'>;
  /** Whether it names the customer of its appointment. An id alone proves nothing. */
  customer(visit: OutsideVisit | undefined, own: OwnAppointment | undefined): CustomerMatch;
  /** It names another customer than its appointment's. */
  isTypedOver(visit: OutsideVisit, own: OwnAppointment | undefined): boolean;
  /** Rejects with `DeferredError` `booking-gone` when it has left its place since it was seen. */
  assertStands(): Promise<void>;
  /** True when it was booked elsewhere before it was brought here; rejects with `DeferredError` while its appointment follows. */
  isBookedBefore(): Promise<boolean>;
  /** Whether an appointment of another origin is this one's. */
  isFormer(): IsFormer | undefined;
  /** The refusal as it can be answered here. */
  nameable(refusal: Refusal): Refusal;
  /** Its sender has booked enough for this hour. */
  isTooOften(key: string): Promise<boolean>;
  /** The day that it names, without an hour; undefined: free times are of no use here. */
  readonly day: string | undefined;
  /** The resource at whose place it was made. */
  readonly resourceId: string | undefined;
  /** IANA zone that the mapping gives the place. */
  readonly timezone: string | undefined;
}
