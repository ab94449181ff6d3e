import { expect, test } from 'vitest';
import { Lexer, parse } from 'yaml';
import { lineName } from '../../../src/engine/mirror.ts';
import { compileCondition } from '../../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../../src/mapping/load.ts';
import { checkTemplate } from '../../../src/mapping/render-check.ts';
import {
  addCalendars,
  extendYaml,
  readWrittenMap,
  type SetupAnswers,
  writeSetup,
} from '../../../src/mapping/setup/write-yaml.ts';

const ODD = 'Anna "the $HOME $1": # Petrova';
const answers: SetupAnswers = {
  baseUrl: 'https://api.example.com/v1',
  keyVariable: 'PLATFORM_API_KEY',
  publicUrl: 'https://bridge.example.com',
  credentials: './key.json',
  calendars: [
    { resource: { id: 'id-1', name: ODD }, calendarId: 'anna@clinic.example', isByItsId: false },
    { resource: { id: 'id-2', name: 'Boris\nmirrors: {}' }, calendarId: 'b@clinic.example', isByItsId: true },
    {
      resource: { id: 'id-4', name: `$${'{HOME}'}` },
      calendarId: 'c@clinic.example',
      isByItsId: false,
    },
  ],
  spreadsheet: 'book',
  tabs: [
    { mirror: 'contacts', tab: 'Contacts' },
    { mirror: 'appointments', tab: 'Appointments' },
  ],
  staffMoves: true,
};
const load = (text: string) =>
  loadConfig({ text, path: 'new.yaml' }, { PLATFORM_API_KEY: 'key' }, { checkTemplate, compileCondition });

test('what is written is in order, whatever people are called', () => {
  const { mirrors } = load(writeSetup(answers));
  const calendars = mirrors.flatMap((mirror) => (mirror.kind === 'calendar' ? mirror.calendars : []));
  expect(calendars.map((line) => [lineName(line).name, line.calendarId])).toEqual([
    [ODD, 'anna@clinic.example'],
    ['id-2', 'b@clinic.example'],
    ['id-4', 'c@clinic.example'],
  ]);
  expect(mirrors.map(({ name }) => name)).toEqual(['staff-calendars', 'contacts', 'appointments']);
});

test.each([
  ['calendars alone', { ...answers, tabs: [] }],
  ['tabs alone', { ...answers, calendars: [] }],
  ['no public address, events of staff put back', { ...answers, publicUrl: undefined, staffMoves: false }],
])('%s is in order', (_, some) => {
  expect(() => load(writeSetup(some as SetupAnswers))).not.toThrow();
});

test('the YAML takes Redis, host and port from the environment, where the image sets them', () => {
  const env = { PLATFORM_API_KEY: 'key', REDIS_URL: 'redis://redis:6379', HOST: '0.0.0.0', PORT: '9000' };
  const at = (given: NodeJS.ProcessEnv) =>
    loadConfig(
      { text: writeSetup({ ...answers, publicUrl: 'http://127.0.0.1:8123' }), path: 'new.yaml' },
      given,
      {
        checkTemplate,
        compileCondition,
      },
    );
  expect(at(env)).toMatchObject({
    redis: { url: 'redis://redis:6379' },
    http: { host: '0.0.0.0', port: 9000 },
  });
  expect(at({ PLATFORM_API_KEY: 'key' }).http).toMatchObject({ host: '127.0.0.1', port: 8123 });
});

const OLD = `# ours
mirrors:
  staff:
    from: appointments
    calendars:
      map:
          "Anna": anna@clinic.example   # the boss
          Boris:
            id: Boris@clinic.example
            show: busy  # seen by all

    # below the map
    event: { title: "{{ id }}" }
`;
const added = [
  { resource: { id: 'id-3', name: 'Clara' }, calendarId: 'clara@clinic.example', isByItsId: false },
];

