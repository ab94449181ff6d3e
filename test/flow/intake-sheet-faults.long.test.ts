/** Copies, people's hands at the worst moment, lost answers and deaths: one appointment per row, and never a second one. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { HEADERS, IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { anyRowId } from '../stand/row-ids.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const TEN = '2026-03-03T07:00:00.000Z';
const TWELVE = '2026-03-03T09:00:00.000Z';
const COPY = 'Copy of another row: clear the ID cell to book it.';
const DIFFERS = /^Booked\. Not moved: this row differs from its appointment/;
const LOST = /^Is this row a new booking\?/;
const UNDECIDED = /^Not cancelled: is this row a copy/;
/** Nothing in the row names its appointment. */
const NO_APPOINTMENT = {
  columns: {
    ...{ service: 'Service', starts_at: 'Start', name: 'Name', phone: 'Phone', ready: 'Ready' },
    ...{ cancel: 'Cancel', id: 'ID', status: 'Status' },
  },
  resource: 'Anna',
} as const;
const WRITE = { path: /:batchUpdate/, times: 1 };

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

/** Every row that people see has its own appointment, or says why not; what stands in the notes has not moved to another row. */
function consistent(world: IntakeWorld): void {
  const rows = world
    .rows()
    .slice(1)
    .filter((row) => row[2] !== '');
  for (const row of rows) {
    const [appointment, id] = [row[HEADERS.indexOf('Appointment')], row[HEADERS.indexOf('ID')]];
    const booked = world.appointments().find((each) => each['id'] === appointment);
    expect(booked).toMatchObject({
      customer_name: row[2],
      metadata: { slotbridge_origin: `row/${String(id)}` },
    });
  }
}

function typeThree(world: IntakeWorld): void {
  world.type({ Name: 'Vera Orlova', Start: '03.03.2026 12:00', Phone: '8 495 000-11-01' });
  world.type({ Name: 'Anton Belov', Start: '03.03.2026 14:00', Phone: '8 495 000-11-02' });
  world.type({ Name: 'Boris Petrov', Start: '03.03.2026 10:00', Phone: '8 495 000-11-03' });
}

