import { ofKind } from '../domain/mirror.ts';
import { CalendarNotes } from '../mirrors/calendar/note/calendar-notes.ts';
import { noteRounds } from '../ops/note-round.ts';
import type { StatusSource } from '../ops/status.ts';
import { steadyClock } from '../ports/runtime.ts';
import { every } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import type { Core } from './core.ts';

/** How often the worker checks whether a note has to change. */
const LOOK_EVERY_MS = 30_000;

/** Keeps the notes of `worker.calendar_note`. Without that setting, it removes notes that an earlier worker left. */
export function calendarNotes(core: Core, { status }: { readonly status: StatusSource }): Part {
  const { config, store, remotes, calendars, mark, clock, log } = core;
  const { calendarNoteMs: afterMs, language } = config.worker;
  const mirrors = ofKind(config.mirrors, 'calendar');
  const notes = new CalendarNotes({
    // All live work goes first, because it needs the budget more.
    api: remotes.calendarFor('list'),
    installation: config.redis.prefix,
    calendars:
      afterMs === undefined ? [] : mirrors.flatMap((each) => each.calendars.map((c) => c.calendarId)),
    read: noteRounds({
      ...{ status, deadLetters: store.deadLetters, mirrors, afterMs, language },
      pendingBefore: (atMs, limit) => store.ledger.pendingBefore(atMs, limit),
      ...{ calendarsOf: (mirror) => calendars.calendarsOf(mirror), clock, steady: steadyClock },
    }),
    ...{ memory: store.memory, leases: store.leases, clock, steady: steadyClock, log },
  });
  return every({ name: 'calendar notes', everyMs: LOOK_EVERY_MS, log }, async (signal) => {
    // A worker with an outdated mapping may know other calendars.
    if (await mark.isCurrent()) await notes.look(signal);
  });
}
