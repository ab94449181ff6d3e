import { TerminalError } from '../../../domain/errors.ts';
import { GoogleFailure } from '../../../google/failure.ts';

/**
 * Why Google refused a batch. No part of the batch was performed.
 * - `stale`: rows, columns or a tab that were read are gone.
 * - `full`: the spreadsheet has reached Google's limit of cells.
 * - `other`: a protection, reported in another language, or the content itself.
 */
export interface Refusal {
  readonly kind: 'stale' | 'full' | 'protected' | 'other';
  /** Index of the refused request, if Google names it. */
  readonly request: number | undefined;
  readonly error: TerminalError;
}

/** Undefined unless Google refused the request itself (a 400). */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof TerminalError) || !(error.cause instanceof GoogleFailure)) return undefined;
  const { cause } = error;
  return { kind: kindOf(cause.words()), request: cause.refusedRequest(), error };
}

function kindOf(words: string): Refusal['kind'] {
  if (/limit of [\d,.]+ cells/i.test(words)) return 'full';
  if (
    /No grid with id|exceeds? grid limits|after (the )?last (row|column|index)|beyond the last|must be less than the grid/i.test(
      words,
    )
  )
    return 'stale';
  return /protected/i.test(words) ? 'protected' : 'other';
}
