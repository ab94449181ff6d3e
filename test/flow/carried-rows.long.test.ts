// People's changes in rows of contacts, and what else people and machines do at the same moment. Every step of the worker is taken by hand.
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import { type CarriedRules, CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { ADA, BEA, CLEO, startContacts } from './carried-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const start = (rules?: CarriedRules) => startContacts(stands, rules);

/** Nothing of the worker's own stays behind, and the rows say what the platform has. */
async function expectAtRest(world: CarriedWorld) {
  expect(world.titles()).toEqual(['Contacts']);
  expect(await world.open()).toEqual([]);
  const ids = world
    .rows()
    .slice(1)
    .flatMap(([id]) => (id === '' || id === undefined ? [] : [String(id)]));
  for (const id of ids) {
    const { name, phone, email, lifecycle } = world.contact(id) ?? {};
    expect(world.row(id)).toMatchObject({
      Name: name,
      Phone: phone ?? '',
      Email: email ?? '',
      Stage: lifecycle,
    });
    expect((await world.claim(id))?.rowEdits).toBeUndefined();
  }
}

describe('what is carried', () => {
  test.each(
    rowsOf(
      [
        ['Name', '  Ada \n King', { name: 'Ada King' }],
        ['Phone', 74950001199, { phone: '+74950001199' }],
        ['Phone', '8 (495) 000-11-98', { phone: '+74950001198' }],
        ['Email', 'King@example.com', { email: 'King@example.com' }],
        ['Stage', 'Customer', { lifecycle: 'customer' }],
      ],
      3,
    ),
  )('%s: %s', async (column, typed, expected) => {
    const { world, ada } = await start();
    world.put(ada, column, typed);
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ ...ADA, ...expected });
    expect(world.row(ada)['Answer']).toBe(`Changed in the booking system: ${column}.`);
    await expectAtRest(world);
    await world.settle();
    expect(world.platform.sandbox.truth.contacts()).toHaveLength(3);
  });

  atLength.test('a change, its way back, and a further change are three', async () => {
    const { world, ada } = await start();
    for (const name of ['Ada King', ADA.name, 'Ada King']) {
      world.put(ada, 'Name', name);
      await world.settle();
      expect(world.contact(ada)).toMatchObject({ ...ADA, name });
    }
    await expectAtRest(world);
  });

  atLength.test(
    'cells that mean the same are no change, however Google or people write them (echo)',
    async () => {
      const { world, ada, bea } = await start();
      const before = world.platform.sandbox.truth.contacts();
      world.put(ada, 'Phone', 74950001101);
      world.put(ada, 'Email', 'ADA@example.com');
      world.put(bea, 'Phone', '8 495 000 11 02');
      world.put(bea, 'Name', ' Bea  Miles\r\n');
      await world.settle();
      expect(world.platform.sandbox.truth.contacts()).toEqual(before);
      expect(world.row(ada)).toMatchObject({ Phone: ADA.phone, Answer: '' });
      await expectAtRest(world);
    },
  );
});

describe('what is taken back before it was carried', () => {
  test.each(
    rowsOf(
      [
        ['Phone', '+74950001199', ADA.phone],
        ['Name', 'Ada King', ADA.name],
      ],
      2,
    ),
  )('%s: nothing happens', async (column, typed, shown) => {
    const { world, ada } = await start();
    const away = world.platform.sandbox.faults.add({ fault: { kind: 'status', status: 503 } });
    world.put(ada, column, typed);
    await world.look();
    await world.work();
    world.put(ada, column, shown);
    await world.look();
    away();
    world.clock.advance(600_000);
    await world.settle();
    expect(world.contact(ada)).toMatchObject(ADA);
    expect(world.row(ada)['Answer']).toBe('');
    await expectAtRest(world);
  });

  test('a request whose answer was lost is not sent again; the row says what the platform has', async () => {
    const { world, ada } = await start();
    const lost = world.platform.sandbox.faults.add({
      method: 'PATCH',
      fault: { kind: 'commit-then-reset' },
    });
    world.put(ada, 'Name', 'Ada King');
    await world.look();
    await world.work();
    lost();
    world.put(ada, 'Name', ADA.name);
    await world.look();
    world.clock.advance(600_000);
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ ...ADA, name: 'Ada King' });
    await expectAtRest(world);
  });
});

