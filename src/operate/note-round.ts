// Determines once per round, from the worker's state, which calendars get a note and its text.

import type { DeadLetters } from '../engine/dead-letters.ts';
import type { CalendarMirror } from '../engine/mirror.ts';
import { subjectsOf } from '../engine/object.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Claim, FailureReason } from '../engine/work.ts';
import type { Language } from '../mapping/config.ts';
import type { StatusSource } from './status.ts';
import type { StatusReport } from './status-report.ts';
import { clockTime } from './status-tab/text.ts';

export function calendarNoteText(
  { sinceMs, why }: Behind,
  place: { readonly zone: string; readonly language: Language },
): { readonly summary: string; readonly description: string } {
  const words = WORDS[place.language];
  const [since, rest] = [clockTime(sinceMs, place), words[why]];
  return { summary: words.title, description: `${words.since(since)} ${rest}\n\n${words.about}` };
}

const WORDS = {
  en: {
    title: 'This calendar is not up to date',
    since: (time: string) => `Since ${time}, changes on the platform may be missing here.`,
    waits: 'They follow by themselves.',
    'given-up': 'They need whoever runs slotbridge to step in.',
    about:
      'Written by slotbridge, which takes this note away when the calendar is up to date. Deleting it changes no appointment.',
  },
  ru: {
    title: 'Календарь не обновлён',
    since: (time: string) => `С ${time} здесь может не хватать изменений с платформы.`,
    waits: 'Они появятся сами.',
    'given-up': 'Этим должен заняться администратор slotbridge.',
    about:
      'Пишет slotbridge. Заметка исчезнет, когда календарь будет обновлён. Её удаление не меняет никаких записей.',
  },
} as const;

/** Time after the start without new notes: a worker that was down is behind at first, and soon catches up. */
const CATCHING_UP_MS = 5 * 60_000;
/** Largest number of pending objects read; the oldest are enough. */
const PENDING_READ_MAX = 500;

/** `afterMs`: how long a calendar may be behind before it gets a note; undefined means never. */
export function noteRounds(
  parts: Pick<BehindParts, 'mirrors' | 'calendarsOf'> & {
    readonly status: StatusSource;
    /** Objects that have waited since before that moment, the oldest first. */
    readonly pendingBefore: (atMs: number, limit: number) => Promise<readonly Claim[]>;
    readonly deadLetters: Pick<DeadLetters, 'causes'>;
    readonly afterMs: number | undefined;
    readonly language: Language;
    readonly clock: Clock;
    /** A monotonic clock, for durations. */
    readonly steady: Clock;
  },
) {
  const { status, deadLetters, afterMs, language, clock, steady } = parts;
  const startedAtMs = steady.now();
  return async () => {
    const report = await status.read();
    const isQuiet = afterMs === undefined;
    const [pending, causes] = await Promise.all([
      isQuiet ? [] : parts.pendingBefore(clock.now() - afterMs, PENDING_READ_MAX),
      isQuiet ? [] : deadLetters.causes(),
    ]);
    const letters = causes.map(({ oldestAtMs, reasons }) => ({ atMs: oldestAtMs, reasons }));
    const behind = calendarsBehind({ ...parts, report, pending, letters, afterMs: afterMs ?? 0 });
    const texts = [...behind].map(
      ([calendarId, each]) =>
        [calendarId, (zone: string) => calendarNoteText(each, { zone, language })] as const,
    );
    return {
      behind: new Map(texts),
      shut: new Set(report.problems.map(({ target }) => target.replace(/^calendar:/, ''))),
      mayBegin: steady.now() - startedAtMs >= CATCHING_UP_MS,
    };
  };
}

// Derives from the worker's state which calendars people cannot rely on, since when and why. Pure.

interface Behind {
  readonly sinceMs: number;
  /** `waits`: the missing changes follow automatically. `given-up`: a person must act. */
  readonly why: 'waits' | 'given-up';
}

export interface BehindParts {
  readonly report: Pick<StatusReport, 'at' | 'coverage' | 'holes'>;
  readonly pending: readonly Claim[];
  /** The oldest letter of each cause is enough. */
  readonly letters: readonly {
    readonly atMs: number;
    readonly reasons: readonly Pick<FailureReason, 'target'>[];
  }[];
  readonly mirrors: readonly CalendarMirror[];
  /** Maps subjects to calendar ids. */
  readonly calendarsOf: (mirror: CalendarMirror) => ReadonlyMap<string, string>;
  /** How long a calendar may be behind. */
  readonly afterMs: number;
}

/** Causes of holes that an operator or the schedule requested: nothing is known to be missing. */
const ONLY_CHECKS = new Set(['operator', 'scheduled']);
/** Marks a failure of the whole object, or of people's changes to its events; see `src/engine/reconcile.ts`. */
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
