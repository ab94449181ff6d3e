import { DeferredError } from '../engine/domain/errors.ts';
import { appointmentOfEvent } from '../engine/domain/ids.ts';
import type { CalendarEvent } from './calendar-event.ts';
import type { CalendarWatchApi } from './calendar-watch-api.ts';
import type { SheetsApi } from './sheets-api.ts';

/** Rows per read. */
const ROWS_PER_READ = 5_000;
const LIST_LOST_PAUSE_MS = 15_000;

/** Every event of a calendar: each series once, and deleted events while Google still returns them. */
export async function* eventsIn(api: CalendarWatchApi, calendarId: string): AsyncGenerator<CalendarEvent> {
  let pageToken: string | undefined;
  do {
    const page = await api.changes(calendarId, { syncToken: undefined, pageToken });
    if (page === 'lost' || page === 'place-refused') {
      throw new DeferredError('calendar-list-lost', 'Google lost its position in the list of a calendar', {
        target: `calendar:${calendarId}`,
        retryAfterMs: LIST_LOST_PAUSE_MS,
      });
    }
    yield* page.events;
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
}

/** All texts of an event that may identify a person. */
export function textOfEvent({
  id,
  summary,
  description,
  location,
  attendees = [],
  extendedProperties,
}: CalendarEvent): string {
  const guests = attendees.flatMap(({ email, displayName }) => [email, displayName]);
  const marks = Object.values(extendedProperties?.private ?? {});
  return [id, appointmentOfEvent(id), summary, description, location, ...guests, ...marks]
    .filter((text) => text !== undefined)
    .join('\n');
}

/** Every row of every tab of a spreadsheet, its cells joined. */
export async function* rowsIn(
  api: SheetsApi,
  spreadsheetId: string,
): AsyncGenerator<{ readonly tab: string; readonly row: number; readonly text: string }> {
  for (const { sheetId, title, rows } of await api.tabs(spreadsheetId)) {
    for (let startRow = 0; startRow < rows; startRow += ROWS_PER_READ) {
      const endRow = Math.min(startRow + ROWS_PER_READ, rows);
      const [area] = await api.read(spreadsheetId, [{ sheetId, startRow, endRow }]);
      for (const [at, cells] of (area?.rows ?? []).entries())
        yield { tab: title, row: startRow + at + 1, text: cells.map(String).join('\n') };
    }
  }
}
