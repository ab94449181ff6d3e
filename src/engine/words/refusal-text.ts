import type { FreeSlot, Refusal } from '../domain/outside-booking.ts';
import type { BEHAVIOURS, KeyCode } from '../submit/codes.ts';
import { readLocal } from '../zones/local.ts';

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

export interface Audience {
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
export function freeSlotText(slot: FreeSlot, zone: string, told: Omit<Audience, 'zone'>): string {
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
