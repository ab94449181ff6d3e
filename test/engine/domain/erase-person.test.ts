import { describe, expect, test } from 'vitest';
import { isAbout, type PersonTerms, withoutPerson } from '../../../src/engine/person.ts';

const TERMS: PersonTerms = {
  ids: ['9e1d0c77-7d8e-43a9-b2a1-0fd1f6a3c955'],
  phones: ['+74950001101'],
  emails: ['vera@home.example'],
  names: ['Vera Orlova'],
  hashes: [],
};

describe('a text is about the person', () => {
  test.each([
    ['an id', 'x 9E1D0C77-7d8e-43a9-b2a1-0fd1f6a3c955', true],
    ['number and name', 'Orlova Vera, 8 (495) 000-11-01', true],
    ['address and name', 'for vera orlova: VERA@home.example', true],
    ['number, and a cell with a part of the name', 'Haircut\nVera\n+7 495 000-11-01', true],
    ['number, and a field with a part of the name', '{"name":"Vera","phone":"+74950001101"}', true],
    ['number and surname of a relative', 'Ivan Orlova, 8 (495) 000-11-01', false],
    ['number and cell of a relative', 'Ivan Orlova\n8 (495) 000-11-01', false],
    ['number and a longer name', 'Veranika Orlovash 8 (495) 000-11-01', false],
    ['a number alone: families share it', '8 (495) 000-11-01 Ivan', false],
    ['a name alone', 'Vera Orlova', false],
    ['somebody else', 'Oleg +74950002202', false],
  ])('by %s: %s is %s', (_, text, is) => {
    expect(isAbout(text, TERMS)).toBe(is);
  });

  test('where no name is known, the number has to do', () => {
    expect(isAbout('8 495 000 11 01', { ...TERMS, names: [] })).toBe(true);
  });

  test('P7: where no name is known, an address or number that only contains theirs is somebody else', () => {
    const nameless = { ...TERMS, names: [] };
    expect(isAbout('mail elvera@home.example', nameless)).toBe(false);
    expect(isAbout('mail vera@home.example.org', nameless)).toBe(false);
    expect(isAbout('order 1649500011015', nameless)).toBe(false);
    expect(isAbout('mail vera@home.example.', nameless)).toBe(true);
  });

  test('in JSON, a line of a longer text is read as a line', () => {
    expect(isAbout(JSON.stringify('Haircut\nVera Orlova\n+7 495 000-11-01'), TERMS)).toBe(true);
    expect(isAbout(JSON.stringify('Haircut\nVera\nvera@home.example'), TERMS)).toBe(true);
    expect(isAbout(JSON.stringify('Mail:\nvera@home.example'), { ...TERMS, names: [] })).toBe(true);
  });

  test.each([
    ['Orlova Vera, 8 (495) 000-11-01', true],
    ['Vera\n+7 495 000-11-01', false],
    ['Vera\nvera@home.example', true],
  ])('where others have the number, too: %j is %s', (text, is) => {
    expect(isAbout(text, { ...TERMS, shared: ['+74950001101'] })).toBe(is);
  });

  test('where others have the number and no name is known, nothing is', () => {
    expect(isAbout('+74950001101', { ...TERMS, names: [], shared: ['+74950001101'] })).toBe(false);
  });
});

describe('without the person', () => {
  test.each([
    ['Call VERA ORLOVA, +7 (495) 000-11-01!', 'Call …, +…!'],
    ['vera@home.example; Vera@Home.example', '…; …'],
    ['Orlova wants tea', '… wants tea'],
    ['id 9E1D0C77-7D8E-43A9-B2A1-0FD1F6A3C955.', 'id ….'],
    [
      'Vera with Veronika and orlovash, elvera@home.example',
      '… with Veronika and orlovash, elvera@home.example',
    ],
    ['Oleg +74950002202, room 12', 'Oleg +74950002202, room 12'],
    [
      'm.v@b.example, am.v@b.example, a.m.v@b.example, m.v@b.example.org',
      '…, am.v@b.example, a.m.v@b.example, m.v@b.example.org',
    ],
    // Longer in lower case: places in it would not agree.
    ['İ Vera Orlova', 'İ …'],
    ['', ''],
  ])('%j becomes %j', (text, rest) => {
    expect(withoutPerson(text, { ...TERMS, emails: [...TERMS.emails, 'm.v@b.example'] })).toBe(rest);
  });
});
