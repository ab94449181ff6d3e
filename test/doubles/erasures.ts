import type { Erased, ErasureOrder, ErasureReceipt, ErasureStore } from '../../src/engine/erasure.ts';

type Counts = Readonly<Record<string, number>>;

/** Orders and receipts in memory. A hash is the text itself behind a sign. */
export class MemoryErasures implements Omit<Pick<ErasureStore, keyof ErasureStore>, 'among'> {
  readonly orders = new Map<string, ErasureOrder>();
  readonly receipts = new Map<string, ErasureReceipt>();
  /** What the next looks find in Redis; nothing after them. */
  readonly found: Counts[] = [];
  looks = 0;

  async begin(order: ErasureOrder): Promise<boolean> {
    const wasKnown = this.orders.has(order.contactId);
    this.orders.set(order.contactId, order);
    return wasKnown;
  }

  async storeCounts(order: ErasureOrder, erased: Erased): Promise<ErasureOrder | undefined> {
    const kept = this.orders.get(order.contactId);
    const next = { ...(kept ?? order), erased };
    this.orders.set(order.contactId, next);
    return kept && next;
  }

  async open(): Promise<readonly ErasureOrder[]> {
    return [...this.orders.values()];
  }

  async receipt(contactId: string): Promise<ErasureReceipt | undefined> {
    return this.receipts.get(contactId);
  }

  async end({ contactId }: ErasureOrder, receipt: ErasureReceipt): Promise<boolean> {
    if (!this.orders.delete(contactId)) return this.receipts.has(contactId);
    this.receipts.set(contactId, receipt);
    return true;
  }

  async eraseState(_: ErasureOrder, count?: (more: Counts) => Promise<void>): Promise<Counts> {
    this.looks += 1;
    const found = this.found.shift() ?? {};
    await count?.(found);
    return found;
  }

  async hashOf(text: string): Promise<string> {
    return `#${text}`;
  }
}
