import type { BEHAVIOURS, KeyCode } from './carry-write.ts';
import type { NoteCode } from './decide-edit.ts';
import type { UnclearCode } from './extract-booking.ts';
import type { BookingAnswer, BookingLanguage, FreeSlot, Refusal } from './outside-booking.ts';
import { readLocal } from './zone-local.ts';

const ru: Words = {
  refusals: {
    'slot-unavailable': 'Не получилось: это время уже занято.',
    'off-grid': 'Не получилось: это время свободно, но запись в эту минуту не начинается.',
    'outside-working-hours': 'Не получилось: это нерабочее время.',
    'starts-at-in-past': 'Не получилось: это время уже прошло.',
    'no-resources': 'Не получилось: в этом филиале услугу никто не оказывает.',
    'appointment-not-reschedulable': 'Не перенесено: этот визит уже нельзя перенести.',
    'appointment-not-cancellable': 'Не отменено: этот визит уже нельзя отменить.',
    'service-inactive':
      'Не перенесено: услуга больше не оказывается. Визит можно только оставить или отменить.',
    'invalid-duration': 'Не записано: услугу нельзя забронировать на такое время.',
    'too-many-guests': 'Не записано: слишком много гостей для этой услуги.',
    'service-not-found': 'Не записано: такая услуга не оказывается.',
    'branch-not-found': 'Не записано: в этот филиал записи нет.',
    'branch-id-required': 'Не записано: укажите филиал.',
    'resource-not-eligible':
      'Не получилось: выбранный сотрудник или кабинет не оказывает эту услугу в этом филиале.',
    'contact-not-found': 'Не записано: карточка клиента не найдена.',
    'customer-unknown': 'Не записано: укажите телефон клиента.',
    'moved-meanwhile': 'Не перенесено: визит тем временем перенесли в системе записи.',
    'not-found': 'Не изменено: система записи не показывает этот визит.',
    conflict: 'Невозможно: это противоречит тому, что сейчас есть в системе записи.',
    validation: 'Не принято: проверьте введённые данные.',
    'bad-request': 'Система записи не приняла запрос. Запишите, пожалуйста, прямо в ней.',
    forbidden: 'Для этого подключения не разрешено. Запишите, пожалуйста, прямо в системе записи.',
    unknown: 'Система записи отказала. Запишите, пожалуйста, прямо в ней.',
  },
  fields: 'Проверьте:',
  freeTimes: 'Ближайшее свободное время:',
  fieldNames: {
    starts_at: 'начало',
    duration_min: 'длительность',
    guests_count: 'число гостей',
    customer_name: 'имя',
    customer_phone: 'телефон',
    customer_email: 'эл. почта',
    name: 'имя',
    phone: 'телефон',
    email: 'эл. почта',
    comment: 'комментарий',
    reason: 'причина',
  },
};

const en: Words = {
  refusals: {
    'slot-unavailable': 'Not possible: this time is already taken.',
    'off-grid': 'Not possible: this time is free, but no booking starts at this minute.',
    'outside-working-hours': 'Not possible: this is outside working hours.',
    'starts-at-in-past': 'Not possible: this time has already passed.',
    'no-resources': 'Not possible: nobody in this branch provides the service.',
    'appointment-not-reschedulable': 'Not moved: this appointment can no longer be moved.',
    'appointment-not-cancellable': 'Not cancelled: this appointment can no longer be cancelled.',
    'service-inactive':
      'Not moved: the service is no longer offered. The appointment can only be kept or cancelled.',
    'invalid-duration': 'Not booked: the service cannot be booked for this length of time.',
    'too-many-guests': 'Not booked: too many guests for this service.',
    'service-not-found': 'Not booked: this service is not offered.',
    'branch-not-found': 'Not booked: this branch is not open for bookings.',
    'branch-id-required': 'Not booked: please say in which branch.',
    'resource-not-eligible':
      'Not possible: the chosen person or room does not provide this service in this branch.',
    'contact-not-found': 'Not booked: the customer’s card was not found.',
    'customer-unknown': 'Not booked: please give the phone number of the customer.',
    'moved-meanwhile': 'Not moved: the appointment was moved in the booking system in the meantime.',
    'not-found': 'Not changed: the booking system does not show this appointment.',
    conflict: 'Not possible: it contradicts what the booking system holds now.',
    validation: 'Not accepted: please check what was entered.',
    'bad-request': 'Not accepted by the booking system. Please book there directly.',
    forbidden: 'Not permitted for this connection. Please book in the booking system directly.',
    unknown: 'Refused by the booking system. Please book there directly.',
  },
  fields: 'Please check:',
  freeTimes: 'Nearest free times:',
  fieldNames: {
    starts_at: 'start',
    duration_min: 'length',
    guests_count: 'number of guests',
    customer_name: 'name',
    customer_phone: 'phone',
    customer_email: 'e-mail',
    name: 'name',
    phone: 'phone',
    email: 'e-mail',
    comment: 'comment',
    reason: 'reason',
  },
};

