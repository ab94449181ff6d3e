/** Rows on their way between the two tabs of a mirror, by what people left beside them and in their former tab. */
import { afterEach, describe, expect, test } from 'vitest';
import type { OutboxRow } from '../../src/engine/sheet-row.ts';
import type { RowMoves } from '../../src/engine/sheet-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, line, row, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Note'];
const ARCHIVE = { ...CONTACTS, tab: 'Archive' };
/** Its tab is as full as the others: its rows are nobody else's. */
const OTHER = { ...CONTACTS, name: 'other', tab: 'Other' };
const FROM = { spreadsheetId: BOOK, tab: 'Contacts' };
const TO = { spreadsheetId: BOOK, tab: 'Archive' };
const NOTED = [...line(1), 'a note'];
const WEEK_MS = 604_800_000;

let stand: Stand;
afterEach(() => stand.close());

interface Story {
  readonly rows: readonly OutboxRow[];
  /** The mirror's tab, from which rows go. */
  readonly contacts?: string[][];
  readonly archive?: string[][];
  /** What people do before the n-th read. The first flush reads header and ids of each tab, then whole rows. */
  readonly people?: readonly [n: number, act: () => unknown];
}

async function flushed({ rows, contacts = [HEADER, line(1)], archive = [HEADER], people }: Story) {
  const stays: object[] = [];
  const moves = double<RowMoves>({
    stay: async (staying, about) => {
      stays.push({ n: Number(staying.rowKey.trim().slice(-12)), ...about });
      stand.outbox.refuse(staying);
    },
  });
  const tabs = [
    { title: 'Other', values: [HEADER, NOTED] },
    { title: 'Contacts', values: contacts },
    { title: 'Archive', values: archive },
  ];
  stand = await startStand({
    tabs,
    parts: { mirrors: [OTHER, CONTACTS, ARCHIVE], moves, clock: { now: () => 1_000 } },
  });
  stand.put(...rows);
  if (people !== undefined) {
    const [n, onStrike] = people;
    const read = { path: /:batchGetByDataFilter/, skip: n - 1, times: 1 };
    stand.sandbox.faults.add({ ...read, fault: { kind: 'delay', ms: 0 }, onStrike: () => void onStrike() });
  }
  const result = await stand.flush().catch((error: unknown) => error);
  const shown = (tab: string) =>
    stand
      .values(tab)
      .slice(1)
      .filter((cells) => cells.some((cell) => cell !== ''))
      .map((cells) => cells.filter((cell) => cell !== '').join(' '));
  return { result, stays, contacts: shown('Contacts'), archive: shown('Archive') };
}

const arriving = (n: number, more: Partial<OutboxRow> = {}) => ({
  ...contact(n),
  ...{ tab: 'Archive', movesFrom: FROM },
  ...more,
});
const leaving = (n: number, forced = false) => ({ ...row(n, undefined), leftBehind: { forced } });
const text = (n: number) => line(n).join(' ');

