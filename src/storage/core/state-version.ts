import { TerminalError } from '../../domain/errors.ts';
import type { Memory } from '../../ports/memory.ts';

/**
 * The form in which this version keeps its state; 0.2.0 kept none, and its state is read as it is. Raise it when an older version could not
 * work with what a newer one has written.
 */
export const STATE_VERSION = 1;
const FACT = 'state-version';

/** Throws `TerminalError` `state-too-new`: what a newer version has written could be misread, and then written over. */
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

/** Asks once more: a newer worker may have started while this one waited. The same rejection. */
export async function stampState(memory: Pick<Memory, 'get' | 'set'>): Promise<void> {
  await assertStateIsKnown(memory);
  await memory.set(FACT, String(STATE_VERSION));
}
