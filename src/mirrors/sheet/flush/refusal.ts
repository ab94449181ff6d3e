import { TerminalError } from '../../../domain/errors.ts';
import { GoogleFailure } from '../../../google/failure.ts';

/**
 * Why Google refused a batch, all of which was left undone.
 * - `stale`: rows, columns or a tab that were read are gone.
 * - `full`: the spreadsheet has as many cells as it may.
 * - `other`: a protection in the words of another language, or what is to be written.
 */
export interface Refusal {
  readonly kind: 'stale' | 'full' | 'protected' | 'other';
  /** Which request was refused, when Google says so. */
  readonly request: number | undefined;
  readonly error: TerminalError;
}

/** Undefined for anything that is no refusal of the request itself (a 400). */
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
