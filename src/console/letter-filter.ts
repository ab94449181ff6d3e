// Which dead letters somebody means. What is shown, counted and acted on goes by the same filter.
import type { KeptLetter } from '../ports/work.ts';

export interface LetterFilter {
  readonly mirror?: string;
  readonly code?: string;
  /** As a reason names what refused: `calendar:<id>`, `spreadsheet:<id>/<tab>`. */
  readonly place?: string;
  /** The object: `appointment/<id>`. */
  readonly key?: string;
  readonly age?: string;
}

export const AGES = { '1h': 3_600_000, '1d': 86_400_000, '7d': 7 * 86_400_000 } as const;

const FIELDS = ['mirror', 'code', 'place', 'key', 'age'] as const;
const VALUE_CHARS_MAX = 300;

/** From the query of an address or the fields of a form. What is not understood is kept, and matches nothing: it must never widen an action. */
export function readFilter(fields: URLSearchParams): LetterFilter {
  const given = FIELDS.flatMap((name) => {
    const value = (fields.get(name) ?? '').slice(0, VALUE_CHARS_MAX);
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

export function toQuery(filter: LetterFilter): string {
  return new URLSearchParams(Object.entries(filter)).toString();
}

/** Up to which moment a letter may have been written to be old enough for the filter. */
export function untilOf({ age }: LetterFilter, nowMs: number): number {
  if (age === undefined) return nowMs;
  const ageMs = (AGES as Readonly<Record<string, number>>)[age];
  return ageMs === undefined ? Number.NEGATIVE_INFINITY : nowMs - ageMs;
}

/** One reason has to have all that is asked of a reason. Letters written after `untilMs` are not meant. */
export function chosenBy(
  filter: LetterFilter,
  letters: readonly KeptLetter[],
  untilMs: number,
): readonly KeptLetter[] {
  const { mirror, code, place, key } = filter;
  return letters.filter(
    (letter) =>
      letter.atMs <= untilMs &&
      (key === undefined || letter.key === key) &&
      letter.reasons.some(
        (reason) =>
          (mirror === undefined || reason.mirror === mirror) &&
          (code === undefined || reason.code === code) &&
          (place === undefined || reason.target === place),
      ),
  );
}
