import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, BOOK, BORIS, ROOM, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
let url: string;

beforeEach(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: PATIENCE_MS,
  });
});
afterEach(() => world.close());

const soon = { timeout: PATIENCE_MS, interval: 20 };

test('P1: a booking stands in the right calendar and the right row soon after its webhook', async () => {
  const id = world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  await vi.waitFor(() => expect(world.rows('Visits').length).toBe(2), soon);
  const [event] = world.events(ANNA);
  expect(event).toMatchObject({
    summary: 'Haircut, Vera Orlova',
    description: '+74950001101',
    status: 'confirmed',
  });
  const start = event?.['start'] as { dateTime: string; timeZone: string };
  expect(Date.parse(start.dateTime)).toBe(Date.parse(slot(24)));
  expect(start.timeZone).toBe('Europe/Moscow');
  expect(world.rows('Visits')[0]).toEqual(['ID', 'Status', 'Start', 'Who']);
  expect(world.rows('Visits')[1]).toEqual([id, 'confirmed', moscow(slot(24)), 'Vera Orlova']);
  expect(world.events(BORIS)).toEqual([]);
});

test('a move to another time and another person leaves one event, in the new place', async () => {
  const id = world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  world.platform.dashboard.reschedule(id, { startsAt: slot(30), resourceId: world.company.boris });
  await vi.waitFor(
    () => expect([world.events(ANNA).length, world.events(BORIS).length]).toEqual([0, 1]),
    soon,
  );
  const [event] = world.events(BORIS);
  expect(startOf(event)).toBe(Date.parse(slot(30)));
  expect(world.events(BORIS).length).toBe(1);
});

test('an appointment that takes a person and a room stands in both calendars, and leaves both when cancelled (cases 19, 51)', async () => {
  const id = world.book({ serviceId: world.company.massage });
  await vi.waitFor(
    () => expect([world.events(ANNA).length, world.events(ROOM).length]).toEqual([1, 1]),
    soon,
  );
  world.platform.dashboard.cancel(id);
  await vi.waitFor(() => expect([...world.events(ANNA), ...world.events(ROOM)]).toEqual([]), soon);
  await vi.waitFor(() => expect(world.rows('Visits')[1]?.[1]).toBe('cancelled'), soon);
});

test('P5: nobody is mailed, and nothing is written to the platform', async () => {
  const before = world.platform.stats();
  const id = world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  world.platform.dashboard.markAppointment(id, 'no_show');
  await vi.waitFor(() => expect(world.events(ANNA)[0]?.['colorId']).toBe('11'), soon);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
  const written = Object.entries(world.platform.stats().requestsByRoute).filter(
    ([route, count]) => !route.startsWith('GET') && count > (before.requestsByRoute[route] ?? 0),
  );
  expect(written).toEqual([]);
});

test('P6: what people changed of their own in an event stays when the booking changes (case 34)', async () => {
  const id = world.book();
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  const eventId = String(world.events(ANNA)[0]?.['id']);
  world.google.staff.calendar.recolour({ calendarId: ANNA, eventId, colorId: '5' });
  world.google.staff.calendar.addReminder({ calendarId: ANNA, eventId, minutes: 15 });
  world.platform.dashboard.reschedule(id, { startsAt: slot(26) });
  await vi.waitFor(() => expect(startOf(world.events(ANNA)[0])).toBe(Date.parse(slot(26))), soon);
  expect(world.events(ANNA)[0]).toMatchObject({ colorId: '5', reminders: { useDefault: false } });
});

test('a contact that is renamed has its row changed in place, beside what people wrote there', async () => {
  const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: '=1+1' });
  await vi.waitFor(() => expect(world.rows('Contacts').length).toBe(2), soon);
  expect(world.rows('Contacts')[1]?.[1]).toBe('=1+1');
  world.google.staff.sheets.setCell({
    spreadsheetId: BOOK,
    tab: 'Contacts',
    cell: 'F2',
    value: 'calls back on Mondays',
  });
  world.platform.dashboard.changeContact(id, { name: 'Emma' });
  await vi.waitFor(() => expect(world.rows('Contacts')[1]?.[1]).toBe('Emma'), soon);
  expect(world.rows('Contacts')[1]?.[5]).toBe('calls back on Mondays');
});

test('P8: the status says so when everything is mirrored, and the proof is fresh', async () => {
  world.book();
  const status = await world.untilIdle(url);
  expect(status).toMatchObject({
    idle: true,
    pending: { objects: 0, sheet_rows: 0 },
    dead_letters: { count: 0 },
    holes: [],
  });
});

/** Epoch milliseconds. */
function startOf(event: Readonly<Record<string, unknown>> | undefined): number {
  const start = event?.['start'] as { dateTime?: string } | undefined;
  return Date.parse(start?.dateTime ?? '');
}

function moscow(iso: string): string {
  return new Date(Date.parse(iso) + 3 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
}