export type Language = 'en' | 'ru';

export const WORDS: Readonly<Record<Language, Words>> = { en, ru };

interface Audience {
  readonly language: Language;
  /** IANA zone for refusals that do not carry their branch's zone. */
  readonly zone: string;
  /** What people call a resource; without a name, only the time is shown. */
  readonly resourceName?: (resourceId: string) => string | undefined;
}

/** A refusal for the person who asked: one sentence, the fields to check, and the free times in the branch's zone, one per line. */
export function refusalText(refusal: Refusal, told: Audience, own?: string): string {
  const words = WORDS[told.language];
  const lines = [own ?? sentence(refusal.code, words)];
  const fields = (refusal.fields ?? []).map((field) => fieldName(field, words));
  if (fields.length > 0) lines.push(`${words.fields} ${[...new Set(fields)].join(', ')}.`);
  if (refusal.slots.length > 0) {
    const zone = refusal.zone ?? told.zone;
    lines.push(words.freeTimes, ...refusal.slots.map((slot) => `– ${freeSlotText(slot, zone, told)}`));
  }
  return lines.join('\n');
}

/** For example `Tue, 3 March 2026, 10:00, Anna Petrova`. */
function freeSlotText(slot: FreeSlot, zone: string, told: Omit<Audience, 'zone'>): string {
  const time = readLocal(slot.startsAt, zone).setLocale(told.language).toFormat('ccc, d MMMM yyyy, HH:mm');
  const name = told.resourceName?.(slot.resourceId);
  return name === undefined ? time : `${time}, ${name}`;
}

function sentence(code: string, words: Words): string {
  const word = Object.hasOwn(words.refusals, code) ? (code as RefusalWord) : 'unknown';
  return words.refusals[word];
}

function fieldName(field: string, words: Words): string {
  return Object.hasOwn(words.fieldNames, field) ? words.fieldNames[field as FieldName] : field;
}

/** Codes with a sentence of their own: every code that refuses, and `unknown` for all other codes. */
type RefusalWord = Exclude<keyof typeof BEHAVIOURS, KeyCode> | 'unknown';

/** Everything that the worker says to people about a refusal, in one language. */
interface Words {
  /** Whole sentences for a receptionist, without codes. */
  readonly refusals: Readonly<Record<RefusalWord, string>>;
  /** Precedes the names of the fields that were not accepted. */
  readonly fields: string;
  /** Precedes the free times. */
  readonly freeTimes: string;
  /** Names of the platform's fields in this language; other fields appear as they are. */
  readonly fieldNames: Readonly<Record<FieldName, string>>;
}

/** The fields that a wish fills. */
type FieldName =
  | 'starts_at'
  | 'duration_min'
  | 'guests_count'
  | 'customer_name'
  | 'customer_phone'
  | 'customer_email'
  | 'name'
  | 'phone'
  | 'email'
  | 'comment'
  | 'reason';

export interface Speech {
  readonly language: BookingLanguage;
  /** IANA zone for refusals that do not carry their branch's zone. */
  readonly zone: string;
  readonly resourceName: (id: string) => string | undefined;
}

/** An empty answer: it removes whatever the answer said before. */
export function silent(state: BookingAnswer['state']): BookingAnswer {
  return { state, text: '' };
}

/** A row may be a copy that includes another row's answer. Whoever cancels it reads that it booked nothing. */
export function ignoredAnswer(code: string, { language }: Speech): BookingAnswer {
  if (code !== 'cancelled-here') return silent('ignored');
  return { state: 'ignored', text: OUTSIDE_WORDS[language]['nothing-to-cancel'] };
}

export function refusedAnswer(refusal: Refusal, speech: Speech): BookingAnswer {
  const { standing } = refusal;
  const shown = standing && { ...standing, startsAt: new Date(standing.startsAt).toISOString() };
  return { state: 'refused', text: sentenceOf(refusal, speech), ...shown };
}

/** Answers for an existing appointment, and says what could not be done about it. */
export function appointmentAnswer(
  appointment: { readonly appointmentId: string; readonly startsAt: string; readonly isCancelled: boolean },
  speech: Speech,
  hindrance?: Refusal,
): BookingAnswer {
  const { appointmentId, startsAt, isCancelled } = appointment;
  const state = isCancelled ? 'cancelled' : 'booked';
  const words = OUTSIDE_WORDS[speech.language][state];
  const text = hindrance === undefined ? words : `${words} ${sentenceOf(hindrance, speech)}`;
  return { state, text, appointmentId, startsAt: new Date(startsAt).toISOString() };
}

