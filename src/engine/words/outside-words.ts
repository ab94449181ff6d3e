import type { UnclearCode } from '../outside/extract.ts';

/** Texts in rows and events about bookings made there, besides the platform's refusals. Whole sentences, without codes. */
export type OutsideWords = Readonly<Record<OutsideWord, string>>;

export type OutsideWord =
  | UnclearCode
  | 'ask-us'
  | 'invited-too-often'
  | 'mass-booking'
  | 'mass-booking-declined'
  | 'booked'
  | 'cancelled'
  | 'differs'
  | 'differs-cancelled'
  | 'not-expressible'
  | 'nothing-to-cancel'
  | 'other-customer'
  | 'other-cancelled'
  | 'perhaps-booked'
  | 'perhaps-booked-unnamed'
  | 'platform-overruled';

export const OUTSIDE_WORDS: Readonly<Record<'en' | 'ru', OutsideWords>> = {
  en: {
    booked: 'Booked.',
    cancelled: 'Cancelled.',
    differs:
      'Not moved: this row differs from its appointment in time or resource, and it is not known which is right. If the appointment is right, write its time and resource into this row. If this row is right, move the appointment in the booking system.',
    'differs-cancelled':
      'Not booked again: the time of this row is not that of its cancelled appointment. To book this row, write NEW into its ID cell.',
    'not-expressible':
      'Only time and resource can be changed here. Please change the rest in the booking system.',
    'nothing-to-cancel':
      'Nothing was booked from this row, so nothing is cancelled. To book it, clear its cancel cell.',
    'other-customer':
      'Not booked for this customer: the appointment of this row is for another customer and stays as it is. To change it, put that customer back into this row. To book this row for its own customer, clear its ID cell.',
    'other-cancelled':
      'Not booked: the appointment of this row was for another customer, and is cancelled. To book this row for its own customer, clear its ID cell, and its cancel cell if that is ticked.',
    'perhaps-booked':
      'Not booked: this customer has an appointment that a row of this spreadsheet booked, and no row has its ID. If this row is that appointment, clear its ID cell. If it is another booking, write NEW into its ID cell.',
    'perhaps-booked-unnamed':
      'Not booked: this customer has an appointment that a row of this spreadsheet booked, and no row has its ID. If this row is another booking, write NEW into its ID cell. Otherwise change the appointment in the booking system.',
    'platform-overruled':
      'The appointment had been moved in the booking system in the meantime; the time of this row counts.',
    'ask-us': 'This cannot be booked or changed from here. Please contact us directly.',
    'invited-too-often':
      'Not booked: too many appointments were asked for within an hour. Please change this event later to try again.',
    'mass-booking':
      'Not booked yet: many rows came at once, so a person is asked first. You need not enter it again.',
    'mass-booking-declined':
      'Not booked: many rows came at once, and a person declined this one. Any change to the row asks again.',
    recurring: 'Not booked: a series of events cannot be booked. Please enter the appointments one by one.',
    'series-too-long': 'Not booked: this series has too many events. Please let it end earlier.',
    'read-too-late':
      'Not booked: this time had passed before the event could be looked at. Please book in the booking system directly.',
    'written-late': 'Not booked: this time had passed when it was written. Please choose another one.',
    'start-missing': 'Not booked: please write a start time.',
    'start-unreadable': 'Not booked: please give day and time of the appointment.',
    'service-missing': 'Not booked: please say which service.',
    'service-unknown': 'Not booked: there is no service of this name.',
    'service-ambiguous': 'Not booked: several services have this name.',
    'resource-unknown': 'Not booked: no person or room has this name.',
    'resource-ambiguous': 'Not booked: several people or rooms have this name.',
    'branch-unknown': 'Not booked: there is no branch of this name.',
    'branch-ambiguous': 'Not booked: several branches have this name.',
    'duration-unreadable': 'Not booked: please give the length in whole minutes.',
    'guests-unreadable': 'Not booked: please give the number of guests as a whole number.',
    'contact-unreadable':
      'Not booked: this is no id of a customer’s card. Please copy it from the booking system, or leave it empty and give a phone number.',
    'phone-unreadable':
      "Not booked: this phone number cannot be read for certain. Please write it with its country code, and in a sheet with an apostrophe before it: '+49 170 1234567.",
    'ready-unclear':
      'It is not clear whether to book this row. Please write yes to book it, or clear that cell.',
    'cancel-unclear': 'It is not clear whether to cancel. Please write yes to cancel, or clear that cell.',
    'formula-error': 'A formula in this row shows no value. Please correct it, or write the value itself.',
    'template-failed':
      'Not booked: what is written here could not be read. Please tell the person who manages this calendar or sheet.',
  },
  ru: {
    booked: 'Записано.',
    cancelled: 'Отменено.',
    differs:
      'Не перенесено: время или ресурс в этой строке не те, что в записи, и неизвестно, что верно. Если верна запись, впишите её время и ресурс в строку. Если верна строка, перенесите запись в системе записи.',
    'differs-cancelled':
      'Повторно не записано: время в этой строке не то, что в отменённой записи. Чтобы записать эту строку, напишите NEW в ячейку с ID.',
    'not-expressible':
      'Здесь можно изменить только время и сотрудника или кабинет. Остальное измените, пожалуйста, в системе записи.',
    'nothing-to-cancel':
      'Из этой строки ничего не записано, отменять нечего. Чтобы записать её, очистите ячейку отмены.',
    'other-customer':
      'Этот клиент не записан: запись из этой строки сделана на другого клиента и остаётся без изменений. Чтобы изменить её, верните того клиента в строку. Чтобы записать клиента из строки, очистите ячейку с ID.',
    'other-cancelled':
      'Не записано: запись из этой строки была на другого клиента и отменена. Чтобы записать клиента из строки, очистите ячейку с ID и, если она отмечена, ячейку отмены.',
    'perhaps-booked':
      'Не записано: у этого клиента есть запись, сделанная из строки этой таблицы, и её ID нет ни в одной строке. Если это она, очистите ячейку с ID. Если это другая запись, напишите NEW в ячейку с ID.',
    'perhaps-booked-unnamed':
      'Не записано: у этого клиента есть запись, сделанная из строки этой таблицы, и её ID нет ни в одной строке. Если это другая запись, напишите NEW в ячейку с ID. Иначе измените ту запись в системе записи.',
    'platform-overruled': 'Визит тем временем перенесли в системе записи; действует время из этой строки.',
    'ask-us': 'Отсюда записать или изменить это нельзя. Свяжитесь, пожалуйста, с нами напрямую.',
    'invited-too-often':
      'Не записано: слишком много записей за один час. Чтобы попробовать снова, измените это событие позже.',
    'mass-booking':
      'Пока не записано: пришло сразу много строк, поэтому сначала спросят человека. Вносить снова не нужно.',
    'mass-booking-declined':
      'Не записано: пришло сразу много строк, и человек эту отклонил. Любая правка строки спросит ещё раз.',
    recurring: 'Не записано: повторяющееся событие записать нельзя. Внесите, пожалуйста, визиты по одному.',
    'series-too-long': 'Не записано: в этой серии слишком много событий. Закончите её, пожалуйста, раньше.',
    'read-too-late':
      'Не записано: это время прошло, прежде чем событие удалось прочитать. Запишите, пожалуйста, прямо в системе записи.',
    'written-late': 'Не записано: это время прошло, когда его записали. Выберите, пожалуйста, другое.',
    'start-missing': 'Не записано: укажите время начала.',
    'start-unreadable': 'Не записано: укажите день и время визита.',
    'service-missing': 'Не записано: укажите услугу.',
    'service-unknown': 'Не записано: услуги с таким названием нет.',
    'service-ambiguous': 'Не записано: услуг с таким названием несколько.',
    'resource-unknown': 'Не записано: сотрудника или кабинета с таким названием нет.',
    'resource-ambiguous': 'Не записано: сотрудников или кабинетов с таким названием несколько.',
    'branch-unknown': 'Не записано: филиала с таким названием нет.',
    'branch-ambiguous': 'Не записано: филиалов с таким названием несколько.',
    'duration-unreadable': 'Не записано: укажите длительность целым числом минут.',
    'guests-unreadable': 'Не записано: укажите число гостей целым числом.',
    'contact-unreadable':
      'Не записано: это не ID карточки клиента. Скопируйте его из системы записи или оставьте пустым и укажите телефон.',
    'phone-unreadable':
      "Не записано: этот номер телефона нельзя прочитать однозначно. Напишите его с кодом страны, а в таблице — с апострофом перед ним: '+49 170 1234567.",
    'ready-unclear':
      'Непонятно, записывать ли эту строку. Напишите «да», чтобы записать, или очистите ячейку.',
    'cancel-unclear': 'Непонятно, отменять ли запись. Напишите «да», чтобы отменить, или очистите ячейку.',
    'formula-error': 'Формула в этой строке не даёт значения. Исправьте её или впишите само значение.',
    'template-failed': 'Не записано: написанное не удалось прочитать. Сообщите, пожалуйста, ответственному.',
  },
};

/** Checks every language: the setting may have changed since the text was written. */
export function isAppointmentWord(text: string): boolean {
  return Object.values(OUTSIDE_WORDS).some(({ booked, cancelled }) => text === booked || text === cancelled);
}