describe('what is put back and said', () => {
  test.each(
    rowsOf(
      [
        ['Phone', '12345', /^Not changed: Phone\. .*written\. Somebody wrote: "12345"\.$/],
        ['Phone', 'ask her mother', /Somebody wrote: "ask her mother"/],
        ['Phone', '', /^Not changed: Phone\. An emptied cell changes nothing/],
        ['Name', '', /^Not changed: Name\. An emptied cell/],
        ['Email', 'ada@', /^Not changed: Email\..*"ada@"/],
        ['Stage', 'friend', /^Not changed: Stage\..*"friend"/],
      ],
      3,
    ),
  )('%s: "%s"', async (column, typed, answer) => {
    const { world, ada } = await start();
    const before = world.contact(ada);
    world.put(ada, column, typed);
    await world.settle();
    expect(world.contact(ada)).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(answer);
    await expectAtRest(world);
    // The answer stays until the contact changes.
    world.clock.advance(60_000);
    world.dashboard.changeContact(ada, { position: 'Countess' });
    await world.settle();
    expect(world.row(ada)['Answer']).toMatch(answer);
    world.dashboard.changeContact(ada, { lifecycle: 'sql' });
    await world.settle();
    expect(world.row(ada)['Answer']).toBe('');
  });

  atLength.test('a good cell is carried beside a bad one', async () => {
    const { world, ada } = await start();
    world.put(ada, 'Name', 'Ada King');
    world.put(ada, 'Phone', '12345');
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ ...ADA, name: 'Ada King' });
    expect(world.row(ada)['Answer']).toMatch(/^Changed in the booking system: Name\.\nNot changed: Phone\./);
    await expectAtRest(world);
  });

  test('what the platform refuses is said, with what was written', async () => {
    const { world, ada } = await start();
    world.platform.sandbox.faults.add({
      method: 'PATCH',
      times: 1,
      fault: { kind: 'status', status: 422, body: { type: 'https://x/validation', status: 422, title: 'x' } },
    } as never);
    world.put(ada, 'Name', 'Ada King');
    await world.settle();
    expect(world.contact(ada)).toMatchObject(ADA);
    expect(world.row(ada)['Answer']).toBe(
      'Not changed: Name. The booking system refuses it. Somebody wrote: "Ada King".',
    );
    await expectAtRest(world);
  });
});

