import { expect, test } from 'vitest';
import { KEEP } from '../../src/engine/keep.ts';
import { file, load, problemOf } from './fixture.ts';

test('without a word about privacy, state is kept as long as the code says', () => {
  expect(load(file({})).privacy.keep).toEqual(KEEP);
});

test('every time of privacy.keep reaches the worker', () => {
  const more = `privacy:
  keep: { snapshots: 1d, objects: 40d, histories: 2d, quarantine: 3d, dead_letters: 50d, intents: 60d }
`;
  const days = (count: number) => count * 86_400_000;
  expect(load(file({ more })).privacy.keep).toEqual({
    snapshotsMs: days(1),
    objectsMs: days(40),
    historiesMs: days(2),
    quarantineMs: days(3),
    deadLettersMs: days(50),
    intentsMs: days(60),
  });
});

const CONTACTS = (sheet: string) => `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: 1AbC, tab: Contacts${sheet} }
    columns: { ID: "{{ id }}" }
`;

test.each([
  ['', '', 'keep'],
  ['', ', deleted: clear', 'clear'],
  ['privacy: { forget_deleted: true }', '', 'clear'],
  ['privacy: { forget_deleted: true }', ', deleted: clear', 'clear'],
  ['privacy: { forget_deleted: false }', ', deleted: keep', 'keep'],
])('with %j and %j the row of a deleted contact is: %s', (more, sheet, deleted) => {
  const config = load(file({ more: `${more}\n`, mirrors: CONTACTS(sheet) }));
  expect(config.mirrors[0]).toMatchObject({ deleted });
});

test('rows that are kept and persons who are forgotten exclude each other', () => {
  const text = file({ more: 'privacy: { forget_deleted: true }\n', mirrors: CONTACTS(', deleted: keep') });
  expect(problemOf(text)).toMatchObject({ path: 'mirrors.contacts.sheet.deleted' });
  expect(problemOf(file({ more: 'privacy: { forget_deleted: maybe }\n' }))).toMatchObject({
    path: 'privacy.forget_deleted',
  });
});

// What the feed may still bring has to find what is known: 30 days, and some for clocks.
test.each([
  ['snapshots: 0s', 'privacy.keep.snapshots'],
  ['objects: 34d', 'privacy.keep.objects'],
  ['histories: 1h', 'privacy.keep.histories'],
  ['quarantine: forever', 'privacy.keep.quarantine'],
  ['dead_letters: 1d', 'privacy.keep.dead_letters'],
  ['intents: 34d', 'privacy.keep.intents'],
  ['snapshot: 90d', 'privacy.keep.snapshot'],
])('%s is refused', (line, path) => {
  expect(problemOf(file({ more: `privacy: { keep: { ${line} } }\n` }))).toMatchObject({ path, line: 4 });
});
