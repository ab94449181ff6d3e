import type { WhyWords } from '../../engine/domain/why-words.ts';
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

/** Why a mirror takes an object or not, in Russian. */
export const WHY_RU: WhyWords = {
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
