import { expect, test } from 'vitest';
import { formerOfCustomer } from '../../../src/sources/booking-sheet/former.ts';

const [shown, unshown, other, same] = [
  { id: 'a', isShown: true, isSame: false },
  { id: 'b', isShown: false, isSame: false },
  { id: 'c', isShown: false, isSame: false },
  { id: 'd', isShown: true, isSame: true },
];

test.each([
  ['nothing is known of its customer', [], false, undefined],
  ['its answer was never shown', [unshown], false, 'b'],
  ['the row of the customer was deleted: typed again it is a new wish', [shown], false, undefined],
  ['one was deleted, and another one never shown', [shown, unshown], false, 'b'],
  ['two were never shown', [unshown, other], false, 'ask'],
  ['it asks for the hour of its own appointment', [same], false, 'd'],
  ['it asks for the hour of one appointment, and another one was never shown', [unshown, same], false, 'd'],
  ['it asks for the hour of two appointments of its own', [same, same], false, 'ask'],
  ['it shows an answer, and nothing is missing: it is a copy', [], true, undefined],
  ['it shows an answer that may be of the one', [shown], true, 'ask'],
  ['the same, and that was never shown', [unshown], true, 'ask'],
  ['the same, and it is of the same hour', [same], true, 'ask'],
] as const)('a row without an id: %s', (_, missing, isAnswered, expected) => {
  expect(formerOfCustomer(missing, isAnswered)).toBe(expected);
});