describe('a row that arrives', () => {
  test.each<[string, Story, { archive?: string[]; written?: number; waiting?: string[] }]>([
    ['is added', { rows: [arriving(1)] }, { archive: [text(1)] }],
    [
      'is added, whatever blanks its key has',
      { rows: [arriving(1, { rowKey: ` ${id(1)} ` })] },
      { archive: [text(1)] },
    ],
    ['is added where its former tab is empty', { rows: [arriving(1)], contacts: [] }, { archive: [text(1)] }],
    [
      'is added though it stays away: nobody deleted it',
      { rows: [arriving(1, { staysAway: true })] },
      { archive: [text(1)] },
    ],
    [
      'stays away if people deleted it in the former tab',
      { rows: [arriving(1, { staysAway: true })], contacts: [HEADER] },
      { archive: [] },
    ],
    [
      'is added though it stays away if the former tab was emptied as a whole',
      { rows: [arriving(1, { staysAway: true })], contacts: [] },
      { archive: [text(1)] },
    ],
    ['is added if it was there', { rows: [arriving(1, { onlyIfThere: true })] }, { archive: [text(1)] }],
    ['is not added if it was not there', { rows: [arriving(2, { onlyIfThere: true })] }, { archive: [] }],
    [
      'is not added if nothing was there',
      { rows: [arriving(1, { onlyIfThere: true })], contacts: [] },
      { archive: [] },
    ],
    [
      'is added beside one that was always there',
      { rows: [arriving(1), { ...contact(5), tab: 'Archive' }] },
      { archive: [text(1), text(5)], written: 2 },
    ],
  ])('%s', async (_, story, { archive = [], written = 1 }) => {
    const found = await flushed(story);
    expect(found).toMatchObject({ stays: [], archive, result: { written, remaining: 0 } });
  });

  test('stays where people wrote beside it, and the worker looks again in a week; the others go', async () => {
    const found = await flushed({ rows: [arriving(1), arriving(2)], contacts: [HEADER, NOTED, line(2)] });
    expect(found).toEqual({
      result: { written: 2, remaining: 0 },
      stays: [{ n: 1, at: FROM, elsewhere: TO, untilMs: 1_000 + WEEK_MS }],
      contacts: [NOTED.join(' '), text(2)],
      archive: [text(2)],
    });
    const told = stand.log.lines.filter(({ message }) => message === 'rows stay in their tab');
    expect(told).toMatchObject([{ level: 'info', fields: { mirror: 'contacts', rows: 1 } }]);
  });

  test('P6: waits if people moved it between two looks at its former tab: nobody knows what they wrote beside it', async () => {
    const insert = () => stand.sandbox.staff.sheets.insertRow({ ...FROM, row: 2 });
    const found = await flushed({ rows: [arriving(1)], contacts: [HEADER, NOTED], people: [5, insert] });
    expect(found).toEqual({
      result: { written: 0, remaining: 1 },
      ...{ stays: [], contacts: [NOTED.join(' ')], archive: [] },
    });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
    expect(found.stays).toHaveLength(1);
  });

  test('waits while its former tab cannot be read, and the rows beside it do not', async () => {
    const rows = [arriving(1), { ...contact(5), tab: 'Archive' }];
    const found = await flushed({ rows, contacts: [['Notes'], ['x']] });
    expect(found).toMatchObject({ result: { written: 1, remaining: 1 }, archive: [text(5)], stays: [] });
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Archive`]: 'header-missing' });
    stand.put({ ...contact(6), tab: 'Archive' });
    expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
    expect(stand.problems.codes()).toEqual({ [`spreadsheet:${BOOK}/Archive`]: 'header-missing' });
  });

  test('waits with its own fault if nothing else is to be written', async () => {
    expect(await flushed({ rows: [arriving(1)], contacts: [['Notes'], ['x']] })).toMatchObject({
      result: { family: 'deferred', code: 'header-missing' },
    });
  });
});

describe('a row that leaves', () => {
  test.each<[string, Story, { contacts: string[]; stays?: readonly number[] }]>([
    ['is emptied', { rows: [leaving(1)] }, { contacts: [] }],
    [
      'stays if people wrote beside it',
      { rows: [leaving(1)], contacts: [HEADER, NOTED] },
      { contacts: [NOTED.join(' ')], stays: [1] },
    ],
    [
      'is emptied all the same if it must',
      { rows: [leaving(1, true)], contacts: [HEADER, NOTED] },
      { contacts: ['a note'] },
    ],
    [
      'stays, and one that only changes is written beside its note',
      { rows: [leaving(1), contact(2, 'New')], contacts: [HEADER, NOTED, [...line(2), 'another']] },
      { contacts: [NOTED.join(' '), [...line(2, 'New'), 'another'].join(' ')], stays: [1] },
    ],
  ])('%s', async (_, story, { contacts, stays = [] }) => {
    const found = await flushed(story);
    expect(found.contacts).toEqual(contacts);
    expect(found.stays).toEqual(stays.map((n) => ({ n, at: FROM, elsewhere: TO, untilMs: 1_000 + WEEK_MS })));
    expect(found.result).toEqual({ written: story.rows.length, remaining: 0 });
    const isTold = stand.log.lines.some(({ message }) => message === 'rows stay in their tab');
    expect(isTold).toBe(stays.length > 0);
  });

  test('takes no look beside it, and a row that only changes none', async () => {
    await flushed({ rows: [contact(1, 'New')], contacts: [HEADER, NOTED] });
    const reads = stand.sandbox.stats().callsByMethod['spreadsheets.values.batchGetByDataFilter'];
    await stand.close();
    await flushed({ rows: [leaving(1)], contacts: [HEADER, NOTED] });
    expect(stand.sandbox.stats().callsByMethod['spreadsheets.values.batchGetByDataFilter']).toBe(
      (reads ?? 0) + 1,
    );
  });
});
