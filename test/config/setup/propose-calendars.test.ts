import { expect, test } from 'vitest';
import { proposeCalendars } from '../../../src/config/setup/propose-calendars.ts';

const people = (...names: readonly string[]) => names.map((name, at) => ({ id: `r${at}`, name }));
const seen = (...ids: readonly (string | [string, string])[]) =>
  ids.map((each) => (typeof each === 'string' ? { id: each } : { id: each[0], name: each[1] }));

test.each([
  ['the calendar has the name', 'Anna Petrova', ['x1@group.calendar.google.com', 'Petrova Anna'], 'sure'],
  ['the name is in a longer one', 'Room 1', ['x1@group.calendar.google.com', 'Clinic: room 1'], 'sure'],
  ['the address is the name', 'Anna Petrova', ['anna.petrova@clinic.example', ''], 'sure'],
  ['the address is the name in one word', 'Room 1', ['room1@group.calendar.google.com', ''], 'sure'],
  ['another alphabet', 'Анна Петрова', ['petrova.anna@clinic.example', ''], 'sure'],
  ['accents', 'Zoé Müller', ['zoe.muller@clinic.example', ''], 'sure'],
  ['an initial', 'Anna Petrova', ['apetrova@clinic.example', ''], 'likely'],
  ['one word of the name', 'Anna Petrova', ['anna@clinic.example', ''], 'likely'],
] as const)('%s', (_, name, [id, summary], confidence) => {
  const calendars = [
    { id, name: summary },
    { id: 'nobody@clinic.example', name: 'Holidays' },
  ];
  const { pairs, open } = proposeCalendars(people(name), calendars);
  expect(pairs.map(({ calendar, confidence: how }) => [calendar.id, how])).toEqual([[id, confidence]]);
  expect(open).toEqual([]);
});

test.each([
  ['nothing fits', people('Anna'), seen('boris@clinic.example'), ['no calendar fits the name']],
  ['a part of a word is no fit', people('Ann'), seen('anna@clinic.example'), ['no calendar fits the name']],
  [
    'two people with one name',
    people('Anna Petrova', 'Anna Petrova'),
    seen('anna.petrova@clinic.example'),
    ['2 resources have this name', '2 resources have this name'],
  ],
  [
    'one calendar for two people',
    people('Anna Petrova', 'Anna Sokolova'),
    seen('anna@clinic.example'),
    ['anna@clinic.example fits Anna Sokolova as well', 'anna@clinic.example fits Anna Petrova as well'],
  ],
  [
    'two calendars for one person',
    people('Anna Petrova'),
    seen('anna.petrova@clinic.example', 'anna.petrova@old.example'),
    ['anna.petrova@clinic.example and anna.petrova@old.example fit equally'],
  ],
  ['a name without letters', people('***'), seen('a@clinic.example'), ['no calendar fits the name']],
] as const)('%s: left open, with the reason', (_, resources, calendars, reasons) => {
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