describe('whose row it is (P7)', () => {
  test('ids that landed in other rows change nobody', async () => {
    const { world, ada, bea } = await start();
    const before = world.platform.sandbox.truth.contacts();
    const [rowOfAda, rowOfBea] = [world.rowNumber(ada), world.rowNumber(bea)];
    world.staff.typeInto({ ...world.at, row: rowOfAda, column: 'ID', value: bea });
    world.staff.typeInto({ ...world.at, row: rowOfBea, column: 'ID', value: ada });
    await world.settle();
    expect(world.platform.sandbox.truth.contacts()).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(
      /^Not changed: Name, Phone, Email\. Neither name, phone nor e-mail/,
    );
    await expectAtRest(world);
  });

  atLength.test('the same where the two share a phone', async () => {
    const world = await stands.start();
    const [mother, child] = [world.create('Eva Stein', ADA.phone), world.create('Tom Stein', ADA.phone)];
    await world.settle();
    const [first, second] = [world.rowNumber(mother), world.rowNumber(child)];
    world.staff.typeInto({ ...world.at, row: first, column: 'ID', value: child });
    world.staff.typeInto({ ...world.at, row: second, column: 'ID', value: mother });
    await world.settle();
    expect(world.contact(mother)).toMatchObject({ name: 'Eva Stein' });
    expect(world.contact(child)).toMatchObject({ name: 'Tom Stein' });
    expect(world.row(child)['Answer']).toMatch(/^Not changed: Name\. Another row says/);
    await expectAtRest(world);
  });

  test('one column is sorted alone: nobody gets the name of another', async () => {
    const { world } = await start();
    const before = world.platform.sandbox.truth.contacts();
    const rowsOf = () =>
      world
        .rows()
        .slice(1)
        .map(([id, name]) => `${String(id)} ${String(name)}`);
    const shown = rowsOf();
    world.staff.sortRange({ ...world.at, range: 'B2:B4', column: 'Name' });
    if (rowsOf().join() === shown.join())
      world.staff.sortRange({ ...world.at, range: 'B2:B4', column: 'Name', descending: true });
    expect(rowsOf()).not.toEqual(shown);
    await world.settle();
    expect(world.platform.sandbox.truth.contacts()).toEqual(before);
    expect(rowsOf()).toEqual(shown);
    await expectAtRest(world);
  });

  test('a name that was just typed, and is cut out and pasted over another, changes nobody', async () => {
    const { world, ada, bea } = await start();
    const before = world.platform.sandbox.truth.contacts();
    // Typed into the row of Ada, and cut before anybody has looked.
    world.put(bea, 'Name', 'Ada King');
    world.put(ada, 'Name', '');
    await world.settle();
    expect(world.platform.sandbox.truth.contacts()).toEqual(before);
    expect(world.row(bea)['Answer']).toMatch(/as after sorting or copying cells/);
    await expectAtRest(world);
    world.put(bea, 'Name', 'Bea King');
    await world.settle();
    expect(world.contact(bea)).toMatchObject({ name: 'Bea King' });
  });

  atLength.test('the same while a write goes over the row from which it was cut', async () => {
    const { world, ada, bea } = await start();
    const before = world.platform.sandbox.truth.contacts();
    await world.store.sheetRows.restore([`contact/${ada}`], 'contacts');
    await world.work();
    world.api.beforeWrite = () => {
      world.put(bea, 'Name', 'Ada King');
      world.put(ada, 'Name', '');
    };
    await world.flush();
    await world.settle();
    expect(world.platform.sandbox.truth.contacts()).toEqual(before);
    expect(world.row(bea)['Answer']).toMatch(/as after sorting or copying cells/);
    await expectAtRest(world);
  });

  atLength.test('a name that is filled down over others changes nobody', async () => {
    const { world, ada, bea, cleo } = await start();
    const before = world.platform.sandbox.truth.contacts();
    for (const id of [bea, cleo]) world.put(id, 'Name', ADA.name);
    for (const id of [ada, bea, cleo]) world.put(id, 'Email', 'office@example.com');
    await world.settle();
    expect(world.platform.sandbox.truth.contacts()).toEqual(before);
    await expectAtRest(world);
  });

  test('a copied row: neither of the two is carried as long as both stand', async () => {
    const { world, ada } = await start();
    const before = world.contact(ada);
    world.staff.duplicateRow({ ...world.at, row: world.rowNumber(ada) });
    world.put(ada, 'Name', 'Ada King');
    await world.settle();
    expect(world.contact(ada)).toEqual(before);
    expect(world.row(ada)['Answer']).toMatch(
      /^Not changed: Name\. The id of this row stands in several rows/,
    );
    world.staff.deleteRow({ ...world.at, row: world.rowNumber(ada) + 1 });
    world.put(ada, 'Name', 'Ada King');
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King' });
    await expectAtRest(world);
  });

  atLength.test('too many rows at once are put back, and nobody is changed', async () => {
    const world = await stands.start();
    const ids = Array.from({ length: 24 }, (_, i) => world.create(`Guest ${i}`, `+749500022${10 + i}`));
    await world.settle();
    for (const id of ids) world.put(id, 'Stage', 'churned');
    await world.settle();
    expect(world.platform.sandbox.truth.contacts().map((each) => each['lifecycle'])).not.toContain('churned');
    expect(world.row(ids[0] ?? '')['Answer']).toMatch(/^Not changed: Stage\. Too many rows/);
    for (const id of ids.slice(0, 20)) world.put(id, 'Stage', 'churned');
    await world.settle();
    const churned = world.platform.sandbox.truth.contacts().filter((each) => each['lifecycle'] === 'churned');
    expect(churned).toHaveLength(20);
    await expectAtRest(world);
  });

  test('Redis is lost: nothing is carried, and the row says so', async () => {
    const { world, ada } = await start();
    world.put(ada, 'Name', 'Ada King');
    await world.loseRedis();
    await world.restart();
    await world.settle();
    expect(world.contact(ada)).toMatchObject(ADA);
    expect(world.row(ada)).toMatchObject({
      Name: ADA.name,
      Answer: 'Not changed: Name. It is not known what this row said before. Please make the change again.',
    });
    world.put(ada, 'Name', 'Ada King');
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King' });
    await expectAtRest(world);
  });
});

