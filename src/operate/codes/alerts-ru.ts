import type { AlertWords, UnreadSource } from './alert-words.ts';
import { CODES_RU, tellRu } from './ru.ts';
import { CAUSES_RU, durationRu, momentRu, namedRu, pluralRu, targetRu } from './words-ru.ts';

const SEARCHED: Readonly<Record<UnreadSource['is'], string>> = {
  feed: '`feed walk failed`',
  calendar: '`calendar sync failed`',
  'booking-sheet': '`loop failed; will retry`',
  blocks: '`private calendar not read`',
};

const objectsRu = (count: number) => pluralRu(count, ['объект', 'объекта', 'объектов']);
const causeRu = (cause: string) => CAUSES_RU[cause] ?? cause;

export const ALERTS_RU: AlertWords = {
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
    text: `${sourceName(source)}: ${ageS === undefined ? 'последнее чтение отмечено будущим временем, потому что часы перевели назад' : `уже ${durationRu(ageS)} не удаётся прочитать до конца`}`,
    advice: `Посмотрите \`slotbridge status\` и найдите в журнале ${SEARCHED[source.is]} или \`could not start yet; will retry\`.`,
  }),
  hole: (stretch) => ({
    text: `возможно, пропущены события: ${causeRu(stretch.cause)}, ${stretchName(stretch)}`,
    advice: 'Воркер прочитает их сам. До тех пор пропуск виден в `slotbridge status`.',
  }),
  holeOpen: (stretch, openS) => ({
    text: `пропуск не закрыт уже ${durationRu(openS)}: ${causeRu(stretch.cause)}, ${stretchName(stretch)}`,
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

function sourceName(source: UnreadSource): string {
  if (source.is === 'feed') return 'лента событий';
  if (source.is === 'blocks') return `блокировки ${source.entry}`;
  if (source.is === 'booking-sheet') return `лист записи ${source.entry}`;
  return `календарь ${source.calendar}${source.place === undefined ? '' : ` (${source.place})`}`;
}

function stretchName({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  const begin = from === null ? 'с самого начала' : `с ${momentRu(from)}`;
  return `${begin} ${to === null ? 'и до сих пор' : `по ${momentRu(to)}`}`;
}
