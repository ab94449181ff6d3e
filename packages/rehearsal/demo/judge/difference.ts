/** How a mirror differs from the platform: an entry is missing, exists more than once, or is outdated. */
export type DifferenceKind = 'missing' | 'doubled' | 'stale';

export interface Difference {
  readonly kind: DifferenceKind;
  /** `calendar <id>` or `tab <title>`. */
  readonly place: string;
  /** Id of the appointment or contact; for an event or row without one, its own id. */
  readonly id: string;
  /** What differs, without the content, which may be personal. */
  readonly what: string;
}

/** The verdict on one calendar or one tab. */
export interface PlaceVerdict {
  readonly place: string;
  /** The name that people use. */
  readonly label: string;
  readonly expected: number;
  readonly found: number;
  readonly differences: readonly Difference[];
}

export function count(verdicts: readonly PlaceVerdict[], kind: DifferenceKind): number {
  return verdicts.flatMap((verdict) => verdict.differences).filter((one) => one.kind === kind).length;
}
