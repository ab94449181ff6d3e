import { expect, test } from 'vitest';
import { formerOfCustomer } from '../../../src/sources/booking-sheet/former.ts';

const [shown, unshown, other, same] = [
  { id: 'a', isShown: true, isSame: false },
  { id: 'b', isShown: false, isSame: false },
  { id: 'c', isShown: false, isSame: false },
  { id: 'd', isShown: true, isSame: true },
];

const [plain, answered, cancelling] = [
  { isAnswered: false, isCancelling: false },
  { isAnswered: true, isCancelling: false },
  { isAnswered: false, isCancelling: true },
];

test.each([
  ['nothing is known of its customer', [], plain, undefined],
  ['its answer was never shown', [unshown], plain, 'b'],
  ['the row of the customer was deleted: typed again it is a new wish', [shown], plain, undefined],
  ['one was deleted, and another one never shown', [shown, unshown], plain, 'b'],
  ['two were never shown', [unshown, other], plain, 'ask'],
  ['it asks for the hour of its own appointment', [same], plain, 'd'],
  ['it asks for the hour of one appointment, and another one was never shown', [unshown, same], plain, 'd'],
  ['it asks for the hour of two appointments of its own', [same, same], plain, 'ask'],
  ['it shows an answer, and nothing is missing: it is a copy', [], answered, undefined],
  ['it shows an answer that may be of the one', [shown], answered, 'ask'],
  ['the same, and that was never shown', [unshown], answered, 'ask'],
  ['the same, and it is of the same hour', [same], answered, 'ask'],
  ['it cancels, and nothing is missing', [], cancelling, undefined],
  ['it cancels, and the answer of the one that is missing was shown', [shown], cancelling, 'ask'],
  ['it cancels, and the answer of the one that is missing was never shown', [unshown], cancelling, 'ask'],
  ['it cancels the hour of its own appointment', [same, unshown], cancelling, 'd'],
] as const)('a row without an id: %s', (_, missing, row, expected) => {
  expect(formerOfCustomer(missing, row)).toBe(expected);
});
