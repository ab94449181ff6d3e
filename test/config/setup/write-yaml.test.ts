import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import {
  addCalendars,
  readWrittenMap,
  type SetupAnswers,
  writeSetup,
} from '../../../src/config/setup/write-yaml.ts';
import { lineName } from '../../../src/domain/mirror.ts';
import { compileCondition } from '../../../src/mirrors/filter/condition.ts';
import { checkTemplate } from '../../../src/mirrors/render/check.ts';

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

test('what is mapped already is known by name and calendar', () => {
  const { resources, calendars } = readWrittenMap(OLD);
  expect([...resources]).toEqual([
    ['Anna', new Set(['anna@clinic.example'])],
    ['Boris', new Set(['boris@clinic.example'])],
  ]);
  expect([...calendars]).toEqual(['anna@clinic.example', 'boris@clinic.example']);
});