describe('both sides at once', () => {
  async function both(conflict: 'platform' | 'staff' | 'latest', staffLater: boolean) {
    const { world, ada } = await start({ conflict });
    world.clock.advance(60_000);
    const onPlatform = () => world.dashboard.changeContact(ada, { name: 'Ada of the platform' });
    const inSheet = () => world.put(ada, 'Name', 'Ada of the sheet');
    if (staffLater) {
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
    await world.settle();
    await expectAtRest(world);
    return { name: world.contact(ada)?.['name'], answer: world.row(ada)['Answer'] };
  }
  const REFUSED =
    'Not changed: Name. It was changed in the booking system in the meantime, and that counts. Somebody wrote: "Ada of the sheet".';
  const DONE = 'Changed in the booking system: Name.';

  test.each(
    rowsOf(
      [
        ['platform', true, { name: 'Ada of the platform', answer: REFUSED }],
        ['platform', false, { name: 'Ada of the platform', answer: REFUSED }],
        ['staff', true, { name: 'Ada of the sheet', answer: DONE }],
        ['staff', false, { name: 'Ada of the sheet', answer: DONE }],
        ['latest', true, { name: 'Ada of the sheet', answer: DONE }],
        ['latest', false, { name: 'Ada of the platform', answer: REFUSED }],
      ] as const,
      5,
    ),
  )('conflict: %s, the sheet later: %s', async (conflict, staffLater, { name, answer }) => {
    expect(await both(conflict, staffLater)).toEqual({ name, answer });
  });

  test('P3, conflict: latest: a look by a clock that was ahead does not make the sheet later', async () => {
    const { world, ada } = await start({ conflict: 'latest' });
    world.clock.advance(60_000);
    await world.look();
    await world.store.memory.set('rows-looked-at:contacts', String(world.clock.now() + 3 * 3_600_000));
    world.put(ada, 'Name', 'Ada of the sheet');
    world.clock.advance(1_000);
    world.dashboard.changeContact(ada, { name: 'Ada of the platform' });
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada of the platform' });
    expect(world.row(ada)).toMatchObject({ Name: 'Ada of the platform', Answer: REFUSED });
  });

  atLength.test('another field of the same contact is no conflict', async () => {
    const { world, ada } = await start();
    world.clock.advance(60_000);
    world.dashboard.changeContact(ada, { phone: '+74950001188' });
    world.put(ada, 'Name', 'Ada King');
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King', phone: '+74950001188' });
    await expectAtRest(world);
  });

  atLength.test('the contact is deleted meanwhile: its row goes, and nothing waits', async () => {
    const { world, ada, bea } = await start();
    world.put(ada, 'Name', 'Ada King');
    await world.look();
    world.dashboard.deleteContact(ada);
    const key = { kind: 'contact', id: ada } as const;
    const seen = { as: 'deleted' } as const;
    await world.store.intake.observe({
      key,
      source: 'webhook',
      occurredAtMs: world.clock.now(),
      seen,
    } as never);
    await world.settle();
    expect(world.rowNumber(ada)).toBe(0);
    expect(world.row(bea)).toMatchObject({ Name: BEA.name, Answer: '' });
    await expectAtRest(world);
  });
});

describe('hands between the reading and the writing (P6, P7)', () => {
  /** The platform changes Ada, so that the worker writes her row; people do something right before it does. */
  async function under(hands: (given: Awaited<ReturnType<typeof start>>) => void) {
    const given = await start();
    const { world, ada } = given;
    world.clock.advance(60_000);
    world.dashboard.changeContact(ada, { lifecycle: 'sql' });
    await world.hear();
    await world.work();
    world.api.beforeWrite = () => hands(given);
    await world.flush();
    expect(world.api.beforeWrite).toBeUndefined();
    await world.settle();
    await expectAtRest(world);
    return given;
  }

  test('a name that is typed under the write is carried, and not lost', async () => {
    const { world, ada } = await under(({ world, ada }) => world.put(ada, 'Name', 'Ada King'));
    expect(world.contact(ada)).toMatchObject({ ...ADA, name: 'Ada King', lifecycle: 'sql' });
    expect(world.row(ada)['Answer']).toBe('Changed in the booking system: Name.');
  });

  atLength.test('a change of the very cell that is written is a conflict, and said', async () => {
    const { world, ada } = await under(({ world, ada }) => world.put(ada, 'Stage', 'customer'));
    expect(world.contact(ada)).toMatchObject({ lifecycle: 'sql' });
    expect(world.row(ada)['Answer']).toMatch(/^Not changed: Stage\..*Somebody wrote: "customer"/);
  });

  atLength.test.each(['Name', 'Phone', 'Stage'])(
    'rows are sorted and a neighbour is changed under the write of %s: the change is the neighbour’s',
    async (column) => {
      const typed = { Name: 'Bea King', Phone: '+74950001177', Stage: 'churned' }[column] ?? '';
      const { world, ada, bea, cleo } = await under(({ world, bea }) => {
        world.put(bea, column, typed);
        const rows = () => world.rows().map(([id]) => id);
        const before = rows().join();
        world.staff.sortTab({ ...world.at, column: 'Name' });
        if (rows().join() === before) world.staff.sortTab({ ...world.at, column: 'Name', descending: true });
      });
      const field = { Name: 'name', Phone: 'phone', Stage: 'lifecycle' }[column] ?? '';
      expect(world.contact(bea)).toMatchObject({ ...BEA, [field]: typed });
      expect(world.contact(ada)).toMatchObject({ ...ADA, lifecycle: 'sql' });
      expect(world.contact(cleo)).toMatchObject(CLEO);
    },
  );

  atLength.test('the id of the row is emptied under the write: nobody is changed', async () => {
    const given = await start();
    const { world, ada } = given;
    const before = world.platform.sandbox.truth.contacts();
    world.put(ada, 'Name', 'Ada King');
    world.api.beforeWrite = () =>
      world.staff.typeInto({ ...world.at, row: world.rowNumber(ada), column: 'ID', value: '' });
    world.dashboard.changeContact(ada, { position: 'Countess' });
    await world.store.sheetRows.restore([`contact/${ada}`], 'contacts');
    await world.work();
    await world.flush();
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: before.find((each) => each['id'] === ada)?.['name'] });
    expect(world.titles()).toEqual(['Contacts']);
  });

  atLength.test('a second change while the first is on its way is carried as well', async () => {
    const { world, ada } = await start();
    world.put(ada, 'Name', 'Ada King');
    await world.look();
    world.put(ada, 'Phone', '+74950001177');
    await world.work();
    world.put(ada, 'Name', 'Ada Byron');
    await world.flush();
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada Byron', phone: '+74950001177' });
    await expectAtRest(world);
  });

  test('columns are moved under the write: nothing is taken for a change, and what is typed is carried', async () => {
    const { world, ada, bea } = await under(({ world, ada }) => {
      world.staff.moveColumn({ ...world.at, column: 'Email', before: 'Name' });
      world.put(ada, 'Name', 'Ada King');
    });
    expect(world.contact(ada)).toMatchObject({ ...ADA, name: 'Ada King', lifecycle: 'sql' });
    expect(world.contact(bea)).toMatchObject(BEA);
  });

  test.each([
    ['Phone', 'Name'],
    ['Email', 'Phone'],
    ['Name', 'Answer'],
    ['Answer', 'ID'],
  ])(
    '%s moved before %s under the write: no customer is changed, and each row is whole',
    async (column, before) => {
      const { world, ada, bea, cleo } = await under(({ world }) =>
        world.staff.moveColumn({ ...world.at, column, before }),
      );
      expect(world.contact(ada)).toMatchObject({ ...ADA, lifecycle: 'sql' });
      expect(world.contact(bea)).toMatchObject(BEA);
      expect(world.contact(cleo)).toMatchObject(CLEO);
      const [header = [], ...rows] = world.google.truth.values(world.at.spreadsheetId, world.at.tab);
      const shown = rows.map((cells) =>
        ['ID', 'Name', 'Phone', 'Email'].map((name) => cells[header.indexOf(name)] ?? ''),
      );
      const wanted = [ADA, BEA, CLEO].map(({ name, phone, email }) => [name, phone, email]);
      expect(
        shown
          .filter((cells) => cells.some((cell) => cell !== ''))
          .map((cells) => cells.slice(1))
          .sort(),
      ).toEqual(wanted.sort());
    },
  );
});

