import { calendarMirrors } from '../config/needs.ts';
import { CalendarNotes } from '../mirrors/calendar/note/calendar-notes.ts';
import { calendarNoteText } from '../ops/calendar-note.ts';
import { calendarsBehind } from '../ops/calendars-behind.ts';
import type { StatusSource } from '../ops/status.ts';
import { steadyClock } from '../ports/runtime.ts';
import { every } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import type { Core } from './core.ts';

/** How often the worker checks whether a note has to change. */
const LOOK_EVERY_MS = 30_000;
/** A worker that was away is behind at first, and soon catches up. */
const CATCHING_UP_MS = 5 * 60_000;
/** The oldest of them say enough. */
const PENDING_READ_MAX = 500;

/** Keeps the notes of `worker.calendar_note`. Without that setting, it takes away those that an earlier worker left. */
export function calendarNotes(core: Core, { status }: { readonly status: StatusSource }): Part {
  const { config, store, remotes, calendars, mark, clock, log } = core;
  const { calendarNoteMs: afterMs, language } = config.worker;
  const mirrors = calendarMirrors(config);
  const startedAtMs = steadyClock.now();
  const notes = new CalendarNotes({
    // Behind all live work, which needs the budget more.
    api: remotes.calendarFor('list'),
    installation: config.redis.prefix,
    calendars:
      afterMs === undefined ? [] : mirrors.flatMap((each) => each.calendars.map((c) => c.calendarId)),
    async read() {
      const report = await status.read();
      const isQuiet = afterMs === undefined;
      const [pending, letters] = await Promise.all([
        isQuiet ? [] : store.ledger.pendingBefore(clock.now() - afterMs, PENDING_READ_MAX),
        isQuiet ? [] : store.deadLetters.all(),
      ]);
      const parts = { report, pending, letters, mirrors, afterMs: afterMs ?? 0 };
      const behind = calendarsBehind({ ...parts, calendarsOf: (mirror) => calendars.calendarsOf(mirror) });
      return {
        behind: new Map(
          [...behind].map(([calendarId, each]) => [
            calendarId,
            (zone: string) => calendarNoteText(each, { zone, language }),
          ]),
        ),
        shut: new Set(report.problems.map(({ target }) => target.replace(/^calendar:/, ''))),
        mayBegin: steadyClock.now() - startedAtMs >= CATCHING_UP_MS,
      };
    },
    ...{ memory: store.memory, leases: store.leases, clock, log },
  });
  return every({ name: 'calendar notes', everyMs: LOOK_EVERY_MS, log }, async (signal) => {
    // A worker with a former mapping may know of other calendars.
    if (await mark.isCurrent()) await notes.look(signal);
  });
}
