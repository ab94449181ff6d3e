// The booking sheet through the whole worker: webhooks, queue, flush and poll as they run at the front desk.
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, BOOK, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

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
const BOOKINGS = `
bookings:
  front-submitter:
    from: { spreadsheet: ${BOOK}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns:
      service: Service
      starts_at: Start
      name: Name
      phone: Phone
      resource: With
      ready: Ready
      cancel: Cancel
      id: ID
      status: Status
      appointment: Appointment
      booked_at: Time
`;
const SOON = { timeout: PATIENCE_MS, interval: 100 };

test('typed, booked, shown in the calendar, moved in its row, cancelled at the platform: the row says so each time', async () => {
  world = await startWorld({ mirrors: MIRRORS + BOOKINGS });
  world.google.staff.sheets.addTab({ ...AT, columns: HEADERS.length });
  world.google.staff.sheets.setRow({ ...AT, row: 1, values: HEADERS });
  const port = await world.door();
  await world.subscribe(port);
  await world.startWorker(port);
  const values = ['Haircut', `'${slot(24)}`, 'Vera Orlova', '8 495 000-11-01', 'Anna Petrova', true];
  const { row } = world.google.staff.sheets.addRow({ ...AT, values });
  const cell = (header: string) => world.rows('Intake')[row - 1]?.[HEADERS.indexOf(header)];
  await vi.waitFor(() => expect(cell('Status')).toBe('Booked.'), SOON);
  const starts = () =>
    world.events(ANNA).map(({ start }) => Date.parse(String((start as { dateTime?: string }).dateTime)));
  await vi.waitFor(() => expect(starts()).toEqual([Date.parse(slot(24))]), SOON);

  world.google.staff.sheets.typeInto({ ...AT, row, column: 'Start', value: `'${slot(26)}` });
  await vi.waitFor(() => expect(starts()).toEqual([Date.parse(slot(26))]), SOON);
  world.platform.dashboard.cancel(String(cell('Appointment')));
  await vi.waitFor(() => expect(cell('Status')).toBe('Cancelled.'), SOON);
  expect(world.platform.truth.appointments()).toHaveLength(1);
});
