import { randomUUID } from 'node:crypto';
import type { Act, Visitor } from '../domain/role.ts';
import type { ActLog } from '../ports/console.ts';
import type { Clock } from '../ports/runtime.ts';

/** Notes what somebody is about to do. Resolves with the act, to be noted again with its end. */
export async function noteAct(
  { acts, clock }: { readonly acts: ActLog; readonly clock: Clock },
  { role, who }: Visitor,
  about: Pick<Act, 'what'> & Partial<Pick<Act, 'why' | 'about' | 'chosen'>>,
): Promise<Act> {
  const act: Act = { id: randomUUID(), atMs: clock.now(), role, who, why: '', about: {}, ...about };
  await acts.note(act);
  return act;
}
