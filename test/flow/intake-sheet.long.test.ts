/** What people type into a booking sheet, row by row of the table in docs/bookings.md, over HTTP with both sandboxes. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { HEADERS, IntakeStands } from '../stand/intake-sheet.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const TEN = '2026-03-03T07:00:00.000Z';
const TWELVE = '2026-03-03T09:00:00.000Z';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** A serial number of Google's as the clock of the sheet shows it. */
function shown(serial: unknown): string {
  return new Date(Date.UTC(1899, 11, 30) + Math.round(Number(serial) * 86_400) * 1_000)
    .toISOString()
    .slice(0, 16);
}

test('S1: a ready row becomes one appointment, and is told so in its own cells', async () => {
  const world = await stands.start();
  const row = world.type({ Notes: 'window seat' });
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  const [appointment] = world.appointments();
  expect(world.row(row)).toMatchObject({
    Status: 'Booked.',
    Appointment: appointment?.['id'],
    Notes: 'window seat',
  });
  expect(shown(world.row(row)['Time'])).toBe('2026-03-03T10:00');
  expect(appointment).toMatchObject({ customer_phone: '+74950001101' });
  expect(String(appointment?.['metadata'] && JSON.stringify(appointment['metadata']))).toContain(
    `row/${String(world.row(row)['ID'])}`,
  );
});

test('S1: a row that was booked is left alone: no write, no second appointment', async () => {
  const world = await stands.start();
  world.type();
  await world.settle();
  const before = world.rows();
  const { writes } = world.api;
  world.clock.advance(700_000);
  await world.settle();
  await world.settle();
  expect(world.api.writes).toBe(writes);
  expect(world.rows()).toEqual(before);
  expect(world.appointments()).toHaveLength(1);
});

atLength.test('S1: a poll without news is one read', async () => {
  const world = await stands.start();
  world.type();
  await world.settle();
  const { reads } = world.api;
  await world.poll();
  expect(world.api.reads).toBe(reads + 1);
});

test('S1: a new row is one read and one write: the write of its id shows it in the row', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  await world.settle();
  const row = world.type();
  world.google.resetCounts();
  await world.poll();
  expect(world.google.stats().callsByMethod).toEqual({
    'spreadsheets.values.batchGetByDataFilter': 1,
    'spreadsheets.batchUpdate': 1,
  });
  await world.work();
  await world.flush();
  expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
});

atLength.test(
  'S1: people who sort while the id is written have the tab read once more, and the id goes to its row',
  async () => {
    const world = await stands.start({ timezone: 'Europe/Moscow' });
    world.type({ Name: 'Boris Ulanov', Resource: 'Boris' });
    await world.settle();
    world.type({ Name: 'Ada Lebedeva', Phone: '8 495 000-11-02' });
    world.google.resetCounts();
    world.api.beforeWrite = () => world.staff.sortTab({ ...world.at, column: 'Name' });
    await world.poll();
    expect(world.google.stats().callsByMethod['spreadsheets.values.batchGetByDataFilter']).toBeGreaterThan(1);
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Ada Lebedeva`, `${TEN} Boris Boris Ulanov`]);
    for (const name of ['Ada Lebedeva', 'Boris Ulanov'])
      expect(world.rowOf(name)).toMatchObject({ Status: 'Booked.' });
  },
);

atLength.test('S1: a tab that is renamed while the id is written keeps nobody from booking', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  await world.settle();
  world.type();
  world.api.beforeWrite = () => world.staff.renameTab({ ...world.at, to: 'People' });
  await world.poll();
  expect(await world.problems()).toEqual([]);
  await world.work();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
});

test('S2, case 66: a half-typed row is nobody’s booking, and gets nothing', async () => {
  const world = await stands.start();
  const row = world.type({ Ready: false, Phone: '' });
  await world.settle();
  world.clock.advance(3_600_000);
  await world.settle();
  expect(world.appointments()).toEqual([]);
  expect(world.row(row)).toMatchObject({ ID: '', Status: '' });
  world.put(row, 'Phone', '8 495 000-11-01');
  world.put(row, 'Ready', 'да');
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
});

test('S2, case 66: without a ready column a row is booked once it has been left alone, also when it was sorted meanwhile', async () => {
  const { ready: _, ...columns } = (await stands.start()).mapping.columns;
  await stands.closeWorlds();
  const world = await stands.start({ columns });
  const row = world.type({ Ready: '', Phone: '' });
  await world.settle();
  world.clock.advance(25_000);
  world.put(row, 'Phone', '8 495 000-11-01');
  await world.settle();
  world.type({ Ready: '', Name: 'Boris Petrov', Start: '03.03.2026 12:00', Phone: '8 495 000-11-03' });
  world.staff.sortTab({ ...world.at, column: 'Name' });
  world.clock.advance(25_000);
  await world.settle();
  expect(world.appointments()).toEqual([]);
  world.clock.advance(35_000);
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Boris Petrov`]);
});

