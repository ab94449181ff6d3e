import { expect, test } from 'vitest';
import { ofLostRow, RowPlace } from '../../../src/engine/held-booking.ts';
import { rowOrigin } from '../../../src/engine/ids.ts';
import type { SeenRowBooking } from '../../../src/engine/outside-booking.ts';
import { customerMarks } from '../../../src/engine/person.ts';
import { anyRowId } from '../../stand/row-ids.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const SHEET = 'book';
const LOST = anyRowId(SHEET);
const KNOWN = anyRowId(SHEET);
const OWN = { customer_phone: '+74950001101', customer_name: 'Vera' };
const OTHER = { customer_phone: '+74950001102', customer_name: 'Olga' };
const HIDDEN = { customer_phone: null, customer_name: null, contact_id: 'c1' };
const TOMORROW = { starts_at: '2026-03-03T07:00:00Z' };

test.each([
  ['of the customer', { rowId: LOST, appointment: { ...OWN, ...TOMORROW }, isCustomers: false }, 'perhaps'],
  ['of another customer', { rowId: LOST, appointment: { ...OTHER, ...TOMORROW }, isCustomers: false }, false],
  [
    'that shows nobody, of the same card',
    { rowId: LOST, appointment: { ...HIDDEN, ...TOMORROW }, isCustomers: true },
    'perhaps',
  ],
  [
    'that shows nobody, of another card',
    { rowId: LOST, appointment: { ...HIDDEN, ...TOMORROW }, isCustomers: false },
    false,
  ],
  [
    'under another name by now, of the same card',
    { rowId: LOST, appointment: { customer_name: 'V.', ...TOMORROW }, isCustomers: true },
    'perhaps',
  ],
  [
    'that is over',
    { rowId: LOST, appointment: { ...OWN, starts_at: '2026-03-01T07:00:00Z' }, isCustomers: true },
    false,
  ],
  ['whose row is known', { rowId: KNOWN, appointment: { ...OWN, ...TOMORROW }, isCustomers: true }, false],
  [
    'that a row of another spreadsheet booked',
    { rowId: anyRowId('other'), appointment: { ...OWN, ...TOMORROW }, isCustomers: true },
    false,
  ],
] as const)('an appointment %s', async (_, { rowId, appointment, isCustomers }, expected) => {
  const view = { peek: async ({ id }: { id: string }) => (id === KNOWN ? { snapshot: { id } } : undefined) };
  const isFormer = ofLostRow(
    { view: view as never, clock: { now: () => NOW } as never },
    { spreadsheet_id: SHEET } as SeenRowBooking,
    customerMarks({ contactId: undefined, phone: '8 495 000-11-01', email: undefined, name: 'Vera' }),
  );
  const found = { id: 'a', status: 'confirmed', ...appointment };
  expect(await isFormer(rowOrigin(rowId), found, isCustomers)).toBe(expected);
});

test.each([
  ['with a column for appointments', { appointment: 'Appointment' }, 'perhaps-booked'],
  ['without one', {}, 'perhaps-booked-unnamed'],
] as const)('a row of a sheet %s is refused in words that can be acted on there', (_, columns, code) => {
  const place = new RowPlace({ mapping: { kind: 'sheet', columns } } as never, {} as SeenRowBooking);
  const standing = { appointmentId: 'a', ...TOMORROW, startsAt: TOMORROW.starts_at };
  expect(place.nameable({ code: 'perhaps-booked', slots: [], standing }).code).toBe(code);
});
