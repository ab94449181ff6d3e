// After a loss of Redis, only the rows and the platform remain. A row that also loses its id looks like a new wish. Only the platform knows
// what was booked: the appointment's origin names a row that no longer exists.
import { type CustomerMarks, compareCustomers } from '../../domain/customer.ts';
import { rowOfOrigin } from '../../domain/origin.ts';
import type { SeenRowBooking } from '../../domain/outside-booking.ts';
import { isRowId } from '../../domain/row-id.ts';
import type { IsFormer } from '../../ports/bookings.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ObjectView } from '../../ports/work.ts';
import { bookedAppointment } from './booked-appointment.ts';

/**
 * Whether an appointment may be the row's: upcoming, for the same customer, and booked by an unknown row of the same spreadsheet. All
 * existing rows are known before a new one is booked. Deleted rows stay known until Redis is lost.
 */
export function ofLostRow(
  { view, clock }: { readonly view: Pick<ObjectView, 'peek'>; readonly clock: Clock },
  seen: SeenRowBooking,
  who: CustomerMarks,
): IsFormer {
  return async (mark, appointment, isCustomers) => {
    const id = rowOfOrigin(mark);
    if (id === undefined || !isRowId(id, seen.spreadsheet_id)) return false;
    const { startsAt, customer } = bookedAppointment(appointment);
    if (Date.parse(startsAt) <= clock.now()) return false;
    // The platform may omit the name and number of a customer with a card.
    if (!isCustomers && compareCustomers(who, customer ?? {}) !== 'same') return false;
    const known = await view.peek({ kind: 'booking', id });
    // Redis keeps the decision about a row longer than the row's content.
    const isDecided = Object.values(known?.links ?? {}).some(({ booking }) => booking !== undefined);
    return known?.snapshot === undefined && !isDecided ? 'perhaps' : false;
  };
}
