import type { StaffEdits } from '../../domain/mirror.ts';
import type { BookingSource } from '../../domain/outside-booking.ts';
import type { Claim } from '../../domain/work.ts';
import type { EditCarrier } from '../../ports/bookings.ts';
import { entryOf } from '../outside/origin.ts';
import { type Language, refusalText } from '../words/refusal-text.ts';
import type { EditedMirror } from './search.ts';
import { createEditCarrier, type EditCarrierParts } from './staff-edits.ts';
import { NOTE_WORDS } from './words.ts';

/** Carries edits back to the platform: of contacts from rows, of appointments from calendars and rows. */
export function carriersInTurn(carriers: {
  readonly contactRows: EditCarrier;
  readonly appointmentRows: EditCarrier;
  readonly events: EditCarrier;
}): EditCarrier {
  const { contactRows, appointmentRows, events } = carriers;
  return {
    async carry(claim) {
      if (claim.key.kind === 'contact') return contactRows.carry(claim);
      // In sequence: each judges by what the other has left on the platform.
      const after = await events.carry(claim);
      const { claim: last, failures } = await appointmentRows.carry(after.claim);
      return { claim: last, failures: [...after.failures, ...failures] };
    },
  };
}

/** An appointment booked in a calendar may have other rules and another language than the calendar's other events. */
export function createEventCarrier(
  parts: Omit<EditCarrierParts, 'mirrors' | 'words' | 'refusalText'> & {
    readonly bookings: readonly BookingSource[];
    /** Used where the booking has no language of its own. */
    readonly language: Language;
    readonly mirrorsFor: (
      claim: Claim,
      staffEdits: Readonly<Record<string, StaffEdits>> | undefined,
    ) => Promise<readonly EditedMirror[]>;
  },
): EditCarrier {
  const { bookings, mirrorsFor, ...shared } = parts;
  const resourceName = (id: string) => shared.directory.current().resources.get(id)?.name;
  return {
    async carry(claim) {
      const booking = claim.snapshot && entryOf(bookings, claim.snapshot);
      const language = booking?.language ?? parts.language;
      return createEditCarrier({
        ...shared,
        mirrors: await mirrorsFor(claim, booking?.staffEdits),
        words: NOTE_WORDS[language],
        refusalText: (refusal) => refusalText(refusal, { language, zone: 'UTC', resourceName }),
      }).carry(claim);
    },
  };
}
