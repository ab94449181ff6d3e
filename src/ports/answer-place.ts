import type { BookingAnswer, SeenBooking } from '../domain/outside-booking.ts';
import type { Claim } from '../domain/work.ts';

/** Where an outside booking was made, and where its author looks for the answer. */
export interface AnswerPlace {
  /** Asked before anything is booked: rejects with `DeferredError` for as long as nothing may be written there. Absent: that is known otherwise. */
  assertWritable?(seen: SeenBooking): Promise<void>;
  /**
   * Makes the place say this and nothing older of the worker's own; what people wrote there stays. An empty text takes the answer away.
   * Saying the same again changes nothing; what a handler says whose `claim` was overtaken is not said. `gone`: the place is not there any more. Rejects with the error families.
   */
  answer(seen: SeenBooking, answer: BookingAnswer, claim: Claim): Promise<'answered' | 'gone'>;
}