/** For a row that names somebody else: the text must not present the appointment as the row's own. */
export function othersAppointmentAnswer(
  { appointmentId, startsAt, isCancelled }: Parameters<typeof appointmentAnswer>[0],
  speech: Speech,
): BookingAnswer {
  if (isCancelled) return { state: 'cancelled', text: OUTSIDE_WORDS[speech.language]['other-cancelled'] };
  const text = OUTSIDE_WORDS[speech.language]['other-customer'];
  return { state: 'booked', text, appointmentId, startsAt: new Date(startsAt).toISOString() };
}

/** Codes about the hour or the event itself. Any other code could reveal who is a customer, who works here or what is offered. */
const SAID_TO_OTHERS: ReadonlySet<string> = new Set([
  ...['slot-unavailable', 'outside-working-hours', 'starts-at-in-past', 'read-too-late', 'start-unreadable'],
  ...['recurring', 'series-too-long', 'moved-meanwhile', 'not-expressible', 'appointment-not-reschedulable'],
  ...['duration-unreadable', 'guests-unreadable', 'invited-too-often'],
  ...['start-missing', 'written-late'],
]);

/** The refusal as an outside organizer reads it: it says nothing about people. `Speech` decides whether to name resources. */
export function refusalForOthers({ code, slots, zone }: Refusal): Refusal {
  if (!SAID_TO_OTHERS.has(code)) return { code: 'ask-us', slots: [] };
  return { code, slots, ...(zone !== undefined && { zone }) };
}

function sentenceOf(refusal: Refusal, speech: Speech): string {
  const words: Readonly<Record<string, string>> = OUTSIDE_WORDS[speech.language];
  const own = Object.hasOwn(words, refusal.code) ? words[refusal.code] : undefined;
  return refusalText(refusal, speech, own);
}

/** Texts in rows and events about bookings made there, besides the platform's refusals. Whole sentences, without codes. */
type OutsideWords = Readonly<Record<OutsideWord, string>>;

type OutsideWord =
  | UnclearCode
  | 'ask-us'
  | 'invited-too-often'
  | 'mass-booking'
  | 'mass-booking-declined'
  | 'booked'
  | 'cancelled'
  | 'differs'
  | 'differs-cancelled'
  | 'exchanged'
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
    exchanged:
      'Not changed: this row exchanged its time or resource with other rows, or went back to what it said before. If one column was sorted alone, or an older version restored, please correct that. To change these appointments, change one row after the other.',
    'contact-unreadable':
      'Not booked: this is no id of a customer’s card. Please copy it from the booking system, or leave it empty and give a phone number.',
    'phone-unreadable':
      "Not booked: this phone number cannot be read for certain. Please write it with its country code, and in a sheet with an apostrophe before it: '+49 170 1234567.",
    'ready-unclear':
      'It is not clear whether to book this row. Please write yes to book it, or clear that cell.',
    'cancel-unclear': 'It is not clear whether to cancel. Please write yes to cancel, or clear that cell.',
    'formula-error': 'A formula in this row shows no value. Please correct it, or write the value itself.',
    'start-changes':
      'Nothing is booked or moved: the start is a formula that changes by itself, such as TODAY() or NOW(). Please write the time itself.',
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
    exchanged:
      'Не изменено: эта строка обменялась временем или ресурсом с другими или вернулась к прежнему виду. Если один столбец отсортировали отдельно или восстановили старую версию, исправьте это. Чтобы изменить эти записи, меняйте строки по одной.',
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
    'start-changes':
      'Ничего не записано и не перенесено: время начала задано формулой, которая меняется сама, например TODAY() или NOW(). Впишите само время.',
    'template-failed': 'Не записано: написанное не удалось прочитать. Сообщите, пожалуйста, ответственному.',
  },
};

/** Checks every language: the setting may have changed since the text was written. */
export function isAppointmentWord(text: string): boolean {
  return Object.values(OUTSIDE_WORDS).some(({ booked, cancelled }) => text === booked || text === cancelled);
}

export type NoteWords = Readonly<Record<NoteCode, string>>;

