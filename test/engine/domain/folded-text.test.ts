import { describe, expect, test } from 'vitest';
import { takesEvent } from '../../../src/engine/event-rule.ts';
import { foldedText, namedAlike } from '../../../src/engine/plain-text.ts';
import { columnsHeaded } from '../../../src/engine/sheet-row.ts';

describe('what looks the same to people is the same', () => {
  test.each([
    [
      "Men's cut",
      'Men\u2019s cut',
      'Men\u02bcs cut',
      'Men\u2018s  CUT',
      'Men`s cut',
      'Men\u00b4s cut',
      'men\u2032s cut',
      'Men\uff07s cut',
    ],
    ["О'бʼєм", 'о’б’єм'],
    [
      'Cut - colour',
      'Cut \u2013 colour',
      'Cut \u2014 colour',
      'Cut \u2011 colour',
      'Cut \u2212 colour',
      'Cut \u2010\u00a0colour',
      'Cut \uff0d colour',
    ],
    [
      'First line second',
      'First\nline\r\nsecond',
      'First\u2028line\u2029second',
      'First\tline\u000bsecond',
      ' First\u00a0line\u202fsecond\u3000',
      'First\u0085line\u2009second',
    ],
    ['Café', 'Cafe\u0301', 'CAFE\u0301', 'Caf\u00e9\ufe0f'],
    ['йод', 'и\u0306од', 'Й\u200bод'],
    [
      'Vera',
      'V\u200be\u200dr\u2060a\ufeff',
      '\u200eVera\u200f',
      '\u202aVera\u202c',
      '\u2067Vera\u2069',
      'Ve\u00adra',
      'Ve\u034fra',
      '\u061cVera',
    ],
    ['«Spa»', '"spa"', '“Spa”', '„SPA‟'],
    ['Straße', 'STRASSE', 'strasse'],
    ['ışık', 'IŞIK'],
    ['İstanbul', 'istanbul'],
    ['Room 1', 'Ｒｏｏｍ　１'],
    ['ΟΔΟΣ', 'οδος'],
    ['office', 'oﬃce'],
    ['wait…', 'Wait...'],
  ])('%s', (...alike) => {
    expect(new Set(alike.map(foldedText)).size).toBe(1);
  });

  test.each([
    ['Haircut', 'Hair cut'],
    ['Cut-colour', 'Cut - colour'],
    ['Cut', 'Cuts'],
    ['е', 'ё'],
    ['x', 'х'],
    ['Room 1', 'Room 2'],
    ['cafe', 'café'],
  ])('%s and %s are two', (one, other) => {
    expect(foldedText(one)).not.toBe(foldedText(other));
  });

  test('folding again changes nothing', () => {
    for (let code = 1; code < 0x3000; code += 1) {
      const text = `a${String.fromCodePoint(code)}b`;
      expect(foldedText(foldedText(text))).toBe(foldedText(text));
    }
  });
});

test('of names that look the same, the one that is written so is meant', () => {
  const names = ['HAIRCUT', 'Haircut', 'Colour'];
  const alike = (name: string) => namedAlike(names, name, (each) => each);
  expect(alike(' Haircut ')).toEqual(['Haircut']);
  expect(alike('haircut')).toEqual(['HAIRCUT', 'Haircut']);
  expect(alike('colour')).toEqual(['Colour']);
  expect(alike('Cut')).toEqual([]);
});

test('a header in several lines is found, and one that is written so comes first', () => {
  expect(columnsHeaded(['Phone\nnumber', 'Name'], 'Phone number')).toEqual([0]);
  expect(columnsHeaded(['Phone number', 'Name'], 'Phone\nnumber')).toEqual([0]);
  expect(columnsHeaded(['name', 'Name', 'NAME'], 'Name')).toEqual([1]);
  expect(columnsHeaded(['name', 'NAME'], 'Name')).toEqual([0, 1]);
  expect(columnsHeaded(['Client\u2019s\u00a0name'], "Client's name")).toEqual([0]);
  expect(columnsHeaded(['Name'], 'Phone')).toEqual([]);
});

describe('a rule takes a title that looks as it says', () => {
  test.each([
    '#book Vera',
    '#book\u00a0Vera',
    '#book\u202fVera',
    '#Book\u3000Vera',
    '\u200e#book Vera',
    '#bo\u200bok Vera',
    '＃book Vera',
    '#book\nVera',
  ])('%j', (title) => {
    expect(takesEvent({ title: '#book *' }, { title })).toBe(true);
  });

  test('but no other one', () => {
    expect(takesEvent({ title: '#book *' }, { title: '#bookVera' })).toBe(false);
    expect(takesEvent({ title: '#book *' }, { title: '# book Vera' })).toBe(false);
  });

  test('and of addresses only the very one: another that looks like it is a stranger’s', () => {
    const rule = { organizers: ["o'brien@agency.example", '@agency.example'] };
    const from = (invitedBy: string) => takesEvent(rule, { invitedBy });
    expect(from('Vera@Agency.example')).toBe(true);
    expect(from('vera@ａgency.example')).toBe(false);
    expect(takesEvent({ creators: ["o'brien@a.example"] }, { creator: 'o\u2019brien@a.example' })).toBe(
      false,
    );
  });
});
