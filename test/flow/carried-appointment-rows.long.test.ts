// People's changes in rows of appointments: a start that is typed, a tick that cancels, and all that hands do by mistake. Every step of the worker is
// taken by hand.

import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { editTally } from '../../src/engine/edit-guard.ts';
import { FORMULA_ENDS_MS } from '../../src/engine/sheet-row.ts';
import { approveParked, waitingApprovals } from '../../src/operate/approvals.ts';
import { type CarriedRules, CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { standing, startAppointments, typed } from './carried-appointment-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const start = (rules?: CarriedRules) => startAppointments(stands, rules);

/** Nothing of the worker's own stays behind, and the rows say what the platform has. */
async function expectAtRest(world: CarriedWorld) {
  expect(world.titles()).toEqual(['Visits']);
  expect(await world.open()).toEqual([]);
  for (const appointment of world.platform.sandbox.truth.appointments()) {
    const id = String(appointment['id']);
    const row = world.row(id);
    expect(row).toMatchObject({
      Name: appointment['customer_name'],
      Status: appointment['status'],
      Cancel: false,
    });
    expect(row['Start']).toBeCloseTo(typed(world.startOf(id)), 6);
    expect((await world.claim(id))?.rowEdits).toBeUndefined();
    expect((await world.claim(id))?.rowNotes?.['visits']?.sent ?? []).toEqual([]);
    expect((await world.store.intents.read(`appointment/${id}`))?.open).toBeUndefined();
  }
}

describe('what is carried', () => {
  test('a typed start moves the appointment, once, and the row says so until it changes', async () => {
    const { world, ada } = await start();
    const before = standing(world);
    world.put(ada, 'Start', typed('2026-03-04 12:20'));
    await world.settle();
    expect(standing(world)).toEqual({ ...before, [ada]: 'confirmed 2026-03-04T09:20:00.000Z' });
    expect(world.row(ada)['Answer']).toBe('Moved in the booking system.');
    await expectAtRest(world);
    expect(world.platform.sandbox.truth.customerMails().filter(({ reason }) => reason !== 'created')).toEqual(
      [],
    );
    world.clock.advance(60_000);
    world.dashboard.reschedule(ada, { startsAt: '2026-03-05T09:00:00.000Z' });
    await world.settle();
    expect(world.row(ada)['Answer']).toBe('');
  });

  test('a tick cancels, and is taken out', async () => {
    const { world, ada } = await start();
    const before = standing(world);
    world.put(ada, 'Cancel', true);
    await world.settle();
    expect(standing(world)).toEqual({ ...before, [ada]: 'cancelled 2026-03-03T07:00:00.000Z' });
    expect(world.row(ada)['Answer']).toBe('Cancelled in the booking system.');
    await expectAtRest(world);
  });

  atLength.test('there, back (undo) and there again are three moves', async () => {
    const { world, ada } = await start();
    for (const start of ['2026-03-05 12:10', '2026-03-03 10:00', '2026-03-05 12:10']) {
      world.put(ada, 'Start', typed(start));
      await world.settle();
      expect(world.startOf(ada)).toBe(start);
    }
    await expectAtRest(world);
  });

  atLength.test('a move and a tick in two rows at one look are two wishes', async () => {
    const { world, ada, bea } = await start();
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    world.put(bea, 'Cancel', true);
    await world.settle();
    expect(world.startOf(ada)).toBe('2026-03-05 12:10');
    expect(world.appointment(bea)?.['status']).toBe('cancelled');
    await expectAtRest(world);
  });

  atLength.test.each([
    ['the same figures as text', 'Start', '2026-03-03 10:00'],
    ['the same figures in another order', 'Start', '3.3.2026 10:00'],
    ['blanks around a name', 'Name', ' Ada  Lovelace '],
    ['a box that was emptied', 'Cancel', ''],
  ])('%s: no change, nothing is said', async (_, column, value) => {
    const { world, ada } = await start();
    const before = standing(world);
    world.put(ada, column, value);
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(ada)['Answer']).toBe('');
    await expectAtRest(world);
  });

  atLength.test(
    'where cancelled appointments leave the tab, the row goes, and undo in the empty row does nothing',
    async () => {
      const { world, ids, ada } = await start({ statuses: ['pending', 'confirmed'] });
      const row = world.rowNumber(ada);
      world.put(ada, 'Cancel', true);
      await world.settle();
      expect(world.appointment(ada)?.['status']).toBe('cancelled');
      expect((world.rows()[row - 1] ?? []).filter((cell) => cell !== '' && cell !== false)).toEqual([]);
      const before = standing(world);
      for (const value of [false, true]) world.staff.typeInto({ ...world.at, row, column: 'Cancel', value });
      await world.settle();
      expect(standing(world)).toEqual(before);
      // A tick that nobody can take out again keeps no other one from its effect.
      world.put(ids[3] ?? '', 'Cancel', true);
      await world.settle();
      expect(world.appointment(ids[3] ?? '')?.['status']).toBe('cancelled');
    },
  );

  atLength.test('each row has a box, the header none, and no other cell a rule', async () => {
    const { world, ids } = await start();
    const ruled = await world.api.ruled(world.at.spreadsheetId, [{ sheetId: 0, rows: 20 }]);
    const at = (world.rows()[0] ?? []).indexOf('Cancel');
    const found = (ruled.get(0)?.rules ?? []).flatMap((row, i) =>
      row.flatMap((rule, column) => (rule === undefined ? [] : [`${i} ${column} ${rule.type}`])),
    );
    expect(found).toEqual(ids.map((_, i) => `${i + 1} ${at} BOOLEAN`));
  });

  atLength.test(
    'a tick in the row of a cancelled appointment, and in an empty row, does nothing',
    async () => {
      const { world, ada } = await start();
      world.dashboard.cancel(ada);
      await world.settle();
      const before = standing(world);
      world.put(ada, 'Cancel', true);
      world.staff.setCell({ ...world.at, cell: 'G30', value: true });
      await world.settle();
      expect(standing(world)).toEqual(before);
      expect(world.row(ada)).toMatchObject({ Cancel: false, Answer: '' });
      await expectAtRest(world);
    },
  );

  test('a row that is changed for the eleventh time in ten minutes is stopped', async () => {
    const { world, ada } = await start();
    for (let n = 1; n <= 9; n += 1)
      await world.store.tally.count(editTally(`appointment/${ada}`), `change ${n}`, 600_000);
    for (const start of ['2026-03-05 12:10', '2026-03-05 12:40']) {
      world.put(ada, 'Start', typed(start));
      await world.settle();
      expect(world.startOf(ada)).toBe('2026-03-05 12:10');
    }
    const letters = await world.store.deadLetters.all();
    expect(letters.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toEqual(['edit-loop']);
  });
});

describe('what is put back and said', () => {
  test.each<[string, { column: string; value: string | number | boolean }, RegExp]>(
    rowsOf(
      [
        ['without a date', { column: 'Start', value: 0.5 }, /whole minutes.*Somebody wrote: "12:00"\.$/],
        [
          'at midnight, outside working hours',
          { column: 'Start', value: typed('2026-03-04 00:00') },
          /^Not possible: this is outside working hours\.[\s\S]*"2026-03-04 00:00"/,
        ],
        [
          'with seconds',
          { column: 'Start', value: typed('2026-03-04 12:00') + 17 / 86_400 },
          /whole minutes/,
        ],
        [
          'as text',
          { column: 'Start', value: '4.3.2026 12:00' },
          /Please write a date with an hour.*"4\.3\.2026 12:00"/,
        ],
        [
          'in another zone',
          { column: 'Start', value: '2026-03-04T12:00:00+05:00' },
          /Please write a date with an hour/,
        ],
        ['in words', { column: 'Start', value: 'tomorrow' }, /Please write a date with an hour.*"tomorrow"/],
        ['emptied', { column: 'Start', value: '' }, /^Not changed: Start\. An emptied cell changes nothing/],
        [
          'in the past',
          { column: 'Start', value: typed('2026-03-01 12:00') },
          /^Not changed: Start\. This time has already passed\./,
        ],
        [
          'taken',
          { column: 'Start', value: typed('2026-03-03 11:40') },
          /^Not possible: this time is already taken\.\nNearest free times:/,
        ],
        [
          'a name',
          { column: 'Name', value: 'Ada King' },
          /^Not changed: Name\. Only the start can be changed here/,
        ],
        [
          'a word for a tick',
          { column: 'Cancel', value: 'perhaps' },
          /^Not changed: Cancel\. Only a tick cancels/,
        ],
      ],
      7,
    ),
  )('%s', async (_, { column, value }, answer) => {
    const { world, ada } = await start();
    const before = standing(world);
    world.put(ada, column, value);
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(answer);
    await expectAtRest(world);
  });

  atLength.test('a formula that failed is waited for, then asked about', async () => {
    const { world, ada } = await start();
    const before = standing(world);
    world.put(ada, 'Start', '#REF!');
    await world.look();
    await world.settle();
    expect(world.row(ada)['Answer']).toBe('');
    world.clock.advance(FORMULA_ENDS_MS);
    await world.look();
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(/Please write a date with an hour/);
    await expectAtRest(world);
  });

  atLength.test('an hour that the clocks skip is no hour', async () => {
    const { world, ada } = await start({ timezone: 'Europe/Berlin' });
    world.put(ada, 'Start', typed('2026-03-29 02:30'));
    await world.settle();
    expect(world.startOf(ada)).toBe('2026-03-03 08:00');
    expect(world.row(ada)['Answer']).toMatch(/Please write a date with an hour/);
  });

  atLength.test('an appointment that has begun is neither moved nor cancelled', async () => {
    const { world, ada, bea } = await start();
    world.clock.advance(24 * 3_600_000);
    const before = standing(world);
    world.put(ada, 'Start', typed('2026-03-04 12:20'));
    world.put(bea, 'Cancel', true);
    world.dashboard.markAppointment(bea, 'arrived');
    await world.look();
    await world.settle();
    expect(standing(world)[ada]).toBe(before[ada]);
    expect(world.appointment(bea)?.['status']).toBe('arrived');
    expect(world.row(ada)['Answer']).toMatch(/has already begun/);
    expect(world.row(bea)['Answer']).toMatch(/can no longer be cancelled/);
  });
});

describe('whose row it is (P7)', () => {
  /** Neither moved nor cancelled, and every row is as the platform has it. */
  async function expectNothing(world: CarriedWorld, before: Record<string, string>) {
    await world.settle();
    expect(standing(world)).toEqual(before);
    await expectAtRest(world);
  }

  test.each(rowsOf(['Start', 'Name', 'ID', 'Cancel'], 3))('the column %s is sorted alone', async (column) => {
    const { world, dora } = await start();
    const before = standing(world);
    const letter = String.fromCharCode(65 + (world.rows()[0] ?? []).indexOf(column));
    if (column === 'Cancel') world.put(dora, 'Name', 'Somebody');
    for (const descending of [true, false]) {
      world.staff.sortRange({ ...world.at, range: `${letter}2:${letter}8`, column, descending });
      await expectNothing(world, before);
    }
  });

  atLength.test.each([2, 3, 5, 7])(
    'a start that is filled down over %i rows, the same or a day on each',
    async (rows) => {
      const { world, ids } = await start();
      const before = standing(world);
      for (const step of [0, 1]) {
        for (const [i, id] of ids.slice(1, rows).entries())
          world.put(id, 'Start', typed('2026-03-03 10:00') + step * (i + 1));
        await expectNothing(world, before);
      }
    },
  );

  atLength.test(
    'a start like that of another row, or of the row above a day on, is believed once it was written twice',
    async () => {
      const { world, bea, dora } = await start();
      const before = standing(world);
      world.put(bea, 'Start', typed('2026-03-04 10:00'));
      await expectNothing(world, before);
      expect(world.row(bea)['Answer']).toMatch(/write it once more\. Somebody wrote: "2026-03-04 10:00"\.$/);
      world.put(bea, 'Start', typed('2026-03-04 10:00'));
      await world.settle();
      expect(world.startOf(bea)).toBe('2026-03-04 10:00');
      // Another one was not asked for.
      world.put(dora, 'Start', typed('2026-03-04 10:00'));
      await world.settle();
      world.put(dora, 'Start', typed('2026-03-03 13:00'));
      await world.settle();
      expect(world.startOf(dora)).toBe('2026-03-03 14:30');
      await expectAtRest(world);
    },
  );

  test('an hour that another person has in the house is believed at once, unless that row was changed too', async () => {
    const { world, ada, dora } = await start();
    const boris = world.book('Hal Berg', '2026-03-05T09:10:00.000Z', { resourceId: world.platform.borisId });
    const anna = world.book('Ivy Cole', '2026-03-06T09:10:00.000Z');
    await world.settle(1);
    const before = standing(world);
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await world.settle();
    expect(world.startOf(ada)).toBe('2026-03-05 12:10');
    expect(world.row(ada)['Answer']).toBe('Moved in the booking system.');
    expect({ ...standing(world), [ada]: before[ada] }).toEqual(before);
    // Her own hour is asked about.
    world.put(dora, 'Start', typed('2026-03-06 12:10'));
    await world.settle();
    expect(standing(world)[dora]).toEqual(before[dora]);
    expect(world.row(dora)['Answer']).toMatch(/write it once more/);
    // Cut from there, and pasted here.
    world.put(dora, 'Start', typed('2026-03-05 12:10'));
    world.put(boris, 'Start', '');
    await world.settle();
    expect(standing(world)[dora]).toEqual(before[dora]);
    expect(standing(world)[boris]).toEqual(before[boris]);
    expect(standing(world)[anna]).toEqual(before[anna]);
    await expectAtRest(world);
  });

  test('several ticks at once cancel nobody, one at a time does', async () => {
    const { world, ids, ada } = await start();
    const before = standing(world);
    for (const count of [2, 5, 7]) {
      for (const id of ids.slice(0, count)) world.put(id, 'Cancel', true);
      await expectNothing(world, before);
      expect(world.row(ada)['Answer']).toMatch(
        count > 5 ? /Too many rows were changed at once/ : /Several rows were ticked at once/,
      );
    }
    world.put(ada, 'Cancel', true);
    await world.settle();
    expect(standing(world)).toEqual({ ...before, [ada]: 'cancelled 2026-03-03T07:00:00.000Z' });
  });

  atLength.test(
    'a tick that stays in a row of nobody any more keeps no other from its effect, and moves onto nobody',
    async () => {
      const { world, ids, ada, bea, eva } = await start();
      // As after an erasure: texts go, dates and ticks stay.
      const row = world.rowNumber(bea);
      world.put(bea, 'Cancel', true);
      for (const column of ['ID', 'Name', 'Phone', 'Service', 'Status'])
        world.staff.typeInto({ ...world.at, row, column, value: '' });
      world.put(ada, 'Cancel', true);
      const before = standing(world);
      await world.look();
      await world.look();
      await expectNothing(world, before);
      expect(world.row(ada)['Answer']).toMatch(/Several rows were ticked at once/);
      // Boxes alone are sorted: the tick lands in somebody's row, and in another one before the first is restored.
      const last = ids.length + 2;
      for (const descending of [true, false]) {
        world.staff.sortRange({ ...world.at, range: `G2:G${last}`, column: 'G', descending });
        await world.look();
      }
      await expectNothing(world, before);
      world.staff.typeInto({ ...world.at, row, column: 'G', value: true });
      await world.settle();
      world.put(eva, 'Cancel', true);
      await world.settle();
      expect(world.appointment(eva)?.['status']).toBe('cancelled');
      expect(standing(world)).toEqual({ ...before, [eva]: standing(world)[eva] });
    },
  );

  atLength.test(
    'more than five rows at once: a problem says so, for an hour, also after a restart (P8)',
    async () => {
      const { world, ids } = await start();
      for (const id of ids.slice(0, 6)) world.put(id, 'Name', 'Somebody');
      await world.look();
      const told = async () =>
        (await world.store.problems.list()).map(({ target, code }) => `${target} ${code}`);
      expect(await told()).toContain('carried-rows:visits rows-changed-at-once');
      await world.settle();
      expect(await told()).toContain('carried-rows:visits rows-changed-at-once');
      await world.store.problems.clearAll();
      expect(await told()).toContain('carried-rows:visits rows-changed-at-once');
      world.clock.advance(3_600_000);
      await world.settle();
      expect(await told()).toEqual([]);
      await expectAtRest(world);
    },
  );

  atLength.test('a tick moves with its row', async () => {
    const { world, ada } = await start();
    const before = standing(world);
    world.put(ada, 'Cancel', true);
    world.staff.sortTab({ ...world.at, column: 'Name', descending: true });
    await world.settle();
    expect(standing(world)).toEqual({ ...before, [ada]: 'cancelled 2026-03-03T07:00:00.000Z' });
    await expectAtRest(world);
  });

  atLength.test.each(['Cancel', 'Start'])(
    'an id that landed in another row: %s there changes nobody',
    async (column) => {
      const { world, ada, bea } = await start();
      const before = standing(world);
      const [first, second] = [world.rowNumber(ada), world.rowNumber(bea)];
      world.staff.typeInto({ ...world.at, row: first, column: 'ID', value: bea });
      world.staff.typeInto({ ...world.at, row: second, column: 'ID', value: ada });
      world.staff.typeInto({
        ...world.at,
        row: first,
        column,
        value: column === 'Start' ? typed('2026-03-05 12:10') : true,
      });
      await expectNothing(world, before);
    },
  );

  atLength.test('the same where both rows are of one customer, for one service', async () => {
    const { world, ada } = await start();
    const again = world.book('Ada Lovelace', '2026-03-06T07:00:00.000Z');
    await world.settle();
    const before = standing(world);
    const swap = () => {
      const [first, second] = [world.rowNumber(ada), world.rowNumber(again)];
      world.staff.typeInto({ ...world.at, row: first, column: 'ID', value: again });
      world.staff.typeInto({ ...world.at, row: second, column: 'ID', value: ada });
    };
    swap();
    await expectNothing(world, before);
    swap();
    world.put(ada, 'Cancel', true);
    await expectNothing(world, before);
    // The one id over the other, whose own row is gone.
    world.staff.deleteRow({ ...world.at, row: world.rowNumber(ada) });
    world.staff.typeInto({ ...world.at, row: world.rowNumber(again), column: 'ID', value: ada });
    await expectNothing(world, before);
  });

  atLength.test('two rows that say the same are nobody’s', async () => {
    const { world, ada } = await start();
    const twin = world.book('Ada Lovelace', '2026-03-03T07:00:00.000Z', {
      resourceId: world.platform.borisId,
    });
    await world.settle();
    const before = standing(world);
    world.put(twin, 'Cancel', true);
    await expectNothing(world, before);
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await expectNothing(world, before);
  });

  atLength.test('a copied row, a row pasted over another, a cut cell, a cleared column', async () => {
    const { world, ada, bea, cleo } = await start();
    const before = standing(world);
    world.staff.duplicateRow({ ...world.at, row: world.rowNumber(ada) });
    world.put(ada, 'Cancel', true);
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(/stands in several rows/);
    world.staff.deleteRow({ ...world.at, row: world.rowNumber(ada) + 1 });
    await expectNothing(world, before);
    const values = (world.rows()[world.rowNumber(bea) - 1] ?? []) as (string | number)[];
    world.staff.setRow({ ...world.at, row: world.rowNumber(cleo), values });
    await expectNothing(world, before);
    world.put(bea, 'Start', typed('2026-03-03 10:00'));
    world.put(ada, 'Start', '');
    await expectNothing(world, before);
    for (const range of ['B2:B8', 'G2:G8', 'A2:A8', 'B2:F8']) {
      world.staff.clearRange({ ...world.at, range });
      await expectNothing(world, before);
    }
  });

  atLength.test(
    'the start and the tick of one row at once, or a name beside them, count for nothing',
    async () => {
      const { world, ada, bea } = await start();
      const before = standing(world);
      world.put(ada, 'Start', typed('2026-03-05 12:10'));
      world.put(ada, 'Cancel', true);
      await expectNothing(world, before);
      world.put(bea, 'Name', 'Bea King');
      world.put(bea, 'Cancel', true);
      await expectNothing(world, before);
      expect(world.row(bea)['Answer']).toMatch(
        /^Not changed: Name\. Only .*\nNot changed: Cancel\. Other cells/,
      );
    },
  );

  test('Redis is lost: nothing is carried', async () => {
    const { world, ada, bea } = await start();
    const before = standing(world);
    world.put(ada, 'Cancel', true);
    world.put(bea, 'Start', typed('2026-03-05 12:10'));
    await world.loseRedis();
    await world.restart();
    await expectNothing(world, before);
    world.put(bea, 'Start', typed('2026-03-05 12:10'));
    await world.settle();
    expect(world.startOf(bea)).toBe('2026-03-05 12:10');
  });

  test('a tick that was stopped and taken out again no longer counts against later ones', async () => {
    const { world, ids } = await start();
    const waiting = () =>
      world.store.tally.count(`deleting:${world.mirror.name}`, 'another', 35 * 86_400_000);
    for (const id of ids.slice(0, 6)) {
      world.put(id, 'Cancel', true);
      await world.settle();
    }
    expect(await waiting()).toBe(2);
    world.put(ids[5] ?? '', 'Cancel', false);
    await world.settle();
    expect(await world.store.deadLetters.all()).toEqual([]);
    expect(await waiting()).toBe(1);
  });

  test('ticks one after the other, in most rows of the tab, wait for a person', async () => {
    const { world, ids } = await start();
    for (const id of ids) {
      world.put(id, 'Cancel', true);
      await world.settle();
    }
    const cancelled = () =>
      Object.values(standing(world)).filter((each) => each.startsWith('cancelled')).length;
    expect(cancelled()).toBe(5);
    const letters = await world.store.deadLetters.all();
    expect(letters.map(({ key, reasons: [reason] }) => `${key} ${reason?.code} ${reason?.target}`)).toEqual([
      `appointment/${ids[5]} mass-deletion tab:visits`,
    ]);
    // Beside the tick that waits for a person, another one is a second.
    expect(world.row(ids[6] ?? '')['Answer']).toMatch(/Several rows were ticked at once/);
    // Taken out again, nothing waits any more.
    world.put(ids[5] ?? '', 'Cancel', false);
    await world.settle();
    expect(await world.store.deadLetters.all()).toEqual([]);
    expect(cancelled()).toBe(5);
    world.put(ids[6] ?? '', 'Cancel', true);
    await world.settle();
    expect(cancelled()).toBe(5);
    const parts = { memory: world.store.memory, deadLetters: world.store.deadLetters, clock: world.clock };
    const [waiting] = await waitingApprovals(parts);
    expect(waiting).toMatchObject({ kind: 'deletions', place: 'visits', count: 1 });
    await approveParked(parts, waiting ?? { name: '' });
    await world.settle();
    expect(cancelled()).toBe(6);
    expect(await world.store.deadLetters.all()).toEqual([]);
    await expectAtRest(world);
  });
});

atLength.describe('zones', () => {
  test('the spreadsheet gets another zone: no row is taken for changed, and a start is meant in the new one', async () => {
    const { world, ada, bea } = await start();
    const before = standing(world);
    const setZone = (timeZone: string) =>
      world.staff.request({
        spreadsheetId: world.at.spreadsheetId,
        request: { updateSpreadsheetProperties: { properties: { timeZone }, fields: 'timeZone' } },
      });
    setZone('Asia/Yekaterinburg');
    // Typed before the rows are shown in the new zone: nobody knows which one was meant.
    world.put(bea, 'Start', typed('2026-03-05 12:10'));
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(bea)['Answer']).toMatch(/being rewritten/);
    expect(world.row(ada)).toMatchObject({ Answer: '' });
    expect(world.row(ada)['Start']).toBeCloseTo(typed('2026-03-03 12:00'), 6);
    world.put(bea, 'Start', typed('2026-03-05 12:10'));
    await world.settle();
    expect(world.appointment(bea)).toMatchObject({ starts_at: '2026-03-05T07:10:00.000Z' });
  });
});