test('a calendar is added after the last one, and every other character stays', () => {
  const text = addCalendars(OLD, added) ?? '';
  const line = '\n          "Clara": "clara@clinic.example"  # id-3';
  expect(text.replace(line, '')).toBe(OLD);
  expect(text.indexOf(line)).toBe(OLD.indexOf('\n', OLD.indexOf('show: busy')));
});

test('a map in one line is left to people', () => {
  expect(addCalendars('mirrors: { a: { calendars: { map: { A: a@b.example } } } }\n', added)).toBeUndefined();
});

const NEW = {
  calendars: [],
  staffMoves: false,
  tabs: answers.tabs,
  spreadsheet: 'book',
  publicUrl: undefined,
};

test.each([
  ['at the end of the file', 'mirrors:\n  staff: {}\n'],
  ['before another group, behind a comment', 'mirrors:\n    staff: {} # all\n    # until here\n\nlog: {}\n'],
  [
    'behind a text of lines, right before another group',
    'mirrors:\n  staff:\n    t: |\n      one\nlog: {}\n',
  ],
  [
    'behind a text of several lines',
    'mirrors:\n  staff:\n    event: { a: b }\n    t: |\n      one\n\n      two\n\n\nlog: {}\n',
  ],
  ['behind a list, without a last line break', 'mirrors:\n   staff:\n      a:\n      - b\n      - c: d'],
])('mirrors are added %s, and every other character stays', (_, before) => {
  const { text, added: lines, byHand } = extendYaml(before, NEW, ['staff']);
  expect(byHand).toEqual([]);
  expect(lines).toHaveLength(20);
  const block = `\n${lines.join('\n')}`;
  expect(text.replace(block, '')).toBe(before);
  const { mirrors, log } = parse(text) as { mirrors: object; log: unknown };
  expect(Object.keys(mirrors)).toEqual(['staff', 'contacts', 'appointments']);
  expect(log).toEqual(before.includes('log') ? {} : undefined);
  expect(Object.values(mirrors)[0]).toEqual(Object.values((parse(before) as { mirrors: object }).mirrors)[0]);
});

test('what has no place is left to people: groups in one line, an address beside other settings of the webhook', () => {
  const before = 'platform:\n  webhook: { max_body: 1mb }\nmirrors: { contacts: {} }\n';
  const publicUrl = 'https://bridge.example.com';
  const { text, byHand } = extendYaml(before, { ...NEW, publicUrl }, ['contacts']);
  expect(text).toBe(before);
  expect(byHand.map(({ where }) => where)).toEqual(['under mirrors', 'under platform']);
  expect(byHand[0]?.lines[0]).toBe('  contacts-2:  # one row per object');
});

test.each([
  ['with everything', { ...answers, keyDefault: 'sandbox-key', googleUrl: 'http://127.0.0.1:4020' }],
  ['on this machine', { ...answers, publicUrl: 'http://127.0.0.1:9090' }],
  ['without an address', { ...answers, publicUrl: undefined, staffMoves: false }],
  ['with a further account', { ...answers, accounts: [{ name: 'branch', credentials: './branch.json' }] }],
])('each line of what is written has one comment, and what is written stays short: %s', (_, some) => {
  const text = writeSetup(some as SetupAnswers);
  const comments: number[] = [0];
  for (const token of new Lexer().lex(text)) {
    if (token === '\n') comments.push(0);
    else if (token.startsWith('#')) comments[comments.length - 1] = (comments.at(-1) ?? 0) + 1;
  }
  const lines = text.split('\n').map((line, at) => `${comments[at]} ${line}`);
  expect(lines.filter((line) => line !== '0 ' && !line.startsWith('1 '))).toEqual([]);
  expect(text.length).toBeLessThan(4_000);
});

test('what is mapped already is known by name and calendar', () => {
  const { resources, calendars } = readWrittenMap(OLD);
  expect([...resources]).toEqual([
    ['Anna', new Set(['anna@clinic.example'])],
    ['Boris', new Set(['boris@clinic.example'])],
  ]);
  expect([...calendars]).toEqual(['anna@clinic.example', 'boris@clinic.example']);
});
