import type { Standing } from '../../domain/standing.ts';

/**
 * What stands in all places of the mirrors of one kind, until its object is met. It holds ids, times and hashes, no texts: memory
 * grows with what stands outside, some hundred bytes for each.
 */
export class ActualIndex {
  readonly #byObject = new Map<string, Map<string, Spot>>();

  put(mirror: string, standing: Standing): void {
    const ofObject = this.#byObject.get(standing.id) ?? new Map<string, Spot>();
    const spot = ofObject.get(standing.place);
    ofObject.set(standing.place, { mirror, standing: [...(spot?.standing ?? []), standing] });
    this.#byObject.set(standing.id, ofObject);
  }

  /** Takes all of one object away: what stands for it, by mirror and place. */
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

/** One place, and the mirror for which it was read: a calendar or tab has one line in the YAML. */
interface Spot {
  readonly mirror: string;
  readonly standing: readonly Standing[];
}

export class ActualOfObject {
  readonly #spots: ReadonlyMap<string, Spot>;
  readonly #taken = new Set<string>();

  constructor(spots: ReadonlyMap<string, Spot>) {
    this.#spots = spots;
  }

  /** Also for a mirror that left the place to another one: what was over by then stands there still. */
  take(place: string): readonly Standing[] {
    this.#taken.add(place);
    return this.#spots.get(place)?.standing ?? [];
  }

  /** What nobody has taken. */
  rest(): readonly { readonly mirror: string; readonly standing: Standing }[] {
    return [...this.#spots].flatMap(([place, { mirror, standing }]) =>
      this.#taken.has(place) ? [] : standing.map((each) => ({ mirror, standing: each })),
    );
  }
}
