import type { RowNote, RowRefusal } from '../../../domain/row-edit.ts';

/** What stands beside a row whose cells people changed: whole sentences for a receptionist, without codes. Empty when there is nothing to say. */
export function noteText(
  { done, refused }: Pick<RowNote, 'done' | 'refused'>,
  language: 'en' | 'ru',
): string {
  const words = WORDS[language];
  const carried = done.length === 0 ? [] : [`${words.done} ${done.join(', ')}.`];
  const quoted = refused.filter(({ wrote }) => wrote !== undefined);
  const others = [...new Set(refused.map(({ code }) => code))].flatMap((code) => {
    const headers = refused.flatMap((each) =>
      each.code === code && !quoted.includes(each) ? [each.header] : [],
    );
    return headers.length === 0 ? [] : [`${words.not} ${headers.join(', ')}. ${words.why[code]}`];
  });
  for (const { header, code, wrote = '' } of quoted)
    others.push(`${words.not} ${header}. ${words.why[code]} ${words.wrote(wrote)}`);
  return [...carried, ...others].join('\n');
}

interface Words {
  readonly done: string;
  readonly not: string;
  readonly wrote: (text: string) => string;
  readonly why: Readonly<Record<RowRefusal, string>>;
}

const WORDS: Readonly<Record<'en' | 'ru', Words>> = {
  en: {
    done: 'Changed in the booking system:',
    not: 'Not changed:',
    wrote: (text) => `Somebody wrote: "${text}".`,
    why: {
      unknown: 'It is not known what this row said before. Please make the change again.',
      copied:
        'The id of this row stands in several rows. Please remove the copies, then make the change again.',
      unproven:
        'Neither name, phone nor e-mail of this row stayed as it was, so nothing shows whose row it is. Please change one cell at a time, or change it in the booking system.',
      elsewhere:
        'Another row says or said the same, as after sorting or copying cells. If it is meant, please change it in the booking system.',
      many: 'Too many rows were changed at once. Please change fewer, or change them in the booking system.',
      emptied: 'An emptied cell changes nothing. Please clear it in the booking system.',
      unreadable: 'The booking system cannot take this as it is written.',
      'changed-meanwhile': 'It was changed in the booking system in the meantime, and that counts.',
      'not-found': 'The booking system does not show this customer any more.',
      refused: 'The booking system refuses it.',
    },
  },
  ru: {
    done: 'Изменено в системе записи:',
    not: 'Не изменено:',
    wrote: (text) => `Было написано: «${text}».`,
    why: {
      unknown: 'Неизвестно, что стояло в этой строке раньше. Внесите, пожалуйста, изменение ещё раз.',
      copied:
        'Идентификатор этой строки стоит в нескольких строках. Удалите, пожалуйста, копии и внесите изменение ещё раз.',
      unproven:
        'Ни имя, ни телефон, ни почта в этой строке не остались прежними, и неясно, чья она. Меняйте, пожалуйста, по одной ячейке или измените данные в системе записи.',
      elsewhere:
        'То же самое стоит или стояло в другой строке, как после сортировки или копирования ячеек. Если так и нужно, измените это, пожалуйста, в системе записи.',
      many: 'Изменено слишком много строк сразу. Измените, пожалуйста, меньше строк или сделайте это в системе записи.',
      emptied: 'Пустая ячейка ничего не меняет. Очистите поле, пожалуйста, в системе записи.',
      unreadable: 'Система записи не может принять это в таком виде.',
      'changed-meanwhile': 'Тем временем это изменили в системе записи, и действует то значение.',
      'not-found': 'Система записи больше не показывает этого клиента.',
      refused: 'Система записи это не принимает.',
    },
  },
};
