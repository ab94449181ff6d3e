import type { TestedDelivery } from '../domain/tested-delivery.ts';
import type { Memory } from '../ports/memory.ts';

const NAME = 'webhook-tested';
/** Anybody may send what looks like a test: it is written down not more often than this. */
const APART_MS = 1_000;

/** Keeps what was made of the newest test delivery, for the command that asked for it. */
export function testedKeeper(memory: Memory): (tested: TestedDelivery) => Promise<void> {
  let keptAtMs = 0;
  return async (tested) => {
    if (tested.atMs - keptAtMs < APART_MS) return;
    keptAtMs = tested.atMs;
    await memory.set(NAME, JSON.stringify(tested));
  };
}

export async function readTested(memory: Memory): Promise<TestedDelivery | undefined> {
  const kept = await memory.get(NAME);
  return kept === undefined ? undefined : (JSON.parse(kept) as TestedDelivery);
}
