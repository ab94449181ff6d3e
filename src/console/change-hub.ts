// Carries changes of objects to the pages that show them. It reads Redis once for all pages, and only while one is open. Each reader holds
// a bounded number of changes: it drops the oldest and says how many. No worker waits for a reader.

import type { Change, ChangeAt, Changes } from '../engine/changes.ts';
import type { Claim } from '../engine/work.ts';
import { WatchedLooks } from '../operate/watched-looks.ts';
import type { PageStream } from './stream.ts';

const LOOK_EVERY_MS = 1_000;
/** Most changes held per reader; as many as a page shows. */
export const CHANGES_HELD_MAX = 200;
const BEGINNING: ChangeAt = { id: '0-0', nth: 0 };

/** A change, and what the worker knows of its object now; undefined: nothing, or it was not looked up. */
export type KnownChange = Change & { readonly claim?: Claim | undefined };

/** One open page. */
export class ChangeReader {
  readonly stream: PageStream;
  readonly #see: (change: KnownChange) => KnownChange | undefined;
  readonly #frame: (news: News) => string;
  #at: ChangeAt;
  #held: KnownChange[] = [];
  #missed = 0;
  #missedTold = 0;
  #isNew = true;

  constructor(
    stream: PageStream,
    about: {
      /** The last change that the page shows. */
      readonly after: ChangeAt | undefined;
      /** The change as the reader may see it; undefined when the filter excludes it. */
      readonly see: (change: KnownChange) => KnownChange | undefined;
      /** Formats news as a server-sent event. */
      readonly frame: (news: News) => string;
    },
  ) {
    this.stream = stream;
    this.#at = about.after ?? BEGINNING;
    this.#see = about.see;
    this.#frame = about.frame;
  }

  get at(): ChangeAt {
    return this.#at;
  }

  /** Takes changes, oldest first. Ignores those that it already has. */
  take(changes: readonly KnownChange[]): void {
    for (const change of changes) {
      if (!isLater(change.at, this.#at)) continue;
      if (this.#at.nth > 0) this.#missed += Math.max(0, change.at.nth - this.#at.nth - 1);
      this.#at = change.at;
      const seen = this.#see(change);
      if (seen === undefined) continue;
      this.#held.push(seen);
      if (this.#held.length <= CHANGES_HELD_MAX) continue;
      this.#held.shift();
      this.#missed += 1;
    }
  }

  /** Sends what is held, unless the previous event is still on its way. */
  give(): void {
    if (!this.stream.isFree()) return;
    if (this.#held.length === 0 && this.#missed === this.#missedTold && !this.#isNew) {
      this.stream.beat();
      return;
    }
    const news = { changes: this.#held, missed: this.#missed, at: this.#at };
    this.#isNew = false;
    this.#held = [];
    this.#missedTold = this.#missed;
    this.stream.send(this.#frame(news));
  }
}

export interface News {
  /** Oldest first. */
  readonly changes: readonly KnownChange[];
  /** How many changes were not sent since the page connected. */
  readonly missed: number;
  /** Where the page continues when it reconnects. */
  readonly at: ChangeAt;
}

export class ChangeHub {
  readonly #changes: Changes;
  readonly #lookUp: (changes: readonly Change[]) => Promise<readonly KnownChange[]>;
  readonly #readers = new Set<ChangeReader>();
  readonly #looks: WatchedLooks;
  #at: ChangeAt = BEGINNING;

  /** `lookUp`: reads what is known of the objects, once for all pages. */
  constructor(
    changes: Changes,
    lookUp: (changes: readonly Change[]) => Promise<readonly KnownChange[]> = async (news) => news,
  ) {
    this.#changes = changes;
    this.#lookUp = lookUp;
    this.#looks = new WatchedLooks({
      ...{ name: 'open lists of changes', everyMs: LOOK_EVERY_MS, firstAfterMs: 0 },
      isWatched: () => this.size > 0,
      look: () => this.look(),
    });
  }

  /** The loop that carries changes to open pages. */
  get looks(): WatchedLooks {
    return this.#looks;
  }

  get size(): number {
    return this.#readers.size;
  }

  add(reader: ChangeReader): void {
    // The reader that knows least decides from where Redis is read.
    if (this.#readers.size === 0 || isLater(this.#at, reader.at)) this.#at = reader.at;
    this.#readers.add(reader);
    this.#looks.wake();
  }

  remove(reader: ChangeReader): void {
    this.#readers.delete(reader);
  }

  endAll(): void {
    for (const { stream } of this.#readers) stream.end();
    this.#readers.clear();
  }

  /** Never rejects: what cannot be read now is read at the next look. */
  async look(): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => this.#ask(reader)));
    const from = this.#at;
    const news = await this.#changes
      .after(from.id)
      .then(this.#lookUp)
      .catch(() => []);
    const last = news.at(-1);
    // A reader that knows less was added meanwhile: the next look begins at its position.
    if (last !== undefined && this.#at === from) this.#at = last.at;
    for (const reader of this.#readers) {
      // What lies between a reader that knows less and these changes would count as missed.
      if (!isLater(from, reader.at)) reader.take(news);
      reader.give();
    }
  }

  async #ask(reader: ChangeReader): Promise<void> {
    const mayListen = await reader.stream.mayListen().catch(() => true);
    if (mayListen) return;
    this.remove(reader);
    reader.stream.end();
  }
}

const ID = /^(\d{1,15})-(\d{1,15})\.(\d{1,15})$/;

export function changeAtText({ id, nth }: ChangeAt): string {
  return `${id}.${nth}`;
}

/** Undefined for any other text. */
export function changeAtIn(text: string): ChangeAt | undefined {
  const found = ID.exec(text);
  return found === null ? undefined : { id: `${found[1]}-${found[2]}`, nth: Number(found[3]) };
}

function isLater(a: ChangeAt, b: ChangeAt): boolean {
  const [aMs = 0, aSeq = 0] = a.id.split('-').map(Number);
  const [bMs = 0, bSeq = 0] = b.id.split('-').map(Number);
  return aMs > bMs || (aMs === bMs && aSeq > bSeq);
}
