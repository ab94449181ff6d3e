// What a person does in the console or by a command, as it is noted in the audit log.

import { randomUUID } from 'node:crypto';
import type { ResyncRequest } from '../engine/coverage.ts';
import type { Act, ActLog, Visitor } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';

/** Most objects that the entry of an act names, and its log line; both also count them. */
export const ACT_OBJECTS_MAX = 20;

export interface AboutAct extends Pick<Act, 'what'>, Partial<Pick<Act, 'why' | 'about' | 'chosen' | 'done'>> {
  /** The objects that it changes, by `formatKey`; the first of them are named. */
  readonly objects?: readonly string[];
}

/** Notes what a person is about to do. Resolves with the act, which the caller notes again with its result. */
export async function noteAct(
  { acts, clock }: { readonly acts: ActLog; readonly clock: Clock },
  { role, who }: Visitor,
  { objects = [], about: told = {}, ...more }: AboutAct,
): Promise<Act> {
  const named = [...new Set(objects)].slice(0, ACT_OBJECTS_MAX).join(', ');
  const about = named === '' ? told : { ...told, objects: named };
  const act: Act = { id: randomUUID(), atMs: clock.now(), role, who, why: '', ...more, about };
  await acts.note(act);
  return act;
}

/** What the entry of a resync says of it. */
export function aboutResync({ kinds, fromMs, toMs, force }: ResyncRequest): Record<string, string> {
  return {
    lists: kinds.map((kind) => `${kind}s`).join(', '),
    ...(fromMs === undefined ? {} : { from: new Date(fromMs).toISOString() }),
    ...(toMs === undefined ? {} : { to: new Date(toMs).toISOString() }),
    ...(force === true ? { force: 'yes' } : {}),
  };
}
