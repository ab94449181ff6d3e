import type { Directory } from '../domain/directory.ts';
import type { DirectorySource } from '../ports/directory-source.ts';
import type { PlatformReader } from '../ports/platform-reader.ts';

/** The platform's reference lists, read again now and then. Before the first reading they are empty. */
export class DirectoryKeeper implements DirectorySource {
  readonly #reader: PlatformReader;
  #directory: Directory = { resources: new Map(), branches: new Map(), services: new Map() };

  constructor(reader: PlatformReader) {
    this.#reader = reader;
  }

  current(): Directory {
    return this.#directory;
  }

  /** Rejects with the three error families; what was read before stays. */
  async refresh(signal?: AbortSignal): Promise<Directory> {
    this.#directory = await this.#reader.directory(signal);
    return this.#directory;
  }
}
