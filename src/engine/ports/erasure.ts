// Erasure of one person: the order that survives every crash, the state in Redis, and the proof.

import type { ErasureOrder, ErasureReceipt } from '../domain/erasure.ts';
import type { EntityKind, Snapshot } from '../domain/object.ts';

/** Objects about which the worker writes nothing any more, although the platform shows them. */
export interface ErasedObjects {
  /** Ids of the given objects that were erased. Default: appointments. */
  among(snapshots: readonly Snapshot[], kind?: EntityKind): Promise<ReadonlySet<string>>;
}

export interface ErasureStore extends ErasedObjects {
  /**
   * Call it before the first write, and again whenever more is known. From then on nothing of these objects is stored, nor of what was made
   * for the contact before this moment. True if the order already existed.
   */
  begin(order: ErasureOrder): Promise<boolean>;
  /** Begun and not ended, oldest first. */
  open(): Promise<readonly ErasureOrder[]>;
  /**
   * Erases what Redis holds of the person, except the order itself. Fences off every handler of a class, which may have listed the person
   * before. Returns how many entries were erased, by family of keys.
   */
  eraseState(order: ErasureOrder): Promise<Readonly<Record<string, number>>>;
  /**
   * Nothing more is left to erase: the receipt replaces the order. False if the order is no longer known. Redis then rewrites its
   * append-only file.
   */
  end(order: ErasureOrder, receipt: ErasureReceipt): Promise<boolean>;
  receipt(contactId: string): Promise<ErasureReceipt | undefined>;
  /** Salted: comparable within this installation only. */
  hashOf(text: string): Promise<string>;
}
