import type { Memory } from '../../src/ports/memory.ts';

/** Small facts in a map. */
export class MapMemory implements Memory {
  readonly #facts = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    return this.#facts.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    this.#facts.set(name, value);
  }

  async forget(name: string): Promise<void> {
    this.#facts.delete(name);
  }

  async all(prefix: string): Promise<ReadonlyMap<string, string>> {
    const found = [...this.#facts].filter(([name]) => name.startsWith(prefix));
    return new Map(found.map(([name, value]) => [name.slice(prefix.length), value]));
  }
}