test('S3, case 52: a taken hour is refused in the row with free times, once; mended it is booked', async () => {
  const world = await stands.start();
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TEN, notify: false });
  const row = world.type();
  await world.settle();
  const said = String(world.row(row)['Status']);
  expect(said).toMatch(/^Not possible: this time is already taken\.\nNearest free times:\n–/);
  expect(said.match(/–/g)).toHaveLength(3);
  expect(world.row(row)).toMatchObject({ Appointment: '', Time: '' });
  const { writes } = world.api;
  world.clock.advance(60_000);
  await world.settle();
  expect(world.api.writes).toBe(writes);
  world.put(row, 'Start', '03.03.2026 12:00');
  await world.settle();
  expect(world.booked()).toContain(`${TWELVE} Anna Vera Orlova`);
  expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
});

test.each(
  rowsOf(
    [
      ['no such service', { Service: 'Massage' }, 'there is no service of this name'],
      ['no time', { Start: 'tomorrow' }, 'please give day and time'],
      ['a day without an hour', { Start: '2026-03-03' }, 'please give day and time'],
      ['nobody to call', { Phone: '' }, 'please give the phone number'],
    ],
    3,
  ),
)('S4: %s is said in the row', async (_, cells, said) => {
  const world = await stands.start();
  const row = world.type(cells);
  await world.settle();
  expect(world.row(row)['Status']).toContain(said);
  expect(world.appointments()).toEqual([]);
});

test.each(
  rowsOf(
    [
      ['a typed date', '2026-03-03 10:00:00'],
      ['ISO text', "'2026-03-03T10:00"],
      ['ISO text with its own offset', "'2026-03-03T08:00+01:00"],
      ['the way of the country', "'3.3.2026 10:00"],
    ],
    3,
  ),
)('S5, case 44: %s is read by the clock of the spreadsheet', async (_, start) => {
  const world = await stands.start();
  world.type({ Start: start });
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
});

test('S6: another start is a move, and another resource too', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'Start', '03.03.2026 12:00');
  await world.settle();
  expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
  expect(shown(world.row(row)['Time'])).toBe('2026-03-03T12:00');
  world.put(row, 'Resource', 'Boris');
  await world.settle();
  expect(world.booked()).toEqual([`${TWELVE} Boris Vera Orlova`]);
  expect(world.appointments()).toHaveLength(1);
});

test('S6: a start that a formula of the clock changes moves nothing, and the row is told; a formula of other cells does', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  const [date, ten] = [46_084, 10 / 24];
  const calculate = (formula: string, value: number) =>
    world.staff.calculate({ ...world.at, row, column: 'Start', formula, value });
  for (const days of [1, 2]) {
    calculate('=TODAY()+1+10/24', date + days + ten);
    await world.settle();
    await world.restart();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)['Status']).toContain('the start is a formula that changes by itself');
  }
  world.put(row, 'Cancel', true);
  await world.settle();
  expect(world.booked()).toEqual([]);
  const other = world.type({ Name: 'Ivan Petrov', Phone: '8 495 000-11-02', Start: '03.03.2026 14:00' });
  await world.settle();
  world.staff.calculate({
    ...{ ...world.at, row: other, column: 'Start' },
    ...{ formula: '=M3+N3', value: date + 12 / 24 },
  });
  await world.settle();
  expect(world.booked()).toEqual([`${TWELVE} Anna Ivan Petrov`]);
});

test('in a storm of mails no row books, moves or cancels before a person has allowed it', async () => {
  const world = await stands.start({ notifyCustomer: true });
  const [moved, cancelled] = [world.type(), world.type({ Start: '03.03.2026 14:00', Name: 'Ivan Petrov' })];
  await world.settle();
  const booked = world.booked();
  expect(booked).toHaveLength(2);
  for (let n = 0; n < 21; n += 1) await world.store.tally.count('mailed', `other ${n}`, 600_000);
  world.put(moved, 'Start', '03.03.2026 12:00');
  world.put(cancelled, 'Cancel', true);
  world.type({ Start: '03.03.2026 16:00', Name: 'Olga Serova' });
  await world.settle();
  expect(world.booked()).toEqual(booked);
  const { letters } = await world.store.ledger.deadLetters(9);
  const codes = letters.flatMap(({ reasons }) => reasons.map(({ code }) => code));
  expect(codes).toEqual(['mail-storm', 'mail-storm', 'mail-storm']);
});

