import { expect, test } from 'vitest';
import { isAbout, matchesIn, type PersonTerms, withoutPerson } from '../../src/domain/person.ts';

const VERA: PersonTerms = {
  ids: ['5b1f0c52-8d57-4b0c-9a55-7d7f3a1e0001'],
  phones: ['+7 495 000-11-01'],
  emails: ['Vera.Orlova@mail.example'],
  names: ['Vera Orlova', 'Ann'],
  hashes: ['0123456789abcdef'],
};

test.each([
  ['contact/5B1F0C52-8D57-4B0C-9A55-7D7F3A1E0001', ['id']],
  ['Call 8 (495) 000 11 01 before ten', ['phone']],
  ['{"phone":"+74950001101"}', ['phone']],
  ['8 495 000-11-01 2 persons', ['phone']],
  ['4000 8 495 000-11-01', ['phone']],
  ['1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 8 495 000 11 01', ['phone']],
  ['8 495 000\u201311\u201101', ['phone']],
  ['8\u202f495\u2009000 11 01', ['phone']],
  ['vera.orlova@MAIL.example', ['email']],
  ['Haircut, vera orlova', ['name']],
  ['row-trace:desk:0123456789abcdef', ['hash']],
  ['Vera Orlova, +74950001101', ['phone', 'name']],
  // Another number that only ends alike in part, a short name, a sum of money and a time are nobody.
  ['+7 495 000-11-02', []],
  ['Annual meeting', []],
  ['4950 roubles, 2026-05-04 10:00', []],
  ['', []],
])('%s is recognised by %j', (text, matches) => {
  expect(matchesIn(text, VERA)).toEqual(matches);
});

test.each([
  ['Two at 12.30: 8 (495) 000-11-01 (3)', 'Two at 12.30: … (3)'],
  ['30 8 495 000\u201311\u201101 40', '30 … 40'],
  ['+74950001101, +74950001102', '+…, +74950001102'],
  ['84950001101 84950001101', '… …'],
])('%j without the person is %j', (text, rest) => {
  expect(withoutPerson(text, VERA)).toBe(rest);
  expect(matchesIn(rest, VERA)).toEqual([]);
});

test.each([
  ['another keyboard', 'Андрей Семёнов'.normalize('NFD')],
  ['е for ё', 'АНДРЕЙ СЕМЕНОВ'],
])('a name from %s is found, and goes', (_, written) => {
  const terms = { ...VERA, names: ['Андрей Семёнов'] };
  expect(matchesIn(`Haircut, ${written}, 10:00`, terms)).toEqual(['name']);
  expect(isAbout(`${written} +74950001101`, terms)).toBe(true);
  expect(withoutPerson(`Haircut, ${written}, 10:00`, terms)).toBe('Haircut, …, 10:00');
});

test('a hundred thousand digits and brackets are read in time that grows with them', () => {
  expect(matchesIn('1('.repeat(100_000), VERA)).toEqual([]);
  expect(matchesIn('4950001102'.repeat(50_000), VERA)).toEqual([]);
  expect(withoutPerson('84950001101'.repeat(50_000), VERA)).toBe('…'.repeat(50_000));
});
