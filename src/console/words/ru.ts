import { spokenDuration } from '../../ops/spoken-time.ts';
import type { Words } from './en.ts';

const rules = new Intl.PluralRules('ru');
const number = (value: number) => value.toLocaleString('ru');
/** 1 строка, 2 строки, 5 строк. */
const plural = (count: number, one: string, few: string, many: string) => {
  const form = rules.select(count);
  return `${number(count)} ${form === 'one' ? one : form === 'few' ? few : many}`;
};
const UNITS: Readonly<Record<string, string>> = { s: 'с', min: 'мин', h: 'ч', d: 'д' };
const duration = (seconds: number) =>
  spokenDuration(seconds).replace(/[a-z]+/g, (unit) => UNITS[unit] ?? unit);

export const RU: Words = {
  code: 'ru',
  otherLanguage: { code: 'en', name: 'English' },
  number,
  duration,
  seconds: (value) => (value < 10 ? `${value.toFixed(1).replace('.', ',')} с` : duration(value)),
  ago: (seconds) => `${duration(seconds)} назад`,
  frame: {
    skip: 'К содержанию',
    menu: 'Консоль',
    home: 'Главная',
    letters: 'Недоставленные',
    acts: 'Журнал действий',
    search: 'Найти',
    searchHint: 'Номер, событие, телефон или почта',
    searchHintIds: 'Номер или событие',
    pause: 'Вживую',
    paused: 'Пауза',
    lost: 'Нет связи с воркером. Пробуем снова…',
    signOut: 'Выйти',
    signedInAs: (who, role) => `${who}, ${role}`,
    version: (version) => `slotbridge ${version}`,
    times: 'Время:',
  },
  roles: { viewer: 'наблюдатель', desk: 'стойка', ops: 'оператор' },
  signIn: {
    title: 'Вход',
    lead: 'Нужна одноразовая ссылка. Её делает тот, у кого есть консоль на машине воркера:',
    code: 'Одноразовый код',
    button: 'Войти',
    refused: 'Эта ссылка уже использована или устарела. Попросите новую.',
    tooMany: 'Слишком много попыток. Подождите минуту и попробуйте снова.',
    needed: 'Сеанс закончился, или вы ещё не вошли.',
  },
  errors: {
    forbidden: 'Не для вашей роли',
    forbiddenText: (role) => `Вы вошли как ${role}: этой роли такое не показывают и не разрешают.`,
    missing: 'Здесь ничего нет',
    missingText: 'Такой страницы нет.',
    form: 'Форма устарела',
    formText:
      'Она сделана для другого сеанса. Ничего не сделано. Вернитесь, обновите страницу и попробуйте снова.',
    away: 'Redis не отвечает',
    awayText: 'Консоль читает всё из Redis. Обновите страницу чуть позже.',
    failed: 'Не получилось',
    failedText: 'Подробности в журнале воркера.',
    back: 'На главную',
  },
  home: {
    title: 'Главная',
    well: 'Всё перенесено',
    busy: 'Изменения переносятся',
    wrong: 'Нужен человек',
    uncovered: 'Ещё ни один источник не прочитан до конца.',
    covered: 'Прочитано без пропусков до ',
    coveredBut: (holes) => `Прочитано, не считая ${plural(holes, 'пропуска', 'пропусков', 'пропусков')}, до `,
    proved: (age) => `, проверено ${age}.`,
    needs: 'Что требует человека',
    nothing: 'Ничего.',
    since: (age) => `с тех пор прошло ${age}`,
    lettersOf: (count) =>
      plural(count, 'недоставленный объект', 'недоставленных объекта', 'недоставленных объектов'),
    show: 'Показать',
    oldHoles: (count) =>
      `${plural(count, 'пропуск открыт', 'пропуска открыты', 'пропусков открыто')} больше суток`,
    oldHolesText: 'Пока сверка не закончена, события могут отсутствовать.',
    oldResyncs: (count) => `${plural(count, 'сверка идёт', 'сверки идут', 'сверок идёт')} больше суток`,
    unread: (source) => `${source}: не читается`,
    unreadText: 'Смотрите проблемы выше и журнал; воркер пробует снова сам.',
    quarantined: (count) =>
      `${plural(count, 'сообщение не понято', 'сообщения не поняты', 'сообщений не понято')}`,
    now: 'Сейчас',
    pending: 'Ждут переноса',
    oldest: 'Самое старое ждёт',
    rows: 'Строк к записи',
    atWork: 'В работе',
    half: 'Половина записана за',
    most: '99 из 100 за',
    none: '–',
    sources: 'Источники',
    source: 'Источник',
    until: 'Прочитано до',
    provedAgo: 'Проверено',
    state: 'Состояние',
    feed: 'Лента событий',
    never: 'никогда',
    readings: {
      proved: 'актуально',
      begun: 'начинается',
      walking: 'читается',
      limited: 'ждёт Google',
      unread: 'не читается',
    },
    more: (count) => `и ещё ${number(count)}`,
    holes: 'Пропуски',
    holeOf: (source, cause) => `${source}, ${cause}`,
    growing: 'ещё растёт',
    beginning: 'начало',
    quotas: 'Квоты',
    budget: 'Квота',
    spent: 'За минуту',
    spentOf: (spent, limit) => `${number(spent)} из ${number(limit)}`,
    lowered: (admitted) => `после отказов допускается ${number(admitted)} в минуту`,
    waiting: 'Ждут',
    pausedUntil: 'Пауза до ',
    unused: 'За последний час квоты не тратились.',
    workers: 'Воркеры',
    worker: 'Воркер',
    thisOne: 'этот',
    runs: (age) => `работает ${age}`,
    seen: 'Последний отклик',
    version: 'Версия',
  },
};