test('S7: the row says what the platform cannot change, and the appointment stays', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'Phone', '8 495 000-22-02');
  await world.settle();
  expect(world.row(row)['Status']).toContain('Only time and resource can be changed here');
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
});

test('S8: a tick under Cancel cancels the appointment, whatever is under Ready', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.put(row, 'Ready', false);
  await world.settle();
  expect(world.booked()).toHaveLength(1);
  world.put(row, 'Cancel', 'x');
  await world.settle();
  expect(world.booked()).toEqual([]);
  expect(world.row(row)['Status']).toBe('Cancelled.');
});

test('S9, case 65: a deleted row keeps its appointment', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  world.staff.deleteRow({ ...world.at, row });
  world.clock.advance(700_000);
  await world.settle();
  expect(world.booked()).toHaveLength(1);
});

atLength.test('S9: the answer of a row that was cut comes with the row when it is put back', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.poll();
  await world.work();
  const cut = world.rows()[row - 1] ?? [];
  world.staff.deleteRow({ ...world.at, row });
  await world.flush();
  expect(world.rows()).toEqual([HEADERS]);
  world.staff.setRow({ ...world.at, row: 4, values: cut });
  await world.settle();
  expect(world.row(4)).toMatchObject({ Status: 'Booked.' });
  expect(world.appointments()).toHaveLength(1);
});

test('S10, cases 50, 65: from a blank tab nothing is concluded; it is told, and nothing is written into it', async () => {
  const world = await stands.start();
  world.type();
  await world.settle();
  world.staff.blankTab(world.at);
  await world.settle();
  expect(world.booked()).toHaveLength(1);
  expect(world.rows().flat().filter(Boolean)).toEqual([]);
  expect(await world.problems()).toContain('intake:front-submitter header-missing');
});

const PROBLEM = 'intake:front-submitter header-missing';

test('P8: a problem of the sheet ends with the next good reading, also by a process that never met it', async () => {
  const world = await stands.start();
  world.staff.renameHeader({ ...world.at, from: 'Phone', to: 'Telephone' });
  await world.settle();
  expect(await world.problems()).toContain(PROBLEM);
  world.staff.renameHeader({ ...world.at, from: 'Telephone', to: 'Phone' });
  await world.pollElsewhere();
  expect(await world.problems()).toEqual([]);
});

// Chaos seed 23067: the worker was killed, its next life ended all problems, and Redis lost the end of its file with that.
test('P8: a problem that Redis shows again after it lost the end of its file does not stay', async () => {
  const world = await stands.start();
  const { redis, keys } = world.store;
  world.staff.renameHeader({ ...world.at, from: 'Phone', to: 'Telephone' });
  await world.poll();
  const kept = await redis.hgetall(keys.problems);
  expect(Object.keys(kept)).toHaveLength(1);
  await world.restart();
  world.staff.renameHeader({ ...world.at, from: 'Telephone', to: 'Phone' });
  await redis.hset(keys.problems, kept);
  expect(await world.problems()).toEqual([PROBLEM]);
  await world.poll();
  expect(await world.problems()).toEqual([]);
});

test('S11, case 63: a renamed or doubled header stops the sheet with advice; columns may be moved', async () => {
  const world = await stands.start();
  world.staff.renameHeader({ ...world.at, from: 'Phone', to: 'Telephone' });
  const row = world.type();
  await world.settle();
  expect(world.appointments()).toEqual([]);
  expect(await world.problems()).toContain('intake:front-submitter header-missing');
  world.staff.renameHeader({ ...world.at, from: 'Telephone', to: 'Phone' });
  world.staff.renameHeader({ ...world.at, from: 'Notes', to: 'Start' });
  await world.settle();
  expect(world.appointments()).toEqual([]);
  expect(await world.problems()).toContain('intake:front-submitter header-duplicate');
  world.put(1, 'L', 'Notes');
  world.staff.moveColumn({ ...world.at, column: 'ID', before: 'Service' });
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(await world.problems()).toEqual([]);
  const [header = [], ...rows] = world.google.truth.values('front-submitter-book', 'Intake');
  expect(rows[row - 2]?.[header.indexOf('Status')]).toBe('Booked.');
});

