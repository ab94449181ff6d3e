// Notifies open pages that something has changed, but not what: a notified page reads itself again, with all checks of a page. So nothing
// has to be buffered. A reader that takes nothing is skipped until it does, and then sees the newest state.
import { contentHash, type EntityKey, formatKey } from '../engine/object.ts';
import type { StatusReport } from '../operate/status-report.ts';
import { WatchedLooks } from '../operate/watched-looks.ts';
import type { Comparison } from './comparison.ts';
import type { ConsoleParts } from './parts.ts';

/** Pause between two looks, while a page is open. */
const LOOK_EVERY_MS = 2_000;
/** How often pages are read again even without a change, because they show ages. */
const REFRESH_EVERY_MS = 15_000;

/** One object, the runs that people have started, or (undefined) the state of everything. */
export type About = EntityKey | 'runs' | undefined;

type Parts = Pick<ConsoleParts, 'status' | 'story' | 'clock' | 'replays' | 'resyncs'> & {
  readonly comparison: Pick<Comparison, 'current'>;
};

/** One open page. */
export interface Listener {
  readonly about: About;
  /** False when the page takes nothing now; a later look notifies it again. */
  tell(): boolean;
  /** Called before each look; false when the page may no longer listen. */
  mayListen(): Promise<boolean>;
  end(): void;
}

export class Pulse {
  readonly #parts: Parts;
  readonly #looks: WatchedLooks;
  /** Each with the mark of its last notification. */
  readonly #listeners = new Map<Listener, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#looks = new WatchedLooks({
      ...{ name: 'open pages', everyMs: LOOK_EVERY_MS, firstAfterMs: LOOK_EVERY_MS },
      isWatched: () => this.size > 0,
      look: () => this.look(),
    });
  }

  /** The loop that keeps open pages current. */
  get looks(): WatchedLooks {
    return this.#looks;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** The listener is notified at the next look: what happened since its page was made is in the first reading. */
  add(listener: Listener): void {
    this.#listeners.set(listener, '');
    this.#looks.wake();
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  endAll(): void {
    for (const listener of this.#listeners.keys()) listener.end();
    this.#listeners.clear();
  }

  /** One look for all pages: it reads each thing once, however many pages listen to it. Never rejects. */
  async look(): Promise<void> {
    const marks = new Map<string, Promise<string>>();
    const markOf = (about: About) => {
      const name = typeof about === 'object' ? formatKey(about) : (about ?? '');
      const mark = marks.get(name) ?? this.#mark(about);
      marks.set(name, mark);
      return mark;
    };
    await Promise.all(
      [...this.#listeners].map(async ([listener, told]) => {
        // A state that cannot be read is news as well: the page itself says so.
        const mayListen = await listener.mayListen().catch(() => true);
        if (!mayListen) {
          this.remove(listener);
          listener.end();
          return;
        }
        const mark = await markOf(listener.about).catch(() => 'unreadable');
        if (mark !== told && this.#listeners.has(listener) && listener.tell())
          this.#listeners.set(listener, mark);
      }),
    );
  }

  async #mark(about: About): Promise<string> {
    const { status, story, clock } = this.#parts;
    const age = Math.floor(clock.now() / REFRESH_EVERY_MS);
    if (about === undefined) return `${age} ${contentHash(lasting(await status.read()))}`;
    if (about === 'runs') return `${age} ${contentHash(await this.#runs())}`;
    const [claim, due, history] = await Promise.all([
      story.view.peek(about),
      story.view.dueAt(about),
      story.history.of(formatKey(about)),
    ]);
    const { desiredRev, syncedRev, deleted, sightings } = claim ?? {};
    return `${age} ${contentHash({ desiredRev, syncedRev, deleted, sightings, due, history })}`;
  }

  async #runs(): Promise<unknown> {
    const { replays, resyncs, comparison } = this.#parts;
    const [run, progress] = await Promise.all([replays.current(), resyncs.progress()]);
    const { differences: _, summary: __, ...compared } = comparison.current ?? {};
    return { run, progress, compared };
  }
}

/** The parts of a report that do not change merely because time passes. */
function lasting({ coverage, pending, dead_letters, problems, holes, quarantined }: StatusReport): unknown {
  return {
    ...{ pending: { ...pending, oldest_age_s: null }, count: dead_letters, problems, holes, quarantined },
    sources: [coverage.feed, ...coverage.calendars, ...coverage.intake_sheets].map(({ reading }) => reading),
  };
}
