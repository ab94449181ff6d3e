// One person is erased: the order that survives every death, the state in Redis, and the proof.
import type { ErasureOrder, ErasureReceipt } from '../domain/erasure.ts';
import type { Snapshot } from '../domain/snapshot.ts';

/** Objects about which nothing is written any more, although the platform shows them. */
export interface ErasedObjects {
  /** Ids of those of these appointments that were erased. */
  among(appointments: readonly Snapshot[]): Promise<ReadonlySet<string>>;
}

export interface ErasureStore extends ErasedObjects {
  /**
   * Before the first write, and again whenever more is known. From then on nothing is stored of these objects, nor of what was made
   * for the contact before this moment. True when the order stood already.
   */
  begin(order: ErasureOrder): Promise<boolean>;
  /** Begun and not ended, the oldest first. */
  open(): Promise<readonly ErasureOrder[]>;
  /**
   * Erases what Redis holds of the person, except the order itself. Fences off every handler of a class, which may have listed the person
   * before. Returns how many entries, by family of keys.
   */
  eraseState(order: ErasureOrder): Promise<Readonly<Record<string, number>>>;
  /** Nothing more is to be erased: the receipt takes the place of the order. False when the order is not known any more. Redis then writes its file again. */
  end(order: ErasureOrder, receipt: ErasureReceipt): Promise<boolean>;
  receipt(contactId: string): Promise<ErasureReceipt | undefined>;
  /** Salted: comparable within this installation, and nowhere else. */
  hashOf(text: string): Promise<string>;
}
