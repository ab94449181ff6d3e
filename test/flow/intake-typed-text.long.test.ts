/** What people really type into a booking sheet, and what Google makes of it (P2, P4). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands } from '../stand/intake-sheet.ts';

const TEN = '2026-03-03T07:00:00.000Z';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const COLUMNS = {
  ...{ service: 'Service', starts_at: 'Start', name: 'Name', resource: 'Resource', ready: 'Ready' },
  ...{ cancel: 'Cancel', id: 'ID', status: 'Status', appointment: 'Appointment', booked_at: 'Time' },
};
const REGION = {
  region: 'DE',
  customer: { name: '{{ name }}', phone: '{{ phone | phone }}', email: '{{ email }}', create: true },
} as const;

test.each([
  ['+491701234567', '+491701234567'],
  ['+79261234567', '+79261234567'],
  ['01701234567', '+491701234567'],
])('%s, of which the cell keeps only a number, is that number', async (typed, phone) => {
  const world = await stands.start(REGION);
  const row = world.type({ Phone: typed });
  expect(typeof world.row(row)['Phone']).toBe('number');
  await world.settle();
  expect(world.appointments()).toMatchObject([{ customer_phone: phone }]);
});

test('a cell that may be two numbers is asked about, and booked once it says which', async () => {
  const world = await stands.start(REGION);
  const row = world.type({ Phone: '+492112345' });
  await world.settle();
  expect(world.appointments()).toEqual([]);
  expect(world.row(row)['Status']).toContain('country code');
  world.put(row, 'D', "'+49 211 2345");
  await world.settle();
  expect(world.appointments()).toMatchObject([{ customer_phone: '+492112345' }]);
});

test('a header in two lines is found, with whatever apostrophe and blank', async () => {
  const world = await stands.start({ columns: { ...COLUMNS, phone: "Client's phone number" } });
  world.staff.renameHeader({ ...world.at, from: 'Phone', to: 'Client\u2019s\nphone\u00a0number' });
  world.type();
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(await world.problems()).toEqual([]);
});

test('names of services and resources are found as they look', async () => {
  const world = await stands.start();
  world.type({ Service: ' hair\u00adcut\u00a0', Resource: '\u200eAnna\u200b' });
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
});

test.each(['х', '✔️', '✅', '+', 'ja', 'oui', 'tak', 'так', 'ДА!'])(
  'a row with %s under ready is booked',
  async (tick) => {
    const world = await stands.start();
    world.type({ Ready: `'${tick}` });
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  },
);

test('what says neither yes nor no is asked about, and booked once it says yes', async () => {
  const world = await stands.start();
  const row = world.type({ Ready: 'soon' });
  await world.settle();
  expect(world.appointments()).toEqual([]);
  expect(world.row(row)['Status']).toContain('write yes to book');
  world.put(row, 'F', 'yes');
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(world.row(row)['Status']).toBe('Booked.');
  const { writes } = world.api;
  world.put(row, 'F', 'done');
  await world.settle();
  expect(world.row(row)['Status']).toBe('Booked.');
  expect(world.api.writes).toBe(writes);
});

test('a clear no is no wish: the row stays as it is', async () => {
  const world = await stands.start();
  const row = world.type({ Ready: 'нет' });
  await world.settle();
  expect([world.row(row)['Status'], world.row(row)['ID']]).toEqual(['', '']);
});

test.each(['х', '✔️', 'oui', '+'])('%s under cancel cancels', async (tick) => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'G', `'${tick}`);
  await world.settle();
  expect(world.appointments()).toMatchObject([{ status: 'cancelled' }]);
  expect(world.row(row)['Status']).toBe('Cancelled.');
});

test('what is unclear under cancel is asked about: the appointment stays', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'G', 'perhaps');
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(world.row(row)['Status']).toContain('write yes to cancel');
  world.put(row, 'G', 'yes');
  await world.settle();
  expect(world.row(row)['Status']).toBe('Cancelled.');
});

test.each(['#N/A', '#NAME?', 'Loading...', '#ИМЯ?'])(
  '%s is nobody’s name: it is waited for, then asked about',
  async (error) => {
    const world = await stands.start();
    const row = world.type({ Name: error });
    await world.settle();
    expect([world.row(row)['Status'], world.row(row)['ID']]).toEqual(['', '']);
    world.put(row, 'C', 'Vera Orlova');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    const other = world.type({ Name: error, Start: '03.03.2026 12:00' });
    await world.settle();
    world.clock.advance(130_000);
    await world.settle();
    expect(world.row(other)['Status']).toContain('formula');
    expect(world.booked()).toHaveLength(1);
  },
);

test('a formula that ends later is not asked about, and an error in a booked row changes nothing', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'B', '#REF!');
  world.put(row, 'C', 'Loading...');
  await world.settle();
  expect(world.row(row)['Status']).toBe('Booked.');
  world.put(row, 'C', 'Vera Orlova');
  await world.settle();
  world.clock.advance(130_000);
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(world.row(row)['Status']).toContain('formula');
  world.put(row, 'B', '03.03.2026 12:00');
  await world.settle();
  expect(world.booked()).toEqual(['2026-03-03T09:00:00.000Z Anna Vera Orlova']);
  expect(world.row(row)['Status']).toBe('Booked.');
});

test('formulas filled down an empty tab are no rows', async () => {
  const world = await stands.start();
  const row = world.type({ Service: '', Start: '', Name: '#N/A', Phone: '#N/A', Resource: '', Ready: '' });
  world.clock.advance(130_000);
  await world.settle();
  await world.settle();
  expect([world.row(row)['Status'], world.row(row)['ID']]).toEqual(['', '']);
});

test('character references in a name are read', async () => {
  const world = await stands.start();
  world.type({ Name: 'Vera O&#39;Brien &amp; son' });
  await world.settle();
  expect(world.appointments()).toMatchObject([{ customer_name: "Vera O'Brien & son" }]);
});

test('midnight, typed as the drop-down offers it, is booked; a day alone is asked about', async () => {
  const world = await stands.start();
  const row = world.type({ Start: '2026-03-04 00:00' });
  const day = world.type({ Start: '2026-03-04', Name: 'Boris Other', Phone: '8 495 000-11-02' });
  expect([world.row(row)['Start'], world.row(day)['Start']]).toEqual([46_085, 46_085]);
  await world.settle();
  expect(world.row(day)['Status']).toContain('give day and time');
  // Nobody works at midnight: the platform was asked for that very hour, and answers with free times.
  expect(world.row(row)['Status']).toMatch(/not within working hours|outside|working/i);
});
