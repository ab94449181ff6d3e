import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINES_MAX, StatusTabs, statusTabId } from '../../src/sheet/status-tabs.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { BOOK, type Stand, startStand, WORKER } from './stand.ts';

const MINUTE_MS = 60_000;
const OTHER = 'book-2';
let redis: TestRedis;
let store: Awaited<ReturnType<typeof openTestStore>>;
let stand: Stand;
let clock: HandClock;
/** What people have to know, and what of it is news. */
let told: { lines: string[]; matter: string };
let zones: string[];

beforeEach(async () => {
  redis = await startTestRedis();
  store = await openTestStore(redis.url);
  stand = await startStand();
  stand.sandbox.addSpreadsheet(OTHER, { shareWith: [WORKER], tabs: [{ title: 'Contacts' }] });
  clock = new HandClock(Date.parse('2026-11-21T14:00:00Z'));
  told = { lines: ['As on the platform until 17:00.', 'All is well.'], matter: 'well' };
  zones = [];
});

afterEach(async () => {
  await stand.close();
  await store.close();
  await redis.stop();
});

const status = (title = 'Status', spreadsheets = [BOOK, OTHER]) =>
  new StatusTabs({
    ...{ api: stand.api, title, installation: 'slotbridge', spreadsheets },
    read: async () => (_spreadsheet, zone) => {
      zones.push(zone);
      return told;
    },
    zones: double({ zoneOf: async () => 'Europe/Moscow' }),
    ...{ memory: store.memory, leases: store.leases, problems: stand.problems, clock, log: stand.log },
  });
const look = (tabs = status()) => tabs.look(new AbortController().signal);
const shown = (book = BOOK, tab = 'Status') => stand.sandbox.truth.values(book, tab).map(([line]) => line);
const writes = () => stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0;

