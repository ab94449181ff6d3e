// Derives from a status report what the users of one spreadsheet must know, in plain words. Pure.
import type { Language } from '../../mapping/config.ts';
import { maskText } from '../personal-data.ts';
import type { ProblemReport, StatusReport } from '../status-report.ts';
import { clockTime } from './clock-time.ts';
import { STATUS_WORDS, type StatusWords } from './words.ts';

export interface StatusPlace {
  readonly spreadsheetId: string;
  /** Tabs of this spreadsheet that the mapping names. */
  readonly tabs: readonly string[];
  /** Local zone of the users. */
  readonly zone: string;
  readonly language: Language;
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
  // Problems of drop-downs do not delay rows.
  const holding = problemsHere(report.problems, place).filter(
    ({ target }) => !target.startsWith('drop-downs:'),
  );
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
  const isElsewhere = ({ target }: ProblemReport) => /^(spreadsheet|status-tab|drop-downs)/.test(target);
  const elsewhere = new Set(problems.filter(isElsewhere));
  for (const problem of problemsHere(problems, place)) elsewhere.delete(problem);
  const left = problems.filter((problem) => !told.has(problem) && !elsewhere.has(problem)).length;
  return [
    ...of('platform').map(({ since }) => words.platform(clock(Date.parse(since)))),
    ...of('webhook-endpoint').map(() => words.endpoint),
    ...of('google').map(({ since }) => words.google(clock(Date.parse(since)))),
    ...here.map((problem) => {
      const tab = tabOf(problem, place);
      return maskText(words.here(problem, { tab, since: clock(Date.parse(problem.since)) }));
    }),
    ...(calendars.length > 0 ? [words.calendars(calendars.length)] : []),
    ...(left > 0 ? [words.others(left)] : []),
  ];
}

/** Problems of the whole spreadsheet, one of its tabs, its time zone, or its drop-downs. */
function problemsHere(problems: readonly ProblemReport[], { spreadsheetId }: StatusPlace): ProblemReport[] {
  const [whole, ...parts] = ['spreadsheet', 'spreadsheet-zone', 'drop-downs'].map(
    (kind) => `${kind}:${spreadsheetId}`,
  );
  return problems.filter(
    ({ target }) => target === whole || target.startsWith(`${whole}/`) || parts.includes(target),
  );
}

function tabOf({ target }: ProblemReport, { spreadsheetId }: StatusPlace): string | undefined {
  const whole = `spreadsheet:${spreadsheetId}/`;
  return target.startsWith(whole) ? target.slice(whole.length) : undefined;
}
