import type { Memory } from '../engine/ports/memory.ts';

/** For commands that only look: what they learn is kept until they end, and never stored. */
export function readOnly(memory: Memory): Memory {
  const learned = new Map<string, string | undefined>();
  return {
    get: async (name) => (learned.has(name) ? learned.get(name) : memory.get(name)),
    async set(name, value) {
      learned.set(name, value);
    },
    async forget(name) {
      learned.set(name, undefined);
    },
    async all(prefix) {
      const known = new Map(await memory.all(prefix));
      for (const [name, value] of learned) {
        if (!name.startsWith(prefix)) continue;
        if (value === undefined) known.delete(name.slice(prefix.length));
        else known.set(name.slice(prefix.length), value);
      }
      return known;
    },
  };
}
