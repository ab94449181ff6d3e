import type { Directory } from './mirror.ts';
import { canHaveBeen } from './moments.ts';
import type { PlatformReader } from './platform.ts';
import type { Clock } from './runtime.ts';

interface Reading {
  /** When the reading was requested. It may lack anything that was created later. */
  readonly askedAtMs: number;
  readonly lists: Promise<Directory>;
}

/** The platform's reference lists, reread now and then. Empty before the first reading. */
export class DirectoryKeeper {
  readonly #reader: Pick<PlatformReader, 'directory'>;
  readonly #clock: Clock;
  #directory: Directory = { resources: new Map(), branches: new Map(), services: new Map() };
  #last: Reading | undefined;

  constructor(reader: Pick<PlatformReader, 'directory'>, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  current(): Directory {
    return this.#directory;
  }

  /** Concurrent callers share one reading. */
  async readSince(sinceMs: number): Promise<Directory> {
    const last = this.#last;
    const isSince =
      last !== undefined && last.askedAtMs >= sinceMs && canHaveBeen(last.askedAtMs, this.#clock.now());
    return isSince ? last.lists : this.refresh();
  }

  /** Rejects with the three error families; the previous lists stay. */
  async refresh(signal?: AbortSignal): Promise<Directory> {
    const reading: Reading = { askedAtMs: this.#clock.now(), lists: this.#reader.directory(signal) };
    this.#last = reading;
    try {
      const lists = await reading.lists;
      // A reading that was overtaken must not bring back older lists.
      if (this.#last === reading) this.#directory = lists;
      return lists;
    } catch (error) {
      if (this.#last === reading) this.#last = undefined;
      throw error;
    }
  }
}