describe('copies (case 62)', () => {
  test('a copied row is told that it is one, and never acted upon; with its ID cleared it is booked for itself', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row + 1, 'Start', '03.03.2026 12:00');
    world.put(row + 1, 'Name', 'Olga Serova');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    expect(world.row(row + 1)).toMatchObject({ Status: COPY, Appointment: '', Time: '' });
    world.put(row + 1, 'Phone', '8 495 000-11-02');
    world.put(row + 1, 'ID', '');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Olga Serova`]);
    expect(world.row(row + 1)).toMatchObject({ Status: 'Booked.' });
    consistent(world);
  });

  const NOTHING_BOOKED = 'Not booked, so there is nothing to cancel. Clear the cancel cell to book this row.';

  test.each(rowsOf(['', 'NEW'], 2))(
    'a copy whose ID is made "%s" and whose cancellation is ticked is no booking: it says so, and cancels nothing',
    async (id) => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row + 1, 'ID', id);
      world.put(row + 1, 'Cancel', true);
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      expect(world.row(row + 1)).toMatchObject({ Status: NOTHING_BOOKED, Appointment: '', Time: '' });
      // It cancels nothing later either, and costs no write. Once the appointment has no row, it could be this row's: a person is asked.
      world.staff.deleteRow({ ...world.at, row });
      await world.settle();
      const { writes } = world.api;
      await world.restart();
      await world.settle();
      expect(world.api.writes).toBe(writes);
      expect(world.row(row)['Status']).toMatch(id === '' ? UNDECIDED : NOTHING_BOOKED);
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      world.put(row, 'Cancel', false);
      if (id === '') {
        await world.settle();
        expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
        expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
        consistent(world);
        return;
      }
      world.put(row, 'Start', '03.03.2026 12:00');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    },
  );

  const overtype = (world: IntakeWorld, row: number) => {
    world.put(row, 'Name', 'Olga Serova');
    world.put(row, 'Phone', '8 495 000-11-02');
    world.put(row, 'Start', '03.03.2026 15:00');
  };

  test('P4: the original of such a copy is typed over for somebody else: the copy no longer says that nothing is booked', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row + 1, 'ID', '');
    world.put(row + 1, 'Cancel', true);
    await world.settle();
    expect(world.row(row + 1)).toMatchObject({ Status: NOTHING_BOOKED });
    overtype(world, row);
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)['Status']).toMatch(/for another customer/);
    expect(world.row(row + 1)['Status']).toMatch(UNDECIDED);
    world.put(row + 1, 'Cancel', false);
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row + 1)['Status']).toMatch(LOST);
  });

  test('P4: a copy that was told that its hour is taken is the row of that appointment once its original is typed over', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.poll();
    await world.work();
    // Copied before the answer stood there.
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row + 1, 'ID', '');
    await world.settle();
    expect(world.row(row + 1)['Status']).toMatch(/^Not possible: this time is already taken/);
    overtype(world, row);
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row + 1)).toMatchObject({ Status: 'Booked.' });
    expect(world.row(row)['Status']).toMatch(LOST);
    world.put(row, 'ID', 'NEW');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, '2026-03-03T12:00:00.000Z Anna Olga Serova']);
    consistent(world);
  });

  /** A copy without an ID, told that its own original has its hour. */
  async function refusedCopy(world: IntakeWorld): Promise<number> {
    const row = world.type();
    await world.poll();
    await world.work();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row + 1, 'ID', '');
    await world.settle();
    expect(world.row(row + 1)['Status']).toMatch(/^Not possible: this time is already taken/);
    return row;
  }

  test('P8: of two equal rows that were refused, the one that stays keeps its id when people delete the other', async () => {
    const world = await stands.start();
    world.type({ Name: 'Vera Orlova', Phone: '8 495 000-11-01' });
    await world.settle();
    const row = world.type({ Name: 'Anton Belov', Phone: '8 495 000-11-02' });
    await world.settle();
    const other = world.type({ Name: 'Anton Belov', Phone: '8 495 000-11-02' });
    await world.settle();
    expect(world.row(row)).toMatchObject({ Status: expect.stringMatching(/already taken/) });
    const kept = world.row(other);
    expect(kept).toMatchObject({ Status: expect.stringMatching(/already taken/) });
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    const { writes } = world.api;
    expect(world.row(row)).toEqual(kept);
    await world.restart();
    await world.settle();
    expect(world.row(row)).toEqual(kept);
    expect(world.api.writes).toBe(writes);
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  });

  test('P4: a copy that was told that its hour is taken is the row of that appointment once its original is deleted', async () => {
    const world = await stands.start();
    const row = await refusedCopy(world);
    const { ID: id, Appointment: appointment } = world.row(row);
    world.staff.deleteRow({ ...world.at, row });
    // The worker restarts, and knows only what it stored.
    await world.restart();
    await world.settle();
    await world.settle();
    expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.', Appointment: appointment });
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    consistent(world);
    // The row is that of the appointment in all that follows.
    world.put(row, 'Start', '03.03.2026 12:00');
    await world.settle();
    expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
    world.put(row, 'Cancel', true);
    await world.settle();
    expect(world.booked()).toEqual([]);
  });

  test('P4: so is one in other words, and its words are told', async () => {
    const world = await stands.start();
    const row = await refusedCopy(world);
    world.put(row + 1, 'Start', "'2026-03-03T10:00");
    await world.settle();
    expect(world.row(row + 1)['Status']).toMatch(/^Not possible: this time is already taken/);
    const { ID: id } = world.row(row);
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    await world.settle();
    expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  });

  test('P2: the original comes back after that: one of the two is the row of the appointment, and nothing is booked twice', async () => {
    const world = await stands.start();
    const row = await refusedCopy(world);
    const cells = HEADERS.map((header) => world.row(row)[header] as string);
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    await world.settle();
    world.staff.addRow({ ...world.at, values: cells });
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    const said = world.rows().flatMap((each) => (each[2] === '' ? [] : [each[HEADERS.indexOf('Status')]]));
    const taken = expect.stringMatching(/^Not possible: this time is already taken/);
    expect(said.sort()).toEqual(['Booked.', taken, 'Status']);
    // Each is still one booking: the other one is its row when this one goes.
    world.staff.deleteRow({
      ...world.at,
      row: world.rows().findIndex((each) => each.includes('Booked.')) + 1,
    });
    await world.settle();
    await world.settle();
    expect(world.rowOf('Vera Orlova')['Status']).toBe('Booked.');
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  });

  test('P2: a refused row of somebody else stays refused when the row that has its hour is deleted', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.type({ Name: 'Nina Belova', Phone: '8 495 000-11-02' });
    await world.settle();
    const { ID: id } = world.row(row + 1);
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    await world.settle();
    expect(world.row(row)).toMatchObject({ ID: id, Status: expect.stringMatching(/already taken/) });
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  });

  test('P2: the original is typed over for somebody else, and its copy has lost the ID: a person is asked', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.poll();
    await world.work();
    // Copied before the answer stood there.
    world.staff.duplicateRow({ ...world.at, row });
    await world.settle();
    world.put(row, 'Name', 'Olga Serova');
    world.put(row, 'Phone', '8 495 000-11-02');
    world.put(row, 'Start', '03.03.2026 15:00');
    world.put(row + 1, 'Start', '03.03.2026 12:00');
    for (const column of ['ID', 'Status']) world.put(row + 1, column, '');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row + 1)['Status']).toMatch(/new booking/);
    world.put(row + 1, 'ID', 'new');
    await world.settle();
    expect(world.booked()).toHaveLength(2);
  });

  test('P2: a row is copied and changed, and both lose their ID at once: a person is asked, and nothing is booked twice', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row, 'Start', '03.03.2026 12:00');
    for (const each of [row, row + 1]) world.put(each, 'ID', '');
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)['Status']).toMatch(LOST);
    expect(world.row(row + 1)).toMatchObject({ Status: 'Booked.' });
    world.put(row, 'ID', 'new');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
    consistent(world);
  });

  test('P2: an id that is written meanwhile lands in the copy, which is changed, and the original loses its own: the copy asks', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.type({ Name: 'Kira Lvova', Phone: '8 495 000-11-04', Start: '03.03.2026 15:00' });
    world.api.beforeWrite = () => {
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row + 1, 'Start', '03.03.2026 12:00');
      world.put(row, 'ID', '');
    };
    await world.settle();
    await world.settle();
    const vera = `${TEN} Anna Vera Orlova`;
    expect(world.booked()).toEqual([vera, '2026-03-03T12:00:00.000Z Anna Kira Lvova']);
    expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    expect(world.row(row + 1)['Status']).toMatch(LOST);
  });

  test('P2: a copy gets the ID of its original, which is typed over, and is itself changed right before that write: a person is asked', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    await world.settle();
    world.put(row, 'Name', 'Kira Lvova');
    world.put(row, 'Phone', '8 495 000-11-04');
    world.put(row, 'Start', '03.03.2026 15:00');
    world.put(row + 1, 'ID', '');
    world.api.beforeWrite = () => world.put(row + 1, 'Start', '03.03.2026 12:00');
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    for (const each of [row, row + 1]) expect(world.row(each)['Status']).toMatch(LOST);
    world.put(row, 'ID', 'new');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, '2026-03-03T12:00:00.000Z Anna Kira Lvova']);
  });

  test('P2: the same, and in the middle of that poll all rows are to be looked up again: a person is asked all the same', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    await world.settle();
    world.put(row, 'Name', 'Olga Serova');
    world.put(row, 'Phone', '8 495 000-11-02');
    world.put(row, 'Start', '03.03.2026 15:00');
    world.put(row + 1, 'Start', '03.03.2026 12:00');
    for (const column of ['ID', 'Status', 'Appointment', 'Time']) world.put(row + 1, column, '');
    const { rowRegister } = world.store;
    const sent = rowRegister.sent.bind(rowRegister);
    rowRegister.sent = async (name) => {
      world.forget();
      return sent(name);
    };
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row + 1)['Status']).toMatch(/new booking/);
  });

  test('P4: a copy that is typed over and cancelled while its ID is written shows no answer of the original', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row, 'Start', '03.03.2026 12:00');
    world.put(row, 'Name', 'Olga Serova');
    world.put(row, 'Phone', '8 495 000-11-02');
    world.put(row, 'ID', '');
    const onStrike = () => world.put(row, 'Cancel', true);
    world.google.faults.add({ ...WRITE, onStrike, fault: { kind: 'delay', ms: 1 } });
    await world.settle();
    const Status =
      'Nothing was booked from this row, so nothing is cancelled. To book it, clear its cancel cell.';
    expect(world.row(row)).toMatchObject({ Status, Appointment: '', Time: '' });
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    const { writes } = world.api;
    await world.restart();
    await world.settle();
    expect(world.api.writes).toBe(writes);
    world.put(row, 'Cancel', false);
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Olga Serova`]);
    consistent(world);
  });

  test('P4: a refused row that is corrected, and loses its ID, changes its hour and is cancelled before its answer, asks', async () => {
    const world = await stands.start();
    world.type();
    await world.settle();
    const row = world.type({ Name: 'Olga Serova', Phone: '8 495 000-11-02' });
    await world.settle();
    expect(world.row(row)['Status']).toMatch(/^Not possible: /);
    world.put(row, 'Start', '03.03.2026 12:00');
    const onStrike = () => {
      world.put(row, 'ID', '');
      world.put(row, 'Cancel', true);
      world.put(row, 'Start', '03.03.2026 14:00');
    };
    world.google.faults.add({ ...WRITE, onStrike, fault: { kind: 'delay', ms: 1 } });
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Olga Serova`]);
    expect(world.row(row)['Status']).toMatch(/looks like a row that lost its ID/);
  });

  atLength.test(
    'a copy without an ID that is not ready yet does not show the appointment of the original',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row + 1, 'ID', '');
      world.put(row + 1, 'Ready', false);
      await world.settle();
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      expect(world.row(row + 1)).toMatchObject({ ID: '', Status: '', Appointment: '', Time: '' });
      world.put(row + 1, 'Start', '03.03.2026 12:00');
      world.put(row + 1, 'Ready', true);
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
      consistent(world);
    },
  );

  atLength.test('P6: words of people in the status of a row that is no booking stay', async () => {
    const world = await stands.start();
    const [half, taken] = [world.type({ Ready: false }), world.type({ Cancel: true })];
    for (const row of [half, taken]) world.put(row, 'Status', 'call her back');
    await world.settle();
    for (const row of [half, taken])
      expect(world.row(row)).toMatchObject({ ID: '', Status: 'call her back' });
    expect(world.booked()).toEqual([]);
  });

  test('a copy that is pasted above the original and edited moves nobody', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row, 'Start', '03.03.2026 12:00');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)).toMatchObject({ Status: COPY });
    await world.restart();
    world.put(row, 'Start', '03.03.2026 14:00');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  });

  atLength.test(
    'of two rows that say the same the one that is left is the row, and is told so again',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.staff.duplicateRow({ ...world.at, row });
      await world.settle();
      expect(world.row(row + 1)).toMatchObject({ Status: COPY });
      world.staff.deleteRow({ ...world.at, row });
      await world.settle();
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      expect(world.appointments()).toHaveLength(1);
      consistent(world);
    },
  );
});

describe('ids that people touch', () => {
  test('a deleted id is put back, and nothing is booked a second time', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    const before = world.row(row);
    world.put(row, 'ID', '');
    await world.settle();
    expect(world.row(row)).toEqual(before);
    expect(world.appointments()).toHaveLength(1);
  });

  atLength.test('the same where the sheet shows no appointment, also after a restart', async () => {
    const world = await stands.start({
      columns: {
        service: 'Service',
        starts_at: 'Start',
        phone: 'Phone',
        ready: 'Ready',
        id: 'ID',
        status: 'Status',
      },
      resource: 'Anna',
    });
    const row = world.type();
    await world.settle();
    const { ID: id } = world.row(row);
    world.put(row, 'ID', '');
    await world.restart();
    await world.settle();
    expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
    expect(world.appointments()).toHaveLength(1);
  });

  atLength.test('an id that somebody edited is told, and books nothing', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    const id = String(world.row(row)['ID']);
    world.put(
      row,
      'ID',
      id.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
    );
    await world.settle();
    expect(world.row(row)['Status']).toContain('The ID was changed');
    expect(world.appointments()).toHaveLength(1);
    world.put(row, 'ID', '');
    await world.settle();
    expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
    expect(world.appointments()).toHaveLength(1);
  });

  atLength.test('a row that was refused, deleted and typed again is tried again', async () => {
    const world = await stands.start();
    const { serviceId, annaId: resourceId } = world.platform;
    const taken = world.dashboard.bookAs('lk', { serviceId, resourceId, startsAt: TEN, notify: false });
    const row = world.type();
    await world.settle();
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    world.dashboard.cancel(String(taken), { notify: false });
    world.type();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
  });
});

describe('hands between reading and writing (case 60)', () => {
  test.each(
    rowsOf(
      [
        ['sorted', (world: IntakeWorld) => world.staff.sortTab({ ...world.at, column: 'Name' })],
        ['a row inserted', (world: IntakeWorld) => world.staff.insertRow({ ...world.at, row: 2 })],
        ['a row deleted', (world: IntakeWorld) => world.staff.deleteRow({ ...world.at, row: 2 })],
      ],
      2,
    ),
  )('%s while ids are written: each row has its own appointment', async (_, hands) => {
    const world = await stands.start();
    typeThree(world);
    world.api.beforeWrite = () => hands(world);
    await world.settle();
    await world.settle();
    consistent(world);
    const rows = world
      .rows()
      .slice(1)
      .filter((row) => row[2] !== '');
    expect(world.booked()).toHaveLength(rows.length);
  });

  test.each(
    rowsOf(
      [
        ['killed right after', true],
        ['alive', false],
      ],
      2,
    ),
  )('an id that landed in a booked row by a sort is taken back; %s', async (_, isKilled) => {
    const world = await stands.start();
    typeThree(world);
    await world.settle();
    world.type({ Name: 'Ada Lvova', Start: '03.03.2026 16:00', Phone: '8 495 000-11-04' });
    world.api.beforeWrite = () => world.staff.sortTab({ ...world.at, column: 'Name' });
    if (isKilled) {
      world.api.afterWrite = () => {
        throw new Error('killed');
      };
      await expect(world.poll()).rejects.toThrow('killed');
      await world.restart();
    }
    await world.settle();
    await world.settle();
    consistent(world);
    expect(world.appointments()).toHaveLength(4);
  });

  /** They sort. What a flush then leaves that has read the tab before is the answer of one row in that of another. */
  const sortedUnderFlush = (world: IntakeWorld, answer: Record<string, unknown>, into: string) => {
    world.staff.sortTab({ ...world.at, column: 'Name' });
    const row = world.rows().findIndex((cells) => cells[2] === into) + 1;
    for (const column of ['Status', 'Appointment', 'Time']) world.put(row, column, answer[column] as string);
    return row;
  };

  test('P4: an id and an answer that land in a row typed just now leave no question: it is booked', async () => {
    const world = await stands.start();
    const booked = world.type();
    await world.settle();
    const answer = world.row(booked);
    world.type({ Name: 'Boris Petrov', Start: '03.03.2026 12:00', Phone: '8 495 000-11-03' });
    world.type({ Name: 'Olga Serova', Start: '03.03.2026 14:00', Phone: '8 495 000-11-02' });
    world.api.beforeWrite = () => void sortedUnderFlush(world, answer, 'Olga Serova');
    await world.settle();
    await world.settle();
    consistent(world);
    expect(world.booked()).toEqual([
      `${TEN} Anna Vera Orlova`,
      `${TWELVE} Anna Boris Petrov`,
      '2026-03-03T11:00:00.000Z Anna Olga Serova',
    ]);
    for (const name of ['Vera Orlova', 'Boris Petrov', 'Olga Serova'])
      expect(world.rowOf(name)).toMatchObject({ Status: 'Booked.' });
  });

  test('P2: in a booked row that is changed just then they leave a question, and no second appointment', async () => {
    const world = await stands.start();
    world.type({ Name: 'Olga Serova', Start: '03.03.2026 14:00', Phone: '8 495 000-11-02' });
    const other = world.type({ Name: 'Kira Lvova', Phone: '8 495 000-11-04' });
    await world.settle();
    const answer = world.row(other);
    world.type({ Name: 'Boris Petrov', Start: '03.03.2026 12:00', Phone: '8 495 000-11-03' });
    world.api.beforeWrite = () => {
      const row = sortedUnderFlush(world, answer, 'Olga Serova');
      world.put(row, 'Start', '03.03.2026 16:00');
    };
    await world.settle();
    await world.settle();
    expect(world.appointments()).toHaveLength(3);
    expect(world.rowOf('Olga Serova')['Status']).toMatch(LOST);
  });

  atLength.test(
    'a column inserted while an id is written: people’s cells are as they were, and the row has its id',
    async () => {
      const world = await stands.start();
      const row = world.type({ Cancel: 'no' });
      world.api.beforeWrite = () =>
        world.staff.insertColumn({ ...world.at, before: 'Service', header: 'Room' });
      await world.settle();
      const [header = [], ...rows] = world.google.truth.values('front-submitter-book', 'Intake');
      const cell = (name: string) => rows[row - 2]?.[header.indexOf(name)];
      expect([cell('Cancel'), cell('Room'), cell('Status')]).toEqual(['no', '', 'Booked.']);
      expect(world.appointments()).toHaveLength(1);
    },
  );

  atLength.test(
    'each row keeps its appointment when a sort moves one id to a booked row and that row’s id to a third row (case 62)',
    async () => {
      const world = await stands.start();
      const booked = world.type();
      await world.settle();
      const id = String(world.row(booked)['ID']);
      const other = world.type({ Start: '03.03.2026 12:00', Name: 'Boris Petrov', Phone: '8 495 000-11-03' });
      world.put(other, 'ID', id);
      world.put(booked, 'ID', anyRowId(world.at.spreadsheetId));
      await world.settle();
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Boris Petrov`]);
      expect(world.appointments()).toHaveLength(2);
      expect(world.row(booked)).toMatchObject({ ID: id, Status: 'Booked.' });
      expect(world.row(other)).toMatchObject({ Status: 'Booked.' });
      expect(world.row(other)['ID']).not.toBe(id);
    },
  );

  atLength.test.each([
    ['alive', false],
    ['killed right after', true],
  ])(
    'P4: a question that lands in a row that was typed just now: that row is booked, and the other one asks; %s',
    async (_, isKilled) => {
      const world = await stands.start(NO_APPOINTMENT);
      const row = world.type();
      await world.settle();
      world.put(row, 'ID', '');
      world.put(row, 'Start', '03.03.2026 12:00');
      world.api.beforeWrite = () => {
        world.type({ Name: 'Olga Serova', Start: '03.03.2026 14:00', Phone: '8 495 000-11-02' });
        world.staff.sortTab({ ...world.at, column: 'Name' });
      };
      if (isKilled) {
        world.api.afterWrite = () => {
          throw new Error('killed');
        };
        await expect(world.poll()).rejects.toThrow('killed');
        expect(world.rowOf('Olga Serova')['Status']).toMatch(LOST);
        await world.restart();
      }
      await world.settle();
      await world.settle();
      expect(world.booked()).toEqual([
        `${TEN} Anna Vera Orlova`,
        '2026-03-03T11:00:00.000Z Anna Olga Serova',
      ]);
      expect(world.rowOf('Olga Serova')).toMatchObject({ Status: 'Booked.' });
      expect(world.rowOf('Vera Orlova')['Status']).toMatch(LOST);
    },
  );

  atLength.test(
    'a row that asks goes on to ask after Redis was lost, and when its hour or its number is changed',
    async () => {
      const world = await stands.start(NO_APPOINTMENT);
      const row = world.type();
      await world.settle();
      world.put(row, 'ID', '');
      world.put(row, 'Start', '03.03.2026 12:00');
      await world.settle();
      const asks = async () => {
        await world.settle();
        expect(world.row(row)['Status']).toMatch(LOST);
        expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      };
      await asks();
      world.put(row, 'Start', '03.03.2026 14:00');
      await asks();
      world.put(row, 'Phone', '8 495 000-11-09');
      await asks();
      world.put(row, 'Name', 'Vera Orlowa');
      await asks();
      await world.loseRedis();
      await world.restart();
      await asks();
    },
  );

  atLength.test('sorted while answers are written: each stands in its own row', async () => {
    const world = await stands.start();
    typeThree(world);
    await world.poll();
    await world.work();
    world.api.beforeWrite = () => world.staff.sortTab({ ...world.at, column: 'Name' });
    await world.flush();
    await world.settle();
    consistent(world);
    expect(world.appointments()).toHaveLength(3);
  });
});