atLength.test('S12: another time zone of the spreadsheet is reported and moves no appointment', async () => {
  const world = await stands.start();
  const row = world.type({ Start: '2026-03-03 10:00:00' });
  await world.settle();
  world.staff.request({
    spreadsheetId: 'front-submitter-book',
    request: {
      updateSpreadsheetProperties: { properties: { timeZone: 'Asia/Tokyo' }, fields: 'timeZone' },
    },
  });
  world.clock.advance(16 * 60_000);
  await world.settle();
  expect(await world.problems()).toContain('intake:front-submitter intake-zone-changed');
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(world.row(row)['Status']).toBe('Booked.');
});

/** The spreadsheet as people set it before anything was read of it. */
function setZone(world: Awaited<ReturnType<typeof stands.start>>, timeZone: string): void {
  const request = { updateSpreadsheetProperties: { properties: { timeZone }, fields: 'timeZone' } };
  world.staff.request({ spreadsheetId: 'front-submitter-book', request });
}

atLength.test('S12a: rows are meant in the zone that Google shows as an offset', async () => {
  const world = await stands.start();
  setZone(world, 'GMT+03:00');
  world.type({ Start: '2026-03-03 10:00:00' });
  await world.settle();
  expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  expect(await world.problems()).toEqual([]);
});

atLength.test(
  'S12b: nothing is booked in a zone that is not known: it is told, until it is another one',
  async () => {
    const world = await stands.start();
    const unknown = JSON.stringify({ properties: { timeZone: 'Mars/Olympus' }, sheets: [] });
    const remove = world.google.faults.add({
      path: /fields=properties\.timeZone/,
      fault: { kind: 'status', status: 200, body: unknown, contentType: 'application/json' },
    });
    world.type({ Start: '2026-03-03 10:00:00' });
    await world.settle();
    expect(world.booked()).toEqual([]);
    expect(await world.problems()).toEqual(['intake:front-submitter sheet-zone-unknown']);
    remove();
    world.clock.advance(61_000);
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(await world.problems()).toEqual([]);
  },
);

atLength.test('S13: the row shows what happens to its appointment on the platform', async () => {
  const world = await stands.start();
  const row = world.type();
  await world.settle();
  const id = String(world.row(row)['Appointment']);
  world.dashboard.reschedule(id, { startsAt: TWELVE, notify: false });
  await world.hear();
  await world.settle();
  expect(shown(world.row(row)['Time'])).toBe('2026-03-03T12:00');
  world.dashboard.cancel(id, { notify: false });
  await world.hear();
  await world.settle();
  expect(world.row(row)['Status']).toBe('Cancelled.');
  expect(world.appointments()).toHaveLength(1);
});

atLength.test(
  'S14: a status that people wrote over stays theirs until there is something new to say',
  async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.put(row, 'Status', 'called her');
    await world.settle();
    expect(world.row(row)['Status']).toBe('called her');
    world.put(row, 'Cancel', true);
    await world.settle();
    expect(world.row(row)['Status']).toBe('Cancelled.');
  },
);

test('S15: a protected status column books all the same, is told, and is answered once it may be', async () => {
  const world = await stands.start();
  const column = { ...world.at, range: 'I1:I50' };
  const { protectedRange } = world.staff.protectRange(column) as {
    protectedRange: { protectedRangeId: number };
  };
  const row = world.type();
  await world.poll();
  await world.work();
  await expect(world.flush()).rejects.toMatchObject({ code: 'protected-range' });
  expect(world.booked()).toHaveLength(1);
  expect(await world.problems()).toContain('spreadsheet:front-submitter-book/Intake protected-range');
  world.staff.request({
    spreadsheetId: 'front-submitter-book',
    request: { deleteProtectedRange: { protectedRangeId: protectedRange.protectedRangeId } },
  });
  await world.restart();
  await world.settle();
  expect(world.row(row)['Status']).toBe('Booked.');
  expect(world.appointments()).toHaveLength(1);
});

atLength.test('S15: a protected ID column books nothing new, and is told', async () => {
  const world = await stands.start();
  world.staff.protectRange({ ...world.at, range: 'H1:H50' });
  world.type();
  await world.settle();
  expect(world.appointments()).toEqual([]);
  expect(await world.problems()).toContain('intake:front-submitter intake-write-refused');
});

test('P8: how far the sheet was read is known, and stands still while nothing can be taken from it', async () => {
  const world = await stands.start();
  const readAt = async () => Number(await world.store.memory.get('intake-read front-submitter'));
  world.type();
  await world.settle();
  expect(await readAt()).toBe(world.clock.now());
  const beforeMs = await readAt();
  world.put(1, 'Start', 'When');
  world.clock.advance(30_000);
  await world.poll();
  expect(await readAt()).toBe(beforeMs);
});
