// Which of the waiting rows one flush takes: of each tab its share, and none that nobody could ever write.
import { afterEach, describe, expect, it } from 'vitest';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import { takeRows } from '../../src/sheet/flush.ts';
import { MemoryOutbox } from '../doubles/outbox.ts';
import { BOOK, CONTACTS, contact, id, row, type Stand, startStand } from './stand.ts';

const APPOINTMENTS = { ...CONTACTS, name: 'visits', tab: 'Visits' };
const ARCHIVE = { ...CONTACTS, tab: 'Archive' };
const appointment = (n: number): OutboxRow => ({ ...contact(n), mirror: 'visits', tab: 'Visits' });
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

  it('takes a key once for a tab', async () => {
    const twice = { ...contact(1, 'Other'), key: 'contact/other' };
    expect(await taken([contact(1), twice], { rows: 20, bytes: 1e6 })).toEqual(['Contacts 1']);
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
