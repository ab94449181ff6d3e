import type { OwnAppointment } from '../domain/outside-booking.ts';
import type { IsFormer } from '../ports/bookings.ts';
import type { BookedAppointment, DecideInput } from './decide.ts';

/** What a turn needs from every booking, whether an event or a row made it. What only one kind can answer is in its own class. */
export interface BookingPlace {
  /** The answer must say in words what became of the appointment, because no event of the worker shows it there. */
  readonly answersInWords: boolean;
  /** Shortest time between two changes, in milliseconds. */
  readonly paceMs: number;
  /** IANA zone in which the author reads times; undefined where nothing names one. */
  readonly zone: string | undefined;
  /** The facts about this kind of booking that the decision needs. */
  facts(appointment: BookedAppointment | undefined, own: OwnAppointment | undefined): PlaceFacts;
  /** Returns a check whether an appointment of another origin is this booking's. */
  isFormer(): IsFormer | undefined;
}

export type PlaceFacts = Pick<
  DecideInput,
  'place' | 'isInvitation' | 'saysWhenReady' | 'typed' | 'customer' | 'rules'
>;
