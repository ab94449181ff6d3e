/** How a mirror differs from the platform: something is not there, is there too often, or says what is no longer true. */
export type DifferenceKind = 'missing' | 'doubled' | 'stale';

export interface Difference {
  readonly kind: DifferenceKind;
  /** `calendar <id>` or `tab <title>`. */
  readonly place: string;
  /** Id of the appointment or contact, of the event or row where it belongs to none. */
  readonly id: string;
  /** What exactly, without the content: it may be personal. */
  readonly what: string;
}

/** One calendar or one tab, judged. */
export interface PlaceVerdict {
  readonly place: string;
  /** As people call it. */
  readonly label: string;
  readonly expected: number;
  readonly found: number;
  readonly differences: readonly Difference[];
}

export function count(verdicts: readonly PlaceVerdict[], kind: DifferenceKind): number {
  return verdicts.flatMap((verdict) => verdict.differences).filter((one) => one.kind === kind).length;
}