describe('a row loses its id before it has shown an answer (P2)', () => {
  test.each(
    rowsOf(
      [
        ['and a restart', true],
        ['alive', false],
      ],
      2,
    ),
  )(
    'and its hour is changed with it: it is the same row, and its appointment is moved; %s',
    async (_, isRestarted) => {
      const world = await stands.start();
      const row = world.type();
      await world.poll();
      const { ID: id } = world.row(row);
      world.put(row, 'ID', '');
      world.put(row, 'Start', '03.03.2026 12:00');
      await world.work();
      // The flush finds no row of this id, and gives the answer up until it comes back.
      await world.flush();
      if (isRestarted) await world.restart();
      await world.settle();
      await world.settle();
      expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
      consistent(world);
      // It has shown its answer by now: a row that is typed after it was deleted is a new wish.
      world.staff.deleteRow({ ...world.at, row });
      world.dashboard.reschedule(String(world.appointments()[0]?.['id']), { startsAt: TEN, notify: false });
      await world.hear();
      await world.settle();
      world.type({ Start: '03.03.2026 14:00' });
      await world.settle();
      await world.settle();
      expect(world.booked()).toEqual([
        `${TEN} Anna Vera Orlova`,
        '2026-03-03T11:00:00.000Z Anna Vera Orlova',
      ]);
    },
  );

  atLength.test(
    'P4: a row that is typed again in other words is not told that its own appointment takes the time',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      const { ID: id, Appointment: appointment } = world.row(row);
      world.staff.deleteRow({ ...world.at, row });
      await world.settle();
      world.type({ Start: "'2026-03-03T10:00", Phone: '+7 495 000-11-01' });
      await world.settle();
      await world.settle();
      expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.', Appointment: appointment });
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      // It is taken by a row that stands: a copy of that is another booking, and the hour is not free.
      world.type({ Start: "'2026-03-03T10:00", Phone: '+74950001101' });
      await world.settle();
      expect(world.row(row + 1)['Status']).toMatch(/already taken/);
      expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
    },
  );

  atLength.test(
    'P4: nor is it taken for one that the platform has moved: that hour is free, and a new wish',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.dashboard.reschedule(String(world.row(row)['Appointment']), { startsAt: TWELVE, notify: false });
      await world.hear();
      await world.settle();
      world.staff.deleteRow({ ...world.at, row });
      world.type({ Start: "'2026-03-03T10:00" });
      await world.settle();
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    },
  );

  atLength.test(
    'so it is when the answer was given up twice; with another customer it is another row',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.poll();
      const { ID: id } = world.row(row);
      world.put(row, 'ID', '');
      world.put(row, 'Start', '03.03.2026 16:00');
      world.put(row, 'Ready', false);
      await world.work();
      await world.flush();
      world.dashboard.reschedule(String(world.appointments()[0]?.['id']), {
        startsAt: TWELVE,
        notify: false,
      });
      await world.hear();
      await world.settle();
      const other = world.type({ Name: 'Olga Serova', Start: '03.03.2026 14:00', Phone: '8 495 000-11-02' });
      await world.settle();
      expect(world.row(row)).toMatchObject({ ID: '', Status: '' });
      expect(world.row(other)).toMatchObject({ Status: 'Booked.' });
      world.put(row, 'Ready', true);
      await world.settle();
      await world.settle();
      expect(world.row(row)).toMatchObject({ ID: id });
      expect(world.appointments()).toHaveLength(2);
      consistent(world);
    },
  );
});

