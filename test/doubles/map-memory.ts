import type { SharedMemory } from '../../src/engine/memory.ts';

/** Small facts in a map. */
export class MapMemory implements SharedMemory {
  readonly #facts = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    return this.#facts.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    this.#facts.set(name, value);
  }

  async change(
    name: string,
    { was, next }: { readonly was: string; readonly next: string },
  ): Promise<boolean> {
    if ((this.#facts.get(name) ?? '') !== was) return false;
    this.#facts.set(name, next);
    return true;
  }

  async forget(name: string): Promise<void> {
    this.#facts.delete(name);
  }

  /** As if Redis were lost. */
  clear(): void {
    this.#facts.clear();
  }

  async all(prefix: string): Promise<ReadonlyMap<string, string>> {
    const found = [...this.#facts].filter(([name]) => name.startsWith(prefix));
    return new Map(found.map(([name, value]) => [name.slice(prefix.length), value]));
  }
}
