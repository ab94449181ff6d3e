import { createHash } from 'node:crypto';

/** A seeded generator (mulberry32): the same seed gives the same ids, delays and losses. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A number from `low` to `high`, not rounded. */
  between([low, high]: readonly [number, number]): number {
    return low + (high - low) * this.next();
  }

  /** An integer from 0 up to, not including, `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const order = items.map((item) => ({ item, rank: this.next() }));
    return order.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index += 1) bytes[index] = this.below(256);
    return bytes;
  }

  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    const variant = '89ab'[this.below(4)];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** An independent generator for one purpose, so that one purpose does not change the numbers of another. */
  fork(purpose: string): Random {
    const digest = createHash('sha256').update(`${this.#state}:${purpose}`).digest();
    return new Random(digest.readUInt32LE(0));
  }
}
