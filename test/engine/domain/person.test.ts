import { expect, test } from 'vitest';
import { isAbout, matchesIn, type PersonTerms, withoutPerson } from '../../../src/engine/person.ts';

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
  // Part of a longer number, address or name is somebody else's.
  ['+7 495 000-11-012', []],
  ['order 1649500011015', []],
  ['+14950001101', []],
  ['elvera.orlova@mail.example', []],
  ['de-vera.orlova@mail.example', []],
  ['vera.orlova@mail.example.org', []],
  ['vera.orlova@mail.example-two.org', []],
  ['Vera Orlovasky', []],
  ['Write to -vera.orlova@mail.example.', ['email']],
  ['"vera.orlova@mail.example"', ['email']],
  [JSON.stringify('Haircut\nVera Orlova\nvera.orlova@mail.example'), ['email', 'name']],
  ['0074950001101', ['phone']],
  ['tel:84950001101', ['phone']],
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
  ['at 10:30 4950001101', 'at 10:30 …'],
  ['at 10:38 4950001101', 'at 10:38 …'],
  ['at 10:07 495 000 11 01', 'at 10:07 …'],
  ['room 12, 007 495 000-11-01, +84950001101', 'room 12, …, +…'],
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

test.each([
  // A country code of two digits, dialled from abroad, at home and by its parts.
  [
    '+4930123456789',
    '00493012 3456789, 030 123456789, +49 (0)30 12345-6789, 30 123456789',
    '…, …, +49 (0)…, …',
  ],
  // The platform keeps a number as it is given if it cannot read it.
  ['4950001101', '84950001101, +74950001101, 8 495 000-11-01, 10:30 495 000-11-01', '…, +…, …, 10:30 …'],
  ['84950001101', '+7 495 000-11-01, +74950001101, 8 (495) 0001101', '+…, +…, …'],
  ['07911123456', '+44 7911 123456, 07911 123456, +447911123456', '+44 …, …, +…'],
])('the number %s is found however people write it, and goes with its prefix', (phone, text, rest) => {
  const terms = { ...VERA, phones: [phone] };
  for (const written of text.split(', ')) expect(matchesIn(written, terms)).toEqual(['phone']);
  expect(withoutPerson(text, terms)).toBe(rest);
});

test('a hundred thousand digits and brackets are read in time that grows with them', () => {
  expect(matchesIn('1('.repeat(100_000), VERA)).toEqual([]);
  expect(matchesIn('4950001102'.repeat(50_000), VERA)).toEqual([]);
  expect(withoutPerson('84950001101 '.repeat(50_000), VERA)).toBe('… '.repeat(50_000));
  expect(matchesIn('84950001101'.repeat(50_000), VERA)).toEqual([]);
});
