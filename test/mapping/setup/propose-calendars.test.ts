import { expect, test } from 'vitest';
import { proposeCalendars } from '../../../src/mapping/setup/write-yaml.ts';

const people = (...names: readonly string[]) => names.map((name, at) => ({ id: `r${at}`, name }));
const seen = (...ids: readonly (string | [string, string])[]) =>
  ids.map((each) => (typeof each === 'string' ? { id: each } : { id: each[0], name: each[1] }));

test.each([
  [
    'the calendar has the name',
    { name: 'Anna Petrova', calendar: ['x1@group.calendar.google.com', 'Petrova Anna'] },
    'sure',
  ],
  [
    'the name is in a longer one',
    { name: 'Room 1', calendar: ['x1@group.calendar.google.com', 'Clinic: room 1'] },
    'sure',
  ],
  [
    'the address is the name',
    { name: 'Anna Petrova', calendar: ['anna.petrova@clinic.example', ''] },
    'sure',
  ],
  [
    'the address is the name in one word',
    { name: 'Room 1', calendar: ['room1@group.calendar.google.com', ''] },
    'sure',
  ],
  ['another alphabet', { name: 'Анна Петрова', calendar: ['petrova.anna@clinic.example', ''] }, 'sure'],
  ['accents', { name: 'Zoé Müller', calendar: ['zoe.muller@clinic.example', ''] }, 'sure'],
  ['an initial', { name: 'Anna Petrova', calendar: ['apetrova@clinic.example', ''] }, 'likely'],
  ['one word of the name', { name: 'Anna Petrova', calendar: ['anna@clinic.example', ''] }, 'likely'],
] as const)('%s', (_, { name, calendar: [id, summary] }, confidence) => {
  const calendars = [
    { id, name: summary },
    { id: 'nobody@clinic.example', name: 'Holidays' },
  ];
  const { pairs, open } = proposeCalendars(people(name), calendars);
  expect(pairs.map(({ calendar, confidence: how }) => [calendar.id, how])).toEqual([[id, confidence]]);
  expect(open).toEqual([]);
});

test.each([
  [
    'nothing fits',
    { resources: people('Anna'), calendars: seen('boris@clinic.example') },
    ['no calendar fits the name'],
  ],
  [
    'a part of a word is no fit',
    { resources: people('Ann'), calendars: seen('anna@clinic.example') },
    ['no calendar fits the name'],
  ],
  [
    'two people with one name',
    { resources: people('Anna Petrova', 'Anna Petrova'), calendars: seen('anna.petrova@clinic.example') },
    ['2 resources have this name', '2 resources have this name'],
  ],
  [
    'one calendar for two people',
    { resources: people('Anna Petrova', 'Anna Sokolova'), calendars: seen('anna@clinic.example') },
    ['anna@clinic.example fits Anna Sokolova as well', 'anna@clinic.example fits Anna Petrova as well'],
  ],
  [
    'two calendars for one person',
    {
      resources: people('Anna Petrova'),
      calendars: seen('anna.petrova@clinic.example', 'anna.petrova@old.example'),
    },
    ['anna.petrova@clinic.example and anna.petrova@old.example fit equally'],
  ],
  [
    'a name without letters',
    { resources: people('***'), calendars: seen('a@clinic.example') },
    ['no calendar fits the name'],
  ],
] as const)('%s: left open, with the reason', (_, { resources, calendars }, reasons) => {
  const { pairs, open } = proposeCalendars(resources, calendars);
  expect(pairs).toEqual([]);
  expect(open.map(({ why }) => why)).toEqual(reasons);
});

test('a better fit elsewhere frees nobody else: the full name wins over the first name', () => {
  const resources = people('Anna Petrova', 'Boris Ivanov');
  const calendars = seen('anna.petrova@clinic.example', 'anna@clinic.example', 'b.ivanov@clinic.example');
  const { pairs } = proposeCalendars(resources, calendars);
  expect(pairs.map(({ calendar }) => calendar.id)).toEqual([
    'anna.petrova@clinic.example',
    'b.ivanov@clinic.example',
  ]);
});
