import { RetryableError } from '../../../domain/errors.ts';
import type { Lease } from '../../../ports/leases.ts';

/** Turn of the check at a spreadsheet. */
export type Turn = Pick<Lease, 'signal'>;

/**
 * Call right before a write by row number. Once the lease is lost, a flush may have shifted the rows since they were read, and the write
 * would hit others.
 */
export function assertHeld({ signal }: Turn, spreadsheetId: string): void {
  if (!signal.aborted) return;
  throw new RetryableError('stopped', 'the sheet check may not go on: nothing is written', {
    target: `spreadsheet:${spreadsheetId}`,
  });
}
