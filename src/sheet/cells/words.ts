import type { CarriedField, RowNote, RowRefusal, SheetCarry } from '../../engine/domain/row-edit.ts';

/**
 * The answer beside a row whose cells users changed: whole sentences for a receptionist, without codes. Empty when there is nothing to say.
 */
export function noteText(
  { done: carriedBefore, refused: refusedBefore, held = [] }: Pick<RowNote, 'done' | 'refused' | 'held'>,
  { language, columns }: Pick<SheetCarry, 'language' | 'columns'>,
): string {
  const words = WORDS[language];
  const fieldOf = (header: string): CarriedField | undefined =>
    columns.find((column) => column.header === header)?.field;
  const isHeld = (header: string) => held.some((edit) => edit.header === header);
  const done = carriedBefore.filter((header) => !isHeld(header));
  const refused = refusedBefore.filter(({ header }) => !isHeld(header));
  const waiting = held.map(
    ({ header, text }) => `${words.waits(header)}${text === '' ? '' : ` ${words.wrote(quoted(text))}`}`,
  );
  const [moved, cancelled] = (['start', 'cancel'] as const).map((field) =>
    done.some((header) => fieldOf(header) === field),
  );
  const changed = done.filter((header) => !['start', 'cancel'].includes(fieldOf(header) ?? ''));
  const carried = [
    ...(moved === true ? [words.moved] : []),
    ...(cancelled === true ? [words.cancelled] : []),
    ...(changed.length === 0 ? [] : [`${words.done} ${changed.join(', ')}.`]),
  ];
  const own = refused.filter(({ wrote, said }) => wrote !== undefined || said !== undefined);
  const others = [...new Set(refused.map(({ code }) => code))].flatMap((code) => {
    const headers = refused.flatMap((each) =>
      each.code === code && !own.includes(each) ? [each.header] : [],
    );
    return headers.length === 0 ? [] : [`${words.not} ${headers.join(', ')}. ${words.why[code]}`];
  });
  for (const { header, code, wrote, said } of own) {
    const isPhone = code === 'unreadable' && fieldOf(header) === 'phone';
    const why = said ?? `${words.not} ${header}. ${isPhone ? words.phone : words.why[code]}`;
    others.push(wrote === undefined ? why : `${why}${said === undefined ? ' ' : '\n'}${words.wrote(wrote)}`);
  }
  return [...carried, ...waiting, ...others].join('\n');
}

/** Longest quotation of a user's text in an answer. */
const QUOTED_CHARS_MAX = 100;

export function quoted(text: string): string {
  return [...text].slice(0, QUOTED_CHARS_MAX).join('');
}

interface Words {
  /** A change that waits for a person. */
  readonly waits: (header: string) => string;
  readonly done: string;
  readonly moved: string;
  readonly cancelled: string;
  readonly not: string;
  readonly wrote: (text: string) => string;
  /** A number that could be two people's, or nobody's. */
  readonly phone: string;
  readonly why: Readonly<Record<RowRefusal, string>>;
}

