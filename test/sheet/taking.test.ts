// Which of the waiting rows one flush takes: of each tab its share, and none that nobody could ever write.
import { afterEach, describe, expect, it } from 'vitest';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import { takeRows } from '../../src/sheet/flush.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { BOOK, CONTACTS, contact, id, row, type Stand, startStand } from './stand.ts';

const APPOINTMENTS = { ...CONTACTS, name: 'visits', tab: 'Visits' };
const ARCHIVE = { ...CONTACTS, tab: 'Archive' };
const appointment = (n: number): OutboxRow => ({ ...contact(n), mirror: 'visits', tab: 'Visits' });
const formatsOf = (count: number) =>
  Object.fromEntries(
    numbers(1, count).map((n) => [`Column ${n}`, { type: 'DATE' as const, pattern: 'yyyy' }]),
  );
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

describe('a taking', () => {
  async function taken(rows: readonly OutboxRow[], limits: { rows: number; bytes: number }) {
    const outbox = new MemoryOutbox();
    outbox.queue(rows);
    const found = await takeRows(outbox, BOOK, { open: [CONTACTS, APPOINTMENTS, ARCHIVE], limits });
    return [...found].map(([{ tab }, ofTab]) => `${tab} ${ofTab.length}`);
  }
  const many = numbers(1, 40).map((n) => contact(n));

  it('gives each tab its share, whatever waits for the others and however long', async () => {
    const archived = numbers(41, 3).map((n) => ({ ...contact(n), tab: 'Archive' }));
    const rows = [...many, ...numbers(51, 5).map(appointment), ...archived];
    const found = await taken(rows, { rows: 20, bytes: 1e6 });
    expect(found).toEqual(['Contacts 12', 'Visits 5', 'Archive 3']);
  });

  it('ends where the bytes end, with at least one row', async () => {
    const long = row(60, { Name: 'x'.repeat(1_000), Phone: null }, { mirror: 'visits', tab: 'Visits' });
    expect(await taken([...many, long], { rows: 20, bytes: 100 })).toEqual(['Contacts 1']);
    expect(await taken([long], { rows: 20, bytes: 100 })).toEqual(['Visits 1']);
  });

  it.each([
    ['of long cells', row(1, { Name: 'x'.repeat(1_000) }), 2],
    ['of short cells', row(1, { Name: 'x' }), 20],
    ['of formats', row(1, { Name: 'x' }, { formats: formatsOf(9) }), 2],
    ['of no cells', row(1, undefined), 20],
  ])('counts the bytes %s', async (_, like, count) => {
    const rows = numbers(1, 20).map((n) => ({ ...like, key: `contact/${id(n)}`, rowKey: id(n) }));
    expect(await taken(rows, { rows: 20, bytes: 2_600 })).toEqual([`Contacts ${count}`]);
  });

  const order = async (rows: readonly OutboxRow[], refused: { versions: number[]; keys?: string[] }) => {
    const outbox = new MemoryOutbox();
    outbox.queue(rows);
    const { versions, keys } = refused;
    const found = await takeRows(outbox, BOOK, {
      open: [CONTACTS],
      limits: { rows: 20, bytes: 1e6 },
      refused: new Map([[CONTACTS, { versions: new Set(versions), keys: keys && new Set(keys) }]]),
    });
    return [...found.values()].flat().map(({ key }) => Number(key.slice(-12)));
  };

  it('takes a key once for a tab: the row that waits longest', async () => {
    const twice = { ...contact(1, 'Other'), key: `contact/${id(9)}` };
    expect(await order([contact(1), twice], { versions: [] })).toEqual([1]);
  });

  it('takes refused rows last, and one of them early', async () => {
    const rows = [1, 2, 3, 4, 5, 6].map((n) => contact(n));
    expect(await order(rows, { versions: [1, 2, 3] })).toEqual([4, 1, 5, 6, 2, 3]);
  });

  it.each<[string, OutboxRow, boolean]>([
    ['a new row', contact(2), true],
    ['a row of the tab', contact(1, 'New'), false],
    ['a row of the tab, whatever blanks its key has', { ...contact(1, 'New'), rowKey: ` ${id(1)} ` }, false],
    ['a row that is cleared', row(2, undefined), false],
    ['a row that is only written if it is there', { ...contact(2), onlyIfThere: true }, false],
    ['an answer', { ...contact(2), inPlaceOnly: true }, false],
    ['a row that stays away', { ...contact(2), staysAway: true }, false],
    ['a row that need not', { ...contact(2), inPlaceOnly: false, staysAway: false }, true],
  ])('of a full tab, takes %s last: %s', async (_, like, ...[isLast]) => {
    const rows = [contact(8), contact(9), like].map((each) => each);
    const n = Number(like.key.slice(-12));
    const found = await order(rows, { versions: [], keys: [id(1), id(8), id(9)] });
    expect(found).toEqual(isLast ? [8, n, 9] : [8, 9, n]);
  });
});

describe('a flush', () => {
  let stand: Stand;
  afterEach(() => stand.close());
  const start = async () => {
    // Something stands in the Contacts tab, and no header.
    const tabs = [{ title: 'Contacts', values: [['Notes of the office'], ['x']] }, { title: 'Visits' }];
    stand = await startStand({ tabs, parts: { mirrors: [CONTACTS, APPOINTMENTS], rowsPerFlush: 10 } });
  };
  const written = () =>
    stand
      .values('Visits')
      .slice(1)
      .filter(([key]) => String(key ?? '') !== '').length;

  it('writes the rows of a tab past any number that wait for a tab at fault, at rest or just tried again', async () => {
    await start();
    stand.put(...numbers(1, 200).map((n) => contact(n)), ...numbers(301, 20).map(appointment));
    for (const isTurn of [true, false, true]) {
      stand.problems.isTurn = isTurn;
      await stand.flush();
    }
    expect(written()).toBe(20);
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Contacts`]: 'header-missing' });
    stand.problems.isTurn = false;
    await expect(stand.flush()).rejects.toMatchObject({ family: 'deferred', code: 'tab-paused' });
    stand.put(appointment(400));
    expect(await stand.flush()).toEqual({ written: 1, remaining: 200 });
  });

  it('drops rows for a place that no mirror has, once nothing else is to be written', async () => {
    await start();
    const former = numbers(1, 15).map((n) => ({ ...appointment(n), tab: 'Former' }));
    stand.put(...former, appointment(500), { ...contact(16), mirror: 'gone' });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 16 });
    await stand.flushAll();
    expect(await stand.waiting()).toEqual([]);
    expect(stand.values('Visits').map(([key]) => key)).toEqual(['ID', id(500)]);
  });
});
