import type { OwnAppointment } from '../../domain/outside-booking.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import type { BookedAppointment, DecideInput } from './decide.ts';

/** What a turn asks of every booking, made by an event or by a row. What only one of them can answer stands in its own class. */
export interface BookingPlace {
  /** The author reads in words what has become of the appointment: no event of the worker shows it there. */
  readonly isTold: boolean;
  /** How far apart two changes are at least, milliseconds. */
  readonly paceMs: number;
  /** IANA zone in which its author reads times; undefined where nothing names one. */
  readonly zone: string | undefined;
  /** What the decision has to know of its kind. */
  facts(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): PlaceFacts;
  /** Whether an appointment of another origin is this one's. */
  isFormer(): IsFormer | undefined;
}

export type PlaceFacts = Pick<
  DecideInput,
  'place' | 'isInvitation' | 'saysWhenReady' | 'typed' | 'customer' | 'rules'
>;
