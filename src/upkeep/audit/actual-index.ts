import type { Actual } from '../../domain/actual.ts';

/**
 * Everything in the places of the mirrors of one kind, until its object is compared. Holds ids, times and hashes, but no texts: some
 * hundred bytes of memory for each event or row.
 */
export class ActualIndex {
  readonly #byObject = new Map<string, Map<string, Spot>>();

  put(mirror: string, standing: Actual): void {
    const ofObject = this.#byObject.get(standing.id) ?? new Map<string, Spot>();
    const spot = ofObject.get(standing.place);
    ofObject.set(standing.place, { mirror, standing: [...(spot?.standing ?? []), standing] });
    this.#byObject.set(standing.id, ofObject);
  }

  /** Forgets the entries of a place that could not be read completely. */
  drop(place: string): void {
    for (const [id, ofObject] of this.#byObject) {
      if (ofObject.delete(place) && ofObject.size === 0) this.#byObject.delete(id);
    }
  }

  /** Removes one object, and returns what its places hold for it. */
  take(id: string): ActualOfObject {
    const ofObject = this.#byObject.get(id);
    this.#byObject.delete(id);
    return new ActualOfObject(ofObject ?? new Map());
  }

  /** Ids of the objects that were not taken. */
  rest(): readonly string[] {
    return [...this.#byObject.keys()];
  }
}

/** One place, and the mirror for which it was read. Each calendar or tab has one line in the YAML. */
interface Spot {
  readonly mirror: string;
  readonly standing: readonly Actual[];
}

export class ActualOfObject {
  readonly #spots: ReadonlyMap<string, Spot>;
  readonly #taken = new Set<string>();

  constructor(spots: ReadonlyMap<string, Spot>) {
    this.#spots = spots;
  }

  /** Also for a mirror that lost the place to another one: its past events are still there. */
  take(place: string): readonly Actual[] {
    this.#taken.add(place);
    return this.#spots.get(place)?.standing ?? [];
  }

  /** Everything that was not taken. */
  rest(): readonly { readonly mirror: string; readonly standing: Actual }[] {
    return [...this.#spots].flatMap(([place, { mirror, standing }]) =>
      this.#taken.has(place) ? [] : standing.map((each) => ({ mirror, standing: each })),
    );
  }
}
