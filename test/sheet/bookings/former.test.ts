import { expect, test } from 'vitest';
import { formerOfCustomer } from '../../../src/sheet/booking-judge.ts';

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
  ['nothing is known of its customer', { missing: [], row: plain }, undefined],
  ['its answer was never shown', { missing: [unshown], row: plain }, 'b'],
  [
    'the row of the customer was deleted: typed again it is a new wish',
    { missing: [shown], row: plain },
    undefined,
  ],
  ['one was deleted, and another one never shown', { missing: [shown, unshown], row: plain }, 'b'],
  ['two were never shown', { missing: [unshown, other], row: plain }, 'ask'],
  ['it asks for the hour of its own appointment', { missing: [same], row: plain }, 'd'],
  [
    'it asks for the hour of one appointment, and another one was never shown',
    { missing: [unshown, same], row: plain },
    'd',
  ],
  ['it asks for the hour of two appointments of its own', { missing: [same, same], row: plain }, 'ask'],
  ['it shows an answer, and nothing is missing: it is a copy', { missing: [], row: answered }, undefined],
  ['it shows an answer that may be of the one', { missing: [shown], row: answered }, 'ask'],
  ['the same, and that was never shown', { missing: [unshown], row: answered }, 'ask'],
  ['the same, and it is of the same hour', { missing: [same], row: answered }, 'ask'],
  ['it cancels, and nothing is missing', { missing: [], row: cancelling }, undefined],
  [
    'it cancels, and the answer of the one that is missing was shown',
    { missing: [shown], row: cancelling },
    'ask',
  ],
  [
    'it cancels, and the answer of the one that is missing was never shown',
    { missing: [unshown], row: cancelling },
    'ask',
  ],
  ['it cancels the hour of its own appointment', { missing: [same, unshown], row: cancelling }, 'd'],
] as const)('a row without an id: %s', (_, { missing, row }, expected) => {
  expect(formerOfCustomer(missing, row)).toBe(expected);
});
