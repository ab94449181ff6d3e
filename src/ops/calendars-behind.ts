// Derives from the worker's state which calendars people cannot rely on, since when and why. Pure.
import type { CalendarMirror } from '../domain/mirror.ts';
import { subjectsOf } from '../domain/subject.ts';
import type { Claim, DeadLetter } from '../domain/work.ts';
import type { StatusReport } from './status-report.ts';

export interface Behind {
  readonly sinceMs: number;
  /** `waits`: the missing changes follow automatically. `given-up`: a person must act. */
  readonly why: 'waits' | 'given-up';
}

export interface BehindParts {
  readonly report: Pick<StatusReport, 'at' | 'coverage' | 'holes'>;
  readonly pending: readonly Claim[];
  readonly letters: readonly DeadLetter[];
  readonly mirrors: readonly CalendarMirror[];
  /** Maps subjects to calendar ids. */
  readonly calendarsOf: (mirror: CalendarMirror) => ReadonlyMap<string, string>;
  /** How long a calendar may be behind. */
  readonly afterMs: number;
}

/** Causes of holes that an operator or the schedule requested: nothing is known to be missing. */
const ONLY_CHECKS = new Set(['operator', 'scheduled']);
/** Marks a failure of the whole object, or of people's changes to its events; see `src/work/reconcile.ts`. */
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

/** Since when changes on the platform may be unknown; infinite when all are known. */
function unreadSinceMs({ at, coverage, holes }: BehindParts['report']): number {
  const gaps = holes.filter(({ cause }) => !ONLY_CHECKS.has(cause));
  const coveredUntil = coverage.feed.covered_until;
  return Math.min(
    coveredUntil === null ? Number.POSITIVE_INFINITY : Math.min(Date.parse(coveredUntil), Date.parse(at)),
    ...gaps.map(({ found_at }) => Date.parse(found_at)),
  );
}

/** The appointment's calendars that its change has not reached. */
function waitingFor(claim: Claim, { mirrors, calendarsOf }: BehindParts): readonly string[] {
  const waits = Object.keys(claim.waits ?? {}).map((at) => at.replace(WHOLE, ''));
  // The object had no turn yet, or its turn failed before it reached the mirrors.
  const isWhole = waits.length === 0 || waits.includes('');
  return mirrors.flatMap((mirror) => {
    if (isWhole || waits.includes(mirror.name)) return calendarsFor(claim, mirror, calendarsOf(mirror));
    return mirror.calendars
      .map(({ calendarId }) => calendarId)
      .filter((calendarId) => waits.includes(`${mirror.name} ${calendarId}`));
  });
}

/** The calendars that hold the appointment's events, and those that should. */
function calendarsFor(
  { links, snapshot }: Claim,
  { name }: CalendarMirror,
  bySubject: ReadonlyMap<string, string>,
): readonly string[] {
  const linked = (links[name]?.calendars ?? []).map(({ calendarId }) => calendarId);
  const subjects = snapshot === undefined ? [] : subjectsOf(snapshot);
  return [...linked, ...subjects.flatMap((subject) => bySubject.get(subject) ?? [])];
}
