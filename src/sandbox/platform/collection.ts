import { NewestFirst } from './newest-first.ts';

/** All objects of one kind, by id and newest first. Deleted ids stay known as cursors, with their project. */
export class Collection<T extends { readonly id: string; readonly projectId: string }> {
  #byId = new Map<string, T>();
  #order = new NewestFirst<T>();
  #projectOf = new Map<string, string>();

  get size(): number {
    return this.#byId.size;
  }

  /** Newest is what came in last, whatever its creation time says: an import may carry old ones. */
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

  /** The project of an object that is or was here; undefined for an id never seen. */
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
