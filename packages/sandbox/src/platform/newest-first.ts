/**
 * A list in the platform's order, newest first, with cursors. A cursor is found by its place, without scanning, and
 * works even if its object was deleted (platform API, list rule 2).
 */
export interface Place {
  readonly rank: number;
  readonly tie: number;
  readonly sequence: number;
}

export class NewestFirst<T> {
  /** Oldest first, so that adding is almost always a push. */
  #entries: { place: Place; item: T }[] = [];
  #places = new Map<string, Place>();
  #sequence = 0;

  get size(): number {
    return this.#entries.length;
  }

  add(id: string, item: T, order: { rank: number; tie?: number }): void {
    this.#sequence += 1;
    const place = { rank: order.rank, tie: order.tie ?? 0, sequence: this.#sequence };
    this.#places.set(id, place);
    const last = this.#entries.at(-1);
    if (!last || compare(last.place, place) < 0) this.#entries.push({ place, item });
    else this.#entries.splice(this.#countBelow(place), 0, { place, item });
  }

  /** Removes the item. Its place stays valid as a cursor. */
  remove(id: string): void {
    const place = this.#places.get(id);
    if (!place) return;
    const index = this.#countBelow(place);
    if (this.#entries[index]?.place === place) this.#entries.splice(index, 1);
  }

  knows(id: string): boolean {
    return this.#places.has(id);
  }

  /** Items newest first, from the top or from just below the cursor `after`, which must be known. */
  *walk(after?: string): Generator<T> {
    const place = after === undefined ? undefined : this.#places.get(after);
    let index = place ? this.#countBelow(place) : this.#entries.length;
    while (index > 0) {
      index -= 1;
      const entry = this.#entries[index];
      if (entry) yield entry.item;
    }
  }

  /** The number of entries below the place, which is also the index of the place itself. */
  #countBelow(place: Place): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry && compare(entry.place, place) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(a: Place, b: Place): number {
  return a.rank - b.rank || a.tie - b.tie || a.sequence - b.sequence;
}
