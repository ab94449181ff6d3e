import { TerminalError } from '../domain/errors.ts';
import type { Memory } from '../ports/memory.ts';

/**
 * The version of the stored form. 0.2.0 stored no version, and its state is read as it is. Raise it when an older version cannot work with
 * what a newer one writes.
 */
export const STATE_VERSION = 1;
const FACT = 'state-version';

/** Throws `TerminalError` `state-too-new`: this version could misread the newer state and overwrite it. */
export async function assertStateIsKnown(memory: Pick<Memory, 'get'>): Promise<void> {
  const text = await memory.get(FACT);
  if (text === undefined || Number(text) <= STATE_VERSION) return;
  throw new TerminalError(
    'state-too-new',
    `the state in Redis has version ${text.slice(0, 20)}, and this slotbridge knows versions up to ${STATE_VERSION}`,
    {
      target: 'redis',
      advice:
        'Start the newer slotbridge again, or give this one a redis.prefix or a data folder of its own.',
    },
  );
}

/** Stores the version after another check, because a newer worker may have started while this one waited. Rejects likewise. */
export async function stampState(memory: Pick<Memory, 'get' | 'set'>): Promise<void> {
  await assertStateIsKnown(memory);
  await memory.set(FACT, String(STATE_VERSION));
}
