import { expect, test } from 'vitest';
import { formerOfCustomer } from '../../../src/sources/booking-sheet/former.ts';

const [shown, unshown, other] = [
  { id: 'a', isShown: true },
  { id: 'b', isShown: false },
  { id: 'c', isShown: false },
];

test.each([
  ['nothing is known of its customer', [], false, undefined],
  ['its answer was never shown', [unshown], false, 'b'],
  ['the row of the customer was deleted: typed again it is a new wish', [shown], false, undefined],
  ['one was deleted, and another one never shown', [shown, unshown], false, 'b'],
  ['two were never shown', [unshown, other], false, 'ask'],
  ['it shows an answer, and nothing is missing: it is a copy', [], true, undefined],
  ['it shows an answer that may be of the one', [shown], true, 'ask'],
  ['the same, and that was never shown', [unshown], true, 'ask'],
] as const)('a row without an id: %s', (_, missing, isAnswered, expected) => {
  expect(formerOfCustomer(missing, isAnswered)).toBe(expected);
});