describe('the status tab', () => {
  it('is made in every spreadsheet, and holds the text on the clock of its people', async () => {
    await look();
    expect([shown(), shown(OTHER)]).toEqual([told.lines, told.lines]);
    expect(zones).toEqual(['Europe/Moscow', 'Europe/Moscow']);
    expect(stand.sandbox.truth.tabs(BOOK)).toEqual(['Contacts', 'Status']);
  });

  it('holds half a character as a mark in its place, and is not written again for it', async () => {
    told = { lines: [`Refused: ${'😀'.slice(0, 1)}`, 'two\r\nlines'], matter: 'half' };
    await look();
    expect(shown()).toEqual(['Refused: \uFFFD', 'two\nlines']);
    const first = writes();
    clock.advance(6 * MINUTE_MS);
    await look();
    expect(writes()).toBe(first);
  });

  it('is written at most once a minute, and only for what is news', async () => {
    await look();
    const first = writes();
    expect(first).toBe(2);
    told = { lines: ['As on the platform until 17:01.'], matter: 'well' };
    for (let rounds = 0; rounds < 3; rounds += 1) {
      clock.advance(MINUTE_MS);
      await look();
    }
    expect(writes()).toBe(first);
    told = { lines: ['Not current.'], matter: 'bad' };
    await look();
    expect(shown()).toEqual(['Not current.']);
    told = { lines: ['As on the platform until 17:04.'], matter: 'well' };
    clock.advance(MINUTE_MS - 1);
    await look();
    expect(shown()).toEqual(['Not current.']);
    clock.advance(1);
    await look();
    expect(shown()).toEqual(['As on the platform until 17:04.']);
  });

  it('is not written for a day in which nothing changed for people, however the time goes on, nor after a restart', async () => {
    const kept = status();
    await look(kept);
    const first = writes();
    for (let minute = 1; minute <= 24 * 60; minute += 19) {
      clock.advance(19 * MINUTE_MS);
      told = { lines: [`As on the platform until ${minute}.`, 'All is well.'], matter: 'well' };
      await look(minute % 10 === 1 ? status() : kept);
    }
    expect(writes()).toBe(first);
    expect(shown()[0]).toBe('As on the platform until 17:00.');
  });

  atLength.test('tells the time anew when rows of the spreadsheet were written', async () => {
    await look();
    const first = writes();
    await store.memory.set(`rows-written ${BOOK}`, '1');
    told = { lines: ['As on the platform until 17:01.'], matter: 'well' };
    clock.advance(MINUTE_MS);
    await look();
    await look();
    expect([shown(), shown(OTHER)[0]]).toEqual([told.lines, 'As on the platform until 17:00.']);
    expect(writes()).toBe(first + 1);
  });

  atLength.test('says again within five minutes what people typed over or deleted', async () => {
    const tabs = status();
    await look(tabs);
    clock.advance(MINUTE_MS);
    await look(tabs);
    stand.sandbox.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'Status', cell: 'A1', value: 'mine' });
    stand.sandbox.staff.sheets.setCell({
      spreadsheetId: BOOK,
      tab: 'Status',
      cell: 'A9',
      value: 'mine too',
    });
    stand.sandbox.staff.sheets.deleteTab({ spreadsheetId: OTHER, tab: 'Status' });
    clock.advance(4 * MINUTE_MS);
    await look(tabs);
    expect(shown()[0]).toBe('mine');
    clock.advance(MINUTE_MS);
    await look(tabs);
    expect([shown(), shown(OTHER)]).toEqual([told.lines, told.lines]);
  });

  atLength.test(
    'is made again when people delete it, and followed when they rename it or delete rows',
    async () => {
      await look();
      stand.sandbox.staff.sheets.deleteTab({ spreadsheetId: BOOK, tab: 'Status' });
      stand.sandbox.staff.sheets.renameTab({ spreadsheetId: OTHER, tab: 'Status', to: 'How it is' });
      for (let row = 0; row < 10; row += 1)
        stand.sandbox.staff.sheets.deleteRow({ spreadsheetId: OTHER, tab: 'How it is', row: 1 });
      told = { lines: Array.from({ length: LINES_MAX }, (_, line) => `line ${line}`), matter: 'long' };
      clock.advance(MINUTE_MS);
      await look();
      expect([shown(), shown(OTHER, 'How it is')]).toEqual([told.lines, told.lines]);
      expect(stand.sandbox.truth.tabs(OTHER)).toEqual(['Contacts', 'How it is']);
    },
  );

  it('is known again after Redis was lost, and not doubled', async () => {
    await look();
    await store.memory.forget(`status-tab ${BOOK}`);
    stand.sandbox.staff.sheets.renameTab({ spreadsheetId: BOOK, tab: 'Status', to: 'Stand' });
    await look(status());
    expect(stand.sandbox.truth.tabs(BOOK)).toEqual(['Contacts', 'Stand']);
  });

  it("is never a tab of people's, of whatever case: that is a problem until it has another name", async () => {
    stand.sandbox.staff.sheets.addTab({ spreadsheetId: BOOK, tab: 'STATUS' });
    stand.sandbox.staff.sheets.setCell({ spreadsheetId: BOOK, tab: 'STATUS', cell: 'A1', value: 'ours' });
    await look();
    expect(shown(BOOK, 'STATUS')).toEqual(['ours']);
    expect(stand.problems.codes()).toEqual({ [`status-tab:${BOOK}`]: 'status-tab-taken' });
    expect(shown(OTHER)).toEqual(told.lines);
    stand.sandbox.staff.sheets.renameTab({ spreadsheetId: BOOK, tab: 'STATUS', to: 'Ours' });
    clock.advance(MINUTE_MS);
    await look();
    expect(shown()).toEqual(told.lines);
    expect(stand.problems.codes()).toEqual({});
  });

  atLength.test('that is protected is a problem, and holds up no other spreadsheet', async () => {
    await look();
    stand.sandbox.staff.sheets.protectRange({ spreadsheetId: BOOK, tab: 'Status' });
    told = { lines: ['News.'], matter: 'news' };
    clock.advance(MINUTE_MS);
    await look();
    expect(shown(OTHER)).toEqual(['News.']);
    expect(shown()).toEqual(['As on the platform until 17:00.', 'All is well.']);
    expect(stand.problems.codes()).toEqual({ [`status-tab:${BOOK}`]: 'status-tab-refused' });
    stand.sandbox.staff.sheets.deleteTab({ spreadsheetId: BOOK, tab: 'Status' });
    clock.advance(MINUTE_MS);
    await look();
    expect(shown()).toEqual(['News.']);
    expect(stand.problems.codes()).toEqual({});
  });

  atLength.test('is tried again no sooner than a minute after Google has refused it', async () => {
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'status', status: 500 } });
    await look(status('Status', [BOOK]));
    clock.advance(MINUTE_MS - 1);
    await look(status('Status', [BOOK]));
    expect(stand.sandbox.truth.tabs(BOOK)).toEqual(['Contacts']);
    clock.advance(1);
    await look(status('Status', [BOOK]));
    expect(shown()).toEqual(told.lines);
  });

  it('is made once when the answer was lost', async () => {
    stand.sandbox.faults.add({ path: /:batchUpdate/, times: 1, fault: { kind: 'commit-then-reset' } });
    await look();
    clock.advance(MINUTE_MS);
    await look();
    expect(stand.sandbox.truth.tabs(BOOK)).toEqual(['Contacts', 'Status']);
    expect(shown()).toEqual(told.lines);
  });

  atLength.test('is written by one of several workers', async () => {
    await Promise.all([look(status()), look(status()), look(status())]);
    expect(writes()).toBe(2);
  });

  it('shows no formula, whatever the text', async () => {
    told = { lines: ['=1+1'], matter: 'formula' };
    await look();
    expect(shown()).toEqual(['=1+1']);
  });
});

it('two installations have two tabs', () => {
  expect(statusTabId('one')).not.toBe(statusTabId('two'));
  expect(statusTabId('one')).toBeLessThan(2 ** 31);
});
