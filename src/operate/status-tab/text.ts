// Derives from a status report what the users of one spreadsheet must know, in plain words. Pure.

import { localParts } from '../../engine/zone-parts.ts';
import type { Language } from '../../mapping/config.ts';
import { tellRu } from '../codes/ru.ts';
import { namedRu } from '../codes/words-ru.ts';
import { maskText } from '../personal-data.ts';
import type { ProblemReport, StatusReport } from '../status-report.ts';

/** The texts of the tab of `worker.status_tab`. The caller inserts counts and names. */
interface StatusWords {
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

const STATUS_WORDS = { en: EN, ru: RU };

export interface StatusPlace {
  readonly spreadsheetId: string;
  /** Tabs of this spreadsheet that the mapping names. */
  readonly tabs: readonly string[];
  /** Where mirrors and booking sheets are, in all spreadsheets: some problems are known by their names. */
  readonly named: readonly NamedTab[];
  /** Local zone of the users. */
  readonly zone: string;
  readonly language: Language;
}

export interface NamedTab {
  readonly of: 'mirror' | 'booking sheet';
  readonly name: string;
  readonly spreadsheetId: string;
  readonly tab: string;
}

export interface StatusText {
  readonly lines: readonly string[];
  /** The part that is news to people. Times that advance steadily are not. */
  readonly matter: string;
}

/** Age up to which a change counts as on its way, not as behind. */
const BEHIND_MS = 5 * 60_000;
/** Largest number of this spreadsheet's problems that are named; the others are counted. */
const HERE_MAX = 4;
/** Longest line, readable at a glance; a message may contain more. */
const LINE_CHARS_MAX = 300;

export function statusText(report: StatusReport, place: StatusPlace): StatusText {
  const words = STATUS_WORDS[place.language];
  const clock = (ms: number) => clockTime(ms, place);
  const saying = { place, words, clock };
  const { text, news, isGood } = headOf(report, saying);
  const pace = isGood ? paceOf(report, words) : undefined;
  const rest = [
    ...(report.holes.length > 0 ? [words.rereading] : []),
    ...problemLines(report.problems, saying),
    ...(report.dead_letters.count > 0 ? [words.givenUp(report.dead_letters.count)] : []),
    ...(place.tabs.length > 0 ? [words.tabs(place.tabs.join(', '))] : []),
    words.about,
  ];
  const lines = [text, ...(pace === undefined ? [] : [pace]), ...rest];
  return {
    lines: lines.map((line) => [...line].slice(0, LINE_CHARS_MAX).join('')),
    matter: JSON.stringify([news, rest]),
  };
}

interface Saying {
  readonly place: StatusPlace;
  readonly words: StatusWords;
  readonly clock: (ms: number) => string;
}

/** `news`: the part of the line whose change matters to people. A time that advances steadily does not; a time that stands still does. */
function headOf(report: StatusReport, { place, words, clock }: Saying) {
  const { feed } = report.coverage;
  const coveredMs = feed.covered_until === null ? undefined : Date.parse(feed.covered_until);
  const isRead =
    coveredMs !== undefined && feed.proved_ago_s !== null && report.holes.every(({ from }) => from !== null);
  if (!isRead) return { text: words.beginning, news: 'beginning', isGood: false };
  const nowMs = Date.parse(report.at);
  const holding = problemsHere(report.problems, place).filter(({ target }) => HOLDS_ROWS.test(target));
  const held = report.pending.sheet_rows > 0 ? holding : [];
  const stoppedMs = [
    ...report.holes.flatMap(({ from }) => (from === null ? [] : [Date.parse(from)])),
    ...held.map(({ since }) => Date.parse(since)),
    ...(feed.fresh || nowMs - coveredMs <= BEHIND_MS ? [] : [coveredMs]),
  ];
  if (stoppedMs.length > 0) {
    const text = words.behind(clock(Math.min(coveredMs, ...stoppedMs)));
    return { text, news: text, isGood: false };
  }
  const { objects, oldest_age_s } = report.pending;
  if (oldest_age_s !== null && oldest_age_s * 1000 > BEHIND_MS) {
    // They may wait only for a calendar, which cannot be known here.
    const waiting = { count: objects, since: clock(nowMs - oldest_age_s * 1000) };
    return { text: words.except(clock(coveredMs), waiting), news: waiting, isGood: false };
  }
  return { text: words.upTo(clock(coveredMs)), news: 'current', isGood: true };
}

/** Coarse, so that it rarely changes. */
function paceOf({ lag_s }: StatusReport, words: StatusWords): string | undefined {
  if (lag_s.p99 === null) return undefined;
  const minutes = Math.ceil(lag_s.p99 / 60);
  return words.usually(lag_s.p99 <= 30 ? words.seconds : words.minutes(minutes));
}

function problemLines(problems: readonly ProblemReport[], { place, words, clock }: Saying): string[] {
  const here = problemsHere(problems, place).slice(0, HERE_MAX);
  const of = (kind: string) => problems.filter(({ target }) => target === kind);
  const calendars = problems.filter(({ target }) => target.startsWith('calendar:'));
  const told = new Set([
    ...here,
    ...of('platform'),
    ...of('webhook-endpoint'),
    ...of('google'),
    ...calendars,
  ]);
  // Other spreadsheets have their own status tab.
  const isElsewhere = (problem: ProblemReport) =>
    spotOf(problem, place) !== undefined && !isHere(problem, place);
  const left = problems.filter((problem) => !told.has(problem) && !isElsewhere(problem)).length;
  return [
    ...of('platform').map(({ since }) => words.platform(clock(Date.parse(since)))),
    ...of('webhook-endpoint').map(() => words.endpoint),
    ...of('google').map(({ since }) => words.google(clock(Date.parse(since)))),
    ...here.map((problem) => {
      const { tab, isUntold } = spotOf(problem, place) ?? {};
      const at = { tab, isUntold: isUntold === true, since: clock(Date.parse(problem.since)) };
      return maskText(words.here(problem, at));
    }),
    ...(calendars.length > 0 ? [words.calendars(calendars.length)] : []),
    ...(left > 0 ? [words.others(left)] : []),
  ];
}

function problemsHere(problems: readonly ProblemReport[], place: StatusPlace): ProblemReport[] {
  return problems.filter((problem) => isHere(problem, place));
}

/** A status tab that cannot be written cannot say so. */
function isHere(problem: ProblemReport, place: StatusPlace): boolean {
  return (
    !problem.target.startsWith('status-tab:') && spotOf(problem, place)?.spreadsheetId === place.spreadsheetId
  );
}

interface Spot {
  readonly spreadsheetId: string;
  readonly tab?: string;
  /** The message does not name the tab. */
  readonly isUntold?: true;
}

/** Problems that delay rows of mirrors. Those of drop-downs and booking sheets do not. */
const HOLDS_ROWS = /^spreadsheet(-zone)?:/;
const OF_SPREADSHEET = /^(?:spreadsheet(?:-[a-z]+)?|status-tab|drop-downs):([^/]*)(?:\/(.*))?$/s;
const OF_NAME: Readonly<Record<NamedTab['of'], readonly string[]>> = {
  mirror: ['tab', 'edits', 'carried-rows', 'sheet-check', 'sheet-copies'],
  'booking sheet': ['intake', 'bookings'],
};

/** Where in which spreadsheet the problem is; undefined for all others. */
function spotOf({ target }: ProblemReport, { named }: StatusPlace): Spot | undefined {
  const [, spreadsheetId, tab] = OF_SPREADSHEET.exec(target) ?? [];
  if (spreadsheetId !== undefined) return { spreadsheetId, ...(tab !== undefined && { tab }) };
  const found = named.find(({ of, name }) =>
    OF_NAME[of].some((kind) => target === `${kind}:${name}` || target.startsWith(`${kind}:${name}/`)),
  );
  if (found === undefined) return undefined;
  // A mirror's archive is told by its tab.
  const [, archive] = target.split(`:${found.name}/`);
  return { spreadsheetId: found.spreadsheetId, tab: archive ?? found.tab, isUntold: true };
}

/** `24 November, 10:32`; in UTC, with that word, if the zone is unknown. */
export function clockTime(
  ms: number,
  { zone, language }: { readonly zone: string; readonly language: Language },
): string {
  const parts = localParts(ms, zone, {
    ...{ locale: language === 'ru' ? 'ru-RU' : 'en-GB', day: 'numeric', month: 'long' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  if (parts === undefined) return zone === 'UTC' ? '' : `${clockTime(ms, { zone: 'UTC', language })} UTC`;
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${at('day')} ${at('month')}, ${at('hour')}:${at('minute')}`;
}
