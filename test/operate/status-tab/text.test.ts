import { beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/engine/work.ts';
import { CODES_RU } from '../../../src/operate/codes/ru.ts';
import { createStatusSource } from '../../../src/operate/status.ts';
import { type StatusPlace, statusText } from '../../../src/operate/status-tab/text.ts';
import { LINES_MAX } from '../../../src/sheet/status-tabs.ts';
import { StatusStores } from '../../doubles/status-stores.ts';
import { latinRuns } from '../../stand/latin.ts';

const BOOK: StatusPlace = {
  spreadsheetId: 'book',
  tabs: ['Contacts', 'Appointments'],
  named: [
    { of: 'mirror', name: 'people', spreadsheetId: 'book', tab: 'Contacts' },
    { of: 'mirror', name: 'appointments', spreadsheetId: 'book2', tab: 'Appointments' },
    { of: 'booking sheet', name: 'desk', spreadsheetId: 'book', tab: 'Intake' },
    { of: 'booking sheet', name: 'people', spreadsheetId: 'book2', tab: 'Intake 2' },
  ],
  zone: 'Europe/Moscow',
  language: 'en',
};
const LAST = [
  'Tabs that are kept current: Contacts, Appointments.',
  'Written by slotbridge when something changes. What you write into this column is overwritten.',
];

let stores: StatusStores;

beforeEach(() => {
  stores = new StatusStores();
});

const say = async (place: Partial<StatusPlace> = {}) =>
  statusText(await createStatusSource(stores.parts()).read(), { ...BOOK, ...place });
const lines = async (place?: Partial<StatusPlace>) => (await say(place)).lines;
const problem = (target: string, message = 'refused'): Problem => ({
  ...{ target, code: 'x', message, advice: 'y' },
  sinceMs: Date.parse('2026-11-21T13:10:00Z'),
  lastAtMs: Date.parse('2026-11-21T14:00:00Z'),
});

describe('what people are told', () => {
  it('is the moment up to which the spreadsheet is current, on their clock', async () => {
    expect(await lines()).toEqual(['As on the platform until 21 November, 17:03.', ...LAST]);
    expect((await lines({ zone: 'America/New_York' }))[0]).toContain('21 November, 09:03');
  });

  it('never ends within a character', async () => {
    const cut = await lines({ tabs: ['a', '😀'.repeat(400)] });
    const next = await lines({ tabs: ['ab', '😀'.repeat(400)] });
    expect([...cut, ...next].filter((line) => /\p{Surrogate}/u.test(line))).toEqual([]);
    expect(next.at(-2)).toMatch(/😀$/);
  });

  it('is in Russian where the worker speaks Russian', async () => {
    expect((await lines({ language: 'ru' }))[0]).toBe('Как на платформе по состоянию на 21 ноября, 17:03.');
  });

  it('is Russian then, whatever is wrong', async () => {
    const told = async (target: string, code: string) => {
      stores.problems = [{ ...problem(target, 'the worker said this in English'), code }];
      stores.letters = [{ key: 'contact/1', atMs: 0, attempts: 1, reasons: [] }];
      const named = [{ of: 'booking sheet', name: 'desk', spreadsheetId: 'book', tab: 'Запись' }] as const;
      const { lines: said } = await say({ language: 'ru', tabs: ['Контакты'], named });
      return said;
    };
    const targets = ['spreadsheet:book/Контакты', 'spreadsheet-zone:book', 'drop-downs:book', 'intake:desk'];
    const all: string[] = [];
    for (const target of targets)
      for (const code of Object.keys(CODES_RU)) all.push(...(await told(target, code)));
    expect(all.filter((line) => !/[а-яё]/i.test(line) || latinRuns(line).length > 0)).toEqual([]);
    expect(all.filter((line) => line.length >= 300)).toEqual([]);
    expect(await told('spreadsheet:book/Контакты', 'tab-not-found')).toContain(
      'Лист «Контакты», с 21 ноября, 16:10: Нет такого листа. Его строки ждут, остальные переносятся.',
    );
    stores.problems = [
      { ...problem('spreadsheet:book/Контакты'), code: 'header-missing', names: ['Имя', 'Телефон'] },
    ];
    expect((await lines({ language: 'ru' })).join()).toContain(
      'Не хватает заголовков: Имя, Телефон. В первой',
    );
  });

  it('is never more than was read: nothing at first, and the beginning of a hole later', async () => {
    stores.holes = [
      { id: 'h', source: 'feed', fromMs: undefined, toMs: undefined, cause: 'first-start', foundAtMs: 0 },
    ] as never;
    expect((await lines())[0]).toMatch(/^Everything is being read in full/);
    stores.holes = [
      {
        ...{ id: 'h', source: 'feed', cause: 'endpoint-disabled', foundAtMs: 0 },
        fromMs: Date.parse('2026-11-21T08:00:00Z'),
        toMs: Date.parse('2026-11-21T09:00:00Z'),
      },
    ] as never;
    expect(await lines()).toEqual([
      'Not current: as on the platform until 21 November, 11:00. Newer changes are on their way.',
      'Some changes may be missing. They are being read again.',
      ...LAST,
    ]);
  });

  it('names changes that wait for long, and none that are on their way as they should be', async () => {
    stores.pending = { objects: 14, oldestSinceMs: stores.clock.now() - 4 * 60_000 };
    expect((await lines())[0]).toMatch(/^As on the platform until 21 November, 17:03\.$/);
    stores.pending = { objects: 14, oldestSinceMs: Date.parse('2026-11-21T13:12:00Z') };
    expect((await lines())[0]).toBe(
      'As on the platform until 21 November, 17:03, except for changes that wait since 21 November, 16:12: 14.',
    );
  });

  it('says that a feed that is not read any more stands still', async () => {
    stores.clock.advance(3_600_000);
    expect((await lines())[0]).toMatch(/^Not current: as on the platform until 21 November, 17:03/);
  });

  it.each([
    ['platform', 'The platform cannot be reached since 21 November, 16:10.'],
    ['webhook-endpoint', 'The platform does not announce its changes.'],
    ['google', 'Google does not accept the worker since 21 November, 16:10.'],
    ['spreadsheet:book', 'This spreadsheet, since 21 November, 16:10: refused.'],
    ['spreadsheet:book/Contacts', 'This spreadsheet, since 21 November, 16:10: refused.'],
    ['spreadsheet-size:book', 'This spreadsheet, since 21 November, 16:10: refused.'],
    ['intake:desk', 'The tab "Intake", since 21 November, 16:10: refused.'],
    ['bookings:desk', 'The tab "Intake", since 21 November, 16:10: refused.'],
    ['edits:people', 'The tab "Contacts", since 21 November, 16:10: refused.'],
    ['sheet-check:people/Former', 'The tab "Former", since 21 November, 16:10: refused.'],
    ['calendar:anna@clinic.example', 'Calendars that cannot be written at the moment: 1.'],
    ['something-else', 'Other problems, known to whoever runs slotbridge: 1.'],
  ])('names the problem of %s once, in plain words', async (target, told) => {
    stores.problems = [problem(target)];
    const all = await lines();
    expect(all).toHaveLength(4);
    expect(all[1]).toContain(told);
    expect(all.join()).not.toContain('anna@');
  });

  it('stays a page, however much is wrong', async () => {
    stores.problems = ['platform', 'webhook-endpoint', 'google', 'calendar:x', 'else'].map((each) =>
      problem(each),
    );
    for (let tab = 0; tab < 50; tab += 1) stores.problems.push(problem(`spreadsheet:book/${tab}`));
    stores.letters = [{ key: 'contact/1', atMs: 0, attempts: 1, reasons: [] }];
    const all = await lines();
    expect(all).toContain('Other problems, known to whoever runs slotbridge: 47.');
    expect(all.length).toBeLessThanOrEqual(LINES_MAX);
    expect(all.at(-1)).toBe(LAST[1]);
  });

  it('leaves out the problems of other spreadsheets, whose people read of them there', async () => {
    const targets = ['spreadsheet:book2/Contacts', 'status-tab:book2', 'spreadsheet-size:book2'];
    for (const name of ['intake:people', 'bookings:people', 'edits:appointments']) targets.push(name);
    stores.problems = targets.map((target) => problem(target));
    expect(await lines()).toHaveLength(3);
  });

  it('tells of drop-downs that are not kept, which hold up no rows, and leaves out those of other spreadsheets', async () => {
    stores.problems = [problem('drop-downs:book2')];
    expect(await lines()).toHaveLength(3);
    stores.problems = [problem('drop-downs:book')];
    stores.rows = [{ spreadsheetId: 'book', rows: 3 }];
    expect(await lines()).toHaveLength(4);
    expect((await lines())[0]).not.toMatch(/^Not current/);
  });

  it('does not call the rows late for a booking sheet that is not read', async () => {
    stores.problems = [problem('intake:desk')];
    stores.rows = [{ spreadsheetId: 'book', rows: 3 }];
    expect((await lines())[0]).not.toMatch(/^Not current/);
  });

  it('is not current while rows wait for a tab that refuses them', async () => {
    stores.problems = [problem('spreadsheet:book/Contacts')];
    stores.rows = [{ spreadsheetId: 'book', rows: 3 }];
    expect((await lines())[0]).toMatch(/^Not current: as on the platform until 21 November, 16:10/);
  });

  it('shows no address or phone of a message, and no line without end', async () => {
    stores.problems = [
      problem('spreadsheet:book', `for anna@clinic.example +74950001101 ${'x'.repeat(5_000)}`),
    ];
    const all = (await lines()).join('\n');
    expect(all).not.toMatch(/anna@|4950001101/);
    expect(Math.max(...(await lines()).map((line) => line.length))).toBeLessThanOrEqual(300);
  });
});

describe('what is news', () => {
  it('is not that the time goes on', async () => {
    const before = await say();
    stores.clock.advance(60_000);
    stores.coverage = {
      ...stores.coverage,
      coveredUntilMs: stores.clock.now(),
      provedAtMs: stores.clock.now(),
    };
    const after = await say();
    expect(after.lines).not.toEqual(before.lines);
    expect(after.matter).toBe(before.matter);
  });

  it('is a problem, its end, and that changes wait', async () => {
    const matters = [(await say()).matter];
    stores.problems = [problem('platform')];
    matters.push((await say()).matter);
    stores.problems = [];
    expect((await say()).matter).toBe(matters[0]);
    stores.pending = { objects: 1, oldestSinceMs: stores.clock.now() - 3_600_000 };
    matters.push((await say()).matter);
    expect(new Set(matters).size).toBe(3);
  });
});