describe('answers that are lost, and deaths', () => {
  test.each(rowsOf(['commit-then-reset', 'reset'] as const, 2))(
    'a PATCH that ends in %s is asked once more and told once',
    async (kind) => {
      const { world, ada } = await start();
      world.platform.sandbox.faults.add({ method: 'PATCH', times: 1, fault: { kind } });
      world.put(ada, 'Name', 'Ada King');
      await world.settle();
      world.clock.advance(600_000);
      await world.settle();
      expect(world.contact(ada)).toMatchObject({ ...ADA, name: 'Ada King' });
      expect(world.row(ada)['Answer']).toBe('Changed in the booking system: Name.');
      await expectAtRest(world);
    },
  );

  atLength.test('while the platform is away, what was written stays in its row', async () => {
    const { world, ada } = await start();
    const away = world.platform.sandbox.faults.add({ fault: { kind: 'status', status: 503 } });
    world.put(ada, 'Name', 'Ada King');
    await world.look();
    await world.work();
    await world.flush();
    expect(world.row(ada)).toMatchObject({ Name: 'Ada King', Answer: '' });
    away();
    world.clock.advance(600_000);
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King' });
    await expectAtRest(world);
  });

  atLength.test(
    'a PATCH was performed, its answer lost, and the platform has changed the name since: that one stays',
    async () => {
      const { world, ada } = await start({ conflict: 'staff' });
      world.platform.sandbox.faults.add({ method: 'PATCH', times: 1, fault: { kind: 'commit-then-reset' } });
      world.put(ada, 'Name', 'Ada King');
      await world.look();
      await world.work(1);
      expect(world.contact(ada)).toMatchObject({ name: 'Ada King' });
      expect((await world.claim(ada))?.rowNotes?.['contacts']?.sent).toHaveLength(1);
      world.clock.advance(60_000);
      world.dashboard.changeContact(ada, { name: 'Ada of the platform' });
      await world.settle();
      expect(world.contact(ada)).toMatchObject({ name: 'Ada of the platform' });
      expect(world.row(ada)['Answer']).toMatch(/^Not changed: Name\..*in the meantime/);
      await expectAtRest(world);
    },
  );

  atLength.test.each(['commit-then-reset', 'reset'] as const)(
    'the write over a change ends in %s: the change is carried',
    async (kind) => {
      const { world, ada } = await start();
      world.clock.advance(60_000);
      world.dashboard.changeContact(ada, { lifecycle: 'sql' });
      await world.hear();
      await world.work();
      world.api.beforeWrite = () => world.put(ada, 'Name', 'Ada King');
      world.google.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind } });
      await world.flush().catch(() => undefined);
      await world.settle();
      world.clock.advance(300_000);
      await world.settle();
      expect(world.contact(ada)).toMatchObject({ name: 'Ada King', lifecycle: 'sql' });
      await expectAtRest(world);
    },
  );

  test('a write stamped by a host whose clock was ten minutes ahead lands late: what people had written there is carried', async () => {
    const { world, ada } = await start();
    world.dashboard.changeContact(ada, { lifecycle: 'sql' });
    await world.hear();
    await world.work();
    let late: (() => Promise<unknown>) | undefined;
    const write = world.api.write.bind(world.api);
    world.api.write = async (...asked) => {
      world.api.write = write;
      late = () => write(...asked);
      throw new RetryableError('reset', 'no answer');
    };
    await world.flush().catch(() => undefined);
    const [open] = await world.open();
    const ahead = world.clock.now() + 600_000;
    await world.store.overWrites.begin(world.at.spreadsheetId, { ...open, sentAtMs: ahead } as never);
    await world.look();
    expect(await world.open()).toHaveLength(1);
    world.put(ada, 'Name', 'Ada King');
    await late?.();
    world.clock.advance(300_000);
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada King', lifecycle: 'sql' });
    await expectAtRest(world);
  });

  test('Redis is lost within a write: the hidden tab with its copy of people goes within the hour, one of others does not', async () => {
    const { world, ada } = await start();
    world.staff.addTab({ ...world.at, tab: 'slotbridge-before-lunch' });
    world.clock.advance(60_000);
    world.dashboard.changeContact(ada, { lifecycle: 'sql' });
    await world.hear();
    await world.work();
    const write = world.api.write.bind(world.api);
    world.api.write = async (...asked) => {
      world.api.write = write;
      await write(...asked);
      await world.loseRedis();
      throw new Error('killed');
    };
    await expect(world.flush()).rejects.toThrow('killed');
    const [, , hidden] = world.titles();
    expect(hidden).toMatch(/^slotbridge-before-\d+$/);
    await world.restart();
    await world.settle();
    // It may be a write of another installation that is under way.
    expect(world.titles()).toContain(hidden);
    world.clock.advance(1_800_000);
    await world.settle();
    expect(world.titles()).toEqual(['Contacts', 'slotbridge-before-lunch']);
    expect(world.contact(ada)).toMatchObject({ ...ADA, lifecycle: 'sql' });
    expect(world.row(ada)).toMatchObject({ Name: ADA.name, Stage: 'sql', Answer: '' });
  });

  test('a write of an older row comes after a newer one: its cells are nobody’s change (P3)', async () => {
    const { world, ada } = await start({ conflict: 'staff' });
    world.clock.advance(60_000);
    world.dashboard.changeContact(ada, { name: 'Ada the first' });
    await world.hear();
    await world.work();
    let late: (() => Promise<unknown>) | undefined;
    const write = world.api.write.bind(world.api);
    world.api.write = async (...asked) => {
      late = () => write(...asked);
      world.api.write = write;
      throw Object.assign(
        new (await import('../../src/engine/errors.ts')).RetryableError('google-timeout', 'x'),
      );
    };
    await world.flush().catch(() => undefined);
    await world.restart();
    world.clock.advance(10_000);
    world.dashboard.changeContact(ada, { name: 'Ada the second' });
    await world.hear();
    await world.work();
    await world.flush();
    expect(world.row(ada)).toMatchObject({ Name: 'Ada the second' });
    await late?.();
    expect(world.row(ada)).toMatchObject({ Name: 'Ada the first' });
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ name: 'Ada the second' });
    expect(world.row(ada)).toMatchObject({ Name: 'Ada the second', Answer: '' });
    world.clock.advance(300_000);
    await world.settle();
    await expectAtRest(world);
  });
});

