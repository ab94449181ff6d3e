// P6 and P7: rows that people typed without an id stay, also when their cells are the same as those of a write.
import { afterEach, describe, expect, it } from 'vitest';
import { contact, id, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const AT = { spreadsheetId: 'book-1', tab: 'Contacts' };
const WRITE = { path: /:batchUpdate/, times: 1 };
const READ = { path: /:batchGetByDataFilter/, times: 1 };

describe('people have typed a row without an id that equals what the worker writes', () => {
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
    'Google %s and writes nothing: it stays beside a row that was to be added',
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

  it('Google answers 503 and writes nothing: it stays beside a row that was to be changed', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.put(contact(2, 'New 2'));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'status', status: 503 } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
    await stand.flushAll();
    expect(stand.values()[2]).toEqual(line(2, 'New 2'));
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
  });

  it('it stays when another row of the lost write holds its cells already', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.put(contact(1), contact(2, 'New 2'));
    stand.sandbox.faults.add({ ...WRITE, fault: { kind: 'status', status: 503 } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    expect(typedRows()).toEqual([typedAs(2, 'New 2')]);
  });

  it('a row under the write is moved by people: what it left is taken back, and the typed row stays', async () => {
    await start([typedAs(2, 'New 2')]);
    stand.put(contact(2, 'New 2'));
    await stand.flushWhile(() => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 2 }));
    await stand.flushAll();
    expect(stand.outbox.rewritten).toEqual([`contact/${id(1)}`]);
    expect(stand.values().slice(1)).toEqual([[], line(1), line(2, 'New 2'), typedAs(2, 'New 2')]);
  });

  it('the answer is lost while a row is moved: a row that was added proves the write, and what it left is taken back', async () => {
    await start([]);
    stand.put(contact(2, 'New 2'), contact(3));
    // A blank row comes under the write before it is performed.
    const insert = () => stand.sandbox.staff.sheets.insertRow({ ...AT, row: 3 });
    stand.sandbox.faults.add({ ...WRITE, onStrike: insert, fault: { kind: 'commit-then-reset' } });
    await expect(stand.flush()).rejects.toMatchObject({ family: 'retryable' });
    await stand.flushAll();
    expect(stand.values().slice(1).sort()).toEqual([[], line(1), line(2, 'New 2'), line(3)]);
  });

  it('what was written an hour ago and could not be checked then empties nothing that people have typed since', async () => {
    let nowMs = Date.now();
    const typed = ['', 'Zoe', 'phone 1', 'typed by hand'];
    await start([], () => nowMs);
    stand.put(contact(1, 'Zoe', 'phone 1'));
    // The write hits the other row, because people sort, and the look after it fails.
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
});
