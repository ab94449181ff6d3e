import { expect, test } from 'vitest';
import { rowChanges } from '../../src/sheet/target.ts';

const DATE = { type: 'DATE', pattern: 'yyyy-mm-dd' } as const;

test.each([
  ['other cells', { link: { hash: 'a' }, row: { hash: 'b' } }, [{ field: 'cells' }]],
  [
    'the same cells in another format',
    { link: { hash: 'a-1', formats: { Day: 'dd.mm.yyyy' } }, row: { hash: 'a-2', formats: { Day: DATE } } },
    [{ field: 'format of Day', old: 'dd.mm.yyyy', new: 'yyyy-mm-dd' }],
  ],
  [
    'a first format',
    { link: { hash: 'a' }, row: { hash: 'a-2', formats: { Day: DATE } } },
    [{ field: 'format of Day', new: 'yyyy-mm-dd' }],
  ],
  [
    'another format beside one that is right',
    {
      link: { hash: 'a-1', formats: { Day: DATE.pattern, Due: 'dd.mm.yyyy' } },
      row: { hash: 'a-2', formats: { Day: DATE, Due: DATE } },
    },
    [{ field: 'format of Due', old: 'dd.mm.yyyy', new: 'yyyy-mm-dd' }],
  ],
  ['a row that is in doubt', { link: { hash: '' }, row: { hash: 'b' } }, []],
  ['a row that is right', { link: { hash: 'a' }, row: { hash: 'a' } }, []],
])('%s', (_, { link, row }, fields) => {
  expect(rowChanges(link, row)).toStrictEqual(fields);
});
