// Puts the answer to a booking-sheet row into the outbox, under the claim's fence. The flush that writes the mirrors also writes the
// answer, to wherever the row is by then. The worker never adds a row to a booking sheet.

import type { AnswerPlace } from '../engine/carriers.ts';
import { fenced } from '../engine/errors.ts';
import type { KeyedTab } from '../engine/mirror.ts';
import { formatKey } from '../engine/object.ts';
import type { FlushWaker, Outbox } from '../engine/outbox.ts';
import type { BookingAnswer, SheetBookings } from '../engine/outside-booking.ts';
import type { Cell, OutboxRow } from '../engine/sheet-row.ts';
import type { Claim } from '../engine/work.ts';
import { storable } from './tab-survey.ts';
import { type RowContent, rowHash } from './target.ts';
import { type SheetZones, typedCell } from './typed-cell.ts';

export interface RowAnswersParts {
  readonly mapping: SheetBookings;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly waker: FlushWaker;
  readonly zones: SheetZones;
}

/** The worker's own columns in a booking sheet. No mirror and no entry of `bookings` can have this name. */
export function answerTab({ name, spreadsheetId, tab, columns }: SheetBookings): KeyedTab {
  const { id = '', status, appointment, booked_at: bookedAt } = columns;
  const headers = [status, appointment, bookedAt].flatMap((header) => header ?? []);
  return {
    name: `${name}/answers`,
    from: 'booking',
    ...{ spreadsheetId, tab },
    keyHeader: id,
    columns: headers.map((header) => ({ header })),
  };
}

export function createRowAnswers(parts: RowAnswersParts): AnswerPlace {
  const tab = answerTab(parts.mapping);
  return {
    async answer(seen, answer, claim) {
      if (seen.place !== 'row') throw new TypeError('a row is answered in its sheet only');
      const content = contentOf(parts.mapping, answer, await zoneOf(parts));
      const row: OutboxRow = {
        ...{ spreadsheetId: tab.spreadsheetId, tab: tab.tab, mirror: tab.name },
        ...{ key: formatKey(claim.key), rowKey: seen.row_id, cells: content.cells, hash: rowHash(content) },
        ...looksOf(claim, tab.name, content.formats),
        inPlaceOnly: true,
        occurredAtMs: claim.pendingSinceMs,
      };
      const outcome = await parts.outbox.put(claim, row);
      if (outcome === 'fenced') throw fenced();
      if (outcome === 'queued') parts.waker.wake(tab.spreadsheetId);
      return 'answered';
    },
  };
}

async function zoneOf({ mapping, zones }: RowAnswersParts): Promise<string> {
  if (mapping.timezone !== undefined) return mapping.timezone;
  return mapping.columns.booked_at === undefined ? 'UTC' : zones.zoneOf(mapping.spreadsheetId);
}

function contentOf({ columns }: SheetBookings, answer: BookingAnswer, zone: string): RowContent {
  const time = typedCell({ as: 'datetime' }, answer.startsAt ?? null, { zone, currency: '' });
  const cells: [string | undefined, Cell][] = [
    [columns.status, answer.text],
    [columns.appointment, answer.appointmentId ?? null],
    [columns.booked_at, time.cell],
  ];
  const isTimed = columns.booked_at !== undefined && time.format !== undefined;
  return {
    cells: Object.fromEntries(
      cells.flatMap(([header, cell]) => (header === undefined ? [] : [[header.trim(), storable(cell)]])),
    ),
    formats: isTimed && time.format ? { [columns.booked_at.trim()]: time.format } : {},
  };
}

/** The worker sets a format once; afterwards it belongs to the users. */
function looksOf(
  claim: Claim,
  mirror: string,
  formats: RowContent['formats'],
): Pick<OutboxRow, 'formats' | 'reformat'> {
  const given = claim.links[mirror]?.sheet?.formats ?? {};
  const reformat = Object.keys(formats).filter((header) => given[header] !== formats[header]?.pattern);
  if (Object.keys(formats).length === 0) return {};
  return reformat.length === 0 ? { formats } : { formats, reformat };
}
