import type { Standing } from '../../domain/standing.ts';

/**
 * What stands in all places of the mirrors of one kind, until its object is met. It holds ids, times and hashes, no texts: memory
 * grows with what stands outside, some hundred bytes for each.
 */
export class Shelf {
  readonly #byObject = new Map<string, Map<string, Standing[]>>();

  put(mirror: string, standing: Standing): void {
    const ofObject = this.#byObject.get(standing.id) ?? new Map<string, Standing[]>();
    const spot = `${mirror} ${standing.place}`;
    ofObject.set(spot, [...(ofObject.get(spot) ?? []), standing]);
    this.#byObject.set(standing.id, ofObject);
  }

  /** Takes all of one object away: what stands for it, by mirror and place. */
  take(id: string): ObjectShelf {
    const ofObject = this.#byObject.get(id);
    this.#byObject.delete(id);
    return new ObjectShelf(ofObject ?? new Map());
  }

  /** Ids of the objects that were not taken. */
  rest(): readonly string[] {
    return [...this.#byObject.keys()];
  }
}

export class ObjectShelf {
  readonly #spots: Map<string, Standing[]>;

  constructor(spots: Map<string, Standing[]>) {
    this.#spots = spots;
  }

  take(mirror: string, place: string): readonly Standing[] {
    const spot = `${mirror} ${place}`;
    const found = this.#spots.get(spot) ?? [];
    this.#spots.delete(spot);
    return found;
  }

  rest(): readonly { readonly mirror: string; readonly standing: Standing }[] {
    return [...this.#spots].flatMap(([spot, all]) =>
      all.map((standing) => ({ mirror: spot.slice(0, -standing.place.length - 1), standing })),
    );
  }
}
