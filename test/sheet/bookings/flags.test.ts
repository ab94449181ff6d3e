import { expect, test } from 'vitest';
import { isAppointmentWord } from '../../../src/engine/booking-answer.ts';
import { flagIn } from '../../../src/sheet/tab-reading.ts';

// Texts that 0.2.0 wrote into status cells. One that an update does not recognise would stay in a row that people have put right.
test.each([
  ['copy', 'Copy of another row: clear the ID cell to book it.'],
  [
    'foreign',
    'The ID was changed or is from elsewhere: put it back, or clear the ID cell to book this row anew.',
  ],
  ['copy', 'Копия другой строки: очистите ячейку с ID, чтобы записать её.'],
  [
    'foreign',
    'ID изменён или взят из другого места: верните его или очистите ячейку с ID, чтобы записать эту строку заново.',
  ],
])('a flag that 0.2.0 has written is still known as %s', (flag, text) => {
  expect(flagIn(text)).toBe(flag);
});

test.each(['Booked.', 'Cancelled.', 'Записано.', 'Отменено.'])(
  'what 0.2.0 said of an appointment is still its own word: %s',
  (text) => {
    expect(isAppointmentWord(text)).toBe(true);
  },
);