/** Texts of notes in restored events: whole sentences for a receptionist, without codes. */
export const NOTE_WORDS: Readonly<Record<'en' | 'ru', NoteWords>> = {
  en: {
    past: 'Not moved: this time has already passed.',
    started: 'Not moved: the appointment has already begun.',
    'not-movable': 'Not moved: this appointment can no longer be moved.',
    'all-day': 'Not moved: an appointment needs a time of day.',
    series: 'Not repeated: an appointment happens once. Please book further appointments one by one.',
    duration: 'The length was put back: how long an appointment lasts is set in the booking system.',
    'not-expressible':
      'The text was put back: only the time and the person or room can be changed here. Please change the rest in the booking system.',
    'moved-meanwhile':
      'Not changed: the appointment was moved in the booking system in the meantime, or in another calendar.',
    'moved-late':
      'Not moved to the other calendar: the event had been put back here before that calendar could be read. Please move it again.',
    'moved-otherwise':
      'Moved again: at the same time somebody chose another hour in another calendar of this appointment. That one counts.',
    'other-branch': 'Not moved: this calendar belongs to another branch.',
    'nobodys-calendar': 'Not moved: appointments of this kind are not kept in that calendar.',
    'copy-stands':
      'Not cancelled: a copy of this event still stands in a calendar. To move the appointment, please drag this event; to cancel it, delete both.',
    'second-resource':
      'Not moved: only the calendar of the person who is booked can be changed here. Please change the rest in the booking system.',
    'team-calendar':
      'Not moved: that calendar is shared by several people. Please move it to the calendar of the person who is meant, or choose the person in the booking system.',
    'only-shown':
      'Not cancelled: this calendar only shows the appointment. Please cancel it in the calendar of the person who is booked, or in the booking system.',
    'class-shown':
      'Put back: this event shows a class with all its bookings. Please move or cancel them in the booking system.',
    'class-too-many':
      'Not moved: this class has too many bookings to be moved at once. Please move them in the booking system.',
    'class-hidden':
      'Not moved: this calendar does not show all bookings of the class, or would not at that hour. Please move them in the booking system.',
  },
  ru: {
    past: 'Не перенесено: это время уже прошло.',
    started: 'Не перенесено: визит уже начался.',
    'not-movable': 'Не перенесено: этот визит уже нельзя перенести.',
    'all-day': 'Не перенесено: у визита должно быть время начала.',
    series: 'Не повторяется: визит бывает один раз. Следующие визиты запишите, пожалуйста, по одному.',
    duration: 'Длительность возвращена: её задаёт система записи.',
    'not-expressible':
      'Текст возвращён: здесь можно изменить только время и сотрудника или кабинет. Остальное измените, пожалуйста, в системе записи.',
    'moved-meanwhile': 'Не изменено: визит тем временем перенесли в системе записи или в другом календаре.',
    'moved-late':
      'Не перенесено в другой календарь: событие вернули сюда раньше, чем тот календарь удалось прочитать. Перенесите его, пожалуйста, ещё раз.',
    'moved-otherwise':
      'Перенесено ещё раз: в то же время в другом календаре этого визита выбрали другой час. Действует он.',
    'other-branch': 'Не перенесено: этот календарь относится к другому филиалу.',
    'nobodys-calendar': 'Не перенесено: такие визиты в том календаре не ведутся.',
    'copy-stands':
      'Не отменено: в календаре осталась копия этого события. Чтобы перенести визит, перетащите это событие; чтобы отменить, удалите оба.',
    'second-resource':
      'Не перенесено: здесь можно сменить только календарь того, к кому записан клиент. Остальное измените, пожалуйста, в системе записи.',
    'team-calendar':
      'Не перенесено: тот календарь общий для нескольких сотрудников. Перенесите событие в календарь нужного сотрудника или выберите его в системе записи.',
    'only-shown':
      'Не отменено: этот календарь только показывает визит. Отмените его в календаре того, к кому записан клиент, или в системе записи.',
    'class-shown':
      'Возвращено: это событие показывает занятие со всеми записями. Перенесите или отмените их, пожалуйста, в системе записи.',
    'class-too-many':
      'Не перенесено: в этом занятии слишком много записей, чтобы перенести их сразу. Перенесите их, пожалуйста, в системе записи.',
    'class-hidden':
      'Не перенесено: этот календарь показывает не все записи занятия или не покажет их в тот час. Перенесите их, пожалуйста, в системе записи.',
  },
};

interface Numbers {
  readonly taken: number;
  readonly places: number;
}

interface ClassWords {
  readonly overbooked: (numbers: Numbers) => string;
  /** The end of a list that does not name everybody. */
  readonly moreGuests: (people: number) => string;
}

/** Texts in the event of a class. */
export const CLASS_WORDS: Readonly<Record<'en' | 'ru', ClassWords>> = {
  en: {
    overbooked: ({ taken, places }) => `More people are booked than there are places: ${taken} of ${places}.`,
    moreGuests: (people) => `and ${people} more`,
  },
  ru: {
    overbooked: ({ taken, places }) => `Записано больше, чем мест: ${taken} из ${places}.`,
    moreGuests: (people) => `и ещё ${people}`,
  },
};
