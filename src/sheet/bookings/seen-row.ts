import { rowOrigin } from '../../engine/domain/ids.ts';
import { formatKey } from '../../engine/domain/object.ts';
import type { SeenRowBooking, SheetBookings } from '../../engine/domain/outside-booking.ts';
import type { TypedRow } from './typed-row.ts';

export function bookingKeyOf(id: string): string {
  return formatKey({ kind: 'booking', id });
}

/** The sighting of the row, as it goes to the intake. */
export function rowAsSeen(mapping: SheetBookings, row: TypedRow, sinceMs: number): SeenRowBooking {
  const { name, spreadsheetId, tab } = mapping;
  return {
    ...{ id: row.id, origin: rowOrigin(row.id), mapping: name, seen_at: new Date(sinceMs).toISOString() },
    ...{ state: 'live', place: 'row', spreadsheet_id: spreadsheetId, tab, row_id: row.id, cells: row.cells },
    ...(row.startsAt !== undefined && { starts_at: row.startsAt }),
    ...{ ready: row.ready, cancel: row.cancel },
    ...(row.unclear !== undefined && { unclear: row.unclear }),
    ...(row.appointment !== '' && { known_appointment: row.appointment }),
  };
}
