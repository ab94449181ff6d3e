import { NewestFirst } from './newest-first.ts';

/**
 * All objects of one kind, by id and newest first. Ids of deleted objects stay valid as cursors, with their
 * project.
 */
export class Collection<T extends { readonly id: string; readonly projectId: string }> {
  #byId = new Map<string, T>();
  #order = new NewestFirst<T>();
  #projectOf = new Map<string, string>();

  get size(): number {
    return this.#byId.size;
  }

  /** The last added object is the newest, whatever its creation time: an import may add old objects. */
  add(record: T): T {
    this.#byId.set(record.id, record);
    this.#projectOf.set(record.id, record.projectId);
    this.#order.add(record.id, record, { rank: 0 });
    return record;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  remove(id: string): void {
    this.#byId.delete(id);
    this.#order.remove(id);
  }

  /** The project of a present or deleted object; undefined for an unknown id. */
  projectOf(id: string): string | undefined {
    return this.#projectOf.get(id);
  }

  /** Oldest first. */
  all(): IterableIterator<T> {
    return this.#byId.values();
  }

  newestFirst(after?: string): Iterable<T> {
    return this.#order.walk(after);
  }
}
