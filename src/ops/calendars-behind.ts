// How the worker stands goes in; which calendars people cannot rely on, since when and why, comes out. Pure.
import type { CalendarMirror } from '../domain/mirror.ts';
import { subjectsOf } from '../domain/subject.ts';
import type { Claim, DeadLetter } from '../domain/work.ts';
import type { StatusReport } from './status-report.ts';

export interface Behind {
  readonly sinceMs: number;
  /** `waits`: what is missing follows by itself. `given-up`: only when somebody sees to it. */
  readonly why: 'waits' | 'given-up';
}

export interface BehindParts {
  readonly report: Pick<StatusReport, 'at' | 'coverage' | 'holes'>;
  readonly pending: readonly Claim[];
  readonly letters: readonly DeadLetter[];
  readonly mirrors: readonly CalendarMirror[];
  /** Subject to calendar. */
  readonly calendarsOf: (mirror: CalendarMirror) => ReadonlyMap<string, string>;
  /** How long it may last. */
  readonly afterMs: number;
}

/** Somebody asked for these, or the clock: nothing is known to be missing. */
const ONLY_CHECKS = new Set(['operator', 'scheduled']);
/** What failed was the object as a whole, or people's changes to its events; see `src/work/reconcile.ts`. */
const WHOLE = '*';

/** By calendar id. */
export function calendarsBehind(parts: BehindParts): ReadonlyMap<string, Behind> {
  const { pending, letters, mirrors, afterMs } = parts;
  const untilMs = Date.parse(parts.report.at) - afterMs;
  const found = new Map<string, Behind>();
  const note = (calendarId: string, behind: Behind) => {
    const known = found.get(calendarId);
    if (behind.sinceMs > untilMs || (known !== undefined && known.sinceMs <= behind.sinceMs)) return;
    found.set(calendarId, behind);
  };
  const everywhereMs = unreadSinceMs(parts.report);
  for (const { calendarId } of mirrors.flatMap(({ calendars }) => calendars))
    note(calendarId, { sinceMs: everywhereMs, why: 'waits' });
  for (const claim of pending) {
    const { pendingSinceMs: sinceMs } = claim;
    if (claim.key.kind !== 'appointment' || sinceMs === undefined) continue;
    for (const calendarId of waitingFor(claim, parts)) note(calendarId, { sinceMs, why: 'waits' });
  }
  const named = new Map(
    mirrors.flatMap(({ calendars }) =>
      calendars.map(({ calendarId }) => [`calendar:${calendarId}`, calendarId]),
    ),
  );
  for (const { atMs, reasons } of letters)
    for (const { target = '' } of reasons) {
      const calendarId = named.get(target);
      if (calendarId !== undefined) note(calendarId, { sinceMs: atMs, why: 'given-up' });
    }
  return found;
}

/** Since when nobody knows what has happened on the platform; infinite when that is known. */
function unreadSinceMs({ at, coverage, holes }: BehindParts['report']): number {
  const gaps = holes.filter(({ cause }) => !ONLY_CHECKS.has(cause));
  const coveredUntil = coverage.feed.covered_until;
  return Math.min(
    coveredUntil === null ? Number.POSITIVE_INFINITY : Math.min(Date.parse(coveredUntil), Date.parse(at)),
    ...gaps.map(({ found_at }) => Date.parse(found_at)),
  );
}

/** The calendars of an appointment to which its change has not come. */
function waitingFor(claim: Claim, { mirrors, calendarsOf }: BehindParts): readonly string[] {
  const waits = Object.keys(claim.waits ?? {}).map((at) => at.replace(WHOLE, ''));
  // No turn yet, or none that came as far as the mirrors.
  const isWhole = waits.length === 0 || waits.includes('');
  return mirrors.flatMap((mirror) => {
    if (isWhole || waits.includes(mirror.name)) return calendarsFor(claim, mirror, calendarsOf(mirror));
    return mirror.calendars
      .map(({ calendarId }) => calendarId)
      .filter((calendarId) => waits.includes(`${mirror.name} ${calendarId}`));
  });
}

/** Where its events stand, and where they are to stand. */
function calendarsFor(
  { links, snapshot }: Claim,
  { name }: CalendarMirror,
  bySubject: ReadonlyMap<string, string>,
): readonly string[] {
  const linked = (links[name]?.calendars ?? []).map(({ calendarId }) => calendarId);
  const subjects = snapshot === undefined ? [] : subjectsOf(snapshot);
  return [...linked, ...subjects.flatMap((subject) => bySubject.get(subject) ?? [])];
}
