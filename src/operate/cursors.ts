import type { CalendarCursors } from '../calendar/stores.ts';
import type { CoverageStore } from '../engine/coverage-store.ts';
import { TerminalError } from '../engine/errors.ts';
import type { Leases } from '../engine/leases.ts';
import type { Memory } from '../engine/memory.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { watchedCalendars } from '../mapping/needs.ts';
import { readEndedWalk, readWalk } from '../platform/resync-walk.ts';

const FEED = 'feed';
/** How often the lease is tried: a running sync holds it as long as Google takes to answer. */
const TRIES_MAX = 20;
/** Pause between two tries. */
const TRY_EVERY_MS = 500;

interface CursorStore {
  readonly coverage: CoverageStore;
  readonly calendars: CalendarCursors;
  readonly leases: Leases;
  readonly memory: Memory;
}

export function cursorsOf({ config, store, clock }: { config: Config; store: CursorStore; clock: Clock }) {
  const resyncProgress = async () => {
    const [holes, walk, ended] = await Promise.all([
      store.coverage.holes(),
      readWalk(store.memory),
      readEndedWalk(store.memory),
    ]);
    return { open: holes.map((hole) => hole.id), ...(walk && { walk }), ...(ended && { ended }) };
  };
  return {
    resyncProgress,
    async cursors() {
      const calendars = watchedCalendars(config).map(async (calendar) => ({
        calendar,
        ...(await store.calendars.read(calendar)),
      }));
      return {
        feed: await store.coverage.read(FEED),
        calendars: await Promise.all(calendars),
        holes: await store.coverage.holes(),
        resync: await resyncProgress(),
      };
    },
    async resetCursor(source: string): Promise<string> {
      const now = clock.now();
      if (source === FEED) {
        const about = { source: FEED, cause: 'operator', fromMs: undefined, toMs: now } as const;
        await store.coverage.putHole({ id: `operator-reset-${now}`, ...about, foundAtMs: now });
        return 'The worker reads all lists of the platform again, after live work. Feed walks continue unchanged.';
      }
      if (!watchedCalendars(config).includes(source)) throw unknown(source);
      await startOver(store, source, now);
      return 'The worker lists the calendar in full in its next round, and compares it with the stored state.';
    },
  };
}

async function startOver(store: CursorStore, calendarId: string, startedAtMs: number): Promise<void> {
  const open = { startedAtMs, pageToken: undefined, isFull: true, pages: 0 };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const held = await store.leases.hold(`calendar:${calendarId}`, (lease) =>
      store.calendars.startOver(calendarId, open, lease),
    );
    if (held?.result === true) return;
    await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
  }
  throw new TerminalError('source-busy', 'the calendar is being read continuously', {
    advice: 'Run the command again.',
  });
}

function unknown(source: string): TerminalError {
  return new TerminalError('source-unknown', `unknown source ${source}`, {
    advice: 'Give feed, or the id of a calendar that `slotbridge cursor` shows.',
  });
}
