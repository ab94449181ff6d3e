// P6 and P7: rows that people typed without an id stay, even if their cells equal those of a write.
import { afterEach, describe, expect, it } from 'vitest';
import { contact, id, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: 'book-1', tab: 'Contacts' };
const WRITE = { path: /:batchUpdate/, times: 1 };
const READ = { path: /:batchGetByDataFilter/, times: 1 };

describe('people have typed a row without an id, with the same cells that the worker writes', () => {
  let stand: Stand;
  afterEach(() => stand.close());

  async function start(
    typed: readonly (readonly string[])[],
    now: () => number = () => Date.now(),
  ): Promise<void> {
    const values = [HEADER, line(1), line(2), ...typed.map((cells) => [...cells])];
    stand = await startStand({
      tabs: [{ title: 'Contacts', rows: 50, columns: 8, values }],
      timeouts: { writeTimeoutMs: 1_000 },
      parts: { clock: { now } },
    });
    stand.put(contact(1), contact(2));
    await stand.flushAll();
  }
  const typedAs = (n: number, name?: string) => ['', ...line(n, name).slice(1), 'typed by hand'];
  const typedRows = () => stand.values().filter((cells) => cells[3] === 'typed by hand');

  it.each([
    ['answers 503', { kind: 'status', status: 503 }],
    ['resets the connection', { kind: 'reset' }],
  ] as const)(
    'if Google %s and writes nothing, the typed row stays beside a row to be added',
    async (_, fault) => {
      await start([typedAs(3)]);
      stand.put(contact(3));
      stand.sandbox.faults.add({ ...WRITE, fault });
      await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
      expect(typedRows()).toEqual([typedAs(3)]);
      await stand.flushAll();
      expect(typedRows()).toEqual([typedAs(3)]);
      expect(stand.values()).toContainEqual(line(3));
    },
  );

  it('if Google answers 503 and writes nothing, the typed row stays beside a row to be changed', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.put(contact(2, 'New 2'));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'status', status: 503 } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
    await stand.flushAll();
    expect(stand.values()[2]).toEqual(line(2, 'New 2'));
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
  });

  it('the typed row stays if another row of the lost write already has its cells', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.put(contact(1), contact(2, 'New 2'));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'status', status: 503 } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
  });

  it('if people move a row during the write, misplaced cells are removed, and the typed row stays', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.put(contact(2, 'New 2'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 2 }));
    await stand.flushAll();
    expect(stand.outbox.rewritten).toEqual([`contact/${id(1)}`]);
    expect(stand.values().slice(1)).toEqual([[], line(1), line(2, 'New 2'), typedAs(2, 'New 2')]);
  });

  it('if the answer is lost while a row moves, an added row proves the write, and misplaced cells are removed', async () => {
    await start([]);
    stand.put(contact(2, 'New 2'), contact(3));
    // People insert a blank row just before the write is performed.
    const insert = () => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 3 });
    stand.sandbox.faults.add({ ...WRITE, onStrike: insert, fault: { kind: 'commit-then-reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    await stand.flushAll();
    expect(stand.values().slice(1).sort()).toEqual([[], line(1), line(2, 'New 2'), line(3)]);
  });

  it('a write of an hour ago that could not be checked empties nothing that people have typed since', async () => {
    let nowMs = Date.now();
    const typed = ['', 'Zoe', 'phone 1', 'typed by hand'];
    await start([], () => nowMs);
    stand.put(contact(1, 'Zoe', 'phone 1'));
    // The write hits the other row, because people sort. The check afterwards fails.
    stand.sandbox.faults.add({ ...READ, skip: 1, fault: { kind: 'status', status: 503 } });
    await expect(
      stand.flushWhile(() => stand.sandbox.staff.sheets.sortTab({ ...AT, column: 'ID', descending: true })),
    ).rejects.toMatchObject({ family: 'retryable' });
    nowMs += 3_600_000;
    // Meanwhile another process has written both rows.
    stand.sandbox.staff.sheets.typeInto({ ...AT, row: 2, column: 'Name', value: 'Name 2' });
    stand.sandbox.staff.sheets.typeInto({ ...AT, row: 3, column: 'Name', value: 'Zoe Meier' });
    stand.sandbox.staff.sheets.insertRow({ ...AT, row: 4, values: typed });
    await stand.flushAll();
    expect(typedRows()).toEqual([typed]);
  });

  it('its mirrored row is protected and the answer to the write of the other rows is lost: it stays', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.sandbox.staff.sheets.protectRange({ ...AT, range: 'A3:C3' });
    stand.put(contact(2, 'New 2'), contact(3));
    // Google refuses the protected row first, and performs the second try without it.
    stand.sandbox.faults.add({ ...WRITE, skip: 1, fault: { kind: 'commit-then-reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(stand.values()).toContainEqual(line(3));
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
    expect(await stand.waiting()).toEqual([id(2)]);
  });

  it('an update hits a row without an id and its answer is lost: the log says that cells may be left, and claims no repair', async () => {
    await start([]);
    stand.put(contact(2, 'New 2'));
    // A blank row comes under the write before it is performed.
    const insert = () => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 3 });
    stand.sandbox.faults.add({ ...WRITE, onStrike: insert, fault: { kind: 'commit-then-reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(stand.values().slice(2)).toEqual([['', ...line(2, 'New 2').slice(1)], line(2)]);
    const warnings = stand.log.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([
      {
        message: 'a write that could not be checked may have left cells in other rows',
        fields: { mirror: 'contacts', tab: 'Contacts', rows: 1 },
      },
    ]);
    expect(JSON.stringify(warnings)).not.toContain('New 2');
  });
});
