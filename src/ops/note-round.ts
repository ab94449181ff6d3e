// Determines once per round, from the worker's state, which calendars get a note and its text.
import type { Language } from '../config/config.ts';
import type { Claim } from '../domain/work.ts';
import type { Clock } from '../ports/runtime.ts';
import type { DeadLetters } from '../ports/work.ts';
import { calendarNoteText } from './calendar-note.ts';
import { type BehindParts, calendarsBehind } from './calendars-behind.ts';
import type { StatusSource } from './status.ts';

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
    readonly deadLetters: Pick<DeadLetters, 'all'>;
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
    const [pending, letters] = await Promise.all([
      isQuiet ? [] : parts.pendingBefore(clock.now() - afterMs, PENDING_READ_MAX),
      isQuiet ? [] : deadLetters.all(),
    ]);
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
