// Tells open pages that something has changed, and never what: a page that hears of it reads itself again, with all checks of a page.
// So there is nothing to buffer. A reader who takes nothing is left out until they do, and sees the newest state then.
import { type EntityKey, formatKey } from '../domain/entity.ts';
import { contentHash } from '../domain/snapshot.ts';
import type { StatusReport } from '../ops/status-report.ts';
import { WatchedLooks } from '../ops/watched-looks.ts';
import type { Comparison } from './comparison.ts';
import type { ConsoleParts } from './parts.ts';

/** Between two looks, while somebody has a page open. */
const LOOK_EVERY_MS = 2_000;
/** Ages on a page are read again this often, whatever has changed. */
const REFRESH_EVERY_MS = 15_000;

/** One object, what people have started, or (undefined) how everything stands. */
export type About = EntityKey | 'runs' | undefined;

type Parts = Pick<ConsoleParts, 'status' | 'story' | 'clock' | 'replays' | 'resyncs'> & {
  readonly comparison: Pick<Comparison, 'current'>;
};

/** One open page. */
export interface Listener {
  readonly about: About;
  /** False when it takes nothing now: it is told at a later look. */
  tell(): boolean;
  /** Before each look; false when it may not listen any more. */
  mayListen(): Promise<boolean>;
  end(): void;
}

export class Pulse {
  readonly #parts: Parts;
  readonly #looks: WatchedLooks;
  /** With what each was last told of. */
  readonly #listeners = new Map<Listener, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#looks = new WatchedLooks({
      ...{ name: 'open pages', everyMs: LOOK_EVERY_MS, firstAfterMs: LOOK_EVERY_MS },
      isWatched: () => this.size > 0,
      look: () => this.look(),
    });
  }

  /** What keeps the pages current while they are open. */
  get looks(): WatchedLooks {
    return this.#looks;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** It is told at the next look: what happened since its page was made is in the first reading. */
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

  /** One look for all pages: each thing that somebody listens to is read once. Never rejects. */
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
        // What cannot be read is news as well: the page says so itself.
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

/** What of a report does not change by the hands of the clock alone. */
function lasting({ coverage, pending, dead_letters, problems, holes, quarantined }: StatusReport): unknown {
  return {
    ...{ pending: { ...pending, oldest_age_s: null }, count: dead_letters, problems, holes, quarantined },
    sources: [coverage.feed, ...coverage.calendars, ...coverage.intake_sheets].map(({ reading }) => reading),
  };
}
