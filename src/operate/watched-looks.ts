import { aborted, asleep, type Part, WakeAll } from '../engine/supervisor.ts';

/** Calls `look` regularly while there are watchers, and pauses otherwise. */
export class WatchedLooks implements Part {
  readonly name: string;
  readonly #parts: WatchedLooksParts;
  readonly #news = new WakeAll();

  constructor(parts: WatchedLooksParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  /** Call it when a watcher arrives. */
  wake(): void {
    this.#news.call();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { isWatched, look, everyMs, firstAfterMs } = this.#parts;
    while (!signal.aborted) {
      const news = this.#news.signal;
      const isNew = !isWatched();
      if (isNew) await aborted(signal, news);
      await asleep(isNew ? firstAfterMs : everyMs, [signal]);
      if (signal.aborted || !isWatched()) continue;
      const looked = new AbortController();
      void look().then(() => looked.abort());
      // A look only reads, so shutdown does not wait for it.
      await aborted(signal, looked.signal);
    }
  }
}

interface WatchedLooksParts {
  readonly name: string;
  readonly everyMs: number;
  /** Delay after the first watcher arrives. */
  readonly firstAfterMs: number;
  readonly isWatched: () => boolean;
  /** Never rejects. */
  readonly look: () => Promise<void>;
}
