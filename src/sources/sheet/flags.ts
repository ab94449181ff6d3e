import type { BookingLanguage } from '../../domain/outside-booking.ts';

/** What is said of rows that are nobody's booking, in their status cell. */
export type Flag = 'copy' | 'foreign';

export const FLAGS: Readonly<Record<BookingLanguage, Readonly<Record<Flag, string>>>> = {
  en: {
    copy: 'Copy of another row: clear the ID cell to book it.',
    foreign:
      'The ID was changed or is from elsewhere: put it back, or clear the ID cell to book this row anew.',
  },
  ru: {
    copy: 'Копия другой строки: очистите ячейку с ID, чтобы записать её.',
    foreign:
      'ID изменён или взят из другого места: верните его или очистите ячейку с ID, чтобы записать эту строку заново.',
  },
};

/** In any language: the setting may have been another one when it was written. */
export function isFlag(text: string): boolean {
  return Object.values(FLAGS).some((ofLanguage) => Object.values(ofLanguage).includes(text));
}
