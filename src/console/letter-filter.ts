// Which dead letters are meant. What the page shows, counts and acts on goes by the same filter.
import type { FailureReason } from '../engine/domain/work.ts';

export interface LetterFilter {
  readonly mirror?: string;
  readonly code?: string;
  /** The target of a reason: `calendar:<id>`, `spreadsheet:<id>/<tab>`. */
  readonly place?: string;
  /** The object: `appointment/<id>`. */
  readonly key?: string;
  readonly age?: string;
}

export const AGES = { '1h': 3_600_000, '1d': 86_400_000, '7d': 7 * 86_400_000 } as const;

const FIELDS = ['mirror', 'code', 'place', 'key', 'age'] as const;
const VALUE_CHARS_MAX = 300;

/**
 * Reads the query of an address or the fields of a form. Values that it does not know stay and match nothing: they must never widen an
 * action.
 */
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

/** The latest moment at which a letter may have been written, to be old enough for the filter. */
export function untilOf({ age }: LetterFilter, nowMs: number): number {
  if (age === undefined) return nowMs;
  const ageMs = (AGES as Readonly<Record<string, number>>)[age];
  return ageMs === undefined ? Number.NEGATIVE_INFINITY : nowMs - ageMs;
}

/** One reason must match all parts of the filter that concern reasons. `text`: what the visitor sees of a place. */
export function isOfFilter(
  { mirror, code, place }: LetterFilter,
  { reasons }: { readonly reasons: readonly Pick<FailureReason, 'mirror' | 'code' | 'target'>[] },
  text: (text: string) => string,
): boolean {
  return reasons.some(
    (reason) =>
      (mirror === undefined || reason.mirror === mirror) &&
      (code === undefined || reason.code === code) &&
      (place === undefined || (reason.target !== undefined && text(reason.target) === place)),
  );
}
