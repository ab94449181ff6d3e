import type { Standing } from '../domain/standing.ts';

/** The places of one mirror, read as they are now. */
export interface MirrorPlaces {
  readonly mirror: string;
  /** Names of the places, `calendar:…` or `spreadsheet:…`. */
  readonly places: readonly string[];
  /** All that stands in one of them for the worker's objects, a page at a time. Rejects with the three error families. */
  standing(place: string): AsyncIterable<Standing>;
}
