// Whether Google keeps `\r\n` in a cell is not documented: a cell must count as written in both cases.
import { expect, test } from 'vitest';
import { holds, storable, toCellData } from '../../src/sheet/tab-survey.ts';

test.each(['a\r\nb', 'a\rb', 'a\nb'])(
  '%j is written with the line break that Google is known to keep',
  (text) => {
    expect(toCellData(text)).toEqual({ userEnteredValue: { stringValue: 'a\nb' } });
    expect(holds('a\nb', text)).toBe(true);
  },
);

test('what was written once is the same the next time', () => {
  expect(storable(storable('a\r\n\r\nb'))).toBe(storable('a\r\n\r\nb'));
  expect(storable('a\r\n\r\nb')).toBe('a\n\nb');
});