const WORDS: Readonly<Record<'en' | 'ru', Words>> = {
  en: {
    waits: (header) =>
      `Not changed yet: ${header}. Much was typed within an hour, so a person is asked first. You need not type it again.`,
    done: 'Changed in the booking system:',
    moved: 'Moved in the booking system.',
    cancelled: 'Cancelled in the booking system.',
    not: 'Not changed:',
    wrote: (text) => `Somebody wrote: "${text}".`,
    phone:
      "Please write the phone number with its country code and an apostrophe before it ('+49 170 1234567). It cannot be read for certain as it is written.",
    why: {
      unknown: 'It is not known what this row said before. Please make the change again.',
      copied:
        'The id of this row stands in several rows. Please remove the copies, then make the change again.',
      unproven:
        'Neither name, phone nor e-mail of this row stayed as it was, so nothing shows whose row it is. Please change one cell at a time, or change it in the booking system.',
      mixed:
        'Other cells of this row were changed as well, so nothing shows whose row it is. Please change one cell at a time, or change it in the booking system.',
      again:
        'Another row says the same hour, or the row beside it nearly so, as after dragging or copying cells. If it is meant, please write it once more.',
      ticks:
        'Several rows were ticked at once. Please tick one row, and wait for its answer before the next one.',
      renewed: 'This row was just being rewritten. Please make the change again.',
      'no-start':
        'Please write a date with an hour, in whole minutes, as it stands in the other rows of this column.',
      'no-tick': 'Only a tick cancels an appointment. Please write yes to cancel it.',
      'only-shown': 'Only the start can be changed here. Please change the rest in the booking system.',
      past: 'This time has already passed.',
      started: 'The appointment has already begun.',
      'not-movable': 'This appointment can no longer be moved.',
      'not-cancellable': 'This appointment can no longer be cancelled.',
      elsewhere:
        'Another row says or said the same, as after sorting or copying cells. If it is meant, please change it in the booking system.',
      many: 'Too many rows were changed at once. Please change fewer, or change them in the booking system.',
      emptied: 'An emptied cell changes nothing. Please change it in the booking system.',
      unreadable: 'The booking system cannot take this as it is written.',
      'changed-meanwhile': 'It was changed in the booking system in the meantime, and that counts.',
      'not-found': 'The booking system no longer shows this.',
      refused: 'The booking system refuses it.',
      'mass-edit-declined':
        'Much was typed within an hour, and a person declined this. If it is meant, please write it again.',
    },
  },
  ru: {
    waits: (header) =>
      `Пока не изменено: ${header}. За час введено много, поэтому сначала спросят человека. Повторять не нужно.`,
    done: 'Изменено в системе записи:',
    moved: 'Перенесено в системе записи.',
    cancelled: 'Отменено в системе записи.',
    not: 'Не изменено:',
    phone:
      "Напишите номер телефона с кодом страны и апострофом перед ним ('+49 170 1234567). В этом виде его нельзя прочитать однозначно.",
    wrote: (text) => `Было написано: «${text}».`,
    why: {
      unknown: 'Неизвестно, что стояло в этой строке раньше. Внесите, пожалуйста, изменение ещё раз.',
      copied:
        'Идентификатор этой строки стоит в нескольких строках. Удалите, пожалуйста, копии и внесите изменение ещё раз.',
      unproven:
        'Ни имя, ни телефон, ни почта в этой строке не остались прежними, и неясно, чья она. Меняйте, пожалуйста, по одной ячейке или измените данные в системе записи.',
      mixed:
        'В этой строке изменены и другие ячейки, и неясно, чья она. Меняйте, пожалуйста, по одной ячейке или измените данные в системе записи.',
      again:
        'В другой строке стоит то же время, а в соседней почти то же, как после протягивания или копирования ячеек. Если так и нужно, напишите, пожалуйста, ещё раз.',
      ticks:
        'Отмечено несколько строк сразу. Отметьте, пожалуйста, одну строку и дождитесь ответа, прежде чем отмечать следующую.',
      renewed: 'В эту самую минуту строка записывалась заново. Внесите, пожалуйста, изменение ещё раз.',
      'no-start':
        'Напишите, пожалуйста, дату и время с точностью до минуты, как в других строках этого столбца.',
      'no-tick': 'Визит отменяется только отметкой. Напишите «да», чтобы отменить.',
      'only-shown': 'Здесь можно изменить только начало. Остальное измените, пожалуйста, в системе записи.',
      past: 'Это время уже прошло.',
      started: 'Визит уже начался.',
      'not-movable': 'Этот визит уже нельзя перенести.',
      'not-cancellable': 'Этот визит уже нельзя отменить.',
      elsewhere:
        'То же самое стоит или стояло в другой строке, как после сортировки или копирования ячеек. Если так и нужно, измените это, пожалуйста, в системе записи.',
      many: 'Изменено слишком много строк сразу. Измените, пожалуйста, меньше строк или сделайте это в системе записи.',
      emptied: 'Пустая ячейка ничего не меняет. Измените это, пожалуйста, в системе записи.',
      unreadable: 'Система записи не может принять это в таком виде.',
      'changed-meanwhile': 'Тем временем это изменили в системе записи, и действует то значение.',
      'not-found': 'Система записи этого больше не показывает.',
      refused: 'Система записи это не принимает.',
      'mass-edit-declined':
        'За час введено много, и человек это отклонил. Если так и нужно, напишите, пожалуйста, ещё раз.',
    },
  },
};
