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
/** Keys in the log line about unreadable state. It bounds the line. */
const KEYS_SHOWN_MAX = 10;
const RETENTION_LEASE = 'retention';

/** One process at a time. Repeating it changes nothing more. */
export async function retain(parts: RetentionParts): Promise<void> {
  await parts.leases.hold(RETENTION_LEASE, async ({ signal }) => {
    // A failed step does not stop the others. The first error is thrown at the end.
    const steps = await inTurn(signal, [
      async () => ({ letters: await discardOld(parts, signal) }),
      async () => ({ quarantined: await parts.retention.trimQuarantine() }),
      () => ageObjects(parts),
      () => parts.retention.boundIntents().then(() => ({})),
      // Also removes from the file what Redis expired, and what an interrupted pass removed.
      () => parts.retention.rewriteFile().then(() => ({})),
    ]);
    const removed: Readonly<Record<string, number>> = Object.assign({}, ...steps.done);
    if (Object.values(removed).some((count) => count > 0)) parts.log.info(removed, 'old state removed');
    if (steps.failed.length > 0) throw steps.failed[0];
  });
}

async function inTurn<T>(
  signal: AbortSignal,
  steps: readonly (() => Promise<T>)[],
): Promise<{ readonly done: readonly T[]; readonly failed: readonly unknown[] }> {
  const done: T[] = [];
  const failed: unknown[] = [];
  for (const step of steps) {
    if (signal.aborted) break;
    try {
      done.push(await step());
    } catch (error) {
      failed.push(error);
    }
  }
  return { done, failed };
}

async function ageObjects({ retention, log }: RetentionParts): Promise<Readonly<Record<string, number>>> {
  const { emptied, forgotten, damaged = [] } = await retention.ageObjects();
  if (damaged.length > 0)
    log.warn(
      { objects: damaged.length, keys: damaged.slice(0, KEYS_SHOWN_MAX) },
      'unreadable old state is kept',
    );
  return { emptied, forgotten };
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
