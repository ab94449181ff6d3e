import { RetryableError } from '../../engine/domain/errors.ts';
import type { Lease } from '../../engine/ports/leases.ts';
import { TURN_OVER } from '../../google/transporter.ts';

/** Turn of a flush or a check at a spreadsheet. */
export type Turn = Pick<Lease, 'signal'>;

/**
 * Call right before a write by row number. Once the lease is lost, another flush may have shifted the rows since they were read, and the
 * write would hit others. A stopping process must not leave a write of unknown end behind either.
 */
export function assertHeld({ signal }: Turn, spreadsheetId: string): void {
  if (!signal.aborted) return;
  throw new RetryableError(TURN_OVER, 'the turn at the spreadsheet is over: nothing is written', {
    target: `spreadsheet:${spreadsheetId}`,
  });
}
