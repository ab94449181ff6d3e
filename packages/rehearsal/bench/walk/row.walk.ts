// One row of a booking sheet, until its event stands in the calendar and its answer in the row.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { ANNA, BOOK, slot, startWorld } from '../../../../test/stand/world.ts';
import { recording } from './recording.ts';

const AT = { spreadsheetId: BOOK, tab: 'Intake' };
const HEADERS = [
  'Service',
  'Start',
  'Name',
  'Phone',
  'With',
  'Ready',
  'Cancel',
  'ID',
  'Status',
  'Appointment',
  'Time',
];
const MAPPING = `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map: { Anna Petrova: ${ANNA} }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
bookings:
  front:
    from: { spreadsheet: ${BOOK}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, cancel: Cancel, id: ID, status: Status, appointment: Appointment, booked_at: Time }
`;

test('row', async () => {
  const world = await startWorld({ feedEvery: '60s', mirrors: MAPPING });
  world.google.staff.sheets.addTab({ ...AT, columns: HEADERS.length });
  world.google.staff.sheets.setRow({ ...AT, row: 1, values: HEADERS });
  const port = await world.door();
  await world.subscribe(port);
  await world.startWorker(port);
  const isAnswered = (row: number) =>
    world.rows('Intake')[row - 1]?.[HEADERS.indexOf('Status')] === 'Booked.';
  let booked = 0;
  const book = async () => {
    booked += 1;
    const { row } = world.google.staff.sheets.addRow({
      ...AT,
      values: [
        'Haircut',
        `'${slot(24 + 3 * booked)}`,
        `Vera Orlova ${'I'.repeat(booked)}`,
        '8 495 000-11-01',
        'Anna Petrova',
        true,
      ],
    });
    while (!isAnswered(row) || world.events(ANNA).length < booked) await sleep(5);
  };
  await sleep(1_500);
  await book();
  await sleep(8_000);
  await recording('row', { idle: () => sleep(11_000), change: book });
  await world.close();
});
