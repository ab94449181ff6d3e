import { counted } from '../../engine/counts.ts';
import { calendarIdsOf, type Mirror } from '../../engine/mirror.ts';
import type { Config, Language } from '../../mapping/config.ts';
import type { AlertTold, AlertWords, UnreadSource } from '../codes/alert-words.ts';
import { CODES_RU, tellRu } from '../codes/ru.ts';
import { CAUSES_RU, durationRu, momentRu, namedRu, pluralRu, targetRu } from '../codes/words-ru.ts';
import { spokenDuration } from '../spoken-time.ts';

const SEARCHED_RU: Readonly<Record<UnreadSource['is'], string>> = {
  feed: '`feed walk failed`',
  calendar: '`calendar sync failed`',
  'booking-sheet': '`loop failed; will retry`',
  blocks: '`private calendar not read`',
};

const objectsRu = (count: number) => pluralRu(count, ['объект', 'объекта', 'объектов']);
const causeRu = (cause: string) => CAUSES_RU[cause] ?? cause;

const ALERTS_RU: AlertWords = {
  lag: (objects, oldestS) => ({
    text: `изменения ждут переноса: ${objectsRu(objects)}, самое старое ждёт ${durationRu(oldestS)}`,
    advice: 'Чего они ждут, покажет `slotbridge status`.',
  }),
  stuck: ({ objects, rows, forS }) => ({
    text: `работа стоит ${durationRu(forS)} (${objectsRu(objects)}, ${pluralRu(rows, ['строка', 'строки', 'строк'])}), и причина неизвестна`,
    advice:
      'Найдите в журнале `object not mirrored`. Если таких строк нет, перезапустите воркер: ничего не потеряется.',
  }),
  coverage: (source, ageS) => ({
    text: `${sourceNameRu(source)}: ${ageS === undefined ? 'последнее чтение отмечено будущим временем, потому что часы перевели назад' : `уже ${durationRu(ageS)} не удаётся прочитать до конца`}`,
    advice: `Посмотрите \`slotbridge status\` и найдите в журнале ${SEARCHED_RU[source.is]} или \`could not start yet; will retry\`.`,
  }),
  hole: (stretch) => ({
    text: `возможно, пропущены события: ${causeRu(stretch.cause)}, ${stretchNameRu(stretch)}`,
    advice: 'Воркер прочитает их сам. До тех пор пропуск виден в `slotbridge status`.',
  }),
  holeOpen: (stretch, openS) => ({
    text: `пропуск не закрыт уже ${durationRu(openS)}: ${causeRu(stretch.cause)}, ${stretchNameRu(stretch)}`,
    advice:
      stretch.to === null
        ? 'Почините адрес вебхука: что с ним не так, покажет `slotbridge webhook status`.'
        : 'Найдите в журнале `resync` и посмотрите проблемы в `slotbridge status`.',
  }),
  resyncHangs: (cause, openS) => ({
    text: `перечитывание ${causeRu(cause)} идёт уже ${durationRu(openS)}`,
    advice: 'Найдите в журнале `resync` и посмотрите проблемы в `slotbridge status`.',
  }),
  deadLetters: (code, count) => ({
    text: `не доставлено: ${objectsRu(count)}. ${tellRu(code).title} (${code})`,
    advice: `${tellRu(code).advice} Список: \`slotbridge deadletters list\`, повтор: \`slotbridge deadletters retry --code ${code}\`.`,
  }),
  manyDeadLetters: (count, bound) => ({
    text: `всего не доставлено: ${objectsRu(count)}, а порог ${bound}`,
    advice: 'Причины покажет `slotbridge deadletters list`.',
  }),
  stateUnreadable: ({ code = '' }) => ({
    text: 'Redis не отдаёт или не принимает состояние; вебхуки получают 503, платформа пришлёт их снова',
    // What is unknown here comes from Redis, not from the platform.
    advice: tellRu(Object.hasOwn(CODES_RU, code) ? code : 'store-unavailable').advice,
  }),
  problem: ({ target, place, code, names }) => {
    const { title, message, advice } = tellRu(code);
    return {
      text: `${targetRu(target)}${place === undefined ? '' : ` (${place})`}: ${namedRu(title, names)}. ${message} (${code})`,
      advice,
    };
  },
  mappedName: (mirror, code) => {
    const { title, advice } = tellRu(code);
    return { text: `настройки зеркала ${mirror}: ${title} (${code})`, advice };
  },
  places: {
    calendarOfMirror: (mirror) => `зеркало ${mirror}`,
    calendarOfBookings: (entry) => `раздел bookings.${entry}`,
    tab: (title) => `лист «${title}»`,
    spreadsheet: (titles) =>
      `${titles.length === 1 ? 'лист' : 'листы'} ${titles.map((title) => `«${title}»`).join(', ')}`,
  },
  message: {
    installation: (prefix, host) => `${prefix} на ${host}`,
    raised: (alert, text) => `ВНИМАНИЕ, ${alert}: ${text}`,
    cleared: (alert, text, stoodS) => `прошло, длилось ${durationRu(stoodS)}, ${alert}: ${text}`,
    dropped: (count) =>
      `${pluralRu(count, ['старое сообщение', 'старых сообщения', 'старых сообщений'])} не удалось отправить вовремя: смотрите журнал`,
    console: (address) => `Консоль: ${address}`,
    runbook: (section) => `Что делать (на английском): docs/runbook.md#${section}`,
  },
};

