// Removes, several times a day, what `privacy.keep` no longer keeps and Redis does not expire automatically.
import type { Leases } from '../ports/leases.ts';
import type { Log } from '../ports/runtime.ts';
import type { DeadLetters, Retention } from '../ports/work.ts';

export interface RetentionParts {
  readonly retention: Retention;
  readonly deadLetters: DeadLetters;
  readonly leases: Leases;
  readonly log: Log;
}

export const RETENTION_EVERY_MS = 6 * 3_600_000;
const RETENTION_LEASE = 'retention';

/** One process at a time. Repeating it changes nothing more. */
export async function retain(parts: RetentionParts): Promise<void> {
  await parts.leases.hold(RETENTION_LEASE, async ({ signal }) => {
    const letters = await discardOld(parts, signal);
    const quarantined = await parts.retention.trimQuarantine();
    const { emptied, forgotten } = await parts.retention.ageObjects();
    // Also for what Redis expired automatically, and for what an interrupted pass removed.
    await parts.retention.rewriteFile();
    if (letters + quarantined + emptied + forgotten === 0) return;
    parts.log.info({ letters, quarantined, emptied, forgotten }, 'old state removed');
  });
}

async function discardOld(
  { retention, deadLetters, log }: RetentionParts,
  signal: AbortSignal,
): Promise<number> {
  const beforeMs = retention.lettersBeforeMs();
  const old = (await deadLetters.all()).filter(({ atMs }) => atMs < beforeMs);
  let discarded = 0;
  for (const letter of old) {
    signal.throwIfAborted();
    if (!(await deadLetters.discard(letter, 'privacy.keep.dead_letters'))) continue;
    discarded += 1;
    const codes = letter.reasons.map(({ code }) => code);
    log.warn({ key: letter.key, codes }, 'dead letter discarded: its retention time is over');
  }
  return discarded;
}