describe('deaths and lost answers (cases 27, 53)', () => {
  test.each(['observe', 'submit', 'answer'] as const)(
    'killed at %s: one appointment, answered',
    async (place) => {
      const world = await stands.start();
      const row = world.type();
      world.deaths[place] = true;
      await world.settle().catch(() => undefined);
      expect(world.deaths[place]).toBe(false);
      await world.restart();
      world.clock.advance(60_000);
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      consistent(world);
    },
  );

  atLength.test('killed between the id and everything else: the id is used, not replaced', async () => {
    const world = await stands.start();
    const row = world.type();
    world.api.afterWrite = () => {
      throw new Error('killed');
    };
    await expect(world.poll()).rejects.toThrow('killed');
    const { ID: id } = world.row(row);
    await world.restart();
    await world.settle();
    expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
    expect(world.appointments()).toHaveLength(1);
  });

  atLength.test.each(['commit-then-reset', 'reset'] as const)(
    'the answer to the write of ids is lost (%s)',
    async (kind) => {
      const world = await stands.start();
      const row = world.type();
      world.google.faults.add({ ...WRITE, fault: { kind } });
      await world.settle();
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      expect(world.appointments()).toHaveLength(1);
    },
  );
});

describe('Redis is lost', () => {
  test('rows that were answered keep their appointments, and no second one is made', async () => {
    const world = await stands.start();
    typeThree(world);
    await world.settle();
    const before = world.rows();
    await world.loseRedis();
    await world.restart();
    await world.settle();
    expect(world.appointments()).toHaveLength(3);
    expect(world.rows()).toEqual(before);
    consistent(world);
  });

  test.each(rowsOf([{}, NO_APPOINTMENT], 2))(
    'P1: rows that were found again go on as before: what is typed later is carried (%#)',
    async (rules) => {
      const world = await stands.start(rules);
      typeThree(world);
      await world.settle();
      await world.loseRedis();
      // While it was lost Anton's hour was changed: nobody can tell that from a move of the platform's.
      world.put(3, 'Start', '03.03.2026 16:00');
      await world.restart();
      await world.settle();
      expect(world.row(2)).toMatchObject({ Status: 'Booked.' });
      expect(world.row(3)).toMatchObject({ Status: expect.stringMatching(DIFFERS) });
      const others = [
        '2026-03-03T07:00:00.000Z Anna Boris Petrov',
        '2026-03-03T11:00:00.000Z Anna Anton Belov',
      ];
      expect(world.booked()).toEqual([others[0], `${TWELVE} Anna Vera Orlova`, others[1]]);
      world.put(2, 'Start', '03.03.2026 18:00');
      await world.settle();
      expect(world.booked()).toEqual([...others, '2026-03-03T15:00:00.000Z Anna Vera Orlova']);
      expect(world.row(2)).toMatchObject({ Status: 'Booked.' });
      expect(world.row(3)).toMatchObject({ Status: expect.stringMatching(DIFFERS) });
      world.put(2, 'Cancel', true);
      world.put(3, 'Start', '03.03.2026 14:00');
      await world.settle();
      expect(world.booked()).toEqual(others);
      expect(world.row(3)).toMatchObject({ Status: 'Booked.' });
    },
  );

  atLength.test(
    'a row that was booked and not answered yet finds its appointment by its origin',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.poll();
      await world.work();
      expect(world.row(row)).toMatchObject({ Status: '', Appointment: '' });
      await world.loseRedis();
      await world.restart();
      await world.settle();
      expect(world.appointments()).toHaveLength(1);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      consistent(world);
    },
  );

  test('a row that was booked and not answered yet, and is to be cancelled, is cancelled', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.poll();
    await world.work();
    expect(world.booked()).toHaveLength(1);
    await world.loseRedis();
    world.put(row, 'Cancel', true);
    await world.restart();
    await world.settle();
    expect(world.booked()).toEqual([]);
    expect(world.row(row)).toMatchObject({ Status: 'Cancelled.' });
    expect(world.appointments()).toHaveLength(1);
  });

  test.each([
    ['is to be cancelled', true, 'Cancelled.'],
    ['says nothing more', false, 'Booked.'],
  ])(
    'P4: a row that names its cancelled appointment, and was booked anew without an answer, %s',
    async (_, isCancel, status) => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.dashboard.cancel(String(world.row(row)['Appointment']), { notify: false });
      await world.hear();
      await world.settle();
      world.put(row, 'Start', '03.03.2026 12:00');
      await world.poll();
      await world.work();
      expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
      await world.loseRedis();
      if (isCancel) world.put(row, 'Cancel', true);
      await world.restart();
      await world.settle();
      expect(world.booked()).toEqual(isCancel ? [] : [`${TWELVE} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ Status: status });
      expect(world.appointments()).toHaveLength(2);
    },
  );

  atLength.test('it is lost behind the back of a worker that goes on: the rows are found again', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    await world.loseRedis();
    world.clock.advance(700_000);
    await world.settle();
    world.dashboard.cancel(String(world.row(row)['Appointment']), { notify: false });
    await world.hear();
    await world.settle();
    expect(world.row(row)['Status']).toBe('Cancelled.');
    expect(world.appointments()).toHaveLength(1);
  });

  atLength.test(
    'a copy whose ID was cleared, and a row whose ID was, are told apart by the platform',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      const { ID: id } = world.row(row);
      world.put(row, 'ID', '');
      await world.loseRedis();
      await world.restart();
      await world.settle();
      expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row + 1, 'ID', '');
      world.put(row + 1, 'Start', '03.03.2026 12:00');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
      consistent(world);
    },
  );
});

describe('Redis is lost, and a row has lost its id (P2)', () => {
  const UNSURE = /^Not booked: this customer has an appointment that a row of this spreadsheet booked/;

  /** Booked and not answered; its ID is emptied, its hour changed, and the worker begins with an empty Redis. */
  async function lostRow(): Promise<{ world: IntakeWorld; row: number; id: unknown; appointment: unknown }> {
    const world = await stands.start();
    const row = world.type();
    await world.poll();
    const { ID: id } = world.row(row);
    world.deaths.submit = true;
    await world.work();
    expect(world.deaths.submit).toBe(false);
    const [made] = world.appointments();
    world.put(row, 'ID', '');
    world.put(row, 'Start', '03.03.2026 12:00');
    await world.loseRedis();
    await world.restart();
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)['Status']).toMatch(UNSURE);
    expect(world.row(row)).toMatchObject({ Appointment: made?.['id'] });
    return { world, row, id, appointment: made?.['id'] };
  }

  test('it asks, also when it is changed again; with its ID cell cleared it is the row of its appointment', async () => {
    const { world, row, id, appointment } = await lostRow();
    world.put(row, 'Start', '03.03.2026 14:00');
    await world.settle();
    expect(world.row(row)['Status']).toMatch(UNSURE);
    world.put(row, 'ID', '');
    await world.settle();
    await world.settle();
    // After a loss of Redis nobody knows whose hour is the newer one: the platform's counts, and the row says so.
    expect(world.row(row)).toMatchObject({ ID: id, Status: expect.stringMatching(DIFFERS) });
    expect(world.row(row)).toMatchObject({ Appointment: appointment });
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    consistent(world);
    world.put(row, 'Start', '03.03.2026 12:00');
    await world.settle();
    expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
    world.put(row, 'Cancel', true);
    await world.settle();
    expect(world.booked()).toEqual([]);
  });

  atLength.test.each([
    ['', undefined],
    [', killed once its new ID stands there', 'restart'],
    [', and Redis is lost once more', 'loss'],
  ] as const)('with NEW in its ID cell it is booked as well%s', async (_, between) => {
    const { world, row } = await lostRow();
    world.put(row, 'ID', 'NEW');
    if (between !== undefined) {
      world.api.afterWrite = () => {
        throw new Error('killed');
      };
      await expect(world.poll()).rejects.toThrow('killed');
      if (between === 'loss') await world.loseRedis();
      await world.restart();
    }
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
    expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    consistent(world);
  });

  atLength.test(
    'all ids are emptied and nothing else names the appointments: none is booked a second time',
    async () => {
      const world = await stands.start(NO_APPOINTMENT);
      typeThree(world);
      await world.settle();
      const before = world.booked();
      for (const row of [2, 3, 4]) world.put(row, 'ID', '');
      world.put(2, 'Start', '03.03.2026 16:00');
      await world.loseRedis();
      await world.restart();
      await world.settle();
      await world.settle();
      expect(world.booked()).toEqual(before);
      for (const row of [2, 3, 4]) expect(world.row(row)['Status']).toMatch(/^Not booked: this customer has/);
    },
  );

  atLength.test(
    'plain new rows are booked: of others, of a customer whose row stands, of one whose row was deleted before',
    async () => {
      const world = await stands.start();
      const deleted = world.type({
        Name: 'Anton Belov',
        Start: '03.03.2026 11:00',
        Phone: '8 495 000-11-02',
      });
      await world.settle();
      world.staff.deleteRow({ ...world.at, row: deleted });
      await world.settle();
      world.type({ Name: 'Anton Belov', Start: '03.03.2026 14:00', Phone: '8 495 000-11-02' });
      world.type();
      await world.settle();
      expect(world.booked()).toHaveLength(3);
      await world.loseRedis();
      await world.restart();
      world.type({ Start: '03.03.2026 12:00' });
      world.type({ Name: 'Olga Serova', Start: '03.03.2026 16:00', Phone: '8 495 000-11-05' });
      await world.settle();
      await world.settle();
      expect(world.booked()).toHaveLength(5);
      for (const row of [2, 3, 4, 5]) expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      consistent(world);
    },
  );
});

describe('an id alone moves and cancels nothing (P7)', () => {
  /** Vera at ten, and Olga at twelve below her; both are booked. */
  async function bookTwo(world: IntakeWorld): Promise<{ vera: number; olga: number }> {
    const vera = world.type();
    const olga = world.type({ Name: 'Olga Serova', Start: '03.03.2026 12:00', Phone: '8 495 000-11-02' });
    await world.settle();
    return { vera, olga };
  }
  const both = [`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Olga Serova`];

  atLength.test.each([
    ['inserted', (world: IntakeWorld) => world.staff.insertRow({ ...world.at, row: 2 })],
    ['sorted', (world: IntakeWorld) => world.staff.sortTab({ ...world.at, column: 'Name' })],
    ['deleted', (world: IntakeWorld) => world.staff.deleteRow({ ...world.at, row: 2 })],
  ])(
    'a row is %s while an emptied id is put back: it lands in a neighbour, and both keep their own',
    async (_, hands) => {
      const world = await stands.start();
      world.type({ Name: 'Yana Belova', Start: '03.03.2026 14:00', Phone: '8 495 000-11-03' });
      const { olga } = await bookTwo(world);
      const before = world.rowOf('Olga Serova');
      world.put(olga, 'ID', '');
      world.api.beforeWrite = () => hands(world);
      await world.settle();
      await world.settle();
      expect(world.rowOf('Olga Serova')).toEqual(before);
      expect(world.booked()).toHaveLength(3);
      consistent(world);
    },
  );

  test('the same, and the worker is killed right after that write', async () => {
    const world = await stands.start();
    const { olga } = await bookTwo(world);
    world.put(olga, 'ID', '');
    world.api.beforeWrite = () => world.staff.insertRow({ ...world.at, row: 2 });
    world.api.afterWrite = () => {
      throw new Error('killed');
    };
    await expect(world.poll()).rejects.toThrow('killed');
    await world.restart();
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual(both);
    consistent(world);
  });

  atLength.test(
    'the hour is changed, the row copied and the upper one typed over, all in one poll: the lower one is the row',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.put(row, 'Start', '03.03.2026 12:00');
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row, 'Name', 'Boris Petrov');
      world.put(row, 'Phone', '8 495 000-11-03');
      world.put(row, 'Start', '03.03.2026 16:00');
      await world.settle();
      expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
      expect(world.row(row + 1)).toMatchObject({ Name: 'Vera Orlova', Status: 'Booked.' });
      expect(world.row(row)).toMatchObject({ Status: COPY, Appointment: '' });
      world.put(row, 'Cancel', true);
      await world.settle();
      expect(world.booked()).toEqual([`${TWELVE} Anna Vera Orlova`]);
      world.put(row, 'Cancel', false);
      world.put(row, 'ID', '');
      await world.settle();
      expect(world.booked()).toHaveLength(2);
      consistent(world);
    },
  );

  atLength.test(
    'two copies of one customer, both changed: nothing moves, both ask; the one that keeps its id is the row',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row, 'Start', '03.03.2026 12:00');
      world.put(row + 1, 'Start', '03.03.2026 14:00');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      for (const each of [row, row + 1])
        expect(world.row(each)['Status']).toMatch(/^Which of these rows is the appointment\?/);
      world.put(row, 'ID', '');
      await world.settle();
      expect(world.booked()).toEqual([
        `${TWELVE} Anna Vera Orlova`,
        '2026-03-03T11:00:00.000Z Anna Vera Orlova',
      ]);
      consistent(world);
    },
  );

  atLength.test(
    'a row that is typed over for the next customer asks; with its ID cleared it is booked for itself',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      const id = world.row(row)['ID'];
      world.put(row, 'Name', 'Boris Petrov');
      world.put(row, 'Phone', '8 495 000-11-03');
      world.put(row, 'Start', '03.03.2026 12:00');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      expect(world.row(row)['Status']).toMatch(/^Not booked for this customer: /);
      world.put(row, 'ID', '');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Boris Petrov`]);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
      expect(world.row(row)['ID']).not.toBe(id);
    },
  );

  atLength.test(
    'P4: cancelled and then typed over for the next customer, a row does not speak of the appointment that it had',
    async () => {
      const world = await stands.start();
      const row = world.type();
      await world.settle();
      world.staff.duplicateRow({ ...world.at, row });
      world.put(row, 'Cancel', true);
      await world.settle();
      world.put(row, 'Name', 'Boris Petrov');
      world.put(row, 'Phone', '8 495 000-11-03');
      world.put(row, 'Start', '03.03.2026 12:00');
      world.staff.deleteRow({ ...world.at, row: row + 1 });
      await world.settle();
      expect(world.booked()).toEqual([]);
      expect(world.row(row)).toMatchObject({ Appointment: '', Time: '' });
      expect(world.row(row)['Status']).toMatch(
        /^Not booked: .* was for another customer, and is cancelled\./,
      );
      world.put(row, 'ID', '');
      world.put(row, 'Cancel', false);
      await world.settle();
      expect(world.booked()).toEqual([`${TWELVE} Anna Boris Petrov`]);
      consistent(world);
    },
  );

  atLength.test('the ids are moved up by a cell: each row gets its own back', async () => {
    const world = await stands.start();
    const { vera, olga } = await bookTwo(world);
    const before = world.rows();
    world.put(vera, 'ID', String(world.row(olga)['ID']));
    world.put(olga, 'ID', '');
    world.put(olga, 'Cancel', true);
    await world.settle();
    await world.settle();
    expect(world.rows().map((row) => row[7])).toEqual(before.map((row) => row[7]));
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    consistent(world);
  });
});

