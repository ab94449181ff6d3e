// What a user can do on the page: act as the platform's staff, in a calendar or in a sheet, or cause faults.
import { DateTime } from 'luxon';
import * as z from 'zod';
import type { JsonObject } from '../google/json.ts';
import { columnName } from '../google/sheets/a1.ts';
import { trouble } from '../google/troubles.ts';
import { readLocal } from '../zones/local.ts';
import { bounded, type Shown } from './state.ts';
import { MINUTES_MAX, PATHS } from './troubles.ts';

/** What a form lacks; `RUSSIAN` has each. */
const NEEDED = {
  name: 'A customer needs a name.',
  time: 'Choose a day and a time.',
  tab: 'A tab needs a name.',
  minutes: `Choose 1 to ${MINUTES_MAX} minutes.`,
  other: 'This cannot be done.',
} as const;
const RUSSIAN: Readonly<Record<string, string>> = {
  [NEEDED.name]: 'Клиенту нужно имя.',
  [NEEDED.time]: 'Выберите день и время.',
  [NEEDED.tab]: 'Вкладке нужно имя.',
  [NEEDED.minutes]: `Выберите от 1 до ${MINUTES_MAX} минут.`,
  [NEEDED.other]: 'Так сделать нельзя.',
};

const text = z.string().max(2_000);
const side = z.enum(['platform', 'google']);
const minutes = z.int(NEEDED.minutes).min(1, NEEDED.minutes).max(MINUTES_MAX, NEEDED.minutes);
const id = z.string().min(1).max(300);
/** From an input of type datetime-local: local time of the branch or of the calendar. */
const local = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/, NEEDED.time);
const ROW_MAX = 5_000;
const COLUMN_MAX = 100;
const WEBHOOKS_TO_LOSE_MAX = 10;

const act = z.discriminatedUnion('act', [
  z.strictObject({
    act: z.literal('book'),
    service: id,
    resource: text,
    start: local,
    name: text.trim().min(1, NEEDED.name),
    phone: text,
  }),
  z.strictObject({ act: z.literal('move'), id, start: local }),
  z.strictObject({ act: z.literal('cancel'), id }),
  z.strictObject({ act: z.literal('lose') }),
  z.strictObject({ act: z.literal('fail'), side }),
  z.strictObject({ act: z.literal('outage'), side, minutes }),
  z.strictObject({ act: z.literal('limit'), side, minutes }),
  z.strictObject({ act: z.literal('unshare'), id }),
  z.strictObject({ act: z.literal('share'), id }),
  z.strictObject({ act: z.literal('roll-secret') }),
  z.strictObject({ act: z.literal('end-troubles') }),
  z.strictObject({
    act: z.literal('rename-tab'),
    book: id,
    tab: id,
    to: z.string().trim().min(1, NEEDED.tab).max(100),
  }),
  z.strictObject({ act: z.literal('add-event'), calendar: id, title: text, start: local, end: local }),
  z.strictObject({
    act: z.literal('change-event'),
    calendar: id,
    id,
    title: text.optional(),
    start: local.optional(),
    end: local.optional(),
  }),
  z.strictObject({ act: z.literal('delete-event'), calendar: id, id }),
  z.strictObject({
    act: z.literal('type'),
    book: id,
    tab: id,
    row: z.int().min(1).max(ROW_MAX),
    column: z.int().min(1).max(COLUMN_MAX),
    /** The cell's text when the user began to type. */
    was: z.string(),
    value: text,
  }),
]);

type Act = z.infer<typeof act>;
type ActCalled<K extends Act['act']> = Extract<Act, { act: K }>;

export type PageLanguage = 'en' | 'ru';

/** A sentence for the user, in both languages of the page. */
interface Told {
  readonly en: string;
  readonly ru: string;
}

/** Refuses an act. */
class Refused extends Error {
  readonly told: Told;

  constructor(told: Told) {
    super(told.en);
    this.told = told;
  }
}

