// What a code of a problem, a dead letter or a history means, and what to do about it: one dictionary for each language.

import type { WhyWords } from '../../engine/planned.ts';
import type { Language } from '../../mapping/config.ts';
import type { ToldCode } from './code-text.ts';
import { tellEn } from './en.ts';
import { tellRu } from './ru.ts';
import { momentRu } from './words-ru.ts';

/** Lines of `where`, by their setting. */
const SETTINGS: Readonly<Record<string, string>> = {
  project: 'проект',
  branch: 'филиал',
  status: 'статус',
  lifecycle: 'этап',
  channel: 'канал',
  direction: 'направление',
  author_type: 'кто написал',
  service: 'услуга',
  resource: 'ресурс',
  source: 'источник',
  price: 'цена',
  guests: 'число гостей',
  customer_lifecycle: 'этап клиента',
  if: 'условие if',
};
const settingOf = (setting: string) => SETTINGS[setting] ?? setting;

const SUBJECTS = { resource: 'ресурс', branch: 'филиал', service: 'услуга' };

const WHY_RU: WhyWords = {
  onlyId: 'пока известен только номер',
  deleted: 'удалено на платформе',
  deletedRow: (does) =>
    does === 'keep' ? 'удалено на платформе, строка остаётся' : 'удалено на платформе, строка очищается',
  notKnownYet: (setting) => `${settingOf(setting)}: пока неизвестно`,
  notKnown: (setting) => `${settingOf(setting)}: неизвестно`,
  notAllowed: (setting, { value, allowed }) =>
    `${settingOf(setting)}: ${value ?? 'не указано'}, а нужно: ${allowed}`,
  range: ({ min, max }) =>
    [...(min === undefined ? [] : [`от ${min}`]), ...(max === undefined ? [] : [`до ${max}`])].join(' '),
  notListed: (setting, value) =>
    `${settingOf(setting)}: ${value}, а в списках платформы есть не все имена из этого условия`,
  metadata: (key, allowed) => `metadata.${key}: нужно одно из значений: ${allowed}`,
  condition: {
    yes: 'условие if выполнено',
    no: 'условие if не выполнено',
    unknown: 'поле из условия if неизвестно',
    failed: 'условие if не вычисляется для этого объекта',
  },
  tooOld: (field, at) =>
    `${field === 'starts_at' ? 'начало' : 'создано'}: ${momentRu(at)}, такое старое не переносится`,
  tooFar: (at, enters) => `начало: ${momentRu(at)}, ещё рано; появится ${momentRu(enters)}`,
  stays: (clause) => `уже перенесено и остаётся (${clause})`,
  takenBy: (settings) =>
    ['подходит под все условия', ...(settings.length === 0 ? [] : [settings.map(settingOf).join(', ')])].join(
      ': ',
    ),
  archivedLater: (tab, at) => `${momentRu(at)} перейдёт на лист «${tab}»`,
  archivedNot: (tab) => `пора на лист «${tab}», но рядом со строкой есть заметки людей`,
  archived: (tab, { at }) => `с ${momentRu(at)} место строки на листе «${tab}»`,
  cancelled: (does) => (does === 'keep' ? 'отменена, событие остаётся' : 'отменена, событие убирается'),
  cancelledWithoutEvent: 'отменена, и события нет',
  owners: {
    resource: 'есть календарь ресурса',
    branch: 'есть календарь филиала',
    service: 'есть календарь услуги',
    all: 'есть календарь для всех записей',
  },
  without: (by) => `не указан${by === 'service' ? 'а' : ''} ${SUBJECTS[by]}`,
  noCalendarOf: (by, name) => `нет календаря: ${SUBJECTS[by]} ${name}`,
  noCalendar: 'в настройках нет ни одного календаря',
  and: (clauses) => clauses.join('; '),
  inClass: (id) => `показана событием своего занятия: slotbridge explain class ${id}`,
  shownAsClass: (isShown) => (isShown ? 'услуга показывается занятиями' : 'услуга не показывается занятиями'),
  blocked: 'блокировки и контакт, на который они записаны, не показываются',
};

const WHY_EN: WhyWords = {
  onlyId: 'only its id is known so far',
  deleted: 'the platform said that it was deleted',
  deletedRow: (does) => `it was deleted on the platform: ${does}`,
  notKnownYet: (setting) => `its ${setting} is not known yet`,
  notKnown: (setting) => `its ${setting} is not known`,
  notAllowed: (setting, { value, allowed }) =>
    `its ${setting} is ${value ?? 'empty'}, and only ${allowed} is taken`,
  range: ({ min, max }) =>
    [...(min === undefined ? [] : [`from ${min}`]), ...(max === undefined ? [] : [`to ${max}`])].join(' '),
  notListed: (setting, value) =>
    `its ${setting} is ${value}, and the platform's lists do not have every name of the line`,
  metadata: (key, allowed) => `its metadata has no ${key} that is one of: ${allowed}`,
  condition: {
    yes: 'its condition holds',
    no: 'its condition does not hold',
    unknown: 'a field of its condition is not known',
    failed: 'its condition cannot be read for this object',
  },
  tooOld: (field, at) => `its ${field} is ${at}, longer ago than is taken up`,
  tooFar: (at, enters) => `it starts at ${at}, further ahead than is taken up; it enters on ${enters}`,
  stays: (clause) => `it stands there, and stays although ${clause}`,
  takenBy: (settings) =>
    ['every line of where takes it', ...(settings.length === 0 ? [] : [settings.join(', ')])].join(': '),
  archivedLater: (tab, at) => `it moves to tab ${tab} on ${at}`,
  archivedNot: (tab) => `it is old enough for tab ${tab}, but people have written beside its row`,
  archived: (tab, { by, at }) => `its ${by} is old enough: since ${at} its row belongs to tab ${tab}`,
  cancelled: (does) => `it is cancelled: ${does}`,
  cancelledWithoutEvent: 'it is cancelled, and has no event to keep',
  owners: {
    resource: 'one of its resources has a calendar',
    branch: 'its branch has a calendar',
    service: 'its service has a calendar',
    all: 'there is a calendar for everything',
  },
  without: (by) => `it has no ${by}`,
  noCalendarOf: (by, name) =>
    by === 'resource'
      ? `none of its resources (${name}) has a calendar`
      : `its ${by} (${name}) has no calendar`,
  noCalendar: 'the mapping has no calendar',
  and: (clauses) => clauses.join(', and '),
  inClass: (id) => `its class event shows it: slotbridge explain class ${id}`,
  shownAsClass: (isShown) =>
    isShown ? 'its service is shown as classes' : 'its service is not shown as classes',
  blocked: 'no mirror shows blocks, or the contact that they are booked for',
};

const TELL = { en: tellEn, ru: tellRu };

export function tellCode(code: string, language: Language): ToldCode {
  return TELL[language](code);
}

/** Why a mirror takes an object or not. */
export const WHY: Readonly<Record<Language, WhyWords>> = { en: WHY_EN, ru: WHY_RU };
