// What a lost primary booked last, its successor may book again. So the platform is searched for doubles whenever Redis was started again
// or failed over.

import { bookingIdOf } from '../domain/ids.ts';
import { distanceMs } from '../domain/moments.ts';
import type { Snapshot } from '../domain/object.ts';
import type { Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { PlatformReader } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import { isLive } from '../submit/current-state.ts';
import { bookedTwice } from './booked-again.ts';
import { originOf } from './origin.ts';

const KNOWN = 'whole-until';
/** How often the moment up to which Redis is whole is stored. */
const STORE_EVERY_MS = 60_000;
/** For differences between the clocks of hosts and platform. */
const MARGIN_MS = 5 * 60_000;
/** Redis knows nothing of the time before. */
const UNKNOWN_MS = 24 * 3_600_000;
/** The rows and events that Redis forgot are read and booked again within this time. */
const AGAIN_AFTER_MS = 2 * 60_000;
const PAGE = 100;
const PAGES_MAX = 50;

/** Stored in Redis, so a replica that is promoted holds the last moment that reached it. */
interface Known {
  readonly run: string;
  /** Up to here nothing is lost; epoch milliseconds. */
  readonly atMs: number;
  /** The same when this run began: a worker that comes later from another primary searches from here on. */
  readonly sinceMs: number;
}

export interface BookedTwiceSearchParts {
  readonly reader: Pick<PlatformReader, 'page'>;
  readonly problems: Pick<ProblemBoard, 'raise'>;
  readonly memory: Memory;
  /** Identifies the process that serves the memory. */
  readonly redisRun: () => Promise<string>;
  readonly clock: Clock;
}

/** Raises one problem for each row or event that has two live appointments. Cancels nothing. */
export class BookedTwiceSearch {
  readonly #parts: BookedTwiceSearchParts;
  #run: string | undefined;
  #again: { readonly sinceMs: number; readonly begunMs: number } | undefined;

  constructor(parts: BookedTwiceSearchParts) {
    this.#parts = parts;
  }

  /** Call it every few seconds. A failed search is repeated by the next call. */
  async look(): Promise<void> {
    const { memory, redisRun, clock } = this.#parts;
    const nowMs = clock.now();
    const run = await redisRun();
    const known = parsed(await memory.get(KNOWN));
    if (known?.run === run && (this.#run ?? run) === run) {
      this.#run = run;
      const isOld = Math.abs(nowMs - known.atMs) >= STORE_EVERY_MS;
      if (isOld) await memory.set(KNOWN, JSON.stringify({ ...known, atMs: nowMs }));
      // A clock that was set back does not hold the second search back.
      if (this.#again === undefined || distanceMs(this.#again.begunMs, nowMs) < AGAIN_AFTER_MS) return;
      await this.#search(this.#again.sinceMs);
      this.#again = undefined;
      return;
    }
    const sinceMs = known === undefined ? nowMs - UNKNOWN_MS : known.run === run ? known.sinceMs : known.atMs;
    await this.#search(sinceMs);
    this.#again = { sinceMs, begunMs: nowMs };
    await memory.set(KNOWN, JSON.stringify({ run, atMs: nowMs, sinceMs }));
    this.#run = run;
  }

  /** `sinceMs`: when the first of the appointments may have been booked. */
  async #search(sinceMs: number): Promise<void> {
    const { reader, problems } = this.#parts;
    const isPast = (one: Snapshot) => Date.parse(String(one['created_at'])) < sinceMs - MARGIN_MS;
    const byOrigin = new Map<string, Set<string>>();
    let startingAfter: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await reader.page('appointment', {
        limit: PAGE,
        ...(startingAfter !== undefined && { startingAfter }),
      });
      for (const one of page.data) {
        const origin = originOf(one);
        if (origin === undefined || !isLive(one) || isPast(one)) continue;
        byOrigin.set(origin, (byOrigin.get(origin) ?? new Set()).add(one.id));
      }
      const last = page.data.at(-1);
      if (!page.hasMore || last === undefined || isPast(last)) break;
      startingAfter = last.id;
    }
    for (const [origin, ids] of byOrigin)
      if (ids.size > 1) await problems.raise(bookedTwice(bookingIdOf(origin), [...ids]));
  }
}

function parsed(text: string | undefined): Known | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Known);
}