/** Performs the act and returns a sentence about it. @throws an Error with a message for the user */
export function perform(shown: Shown, body: unknown, language: PageLanguage = 'en'): string {
  const wanted = act.safeParse(body);
  if (!wanted.success) {
    const lack = wanted.error.issues[0]?.message ?? NEEDED.other;
    throw new Error(language === 'ru' ? (RUSSIAN[lack] ?? RUSSIAN[NEEDED.other]) : lack);
  }
  try {
    return doers[wanted.data.act](shown, wanted.data as never)[language];
  } catch (error) {
    throw error instanceof Refused ? new Error(error.told[language], { cause: error }) : error;
  }
}

/** Requests a minute that a limited platform takes. */
const LIMITED_PER_MINUTE = 3;
const SIDES = {
  platform: { en: 'The platform', ru: 'Платформа' },
  google: { en: 'Google', ru: 'Google' },
} as const;

const doers: { [K in Act['act']]: (shown: Shown, what: ActCalled<K>) => Told } = {
  book({ platform }, { service, resource, start, name, phone }) {
    platform.dashboard.bookAs('lk', {
      serviceId: service,
      startsAt: instantOf(start, zoneOfBranch(platform)),
      customerName: name,
      ...(resource === '' ? {} : { resourceId: resource }),
      ...(phone.trim() === '' ? {} : { customerPhone: phone }),
    });
    return {
      en: `Booked for ${spoken(start, 'en')}. Watch the calendar and the sheet.`,
      ru: `Записано на ${spoken(start, 'ru')}. Посмотрите на календарь и таблицу.`,
    };
  },
  move({ platform }, what) {
    platform.dashboard.reschedule(what.id, { startsAt: instantOf(what.start, zoneOfBranch(platform)) });
    return {
      en: `Moved to ${spoken(what.start, 'en')}.`,
      ru: `Перенесено на ${spoken(what.start, 'ru')}.`,
    };
  },
  cancel({ platform }, what) {
    platform.dashboard.cancel(what.id);
    return { en: 'Cancelled.', ru: 'Отменено.' };
  },
  lose({ platform }) {
    if (platform.webhooksToLose >= WEBHOOKS_TO_LOSE_MAX)
      throw new Refused({
        en: 'No more webhooks can be set to be lost.',
        ru: 'Больше вебхуков потерять нельзя.',
      });
    platform.webhooksToLose += 1;
    return {
      en: 'The next webhook will be lost. The event feed has to bring that change.',
      ru: 'Следующий вебхук потеряется. Изменение должна принести лента событий.',
    };
  },
  fail({ armed }, { side }) {
    if (!armed.answer500(side))
      throw new Refused({ en: 'Enough calls will fail.', ru: 'Достаточно: столько вызовов уже не пройдёт.' });
    return {
      en: `The next call to ${side === 'google' ? 'Google' : 'the platform'} gets the answer 500.`,
      ru: `Следующий вызов (${SIDES[side].ru}) получит ответ 500.`,
    };
  },
  outage({ armed }, { side, minutes }) {
    const away = { kind: 'status', status: 503 } as const;
    armed.during(`outage ${side}`, minutes, () => armed.disturb(side, [[PATHS[side], away]]));
    return {
      en: `${SIDES[side].en} answers 503 for ${minutes} min. What changes meanwhile comes after it.`,
      ru: `${SIDES[side].ru} отвечает 503 ещё ${minutes} мин. Всё, что изменится, придёт потом.`,
    };
  },
  limit({ armed, platform }, { side, minutes }) {
    armed.during(`limit ${side}`, minutes, () => {
      if (side === 'google')
        return armed.disturb('google', [
          [/^\/calendar\//, trouble('calendarUserRateLimit')],
          [/^\/v4\//, trouble('sheetsTooMany')],
        ]);
      const was = platform.rateLimitPerMinute;
      platform.rateLimitPerMinute = LIMITED_PER_MINUTE;
      return () => {
        platform.rateLimitPerMinute = was;
      };
    });
    return {
      en: `${SIDES[side].en} limits requests for ${minutes} min. The worker waits and goes on.`,
      ru: `${SIDES[side].ru} ограничивает запросы ещё ${minutes} мин. Воркер подождёт и продолжит.`,
    };
  },
  unshare({ armed, google }, { id: place }) {
    google.revokeAccess(place);
    armed.hold(place, () => google.grantAccess(place));
    return {
      en: 'Not shared with the worker any more. Its status names the place; share it again to go on.',
      ru: 'Больше не открыто воркеру. Он назовёт это место; откройте снова, чтобы продолжить.',
    };
  },
  share({ armed }, { id: place }) {
    if (!armed.release(place)) throw new Refused({ en: 'It is shared already.', ru: 'Это уже открыто.' });
    return { en: 'Shared with the worker again.', ru: 'Снова открыто воркеру.' };
  },
  'roll-secret'({ platform }) {
    const [secret] = platform.rollWebhookSecrets();
    if (secret === undefined)
      throw new Refused({
        en: 'No worker has a webhook endpoint here yet.',
        ru: 'Ни у одного воркера здесь пока нет адреса для вебхуков.',
      });
    return {
      en: `The webhook secret is now ${secret}. The worker refuses webhooks until it has it; the event feed brings the changes.`,
      ru: `Секрет вебхуков теперь ${secret}. Воркер отказывается от вебхуков, пока не получит его; изменения приносит лента событий.`,
    };
  },
  'end-troubles'({ armed, platform }) {
    armed.endAll();
    platform.webhooksToLose = 0;
    return {
      en: 'All troubles that last have ended.',
      ru: 'Все неполадки, которые длились, окончены.',
    };
  },
  'rename-tab'({ google }, { book, tab, to }) {
    google.staff.sheets.renameTab({ spreadsheetId: book, tab, to });
    return {
      en: `The tab is called ${to} now, as staff would do it.`,
      ru: `Вкладка теперь называется «${to}», как сделал бы сотрудник.`,
    };
  },
  'add-event'({ google }, { calendar, title, start, end }) {
    const { zone } = google.truth.calendar(calendar);
    const event: JsonObject = { summary: title, start: sideOf(start, zone), end: sideOf(end, zone) };
    google.staff.calendar.add({ calendarId: calendar, event });
    return { en: 'The event is in the calendar.', ru: 'Событие в календаре.' };
  },
  'change-event'({ google }, what) {
    const { zone } = google.truth.calendar(what.calendar);
    const patch: JsonObject = {
      ...(what.title === undefined ? {} : { summary: what.title }),
      ...(what.start === undefined ? {} : { start: { ...sideOf(what.start, zone), date: null } }),
      ...(what.end === undefined ? {} : { end: { ...sideOf(what.end, zone), date: null } }),
    };
    google.staff.calendar.edit({ calendarId: what.calendar, eventId: what.id, patch });
    return {
      en: 'Changed in the calendar, as staff would do it.',
      ru: 'Изменено в календаре, как сделал бы сотрудник.',
    };
  },
  'delete-event'({ google }, what) {
    google.staff.calendar.remove({ calendarId: what.calendar, eventId: what.id });
    return {
      en: 'Deleted in the calendar, as staff would do it.',
      ru: 'Удалено в календаре, как сделал бы сотрудник.',
    };
  },
  type({ google }, { book, tab, row, column, was, value }) {
    const stands = google.truth.formatted(book, tab)[row - 1]?.[column - 1];
    if (bounded(stands) !== was)
      throw new Refused({
        en: 'The cell has changed meanwhile, so nothing was typed into it.',
        ru: 'Ячейка за это время изменилась, поэтому в неё ничего не введено.',
      });
    const cell = `${columnName(column - 1)}${row}`;
    google.staff.sheets.setCell({ spreadsheetId: book, tab, cell, value });
    return { en: `Typed into ${cell}.`, ru: `Введено в ${cell}.` };
  },
};

function zoneOfBranch(platform: Shown['platform']): string {
  return String(platform.truth.branches()[0]?.['timezone'] ?? 'UTC');
}

function sideOf(localTime: string, zone: string): JsonObject {
  return { dateTime: new Date(instantOf(localTime, zone)).toISOString(), timeZone: zone };
}

function instantOf(localTime: string, zone: string): number {
  const moment = readLocal(localTime, zone);
  if (!moment.isValid) throw new Refused({ en: 'There is no such time.', ru: 'Такого времени нет.' });
  return moment.toMillis();
}

function spoken(localTime: string, language: PageLanguage): string {
  const moment = DateTime.fromISO(localTime, { zone: 'utc' });
  return moment.setLocale(language === 'ru' ? 'ru' : 'en-GB').toFormat('ccc d LLLL, HH:mm');
}
