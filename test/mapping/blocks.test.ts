import { expect, test } from 'vitest';
import { accountsOf } from '../../src/mapping/accounts.ts';
import { configChanges } from '../../src/mapping/changes.ts';
import { file, load, MIRRORS, problemOf, problemsOf, STAFF } from './fixture.ts';

const CONTACT = '5B0C0000-0000-4000-8000-00000000B10C';
const entry = (lines = '', name = 'private-time') => `  ${name}:
    service: Busy
    contact: ${CONTACT}
    people: { "Anna Petrova": [anna.private@example.com, anna.private@example.com, family@group.example] }
    hours: { mon_fri: "9:00-18:00", wed: ["09:00-12:00", "13:00-24:00"], sat: "10:00-14:00" }
${lines}`;
const withBlocks = (text: string) => file({ more: `blocks:\n${text}` });

test('an entry says whose calendars, when, and which events', () => {
  expect(load(withBlocks(entry())).blocks).toEqual([
    {
      name: 'private-time',
      service: 'Busy',
      contactId: CONTACT.toLowerCase(),
      people: [
        {
          resource: 'Anna Petrova',
          calendars: [{ calendarId: 'anna.private@example.com' }, { calendarId: 'family@group.example' }],
        },
      ],
      hours: {
        ...{ 1: [[540, 1_080]], 2: [[540, 1_080]], 4: [[540, 1_080]], 5: [[540, 1_080]] },
        ...{
          3: [
            [540, 720],
            [780, 1_440],
          ],
          6: [[600, 840]],
          7: [],
        },
      },
      busy: {
        ...{ free: false, declined: false, tentative: true, unanswered: false },
        ...{ allDay: true, outOfOffice: true, shortestMs: 0, paddingMs: 0 },
      },
      ...{ horizonMs: 30 * 86_400_000, everyMs: 60_000, paused: false },
    },
  ]);
});

test('there are none unless the file has them, and the edit of one is told by its name', () => {
  const [none, some] = [load(file({})), load(withBlocks(entry()))];
  expect(none.blocks).toEqual([]);
  expect(configChanges(none, some)).toEqual(['entry of blocks private-time added']);
});

test.each([
  [
    'hours that end before they begin',
    entry().replace('"10:00-14:00"', '"14:00-10:00"'),
    /are not hours of a day/,
  ],
  ['an hour that no day has', entry().replace('"10:00-14:00"', '"10:00-25:00"'), /are not hours of a day/],
  ['a minute that no hour has', entry().replace('"10:00-14:00"', '"10:60-14:00"'), /are not hours of a day/],
  ['no hours at all', entry().replace(/hours: \{[^}]*\}/, 'hours: {}'), /names no hours/],
  ['a contact by its name', entry().replace(CONTACT, 'House'), /is not the id of a contact/],
  [
    'a calendar that is none',
    entry().replace('family@group.example', 'family'),
    /is not the id of a calendar/,
  ],
  ['a horizon beyond all bounds', entry('    horizon: 400d\n'), /is too long/],
  ['a name with blanks', entry('', 'private time'), /other characters than letters/],
  ['nobody', entry().replace(/people: \{[^}]*\}/, 'people: {}'), /has no person/],
])('%s is refused, with what to write', (_, text, what) => {
  expect(problemOf(withBlocks(text))).toMatchObject({
    what: expect.stringMatching(what),
    fix: expect.any(String),
  });
});

test('one person stands in one entry: two would book over each other', () => {
  const twice = entry() + entry('', 'others').replace('"Anna Petrova"', '"anna petrova"');
  expect(problemOf(withBlocks(twice))).toMatchObject({
    path: 'blocks.others.people."anna petrova"',
    what: 'is also in private-time',
  });
});

test('what is missing is told all at once', () => {
  const paths = problemsOf(withBlocks('  private-time: { horizon: 7d }\n')).map(({ path }) => path);
  expect(paths.sort()).toEqual(
    ['contact', 'hours', 'people', 'service'].map((key) => `blocks.private-time.${key}`),
  );
});

const ACCOUNTS = `google:
  credentials: office.json
  accounts: { branch: { act_as: branch@clinic.example } }
`;
const withPeople = (people: string, mirrors = MIRRORS) =>
  file({ more: `${ACCOUNTS}blocks:\n${entry().replace(/people: \{[^}]*\}/, `people: ${people}`)}`, mirrors });

test('a private calendar is read by the account that it names, or that its mirror names', () => {
  const people = '{ "Anna Petrova": [own@example.com, { id: Family@group.example, account: branch }] }';
  const of = accountsOf(load(withPeople(people)));
  expect(['own@example.com', 'family@group.example'].map((id) => of(`calendar:${id}`))).toEqual([
    undefined,
    'branch',
  ]);
  const mirrored = STAFF.replace('anna@clinic.example', '{ id: anna@clinic.example, account: branch }');
  const shared = load(withPeople('{ "Anna Petrova": ANNA@clinic.example }', MIRRORS + mirrored));
  expect(accountsOf(shared)('calendar:anna@clinic.example')).toBe('branch');
});

test.each([
  [
    'one',
    '{ "Anna Petrova": { id: own@example.com, account: brunch } }',
    'blocks.private-time.people."Anna Petrova".account',
  ],
  [
    'of a list',
    '{ "Anna Petrova": [a@example.com, { id: own@example.com, account: brunch }] }',
    'blocks.private-time.people."Anna Petrova"[1].account',
  ],
])('an account that there is not is refused: %s', (_, people, path) => {
  expect(problemsOf(withPeople(people)).find((each) => each.path === path)).toMatchObject({
    what: 'is not an account of google.accounts',
    fix: expect.stringContaining('branch'),
  });
});

test('one calendar has one account', () => {
  const mirrored = STAFF.replace('anna@clinic.example', '{ id: anna@clinic.example, account: branch }');
  const other = withPeople(
    '{ "Anna Petrova": { id: anna@clinic.example, account: boss } }',
    MIRRORS + mirrored,
  );
  const text = other.replace('accounts: {', 'accounts: { boss: { act_as: boss@clinic.example },');
  expect(problemOf(text).what).toMatch(/^the same calendar has a different account in /);
});
