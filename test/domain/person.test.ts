import { expect, test } from 'vitest';
import { matchesIn, type PersonTerms } from '../../src/domain/person.ts';

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

test('a hundred thousand digits and brackets are read in time that grows with them', () => {
  expect(matchesIn('1('.repeat(100_000), VERA)).toEqual([]);
});
