import { askedResyncs, HOLE_AGE_MS_MAX, realHoles } from '../../ops/holes.ts';
import { LETTER_ADVICE } from '../../ops/letter-advice.ts';
import type { HoleReport, StatusReport } from '../../ops/status-report.ts';
import type { Words } from '../words/en.ts';
import { secondsBetween } from './times.ts';

/** One thing that needs a person. */
export interface Need {
  readonly title: string;
  readonly since?: string;
  readonly message?: string;
  /** Language of the message; default: the console's. */
  readonly lang?: string;
  /** What to do, in the worker's own English. */
  readonly advice?: string;
  /** The page on which people fix it. */
  readonly link?: string;
}

const APPROVALS = '/console/approvals';
const WAIT_FOR_APPROVAL: ReadonlySet<string> = new Set([
  ...['mass-deletion', 'mass-erasure', 'mail-storm', 'blocks-mass-cancel'],
]);

/**
 * Everything that `statusVerdict` counts as wrong, one by one: problems, dead letters by cause, sources that are not read, holes that stay
 * open.
 */
export function needsOf(report: StatusReport, words: Words): readonly Need[] {
  const { home } = words;
  const { at, problems, dead_letters, coverage, holes } = report;
  const isOld = (hole: HoleReport) => Date.parse(at) - Date.parse(hole.found_at) > HOLE_AGE_MS_MAX;
  const old = realHoles(holes).filter(isOld).length;
  const hanging = askedResyncs(holes).filter(isOld).length;
  const unread = [
    ...(coverage.feed.reading === 'unread' ? [home.feed] : []),
    ...coverage.calendars.filter(({ reading }) => reading === 'unread').map(({ calendar }) => calendar),
    ...coverage.intake_sheets.filter(({ reading }) => reading === 'unread').map(({ entry }) => entry),
  ];
  return [
    ...problems.map(({ target, code, message, advice, since }) => ({
      ...{ title: `${words.codes.target(target)}: ${words.codes.failure(code)}`, message, lang: 'en' },
      since: home.since(words.duration(secondsBetween(since, at))),
      ...(advice === null ? {} : { advice }),
      ...(WAIT_FOR_APPROVAL.has(code) ? { link: APPROVALS } : {}),
    })),
    ...Object.entries(dead_letters.by_code)
      .sort(([, a], [, b]) => b - a)
      .map(([code, count]) => ({
        title: `${home.lettersOf(count)}: ${words.codes.failure(code)}`,
        link: WAIT_FOR_APPROVAL.has(code) ? APPROVALS : `/console/letters?${new URLSearchParams({ code })}`,
        ...(LETTER_ADVICE[code] === undefined ? {} : { advice: LETTER_ADVICE[code] }),
      })),
    ...unread.map((source) => ({ title: home.unread(source), message: home.unreadText })),
    ...(old > 0 ? [{ title: home.oldHoles(old), message: home.oldHolesText }] : []),
    ...(hanging > 0 ? [{ title: home.oldResyncs(hanging), message: home.oldHolesText }] : []),
  ];
}
