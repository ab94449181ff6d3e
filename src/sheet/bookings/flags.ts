import type { BookingLanguage } from '../../engine/domain/outside-booking.ts';

/** The status of rows that are not acted upon: each says what to do next. */
export type Flag = 'copy' | 'which' | 'lost' | 'foreign' | 'unbooked' | 'undecided';

/** The worker recognizes cells by these exact words: a changed word is no longer recognized where an earlier version wrote it. */
export const FLAGS: Readonly<Record<BookingLanguage, Readonly<Record<Flag, string>>>> = {
  en: {
    copy: 'Copy of another row: clear the ID cell to book it.',
    which:
      'Which of these rows is the appointment? Several have its ID, and all were changed. Clear the ID cell of each row that is a new booking.',
    lost: 'Is this row a new booking? Then write NEW into its ID cell. It looks like a row that lost its ID: if so, put the ID back.',
    foreign:
      'The ID was changed or is from elsewhere: put it back, or clear the ID cell to book this row anew.',
    unbooked: 'Not booked, so there is nothing to cancel. Clear the cancel cell to book this row.',
    undecided:
      'Not cancelled: is this row a copy, or the appointment of a row that is gone or was typed over? Clear the cancel cell to go on.',
  },
  ru: {
    copy: 'Копия другой строки: очистите ячейку с ID, чтобы записать её.',
    which:
      'Какая из этих строк относится к записи? Её ID стоит в нескольких, и все они изменены. Очистите ячейку с ID в каждой строке, которая является новой записью.',
    lost: 'Это новая запись? Тогда напишите NEW в ячейку с ID. Похоже, строка потеряла свой ID: если так, верните его.',
    foreign:
      'ID изменён или взят из другого места: верните его или очистите ячейку с ID, чтобы записать эту строку заново.',
    unbooked: 'Не записано, отменять нечего. Чтобы записать эту строку, очистите ячейку отмены.',
    undecided:
      'Не отменено: это копия или запись из строки, которая удалена или занята другим клиентом? Чтобы продолжить, очистите ячейку отмены.',
  },
};

/** Checks every language: the setting may have changed since the text was written. */
export function flagIn(text: string): Flag | undefined {
  const flags = Object.values(FLAGS).flatMap((ofLanguage) => Object.entries(ofLanguage));
  return flags.find(([, words]) => words === text)?.[0] as Flag | undefined;
}

export function isFlag(text: string): boolean {
  return flagIn(text) !== undefined;
}
