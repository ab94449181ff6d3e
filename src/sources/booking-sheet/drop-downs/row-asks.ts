import type { SheetBookings } from '../../../domain/outside-booking.ts';
import { contentHash } from '../../../domain/snapshot.ts';
import { dayIn, type TypedClock } from '../../../google/typed-moment.ts';
import type { RowTimes } from '../../../ports/bookings.ts';
import { namesAppointment } from '../former.ts';
import { rowAsSeen } from '../seen-row.ts';
import { isBlank, type TypedRow } from '../typed-row.ts';
import type { TimesRequest } from './time-lists.ts';

/** A row that should offer free times. */
export interface RowTimesRequest {
  /** Zero-based, at the moment of the reading. */
  readonly row: number;
  /** The title of its list: equal for rows that need the same times. */
  readonly name: string;
  readonly asked: TimesRequest;
}

/** Rows of a tab that get free times: the lowest ones, because people write new rows below the others. */
const ROWS_ASKED_MAX = 100;

/** Rows without an appointment whose service is known, for a future day or for none yet; the lowest first. */
export function rowAsks(
  rows: readonly TypedRow[],
  tab: {
    readonly mapping: SheetBookings;
    readonly clock: TypedClock;
    readonly times: Pick<RowTimes, 'placeOf'>;
    readonly isAnswer: (status: string) => boolean;
    readonly nowMs: number;
  },
): readonly RowTimesRequest[] {
  const { mapping, clock, times, isAnswer, nowMs } = tab;
  const open = rows.filter(
    (row) => !namesAppointment(row) && !isAnswer(row.status) && !row.cancel && !isBlank(row),
  );
  return open
    .slice(-ROWS_ASKED_MAX)
    .reverse()
    .flatMap((row) => {
      const day = dayIn(row.cells.starts_at, clock);
      // This day is over.
      if (day !== undefined && day.toMs <= nowMs) return [];
      const place = times.placeOf(mapping, rowAsSeen(mapping, row, nowMs));
      if (place === undefined) return [];
      const { date = 'next', ...within } = day ?? {};
      const asked = { place, ...('fromMs' in within && { day: within }) };
      const hash = contentHash({ place, zone: clock.zone, formats: clock.formats }).slice(0, 12);
      return [{ row: row.row, name: `${date} ${hash}`, asked }];
    });
}