describe('both sides at once', () => {
  const LATER = '2026-03-04T12:00:00.000Z';
  test.each<{
    conflict: 'platform' | 'staff' | 'latest';
    column: 'Start' | 'Cancel';
    isSheetLater: boolean;
    isCarried: boolean;
  }>(
    rowsOf(
      [
        { conflict: 'platform', column: 'Start', isSheetLater: true, isCarried: false },
        { conflict: 'platform', column: 'Cancel', isSheetLater: true, isCarried: false },
        { conflict: 'staff', column: 'Start', isSheetLater: false, isCarried: true },
        { conflict: 'staff', column: 'Cancel', isSheetLater: false, isCarried: true },
        { conflict: 'latest', column: 'Start', isSheetLater: true, isCarried: true },
        { conflict: 'latest', column: 'Start', isSheetLater: false, isCarried: false },
        { conflict: 'latest', column: 'Cancel', isSheetLater: false, isCarried: false },
      ],
      4,
    ),
  )(
    'conflict: $conflict, $column, the sheet later: $isSheetLater',
    async ({ conflict, column, isSheetLater, isCarried }) => {
      const { world, ada } = await start({ conflict });
      world.clock.advance(60_000);
      const inSheet = () => world.put(ada, column, column === 'Start' ? typed('2026-03-05 12:10') : true);
      const onPlatform = () => world.dashboard.reschedule(ada, { startsAt: LATER });
      if (isSheetLater) {
        onPlatform();
        world.clock.advance(1_000);
        await world.look();
        world.clock.advance(1_000);
        inSheet();
      } else {
        inSheet();
        world.clock.advance(1_000);
        onPlatform();
      }
      await world.look();
      await world.settle();
      const carried = column === 'Start' ? 'confirmed 2026-03-05T09:10:00.000Z' : `cancelled ${LATER}`;
      expect(standing(world)[ada]).toBe(isCarried ? carried : `confirmed ${LATER}`);
      expect(world.row(ada)['Answer']).toMatch(
        isCarried ? /^(Moved|Cancelled) in the booking system\.$/ : /in the meantime, and that counts/,
      );
      await expectAtRest(world);
    },
  );

  atLength.test(
    'moved to the very same hour by both, or cancelled by both, is agreed and nothing is said',
    async () => {
      const { world, ada, bea } = await start();
      world.put(ada, 'Start', typed('2026-03-05 12:10'));
      world.put(bea, 'Cancel', true);
      world.dashboard.reschedule(ada, { startsAt: '2026-03-05T09:10:00.000Z' });
      world.dashboard.cancel(bea);
      await world.look();
      await world.settle();
      expect(world.row(ada)['Answer']).toBe('');
      expect(world.row(bea)['Answer']).toBe('');
      await expectAtRest(world);
    },
  );

  atLength.test('a second start before the row was written again is no conflict with the first', async () => {
    const { world, ada } = await start();
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await world.look();
    await world.work(1);
    expect(world.startOf(ada)).toBe('2026-03-05 12:10');
    world.put(ada, 'Start', typed('2026-03-05 15:10'));
    await world.look();
    await world.work(1);
    expect(world.startOf(ada)).toBe('2026-03-05 15:10');
    await world.settle();
    expect(world.row(ada)['Answer']).toBe('Moved in the booking system.');
    await expectAtRest(world);
  });

  test.each<[string, string | number | boolean]>(
    rowsOf(
      [
        ['Cancel', true],
        ['Start', typed('2026-03-05 12:10')],
      ],
      2,
    ),
  )(
    '%s is changed under a write: it is put back and said, and carried when it is made again',
    async (column, value) => {
      const { world, ada, bea } = await start();
      const before = standing(world);
      await world.store.sheetRows.restore([`appointment/${ada}`], 'visits');
      await world.work();
      world.api.beforeWrite = () => world.put(ada, column, value);
      await world.flush();
      world.put(bea, 'Start', typed('2026-03-06 15:40'));
      await world.settle();
      expect(standing(world)[ada]).toEqual(before[ada]);
      expect(world.row(ada)['Answer']).toMatch(/just being rewritten/);
      expect(world.startOf(bea)).toBe('2026-03-06 15:40');
      world.put(ada, column, value);
      await world.settle();
      expect(standing(world)[ada]).not.toEqual(before[ada]);
      await expectAtRest(world);
    },
  );

  test('a start is filled down while a write goes over the row that it came from: it moves nobody', async () => {
    const { world, ada, bea, cleo } = await start();
    world.dashboard.reschedule(ada, { startsAt: '2026-03-05T09:10:00.000Z' });
    await world.store.sheetRows.restore([`appointment/${bea}`], 'visits');
    await world.hear();
    await world.work();
    const before = standing(world);
    world.api.beforeWrite = () => {
      for (const id of [bea, cleo]) world.put(id, 'Start', typed('2026-03-03 10:00'));
    };
    await world.flush();
    expect(world.startOf(ada)).toBe('2026-03-05 12:10');
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(bea)['Answer']).toMatch(/just being rewritten/);
    expect(world.row(cleo)['Answer']).toMatch(/write it once more/);
    // And now on purpose.
    world.put(cleo, 'Start', typed('2026-03-03 10:00'));
    await world.settle();
    expect(world.startOf(cleo)).toBe('2026-03-03 10:00');
    await expectAtRest(world);
  });

  atLength.test(
    'a start that was just typed is cut out, and a write goes over its row: where it was pasted it moves nobody',
    async () => {
      const { world, ada, bea } = await start();
      const before = standing(world);
      await world.store.sheetRows.restore([`appointment/${ada}`], 'visits');
      await world.work();
      world.api.beforeWrite = () => {
        world.put(bea, 'Start', typed('2026-03-05 12:10'));
        world.put(ada, 'Start', '');
      };
      await world.flush();
      await world.settle();
      expect(standing(world)).toEqual(before);
      expect(world.row(bea)['Answer']).toMatch(/write it once more/);
      await expectAtRest(world);
    },
  );

  atLength.test('who has waited for the answer to one tick may tick the next row at once', async () => {
    const { world, ada, bea } = await start();
    world.put(ada, 'Cancel', true);
    await world.look();
    await world.work();
    // Writes the answer over the tick, which the tab was looked at for.
    await world.flush();
    expect(world.row(ada)).toMatchObject({ Cancel: false, Answer: expect.stringMatching(/^Cancelled/) });
    world.put(bea, 'Cancel', true);
    await world.settle();
    expect(world.appointment(bea)?.['status']).toBe('cancelled');
    await expectAtRest(world);
  });

  atLength.test(
    'of several ticks at once some are put back before the last has its turn: it cancels nobody either',
    async () => {
      const { world, ada, bea, cleo } = await start();
      const before = standing(world);
      for (const id of [ada, bea, cleo]) world.put(id, 'Cancel', true);
      await world.look();
      await world.work(undefined, cleo);
      for (let looks = 0; looks < 3; looks += 1) {
        await world.flush();
        await world.look();
      }
      await world.settle();
      expect(standing(world)).toEqual(before);
      await expectAtRest(world);
    },
  );

  test('ticks are filled down while a write goes over some of them: the one that is left cancels nobody', async () => {
    const { world, ada, bea, cleo } = await start();
    const before = standing(world);
    await world.store.sheetRows.restore([`appointment/${ada}`, `appointment/${bea}`], 'visits');
    await world.work();
    world.api.beforeWrite = () => {
      for (const id of [ada, bea, cleo]) world.put(id, 'Cancel', true);
    };
    await world.flush();
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(cleo)['Answer']).toMatch(/Several rows were ticked at once/);
    await expectAtRest(world);
    world.put(cleo, 'Cancel', true);
    await world.settle();
    expect(world.appointment(cleo)?.['status']).toBe('cancelled');
  });

  atLength.test('the start of a row that is nobody’s is believed once it was written twice', async () => {
    const { world, ada } = await start();
    const before = standing(world);
    const row = 5;
    world.staff.insertRow({ ...world.at, row, values: ['', 'Lunch'] });
    world.staff.typeInto({ ...world.at, row, column: 'Start', value: typed('2026-03-05 12:10') });
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(/write it once more/);
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await world.settle();
    expect(world.startOf(ada)).toBe('2026-03-05 12:10');
  });

  atLength.test('seen at a look, and again by the write that goes over it: carried once', async () => {
    const { world, ada } = await start();
    await world.store.sheetRows.restore([`appointment/${ada}`], 'visits');
    await world.work();
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await world.look();
    await world.flush();
    await world.settle();
    expect(world.startOf(ada)).toBe('2026-03-05 12:10');
    expect(world.row(ada)['Answer']).toBe('Moved in the booking system.');
    await expectAtRest(world);
  });

  test.each<[string, string | number | boolean, string | number | boolean]>(
    rowsOf(
      [
        ['Cancel', true, false],
        ['Start', typed('2026-03-05 12:10'), typed('2026-03-03 10:00')],
      ],
      2,
    ),
  )('%s is taken back before it was carried: nothing happens', async (column, value, shown) => {
    const { world, ada } = await start();
    const before = standing(world);
    const away = world.platform.sandbox.faults.add({ fault: { kind: 'status', status: 503 } });
    world.put(ada, column, value);
    await world.look();
    await world.work();
    world.put(ada, column, shown);
    await world.look();
    away();
    world.clock.advance(600_000);
    await world.settle();
    expect(standing(world)).toEqual(before);
    expect(world.row(ada)['Answer']).toBe('');
    await expectAtRest(world);
  });

  atLength.test('a change that waits, and another one in its place: the later one counts', async () => {
    const { world, ada } = await start();
    const away = world.platform.sandbox.faults.add({ fault: { kind: 'status', status: 503 } });
    world.put(ada, 'Start', typed('2026-03-05 12:10'));
    await world.look();
    await world.work();
    world.put(ada, 'Start', typed('2026-03-06 12:10'));
    await world.look();
    away();
    world.clock.advance(600_000);
    await world.settle();
    expect(world.startOf(ada)).toBe('2026-03-06 12:10');
    await expectAtRest(world);
  });
});