function sourceNameRu(source: UnreadSource): string {
  if (source.is === 'feed') return 'лента событий';
  if (source.is === 'blocks') return `блокировки ${source.entry}`;
  if (source.is === 'booking-sheet') return `лист записи ${source.entry}`;
  return `календарь ${source.calendar}${source.place === undefined ? '' : ` (${source.place})`}`;
}

function stretchNameRu({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  const begin = from === null ? 'с самого начала' : `с ${momentRu(from)}`;
  return `${begin} ${to === null ? 'и до сих пор' : `по ${momentRu(to)}`}`;
}

const SEARCHED: Readonly<Record<UnreadSource['is'], string>> = {
  feed: '`feed walk failed`',
  calendar: '`calendar sync failed`',
  'booking-sheet': '`loop failed; will retry`',
  blocks: '`private calendar not read`',
};

/** The log speaks English, so these also stand in it. */
const ALERTS_EN: AlertWords = {
  lag: (objects, oldestS) => ({
    text: `changes wait for their calendars and sheets, the oldest for ${spokenDuration(oldestS)} (${counted(objects, 'object')})`,
    advice: 'Run `slotbridge status`: it shows what they wait for.',
  }),
  stuck: ({ objects, rows, forS }) => ({
    text: `pending work has not moved for ${spokenDuration(forS)} (${counted(objects, 'object')}, ${counted(rows, 'row')}), and no known problem explains it`,
    advice:
      'Search the log for `object not mirrored`. If there are no such lines, restart the worker: nothing is lost.',
  }),
  coverage: (source, ageS) => ({
    text: `${sourceName(source)}: ${ageS === undefined ? 'its last proof lies in the future, because the clock was set back' : `no proof of a complete read for ${spokenDuration(ageS)}`}`,
    advice: `Run \`slotbridge status\`, and search the log for ${SEARCHED[source.is]} or \`could not start yet; will retry\`.`,
  }),
  hole: (stretch) => ({
    text: `events may have been missed (${stretch.cause}), ${stretchName(stretch)}`,
    advice: 'Nothing, if its resync finishes: `slotbridge status` shows the hole until then.',
  }),
  holeOpen: (stretch, openS) => ({
    text: `a hole (${stretch.cause}) has been open for ${spokenDuration(openS)}, ${stretchName(stretch)}`,
    advice:
      stretch.to === null
        ? 'Fix the webhook endpoint: `slotbridge webhook status` shows what is wrong.'
        : 'Search the log for `resync`, and check the problems in `slotbridge status`.',
  }),
  resyncHangs: (cause, openS) => ({
    text: `a requested resync (${cause}) has been running for ${spokenDuration(openS)}`,
    advice: 'Search the log for `resync`, and check the problems in `slotbridge status`.',
  }),
  deadLetters: (code, count) => ({
    text: `${counted(count, 'object was', 'objects were')} given up with the code ${code}`,
    advice: `Run \`slotbridge deadletters list\`; fix the cause, then run \`slotbridge deadletters retry --code ${code}\`.`,
  }),
  manyDeadLetters: (count, bound) => ({
    text: `${counted(count, 'object was', 'objects were')} given up in total, more than ${bound}`,
    advice: 'Run `slotbridge deadletters list`: it groups them by cause.',
  }),
  stateUnreadable: ({ advice = 'Check that Redis runs and has memory and disk left.' }) => ({
    text: 'the state in Redis cannot be read or written; webhooks get 503, and the platform sends them again',
    advice,
  }),
  problem: ({ target, place, code, message, advice }) => ({
    text: `${place === undefined ? target : `${target}, ${place}`}: ${message} (${code})`,
    advice: advice ?? 'Run `slotbridge status`.',
  }),
  mappedName: (mirror, code) => ({
    text: `mapping:${mirror}: a name in the mapping no longer matches exactly one resource (${code})`,
    advice: 'Run `slotbridge status`: it shows the resource and what to do.',
  }),
  places: {
    calendarOfMirror: (mirror) => `a calendar of the mirror ${mirror}`,
    calendarOfBookings: (entry) => `a calendar of bookings.${entry}`,
    tab: (title) => `the tab "${title}"`,
    spreadsheet: (titles) =>
      `the spreadsheet with ${titles.length === 1 ? 'the tab' : 'the tabs'} ${titles.map((title) => `"${title}"`).join(', ')}`,
  },
  message: {
    installation: (prefix, host) => `${prefix} at ${host}`,
    raised: (alert, text) => `ALERT ${alert}: ${text}`,
    cleared: (alert, text, stoodS) => `over, after ${spokenDuration(stoodS)}: ${alert}: ${text}`,
    dropped: (count) => `${count} older alerts could not be sent in time and were dropped; see the log`,
    console: (address) => `Console: ${address}`,
    runbook: (section) => `Runbook: docs/runbook.md#${section}`,
  },
};

function sourceName(source: UnreadSource): string {
  if (source.is === 'feed') return 'event feed';
  if (source.is === 'blocks') return `blocks ${source.entry}`;
  if (source.is === 'booking-sheet') return `booking sheet ${source.entry}`;
  return `calendar ${source.calendar}${source.place === undefined ? '' : `, ${source.place}`}`;
}

function stretchName({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  return `from ${from ?? 'the beginning'} to ${to ?? 'now, and growing'}`;
}

export const ALERT_WORDS: Readonly<Record<Language, AlertWords>> = { en: ALERTS_EN, ru: ALERTS_RU };

/** The texts of a condition: in English for the log, and in the language of the messages if that is another. */
export function toldIn(
  language: Language | undefined,
  tell: (words: AlertWords) => AlertTold,
): AlertTold & { readonly said?: AlertTold } {
  return {
    ...tell(ALERTS_EN),
    ...(language !== undefined && language !== 'en' && { said: tell(ALERT_WORDS[language]) }),
  };
}

// Names a calendar or spreadsheet as the mapping does: by its mirror and its tabs. The owner knows those, and they name no person.

/** Undefined for a target that is no place of the mapping. */
export type PlaceWords = (target: string, words: AlertWords) => string | undefined;

export function placeWords({ mirrors, bookings }: Pick<Config, 'mirrors' | 'bookings'>): PlaceWords {
  const calendars = new Map<string, (places: AlertWords['places']) => string>();
  const tabs = new Map<string, string[]>();
  const mirrored = new Map<string, string>();
  const noteTab = (spreadsheetId: string, tab: string) =>
    tabs.set(spreadsheetId, [...(tabs.get(spreadsheetId) ?? []), tab]);
  for (const booking of bookings) {
    if (booking.kind === 'sheet') noteTab(booking.spreadsheetId, booking.tab);
    else if (booking.kind === 'calendar')
      for (const { calendarId } of booking.calendars)
        calendars.set(calendarId, (places) => places.calendarOfBookings(booking.name));
  }
  for (const mirror of mirrors) {
    if (mirror.kind === 'calendar')
      for (const id of calendarIdsOf(mirror))
        calendars.set(id, (places) => places.calendarOfMirror(mirror.name));
    if (mirror.kind !== 'sheet') continue;
    for (const { spreadsheetId, tab } of tabsOf(mirror)) noteTab(spreadsheetId, tab);
    mirrored.set(mirror.name, mirror.tab);
  }
  return (target, { places }) => {
    const at = target.indexOf(':');
    const [kind, name] = [target.slice(0, at), target.slice(at + 1)];
    if (kind === 'calendar') return calendars.get(name)?.(places);
    const tab = kind === 'tab' ? mirrored.get(name) : undefined;
    if (tab !== undefined) return places.tab(tab);
    const known = kind === 'spreadsheet' ? tabs.get(name.split('/')[0] ?? '') : undefined;
    return known && places.spreadsheet([...new Set(known)]);
  };
}

function tabsOf(mirror: Extract<Mirror, { readonly kind: 'sheet' }>) {
  return [mirror, ...(mirror.archive === undefined ? [] : [mirror.archive])];
}
