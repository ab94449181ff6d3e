import { expect, test } from 'vitest';
import { file, load, problemOf } from './fixture.ts';

test('the server answers under its own address and the hosts that are written', () => {
  expect(load(file({})).http).toEqual({ host: '127.0.0.1', port: 8_080, hosts: ['127.0.0.1'] });
  const config = load(
    file({ more: 'http: { host: 0.0.0.0, port: 0, hosts: [Worker.Internal, monitor] }\n' }),
  );
  expect(config.http).toEqual({ host: '0.0.0.0', port: 0, hosts: ['0.0.0.0', 'worker.internal', 'monitor'] });
});

test('an address with a scheme is no host', () => {
  const more = 'http: { host: "http://0.0.0.0" }\n';
  expect(problemOf(file({ more }))).toMatchObject({ path: 'http.host', line: 4 });
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

test('the status tab may be named as the end of another tab', () => {
  const more = 'worker: { status_tab: Status }\n';
  const mirrors = SHEETS.replace('tab: Contacts', 'tab: Visits/Status');
  expect(load(file({ more, mirrors })).worker.statusTab).toBe('Status');
});