describe('answers that are lost, and deaths', () => {
  const ACTS = [
    [
      'Start',
      { value: typed('2026-03-05 12:10'), expected: 'confirmed 2026-03-05T09:10:00.000Z' },
      'Moved in the booking system.',
    ],
    [
      'Cancel',
      { value: true, expected: 'cancelled 2026-03-03T07:00:00.000Z' },
      'Cancelled in the booking system.',
    ],
  ] as const;
  test.each(
    rowsOf(
      ACTS.flatMap(([column, act, answer]) =>
        (['commit-then-reset', 'reset'] as const).map((kind) => ({ column, ...act, answer, kind })),
      ),
      3,
    ),
  )('$column $value: $expected, $answer, and the answer ends in $kind', async (row) => {
    const { column, value, expected, answer, kind } = row;
    const { world, ada } = await start({ notifyCustomer: true });
    world.platform.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind } });
    world.put(ada, column, value);
    await world.settle();
    world.clock.advance(600_000);
    await world.settle();
    expect(standing(world)[ada]).toBe(expected);
    expect(world.row(ada)['Answer']).toBe(answer);
    const mails = world.platform.sandbox.truth.customerMails().map(({ reason }) => reason);
    expect(mails.filter((reason) => reason !== 'created')).toEqual([
      column === 'Start' ? 'rescheduled' : 'cancelled',
    ]);
    await expectAtRest(world);
  });

  atLength.test.each(ACTS)(
    '%s: performed, the answer lost, and taken back in the sheet: the row says what became of it',
    async (column, { value, expected }, answer) => {
      const { world, ada } = await start();
      world.platform.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'commit-then-reset' } });
      world.put(ada, column, value);
      await world.look();
      await world.work(1);
      world.put(ada, column, column === 'Start' ? typed('2026-03-03 10:00') : false);
      await world.look();
      world.clock.advance(600_000);
      await world.settle();
      expect(standing(world)[ada]).toBe(expected);
      expect(world.row(ada)['Answer']).toBe(answer);
      await expectAtRest(world);
    },
  );

  atLength.test(
    'performed, the answer lost, and moved back on the platform since: it stays there',
    async () => {
      const { world, ada } = await start({ conflict: 'staff' });
      const before = standing(world);
      world.platform.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'commit-then-reset' } });
      world.put(ada, 'Start', typed('2026-03-05 12:10'));
      await world.look();
      await world.work(1);
      expect(world.startOf(ada)).toBe('2026-03-05 12:10');
      world.clock.advance(60_000);
      world.dashboard.reschedule(ada, { startsAt: '2026-03-04T12:00:00.000Z' });
      await world.settle();
      expect(standing(world)).toEqual({ ...before, [ada]: 'confirmed 2026-03-04T12:00:00.000Z' });
      expect(world.row(ada)['Answer']).toMatch(/in the meantime/);
      await expectAtRest(world);
    },
  );

  test('a late write of the worker’s own is nobody’s wish (P3)', async () => {
    const { world, ada } = await start({ conflict: 'staff' });
    world.clock.advance(60_000);
    world.dashboard.reschedule(ada, { startsAt: '2026-03-04T12:00:00.000Z' });
    await world.hear();
    await world.work();
    let late: (() => Promise<unknown>) | undefined;
    const write = world.api.write.bind(world.api);
    const { RetryableError } = await import('../../src/engine/errors.ts');
    world.api.write = async (...asked) => {
      late = () => write(...asked);
      world.api.write = write;
      throw new RetryableError('google-timeout', 'x');
    };
    await world.flush().catch(() => undefined);
    await world.restart();
    world.clock.advance(10_000);
    world.dashboard.reschedule(ada, { startsAt: '2026-03-05T12:00:00.000Z' });
    await world.hear();
    await world.work();
    await world.flush();
    await late?.();
    expect(world.row(ada)['Start']).toBeCloseTo(typed('2026-03-04 15:00'), 6);
    await world.settle();
    expect(world.appointment(ada)).toMatchObject({ starts_at: '2026-03-05T12:00:00.000Z' });
    world.clock.advance(300_000);
    await world.settle();
    await expectAtRest(world);
  });
});
