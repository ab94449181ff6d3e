// Numbers, durations, moments and targets in Russian, for every text of the worker.
import { spokenDuration } from '../spoken-time.ts';
import { ownTargets } from './code-text.ts';

let rules: Intl.PluralRules | undefined;

export function numberRu(value: number): string {
  return value.toLocaleString('ru');
}

/** 1 строка, 2 строки, 5 строк. */
export function pluralRu(count: number, [one, few, many]: readonly [string, string, string]): string {
  rules ??= new Intl.PluralRules('ru');
  const form = rules.select(count);
  return `${numberRu(count)} ${form === 'one' ? one : form === 'few' ? few : many}`;
}

const UNITS: Readonly<Record<string, string>> = { s: 'с', min: 'мин', h: 'ч', d: 'д' };

export function durationRu(seconds: number): string {
  return spokenDuration(seconds).replace(/[a-z]+/g, (unit) => UNITS[unit] ?? unit);
}

/** `10.01.2099 10:00 UTC`; what is no moment stays as it is. */
export function momentRu(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const [date = '', time = ''] = new Date(ms).toISOString().split('T');
  return `${date.split('-').reverse().join('.')} ${time.slice(0, 5)} UTC`;
}

/** The subject of a problem; an id may follow. */
export const TARGETS_RU: Readonly<Record<string, string>> = {
  platform: 'платформа',
  'platform-api': 'платформа',
  google: 'Google',
  redis: 'Redis',
  mapping: 'настройки',
  configuration: 'настройки',
  calendar: 'календарь',
  spreadsheet: 'таблица',
  'spreadsheet-zone': 'часовой пояс таблицы',
  'spreadsheet-size': 'размер таблицы',
  intake: 'лист записи',
  booking: 'запись',
  host: 'хост',
  tab: 'лист',
  mirror: 'зеркало',
  'carried-rows': 'правки строк',
  edits: 'правки строк',
  bookings: 'новые строки',
  'sheet-check': 'проверка листа',
  'sheet-copies': 'копии строк',
  'sheet-cells': 'ячейки листа',
  'sheet-rows': 'строки листа',
  'sheet-covered': 'ячейки листа',
  'sheet-merged': 'объединённые ячейки листа',
  'sheet-filter': 'фильтр листа',
  'sheet-moved': 'строки листа',
  'sheet-gaps': 'пустые строки листа',
  retention: 'сроки хранения',
  'status-tab': 'лист состояния',
  'drop-downs': 'выпадающие списки',
  blocks: 'блокировки времени',
  branch: 'филиал',
  service: 'услуга',
  class: 'занятие',
  'class-move': 'перенос занятия',
  deletions: 'удаления',
  erasures: 'стирание',
  erasure: 'стирание',
  leads: 'заявки',
  'webhook-signature': 'подписи вебхуков',
  'webhook-secrets': 'секреты вебхука',
  'webhook-endpoint': 'адрес вебхука',
  'calendar-push': 'сигналы календарей',
  zone: 'часовой пояс',
  ...ownTargets('ru'),
};

export function targetRu(target: string): string {
  const [kind = '', ...rest] = target.split(':');
  // A line of `calendars` for a branch or a service.
  const named = rest.join(':').replace(/\/(branch|service) /, (_, by) => `/${TARGETS_RU[by]} `);
  return [TARGETS_RU[kind] ?? kind, named].filter((part) => part !== '').join(' ');
}

/** `Не хватает заголовков: Имя, Телефон` */
export function namedRu(title: string, names: readonly string[] = []): string {
  return [title, ...(names.length === 0 ? [] : [names.join(', ')])].join(': ');
}

/** Why events may be missing. */
export const CAUSES_RU: Readonly<Record<string, string>> = {
  'first-start': 'первый запуск',
  'redis-lost': 'Redis потерян',
  'feed-expired': 'воркера не было дольше, чем помнит лента',
  'feed-anchor-lost': 'в ленте нет последнего прочитанного',
  'key-without-scope': 'у ключа API нет права',
  'walk-failed': 'лента не читается',
  'endpoint-disabled': 'вебхук был выключен',
  'endpoint-missing': 'нет адреса вебхука',
  'endpoint-narrow': 'вебхуку не хватает событий',
  'endpoint-unseen': 'адрес вебхука не виден',
  'endpoint-changed': 'адрес вебхука меняли',
  'mapping-changed': 'настройки изменились',
  operator: 'по запросу',
  scheduled: 'по расписанию',
};
