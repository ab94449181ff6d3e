import type { AlertBook } from '../domain/alert.ts';
import type { LeaseProof } from './leases.ts';

/** Where the alerts keep what they remember, for all processes together. */
export interface AlertStore {
  read(): Promise<AlertBook>;
  /** False when a later holder of the lease has written already: the caller was overtaken and must stop. */
  save(book: AlertBook, lease: LeaseProof): Promise<boolean>;
}
