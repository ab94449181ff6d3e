import { tellRu } from '../codes/ru.ts';
import { namedRu } from '../codes/words-ru.ts';
import type { ProblemReport } from '../status-report.ts';

/** The texts of the tab of `worker.status_tab`. The caller inserts counts and names. */
export interface StatusWords {
  readonly beginning: string;
  readonly upTo: (time: string) => string;
  readonly behind: (time: string) => string;
  readonly except: (time: string, waiting: { readonly count: number; readonly since: string }) => string;
  readonly usually: (within: string) => string;
  readonly seconds: string;
  readonly minutes: (count: number) => string;
  readonly rereading: string;
  readonly platform: (since: string) => string;
  readonly endpoint: string;
  readonly google: (since: string) => string;
  readonly calendars: (count: number) => string;
  /** `tab`: undefined if the problem concerns the whole spreadsheet. `isUntold`: the message does not name it. */
  readonly here: (
    problem: Pick<ProblemReport, 'code' | 'message' | 'names'>,
    at: { readonly tab: string | undefined; readonly isUntold: boolean; readonly since: string },
  ) => string;
  readonly others: (count: number) => string;
  readonly givenUp: (count: number) => string;
  readonly tabs: (names: string) => string;
  readonly about: string;
}

const EN: StatusWords = {
  beginning: 'Everything is being read in full. Until that has ended, something may be missing.',
  upTo: (time) => `As on the platform until ${time}.`,
  behind: (time) => `Not current: as on the platform until ${time}. Newer changes are on their way.`,
  except: (time, { count, since }) =>
    `As on the platform until ${time}, except for changes that wait since ${since}: ${count}.`,
  usually: (within) => `A change usually arrives within ${within}.`,
  seconds: 'seconds',
  minutes: (count) => (count === 1 ? 'a minute' : `${count} minutes`),
  rereading: 'Some changes may be missing. They are being read again.',
  platform: (since) => `The platform cannot be reached since ${since}. Nothing is lost; changes come later.`,
  endpoint: 'The platform does not announce its changes. They arrive some minutes later than usual.',
  google: (since) => `Google does not accept the worker since ${since}. Nothing is lost; changes come later.`,
  calendars: (count) => `Calendars that cannot be written at the moment: ${count}.`,
  // The worker's own words say it more exactly than the dictionary.
  here: ({ message }, { tab, isUntold, since }) =>
    `${isUntold ? `The tab "${tab}"` : 'This spreadsheet'}, since ${since}: ${message}.`,
  others: (count) => `Other problems, known to whoever runs slotbridge: ${count}.`,
  givenUp: (count) =>
    `Entries that could not be carried over, and wait for whoever runs slotbridge: ${count}.`,
  tabs: (names) => `Tabs that are kept current: ${names}.`,
  about: 'Written by slotbridge when something changes. What you write into this column is overwritten.',
};

const RU: StatusWords = {
  beginning: 'Данные читаются полностью. Пока чтение не закончено, чего-то может не хватать.',
  upTo: (time) => `Как на платформе по состоянию на ${time}.`,
  behind: (time) => `Не обновлено: как на платформе по состоянию на ${time}. Новые изменения в пути.`,
  except: (time, { count, since }) =>
    `Как на платформе по состоянию на ${time}, кроме изменений, которые ждут с ${since}: ${count}.`,
  usually: (within) => `Изменение обычно приходит в течение ${within}.`,
  seconds: 'нескольких секунд',
  minutes: (count) => (count === 1 ? 'минуты' : `${count} мин`),
  rereading: 'Некоторых изменений может не хватать. Они читаются заново.',
  platform: (since) => `Платформа недоступна с ${since}. Ничего не потеряно, изменения придут позже.`,
  endpoint: 'Платформа не сообщает об изменениях. Они приходят на несколько минут позже обычного.',
  google: (since) => `Google не принимает запросы с ${since}. Ничего не потеряно, изменения придут позже.`,
  calendars: (count) => `Календари, в которые сейчас нельзя писать: ${count}.`,
  here({ code, names }, { tab, since }) {
    const { title, message } = tellRu(code);
    return `${tab === undefined ? 'Эта таблица' : `Лист «${tab}»`}, с ${since}: ${namedRu(title, names)}. ${message}`;
  },
  others: (count) => `Другие проблемы, известные администратору slotbridge: ${count}.`,
  givenUp: (count) =>
    `Записи, которые не удалось перенести и которые ждут администратора slotbridge: ${count}.`,
  tabs: (names) => `Обновляемые листы: ${names}.`,
  about: 'Пишет slotbridge, когда что-то меняется. То, что вы напишете в этом столбце, будет заменено.',
};

export const STATUS_WORDS = { en: EN, ru: RU };
