// Rows that the front desk types: ready immediately, later or never; some are copied, corrected or cancelled. Meanwhile others
// sort the tab.

import { readLocal } from '@slotbridge/sandbox/zones/local';
import { someLaterTime } from '../day/times.ts';
import { wireText } from '../judge/company.ts';
import type { OutsideBooking } from './book.ts';
import { busyMoment, nextPhone, type OutsideCast, somePerson, someService } from './cast.ts';

export const INTAKE_TAB = 'Intake';
export const INTAKE_ZONE = 'Europe/Moscow';
/** In column order. The worker writes the last three. */
export const INTAKE_HEADERS = [
  ...['Service', 'Start', 'With', 'Name', 'Phone', 'Ready', 'Cancel'],
  ...['Booking', 'Status', 'Appointment'],
] as const;
const PHONE_COLUMN = INTAKE_HEADERS.indexOf('Phone');
const STATUS_COLUMN = INTAKE_HEADERS.indexOf('Status');
const ID_COLUMN = INTAKE_HEADERS.indexOf('Booking');

/** Types one row. Returns the later changes to it, in order. */
export function typeRow(cast: OutsideCast): readonly (() => void)[] {
  const { google, random, bookings, spreadsheetId } = cast;
  const person = somePerson(cast);
  const phone = nextPhone(cast);
  const dice = random.next();
  const clash = dice < 0.12 ? busyMoment(cast, person) : undefined;
  const isReady = dice < 0.75;
  google.staff.sheets.addRow({
    ...{ spreadsheetId, tab: INTAKE_TAB },
    values: [
      someService(cast).name,
      typed(clash ?? someLaterTime(random, person.zone)),
      person.name,
      `Guest ${bookings.length}`,
      phone.written,
      isReady ? 'yes' : '',
    ],
  });
  const booking: OutsideBooking = {
    where: 'sheet',
    phone: phone.e164,
    fate: isReady ? 'wanted' : 'half-typed',
  };
  bookings.push(booking);
  const write = (header: (typeof INTAKE_HEADERS)[number], value: string) => {
    const row = rowOf(cast, phone.written);
    if (row === undefined) return false;
    google.staff.sheets.typeInto({ spreadsheetId, tab: INTAKE_TAB, row, column: header, value });
    return true;
  };
  if (!isReady && dice < 0.92) {
    return [
      () => {
        if (write('Ready', 'yes')) booking.fate = 'wanted';
      },
    ];
  }
  if (dice > 0.6 && dice < 0.68) {
    return [
      () => {
        if (write('Cancel', 'yes')) booking.fate = 'dropped';
      },
    ];
  }
  if (dice > 0.5 && dice < 0.6) return [() => void write('Start', typed(someLaterTime(random, person.zone)))];
  if (dice > 0.4 && dice < 0.5) return [() => copy(cast, phone.written)];
  return [];
}

/** Sorts the tab by a random column. */
export function sortIntake({ google, random, spreadsheetId }: OutsideCast): void {
  const column = random.pick(['Name', 'Start', 'With'] as const);
  google.staff.sheets.sortTab({ spreadsheetId, tab: INTAKE_TAB, column });
}

/** Whether the row of a booking has an answer. */
export function isRowAnswered(cast: Pick<OutsideCast, 'google' | 'spreadsheetId'>, e164: string): boolean {
  const rows = cast.google.truth.values(cast.spreadsheetId, INTAKE_TAB);
  const found = rows.find((row) => digits(row[PHONE_COLUMN]) === e164.slice(2));
  return wireText(found?.[STATUS_COLUMN]) !== '';
}

/** Copies the row once it has an id, so that the copy has the same id and is no booking of its own. */
function copy(cast: OutsideCast, phone: string): void {
  const { google, spreadsheetId } = cast;
  const row = rowOf(cast, phone);
  if (row === undefined) return;
  const rows = google.truth.values(spreadsheetId, INTAKE_TAB);
  if (wireText(rows[row - 1]?.[ID_COLUMN]) === '') return;
  google.staff.sheets.duplicateRow({ spreadsheetId, tab: INTAKE_TAB, row });
}

function rowOf({ google, spreadsheetId }: OutsideCast, phone: string): number | undefined {
  const rows = google.truth.values(spreadsheetId, INTAKE_TAB);
  const index = rows.findIndex((row) => digits(row[PHONE_COLUMN]) === digits(phone));
  return index === -1 ? undefined : index + 1;
}

/** The digits without the leading 8 or 7. */
function digits(phone: unknown): string {
  return wireText(phone).replace(/\D/g, '').slice(1);
}

function typed(iso: string): string {
  return readLocal(iso, INTAKE_ZONE).toFormat('yyyy-MM-dd HH:mm');
}
