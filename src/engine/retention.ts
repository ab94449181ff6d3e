// Removes, several times a day, what `privacy.keep` no longer keeps and Redis does not expire automatically.
import type { Leases } from './ports/leases.ts';
import type { ProblemBoard } from './ports/operator.ts';
import type { Log } from './ports/runtime.ts';
import type { DeadLetters, Retention } from './ports/work.ts';

export interface RetentionParts {
  readonly retention: Retention;
  readonly deadLetters: Pick<DeadLetters, 'causes' | 'each' | 'discard'>;
  /** Returns how many consents of people were removed. */
  readonly endConsents?: () => Promise<number>;
  readonly leases: Leases;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly log: Log;
}

export const RETENTION_EVERY_MS = 6 * 3_600_000;
/** Keys in the log line about unreadable state. It bounds the line. */
const KEYS_SHOWN_MAX = 10;
const RETENTION_LEASE = 'retention';
const TARGET = 'retention';

/** One process at a time. Repeating it changes nothing more. */
export async function retain(parts: RetentionParts): Promise<void> {
  await parts.leases.hold(RETENTION_LEASE, async ({ signal }) => {
    // A failed step does not stop the others. The first error is thrown at the end.
    const steps = await inTurn(signal, [
      async () => ({ letters: await discardOld(parts, signal) }),
      async () => ({ quarantined: await parts.retention.trimQuarantine() }),
      () => ageObjects(parts),
      () => parts.retention.boundIntents().then(() => ({})),
      async () => ({ consents: (await parts.endConsents?.()) ?? 0 }),
      // Also removes from the file what Redis expired, and what an interrupted pass removed.
      () => parts.retention.rewriteFile().then(() => ({})),
    ]);
    const removed: Readonly<Record<string, number>> = Object.assign({}, ...steps.done);
    const { damaged: _, ...told } = removed;
    if (Object.values(told).some((count) => count > 0)) parts.log.info(told, 'old state removed');
    // An aborted pass says nothing about the steps that it left out.
    if (!signal.aborted) await report(parts, steps.failed.length, removed['damaged'] ?? 0);
    if (steps.failed.length > 0) throw steps.failed[0];
  });
}

/** What stays longer than the file promises is a matter for a person, and not for the log alone. */
async function report({ problems }: RetentionParts, failed: number, damaged: number): Promise<void> {
  if (failed + damaged === 0) return problems.clear(TARGET);
  const steps = failed === 0 ? '' : `${failed} steps failed`;
  const objects = damaged === 0 ? '' : `${damaged} objects are unreadable`;
  await problems.raise({
    target: TARGET,
    code: 'retention-failing',
    message: `old state is kept longer than privacy.keep says: ${[steps, objects].filter(Boolean).join(', ')}`,
    advice: 'Search the log for `retention` and `unreadable old state is kept`, and fix what it names.',
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
  return { emptied, forgotten, damaged: damaged.length };
}

async function discardOld(
  { retention, deadLetters, log }: RetentionParts,
  signal: AbortSignal,
): Promise<number> {
  const beforeMs = retention.lettersBeforeMs();
  let discarded = 0;
  const causes = await deadLetters.causes(beforeMs - 1);
  for await (const old of deadLetters.each({ causes, untilMs: beforeMs - 1 }))
    for (const letter of old) {
      signal.throwIfAborted();
      if (!(await deadLetters.discard(letter, 'privacy.keep.dead_letters'))) continue;
      discarded += 1;
      const codes = letter.reasons.map(({ code }) => code);
      log.warn({ key: letter.key, codes }, 'dead letter discarded: its retention time is over');
    }
  return discarded;
}
