import { expect, test } from 'vitest';
import { isRowId, isSaidNew } from '../../../src/engine/ids.ts';
import { anyRowId } from '../../stand/row-ids.ts';

test('an id that the worker made for a spreadsheet is known as such, without any memory', () => {
  const ids = Array.from({ length: 200 }, () => anyRowId('book'));
  expect(new Set(ids).size).toBe(200);
  expect(ids.every((id) => isRowId(id, 'book'))).toBe(true);
  expect(ids.every((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))).toBe(true);
});

test('an id says whether a person has called its row a new booking', () => {
  for (let i = 0; i < 200; i += 1) {
    const [plain, said] = [anyRowId('book'), anyRowId('book', true)];
    expect([isSaidNew(plain), isSaidNew(said)]).toEqual([false, true]);
    expect(isRowId(said, 'book')).toBe(true);
  }
});

test('an id of another spreadsheet, one with another digit, and any other text are none', () => {
  const id = anyRowId('book');
  expect(isRowId(id, 'copy-of-book')).toBe(false);
  for (let at = 0; at < id.length; at += 1) {
    if (id[at] === '-') continue;
    const typo = id.slice(0, at) + (id[at] === '1' ? '2' : '1') + id.slice(at + 1);
    expect(isRowId(typo, 'book'), typo).toBe(false);
  }
  for (const text of ['', '17', 'Total', `${id} `]) expect(isRowId(text, 'book')).toBe(false);
});
