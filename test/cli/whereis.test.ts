import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PersonReport } from '../../src/operate/personal-data.ts';
import { runHere } from '../stand/command.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { ANNA, BOOK, startWorld, type World } from '../stand/world.ts';

let world: World;
let port: number;
let appointmentId: string;
beforeEach(async () => {
  world = await startWorld();
  port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  appointmentId = world.book();
  world.book({ hours: 30, name: 'Oleg Smirnov' });
  await world.untilIdle(worker.url);
});
afterEach(() => world.close());

const whereIs = (...args: string[]) =>
  runHere(['whereis', 'contact', ...args, '--config', world.writeConfig(port)]);

async function found(asked: string): Promise<PersonReport> {
  const { stdout, stderr } = await whereIs(asked, '--json');
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stdout) as PersonReport;
}
const eventId = (id: string) => `sb${id.replaceAll('-', '')}`;

test.each(rowsOf(['8 (495) 000-11-01', '+74950001101'], 2))(
  '%s is found in calendar, sheet and Redis',
  async (phone) => {
    const { places, appointments, unread } = await found(phone);
    expect(unread).toEqual([]);
    expect(appointments).toContain(appointmentId);
    expect(places).toContainEqual({
      kind: 'event',
      where: `calendar ${ANNA}`,
      name: eventId(appointmentId),
      by: expect.arrayContaining(['id']),
    });
    const rows = places.filter(({ kind }) => kind === 'row').map(({ where }) => where);
    expect(rows).toContain(`spreadsheet ${BOOK}, tab Visits`);
    const keys = places.filter(({ kind }) => kind === 'key').map(({ name }) => name);
    expect(keys).toContain(`object:appointment/${appointmentId}`);
    expect(keys).toContain(`history:appointment/${appointmentId}`);
  },
);

test('the report names places and ids, and nothing that people wrote', async () => {
  const { output, code } = await whereIs('+74950001101');
  expect(code).toBe(0);
  expect(output).toContain(`calendar ${ANNA}: `);
  expect(output).toContain('Not searched: the platform itself');
  expect(output).not.toMatch(/Vera|Orlova|Oleg|495\D{0,2}000/);
});

atLength.test('an event that was deleted, which Google still shows, is named as one', async () => {
  world.google.staff.calendar.remove({ calendarId: ANNA, eventId: eventId(appointmentId) });
  const { places } = await found('+74950001101');
  const where = places.filter(({ name }) => name === eventId(appointmentId)).map((place) => place.where);
  expect(where).toContain(`calendar ${ANNA}, deleted events`);
});

atLength.test('somebody who was never here is nowhere', async () => {
  const { places, contacts, appointments } = await found('nobody@nowhere.example');
  expect({ places, contacts, appointments }).toEqual({ places: [], contacts: [], appointments: [] });
});

test('a calendar that cannot be read is named, and the command does not end well', async () => {
  world.google.revokeAccess(ANNA);
  const { code, output } = await whereIs(appointmentId.toUpperCase());
  expect(output).toContain(`NOT READ: calendar ${ANNA} (calendar-not-shared)`);
  expect(code).not.toBe(0);
});

atLength.test.each(['*', 'Vera', '12345', 'x'.repeat(400)])(
  '%s names nobody: nothing is looked through',
  async (text) => {
    const { code, stderr } = await whereIs(text);
    expect(stderr).toContain('person-unclear');
    expect(code).toBe(2);
  },
);
