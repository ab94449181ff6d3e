import type { Directory } from '../../domain/directory.ts';
import type { Feed } from '../../domain/feed.ts';
import type { Memory } from '../../ports/memory.ts';
import { isSameName, isUuid } from '../filter/named.ts';
import { learnedName } from '../subject-calendars.ts';

type Line = { readonly resources: readonly string[] };

/**
 * The resource of a feed as a line of a filter. A known name that the platform no longer lists keeps its meaning, because renaming or
 * deactivating a resource must not freeze its feed.
 */
export class FeedResource {
  readonly #memory: Pick<Memory, 'get' | 'set'>;
  readonly #byName: Line;
  readonly #name: string;
  #learned: string | undefined;
  /** Always the same object, because `linesOf` caches by object. */
  #byId: Line | undefined;
  /** The last answer and the lists that it is about. New lists are a new object. */
  #found: { readonly directory: Directory; readonly line: Line } | undefined;

  constructor({ feed, memory }: { feed: Feed; memory: Pick<Memory, 'get' | 'set'> }) {
    this.#memory = memory;
    this.#byName = { resources: [feed.resource] };
    this.#name = feed.resource;
  }

  /** The line with the resource exactly as the feed names it. */
  get named(): Line {
    return this.#byName;
  }

  async line(directory: Directory): Promise<Line> {
    if (this.#found?.directory === directory) return this.#found.line;
    const line = await this.#find(directory);
    this.#found = { directory, line };
    return line;
  }

  async #find({ resources }: Directory): Promise<Line> {
    if (isUuid(this.#name) || resources.has(this.#name)) return this.#byName;
    const ids = [...resources].flatMap(([id, { name }]) => (isSameName(name, this.#name) ? [id] : []));
    const [only, ...others] = ids;
    if (only === undefined) return (await this.#recalled()) ?? this.#byName;
    if (others.length === 0 && only !== this.#learned) {
      await this.#memory.set(this.#memoryName(), only);
      this.#note(only);
    }
    return this.#byName;
  }

  async #recalled(): Promise<Line | undefined> {
    const known = this.#learned ?? (await this.#memory.get(this.#memoryName()));
    if (known !== undefined && known !== this.#learned) this.#note(known);
    return this.#byId;
  }

  #note(id: string): void {
    this.#learned = id;
    this.#byId = { resources: [id] };
  }

  #memoryName(): string {
    return learnedName({ by: 'resource', name: this.#name });
  }
}
