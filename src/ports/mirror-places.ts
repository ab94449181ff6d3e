import type { Standing } from '../domain/standing.ts';

/** The places of one mirror, read as they are now. */
export interface MirrorPlaces {
  readonly mirror: string;
  /** Names of the places, `calendar:…` or `spreadsheet:…`. */
  readonly places: readonly string[];
  /** Those of them that the YAML names no more: what was over by then stands there still. */
  readonly former?: ReadonlySet<string>;
  /** Whether an error with this code means that the place is closed to the worker: of a former one nobody has to end that. */
  readonly isClosed?: (code: string) => boolean;
  /** All that stands in one of them for the worker's objects, a page at a time. Rejects with the three error families. */
  standing(place: string): AsyncIterable<Standing>;
}