describe('the answer goes to the row that was judged (P4)', () => {
  test('a copy stands above and is typed over: the original shows what becomes of its appointment', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    const id = String(world.row(row)['Appointment']);
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row, 'Name', 'Olga Serova');
    world.put(row, 'Ready', false);
    world.dashboard.cancel(id, { notify: false });
    await world.hear();
    // The flush comes before the poll has seen the copy.
    await world.work();
    await world.flush();
    await world.settle();
    expect(world.row(row + 1)).toMatchObject({ Status: 'Cancelled.', Appointment: id });
    expect(world.row(row)).toMatchObject({ Status: COPY, Appointment: '' });
    await world.restart();
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    expect(world.row(row)).toMatchObject({ Name: 'Vera Orlova', Status: 'Cancelled.', Appointment: id });
  });

  atLength.test('a refusal, too, stands in the row that asked', async () => {
    const world = await stands.start();
    world.type({ Name: 'Boris Petrov', Start: '03.03.2026 12:00', Phone: '8 495 000-11-03' });
    const row = world.type();
    await world.settle();
    world.staff.duplicateRow({ ...world.at, row });
    world.put(row, 'Name', 'Olga Serova');
    world.put(row, 'Ready', false);
    await world.settle();
    world.put(row + 1, 'Start', '03.03.2026 12:00');
    await world.settle();
    expect(world.row(row + 1)['Status']).toMatch(/^Booked\. Not possible: this time is already taken/);
    expect(world.row(row)).toMatchObject({ Status: COPY });
  });
});

