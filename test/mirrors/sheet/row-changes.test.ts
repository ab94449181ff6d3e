import { expect, test } from 'vitest';
import { rowChanges } from '../../../src/mirrors/sheet/target/row-changes.ts';

const DATE = { type: 'DATE', pattern: 'yyyy-mm-dd' } as const;

test.each([
  ['other cells', { hash: 'a' }, { hash: 'b' }, [{ field: 'cells' }]],
  [
    'the same cells in another format',
    { hash: 'a-1', formats: { Day: 'dd.mm.yyyy' } },
    { hash: 'a-2', formats: { Day: DATE } },
    [{ field: 'format of Day', old: 'dd.mm.yyyy', new: 'yyyy-mm-dd' }],
  ],
  [
    'a first format',
    { hash: 'a' },
    { hash: 'a-2', formats: { Day: DATE } },
    [{ field: 'format of Day', new: 'yyyy-mm-dd' }],
  ],
  ['a row that is in doubt', { hash: '' }, { hash: 'b' }, []],
  ['a row that is right', { hash: 'a' }, { hash: 'a' }, []],
])('%s', (_, link, row, fields) => {
  expect(rowChanges(link, row)).toEqual(fields);
});
