// What the notes in calendars say, read once a round from how the worker stands.
import type { Language } from '../config/config.ts';
import type { Claim } from '../domain/work.ts';
import type { Clock } from '../ports/runtime.ts';
import type { DeadLetters } from '../ports/work.ts';
import { calendarNoteText } from './calendar-note.ts';
import { type BehindParts, calendarsBehind } from './calendars-behind.ts';
import type { StatusSource } from './status.ts';

/** A worker that was away is behind at first, and soon catches up. */
const CATCHING_UP_MS = 5 * 60_000;
/** The oldest of them say enough. */
const PENDING_READ_MAX = 500;

/** `afterMs`: how long a calendar may be behind; undefined: none has a note. */
export function noteRounds(
  parts: Pick<BehindParts, 'mirrors' | 'calendarsOf'> & {
    readonly status: StatusSource;
    /** Objects that wait since before that moment, the oldest first. */
    readonly pendingBefore: (atMs: number, limit: number) => Promise<readonly Claim[]>;
    readonly deadLetters: Pick<DeadLetters, 'all'>;
    readonly afterMs: number | undefined;
    readonly language: Language;
    readonly clock: Clock;
    /** For durations. */
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
