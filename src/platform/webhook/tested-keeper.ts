import type { TestedDelivery } from '../../engine/domain/signing-secret.ts';
import type { Memory } from '../../engine/ports/memory.ts';

const NAME = 'webhook-tested';
/**
 * Test results stored per minute: anybody may replay a signed test, so no more are stored than the platform sends (platform API, Limits:
 * test events).
 */
const KEPT_PER_MINUTE_MAX = 10;
const MINUTE_MS = 60_000;

/** Stores the verdicts on the newest test delivery, for the command that requested it. */
export function testedKeeper(memory: Memory): (tested: TestedDelivery) => Promise<void> {
  let keptAtMs: readonly number[] = [];
  return async (tested) => {
    const lately = keptAtMs.filter((atMs) => Math.abs(tested.atMs - atMs) < MINUTE_MS);
    if (lately.length >= KEPT_PER_MINUTE_MAX) return;
    keptAtMs = [...lately, tested.atMs];
    await memory.set(NAME, JSON.stringify(tested));
  };
}

export async function readTested(memory: Memory): Promise<TestedDelivery | undefined> {
  const kept = await memory.get(NAME);
  return kept === undefined ? undefined : (JSON.parse(kept) as TestedDelivery);
}