test('a full spreadsheet: rows wait until what people may have written there can be copied, and the problem says so', async () => {
  const { world, ada } = await start();
  const titles = world.titles();
  world.staff.request({
    spreadsheetId: world.at.spreadsheetId,
    request: { addSheet: { properties: { title: 'Big', gridProperties: { rowCount: 1, columnCount: 1 } } } },
  });
  const cells = () => world.api.settings(world.at.spreadsheetId).then((found) => found.cells);
  const grow = {
    sheetId: await sheetIdOf(world, 'Big'),
    dimension: 'ROWS',
    length: 10_000_000 - (await cells()),
  };
  world.staff.request({ spreadsheetId: world.at.spreadsheetId, request: { appendDimension: grow } });
  world.dashboard.changeContact(ada, { name: 'Ada King' });
  await world.hear();
  await world.work();
  // Google does not say which request it refuses, so the worker first makes sure that it is not the answer that it asked for.
  await world.flush().catch(() => undefined);
  await expect(world.flush()).rejects.toMatchObject({ family: 'deferred', code: 'sheet-full' });
  expect(await world.store.outbox.waiting()).toMatchObject([{ rows: 1 }]);
  const [problem] = await world.store.problems.list();
  expect(problem).toMatchObject({ code: 'sheet-full', message: expect.stringContaining('copied') });
  expect(world.row(ada)).toMatchObject({ Name: ADA.name });
  world.staff.deleteTab({ spreadsheetId: world.at.spreadsheetId, tab: 'Big' });
  // The next try is due.
  await world.store.problems.clearAll();
  world.clock.advance(300_000);
  await world.settle();
  expect(world.row(ada)).toMatchObject({ Name: 'Ada King' });
  expect(world.titles()).toEqual(titles);
  await expectAtRest(world);
});

async function sheetIdOf(world: CarriedWorld, tab: string): Promise<number | undefined> {
  const tabs = await world.api.tabs(world.at.spreadsheetId);
  return tabs.find(({ title }) => title === tab)?.sheetId;
}

test('P1, P9: a cell whose cut would split a character stops neither the look at its tab nor a write over it', async () => {
  const { world, ada, bea } = await start();
  const long = `${'a'.repeat(999)}😀😀`;
  world.put(ada, 'Name', long);
  world.put(bea, 'Name', 'Bea Smith');
  // The write over the first cell is sent before the worker has looked at the tab.
  world.dashboard.changeContact(ada, { phone: '+74950001177' });
  await world.hear();
  await world.work();
  await world.flush();
  await world.settle();
  expect(world.contact(bea)).toMatchObject({ name: 'Bea Smith' });
  expect(world.contact(ada)).toMatchObject({ name: ADA.name });
  world.put(ada, 'Name', long);
  await world.settle();
  await world.settle();
  expect(world.row(ada)).toMatchObject({ Name: ADA.name, Phone: '+74950001177' });
  await expectAtRest(world);
});
