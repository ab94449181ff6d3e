import { expect, test } from 'vitest';
import { file, load, problemOf } from './fixture.ts';

test('server, worker and log have defaults', () => {
  const config = load(file({}));
  expect(config.http).toEqual({ host: '127.0.0.1', port: 8_080, hosts: ['127.0.0.1'] });
  expect(config.worker).toEqual({
    concurrency: 8,
    attempts: 40,
    shutdownMs: 20_000,
    flushEveryMs: 2_000,
    journalMs: 35 * 86_400_000,
    language: 'en',
  });
  expect(config.log).toEqual({ level: 'info', format: 'auto' });
});

test('every setting of server, worker and log reaches the worker', () => {
  const config = load(
    file({
      more: `http: { host: 0.0.0.0, port: 0, hosts: [Worker.Internal, monitor] }
worker: { concurrency: 2, attempts: 3, shutdown: 5s, flush_every: 100ms, journal: 1d, language: ru }
log: { level: debug, format: json }
`,
    }),
  );
  expect(config.http).toEqual({ host: '0.0.0.0', port: 0, hosts: ['0.0.0.0', 'worker.internal', 'monitor'] });
  expect(config.worker).toEqual({
    concurrency: 2,
    attempts: 3,
    shutdownMs: 5_000,
    flushEveryMs: 100,
    journalMs: 86_400_000,
    language: 'ru',
  });
  expect(config.log).toEqual({ level: 'debug', format: 'json' });
});

test.each([
  ['worker: { concurrency: 0 }', 'worker.concurrency'],
  ['worker: { attempts: 1000 }', 'worker.attempts'],
  ['worker: { flush_every: 0s }', 'worker.flush_every'],
  ['worker: { language: de }', 'worker.language'],
  ['http: { host: "http://0.0.0.0" }', 'http.host'],
  ['log: { level: verbose }', 'log.level'],
  ['log: { format: text }', 'log.format'],
])('%s is refused', (more, path) => {
  expect(problemOf(file({ more: `${more}\n` }))).toMatchObject({ path, line: 4 });
});

test('the status tab is off unless it has a title', () => {
  expect(load(file({})).worker.statusTab).toBeUndefined();
  expect(load(file({ more: 'worker: { status_tab: "" }\n' })).worker.statusTab).toBeUndefined();
  expect(load(file({ more: 'worker: { status_tab: " How it is " }\n' })).worker.statusTab).toBe('How it is');
});

test('a calendar has no note unless a time is given, of at least five minutes', () => {
  expect(load(file({})).worker.calendarNoteMs).toBeUndefined();
  expect(load(file({ more: 'worker: { calendar_note: 30m }\n' })).worker.calendarNoteMs).toBe(1_800_000);
  expect(problemOf(file({ more: 'worker: { calendar_note: 1m }\n' }))).toMatchObject({
    path: 'worker.calendar_note',
  });
});

test.each(["It's", 'a/b', '[x]', 'what?', 'x'.repeat(101)])('%s is no title of a status tab', (title) => {
  expect(problemOf(file({ more: `worker: { status_tab: "${title}" }\n` }))).toMatchObject({
    path: 'worker.status_tab',
  });
});

const SHEETS = `mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: 1AbC, tab: Contacts, key: ID }
    columns: { ID: "{{ id }}" }
`;

test('the status tab may not be a tab that the mapping uses, whatever its case', () => {
  const more = 'worker: { status_tab: CONTACTS }\n';
  expect(problemOf(file({ more, mirrors: SHEETS }))).toMatchObject({
    path: 'worker.status_tab',
    what: 'is the title of a tab that a mirror or a booking uses',
  });
});