describe('an id that was emptied books nothing a second time (P2)', () => {
  test('however many rows were deleted before', async () => {
    const world = await stands.start(NO_APPOINTMENT);
    const index = world.store.keys.rows({ mirror: 'front-submitter/answers', ...world.at });
    const gone = Array.from({ length: 600 }, () => [
      `booking/${anyRowId(world.at.spreadsheetId)}`,
      'x',
    ]).flat();
    await world.store.redis.hset(index, ...gone);
    const row = world.type();
    await world.settle();
    const id = world.row(row)['ID'];
    await world.restart();
    world.put(row, 'ID', '');
    await world.settle();
    expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
    expect(world.row(row)).toMatchObject({ ID: id, Status: 'Booked.' });
  });

  atLength.test('and what was deleted is forgotten once its appointment is long over', async () => {
    const world = await stands.start();
    const row = world.type();
    const stays = world.type({ Name: 'Olga Serova', Start: '03.03.2026 12:00', Phone: '8 495 000-11-02' });
    await world.settle();
    const stayed = world.row(stays)['ID'];
    world.staff.deleteRow({ ...world.at, row });
    await world.settle();
    const place = { mirror: 'front-submitter/answers', ...world.at };
    expect((await world.store.sheetRows.known(place)).size).toBe(2);
    world.clock.advance(40 * 86_400_000);
    await world.settle();
    expect([...(await world.store.sheetRows.known(place)).keys()]).toEqual([world.keyOf(stayed)]);
  });

  test.each(
    rowsOf(
      [
        ['and the hour changed', '03.03.2026 12:00'],
        ['as it was', undefined],
      ],
      2,
    ),
  )('while its request waits for a platform that fails, across a restart: %s', async (_, start) => {
    const world = await stands.start();
    const row = world.type();
    const lift = world.platform.sandbox.faults.add({
      method: 'POST',
      path: /\/v1\/appointments$/,
      fault: { kind: 'status', status: 503 },
    });
    await world.poll();
    await world.work();
    await world.restart();
    world.put(row, 'ID', '');
    if (start !== undefined) world.put(row, 'Start', start);
    await world.settle();
    lift();
    world.clock.advance(600_000);
    await world.settle();
    await world.settle();
    expect(world.booked()).toEqual([`${start === undefined ? TEN : TWELVE} Anna Vera Orlova`]);
    expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    consistent(world);
  });

  atLength.test('and its cancellation ticked in the same moment: it is cancelled', async () => {
    const world = await stands.start();
    const row = world.type();
    await world.settle();
    world.put(row, 'ID', '');
    world.put(row, 'Cancel', true);
    await world.settle();
    expect(world.booked()).toEqual([]);
    expect(world.row(row)).toMatchObject({ Status: 'Cancelled.' });
  });

  atLength.test(
    'and the text changed and its cancellation ticked, where nothing else names its appointment: a person is asked',
    async () => {
      const world = await stands.start(NO_APPOINTMENT);
      const row = world.type();
      await world.settle();
      world.put(row, 'ID', '');
      world.put(row, 'Start', '03.03.2026 12:00');
      world.put(row, 'Cancel', true);
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      expect(world.row(row)['Status']).toMatch(LOST);
    },
  );

  atLength.test(
    'and the text changed, where nothing else names its appointment: a person is asked, and answers with NEW',
    async () => {
      const world = await stands.start(NO_APPOINTMENT);
      const row = world.type();
      await world.settle();
      world.put(row, 'ID', '');
      world.put(row, 'Start', '03.03.2026 12:00');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`]);
      expect(world.row(row)['Status']).toMatch(LOST);
      world.put(row, 'ID', 'NEW');
      await world.settle();
      expect(world.booked()).toEqual([`${TEN} Anna Vera Orlova`, `${TWELVE} Anna Vera Orlova`]);
      expect(world.row(row)).toMatchObject({ Status: 'Booked.' });
    },
  );
});
